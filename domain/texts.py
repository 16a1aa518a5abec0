"""Names, labels and sentences of a game in one language, from `components/texts.<language>.toml`.

The file holds these tables:

    [names]                 id = "name", for every id that a fact, an option or a result can carry
    [asks.<Ask>]            why = "sentence"; picks = { <pick> = "label" } where the plain name will not do
    [[facts.<Fact>]]        says = "sentence", when = { <field> = value }: the first entry whose `when` fits
    [options.<option>]      about = "sentence", and one label for each choice
    [fields]                field = "what this field of the table is called"

A sentence holds fields in braces.  `{card}` is the name of the id in that field (lists are joined); a field
that a fact lacks is an error that the tests find.  `{count:cube|cubes}` writes the number and the fitting
form ("куб|куба|кубов" in Russian).
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources.abc import Traversable
from typing import Any

import msgspec

from domain.kernel import HIDDEN, Fact, Pick, Prompt

LANGUAGES = ("en", "ru")
_UNKNOWN = {"en": "a hidden card", "ru": "скрытая карта"}
_NOTHING = {"en": "nobody", "ru": "никто"}
_AND = {"en": "and", "ru": "и"}


class Texts:
    """The words of one game in one language."""

    def __init__(self, language: str, data: Mapping[str, Any]) -> None:
        self.language, self._data = language, data
        self.names: dict[str, str] = dict(data.get("names", {}))
        self._words = _Words(self)

    @classmethod
    def read(cls, language: str, folder: Traversable) -> Texts:
        """The texts in `folder`/texts.<language>.toml."""
        return cls(language, tomllib.loads((folder / f"texts.{language}.toml").read_text("utf-8")))

    def with_names(self, names: Mapping[str, str]) -> Texts:
        """The same texts with more names: those of a match's own card set."""
        return Texts(self.language, {**self._data, "names": {**self.names, **names}})

    def name(self, value: Any) -> str:
        """The name of an id, a number or a list of these, as a sentence shows it."""
        if value is None or value in ("", ()):
            return _NOTHING[self.language]
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, (list, tuple)):
            return self._joined([self.name(item) for item in value])
        if value == HIDDEN:
            return self.names.get(HIDDEN, _UNKNOWN[self.language])
        return self.names.get(str(value), str(value))

    def sentence(self, fact: Fact) -> str:
        """One sentence that tells a fact, as this viewer was told it."""
        fields = msgspec.structs.asdict(fact)
        for entry in self._data["facts"][type(fact).__name__]:
            if all(_fits(fields[name], value) for name, value in entry.get("when", {}).items()):
                return self._words.format(entry["says"], **fields)
        raise LookupError(f"no {self.language} sentence for {fact}")

    def why(self, prompt: Prompt) -> str:
        """One sentence that tells a seat what it is asked, and why."""
        return self._words.format(self._data["asks"][prompt.ask]["why"], seat=prompt.seat, **prompt.why)

    def label(self, ask: str, pick: Pick) -> str:
        """What a pick is called under this question; "verb:id" is labelled by its verb and its id."""
        labels = self._data["asks"][ask].get("picks", {})
        if pick in labels:
            return str(labels[pick])
        verb, _, rest = pick.partition(":")
        if rest and verb in labels:
            return self._words.format(labels[verb], pick=rest)
        return self.name(pick)

    def field(self, field: str) -> str | None:
        """What a field of the table is called; None where the game does not say."""
        named: str | None = self._data.get("fields", {}).get(field)
        return named

    def write(self, sentence: str, **values: Any) -> str:
        """A sentence with its fields filled in."""
        return self._words.format(sentence, **values)

    def option(self, option: str) -> dict[str, str]:
        """What an option is about ("about") and what each of its choices means."""
        return dict(self._data.get("options", {}).get(option, {}))

    def _joined(self, words: Sequence[str]) -> str:
        if len(words) < 2:
            return "".join(words)
        return f"{', '.join(words[:-1])} {_AND[self.language]} {words[-1]}"


class _Words(string.Formatter):
    """Writes fields as names, and counted nouns in the fitting form."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def format_field(self, value: Any, spec: str) -> str:
        if not spec:
            return self._texts.name(value)
        return f"{value} {spec.split('|')[_form(self._texts.language, int(value))]}"


def _fits(value: Any, wanted: Any) -> bool:
    """TOML knows neither null, for which "" stands, nor tuples, for which lists stand."""
    plain = list(value) if isinstance(value, tuple) else value
    return plain == wanted or (wanted == "" and value is None)


def _form(language: str, count: int) -> int:
    """Which of the forms of a noun goes with a number (CLDR's cardinal rules for whole numbers)."""
    if language == "en":
        return 0 if abs(count) == 1 else 1
    ones, tens = abs(count) % 10, abs(count) % 100
    if ones == 1 and tens != 11:
        return 0
    return 1 if ones in (2, 3, 4) and tens not in (12, 13, 14) else 2
