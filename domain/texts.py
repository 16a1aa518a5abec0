"""Names, labels and sentences of a game in one language, from `components/texts.<language>.toml`.

The file holds these tables:

    [names]                 id = "name", for every id that a fact, an option or a result can carry
    [asks.<Ask>]            why = "sentence"; picks = { <pick> = "label" } if the plain name does not fit
    [[facts.<Fact>]]        says = "sentence", when = { <field> = value }: the first entry whose `when` fits
    [options.<option>]      about = "sentence", and one label for each choice
    [fields]                field = "what this field of the table is called"
    [letters]               seat = "one letter", if the first letters of their names are the same
    [counts]                field = "{count:tile|tiles}", if the field holds something else than cards
    [editions.<edition>]    id = "name", if an edition has another name for something
    [cards]                 id = "what this card does", if the game keeps these texts here
    [refusals]              id = "why something cannot be picked", for every `Reason` that a step gives

A sentence holds fields in braces; if a fact lacks a field, a test fails.

    {card}                  the name of the id in that field; lists are joined, points are "cards 3, dice 1",
                            and a table of places is "here: this, there: that"
    {count:cube|cubes}      a number, or how many a list holds, and the fitting form ("куб|куба|кубов")
    {by:+}, {by:-}          a number with its sign, and without
    {name[card-1]}          the name of that very id, which an edition or a match may have changed

A `when` compares with what the fact holds.  "" stands for nothing, "<0" and ">0" for numbers below and above
zero, "?" also for a list or a table in which every item is hidden, and a list for any of its values.
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from domain.kernel import HIDDEN, AnyFact, Fault, Pick, Prompt

LANGUAGES = ("en", "ru")
_MOST_CACHED = 10_000  # labels, and as many reasons, are kept: most questions come up again
_UNKNOWN = {"en": "a hidden card", "ru": "скрытая карта"}
_NOBODY = {"en": "nobody", "ru": "никто"}
_NONE = {"en": "none", "ru": "нет"}
_AND = {"en": "and", "ru": "и"}
_RANGE = {"en": "{least} to {most}", "ru": "от {least} до {most}"}
_QUOTES = {"en": "“{label}”", "ru": "«{label}»"}
_ANSWER = {"en": "answer {answer}: ", "ru": "ответ {answer}: "}
_FAULTS = {
    "en": {
        "count": "pick {wanted}, not {picked}",
        "twice": "{pick} is picked twice",
        "option": "{pick} is not among the options",
    },
    "ru": {
        "count": "нужно разных вариантов: {wanted}, выбрано: {picked}",
        "twice": "{pick} — этот вариант выбран дважды",
        "option": "{pick} — такого варианта сейчас нет",
    },
}
_NAMED = "name["  # the path of an id's own name begins so, and ends with "]"
_library = string.Formatter()
_T = TypeVar("_T")

Mark = tuple[int, int, str]
Piece = tuple[str, str]  # some text, and the id that it names; empty: it names none


class Marked(Struct, frozen=True, gc=False, omit_defaults=True):
    """A text, and where ids are named in it: from which character, up to which one, and the id."""

    text: str
    marks: tuple[Mark, ...] = ()

    @classmethod
    def of(cls, pieces: Iterable[Piece]) -> Marked:
        """The pieces, one after another."""
        told: list[str] = []
        marks: list[Mark] = []
        end = 0
        for text, id in pieces:
            if id:
                marks.append((end, end + len(text), id))
            told.append(text)
            end += len(text)
        return cls("".join(told), tuple(marks))

    @property
    def pieces(self) -> Iterator[Piece]:
        """The pieces again."""
        end = 0
        for start, stop, id in self.marks:
            yield self.text[end:start], ""
            yield self.text[start:stop], id
            end = stop
        yield self.text[end:], ""

    @property
    def template(self) -> str:
        """The text with `{id}` in place of the name of each id; a brace of the text itself is doubled.

        With the names of the vocabulary in place of the ids it is the text again.
        """
        return "".join(
            f"{{{id}}}" if id and not set(id) & set("{}") else text.replace("{", "{{").replace("}", "}}")
            for text, id in self.pieces
        )


def join(texts: Iterable[Marked], between: str = " ") -> Marked:
    """Texts one behind another."""
    pieces: list[Piece] = []
    for text in texts:
        pieces += [(between, "")] if pieces else []
        pieces += text.pieces
    return Marked.of(pieces)


def fill(sentence: str, values: Mapping[str, object]) -> Marked:
    """A sentence of the library's own form with its fields filled in; those with marks keep them."""
    pieces: list[Piece] = []
    for literal, path, spec, _ in _library.parse(sentence):
        pieces.append((literal, ""))
        if path is not None:
            value = _library.get_field(path, (), values)[0]
            pieces += value.pieces if isinstance(value, Marked) else [(format(value, spec or ""), "")]
    return Marked.of(pieces)


class Texts:
    """The words of one game in one language."""

    def __init__(self, language: str, data: Mapping[str, Any]) -> None:
        self.language, self._data = language, data
        self.names: dict[str, str] = dict(data.get("names", {}))
        self.cards: dict[str, str] = dict(data.get("cards", {}))
        self._words = _Words(self)
        self._labels: dict[object, Marked] = {}  # by question and pick
        self._reasons: dict[object, str] = {}  # by question, seat and values

    @classmethod
    def read(cls, language: str, folder: Traversable) -> Texts:
        """The texts in `folder`/texts.<language>.toml."""
        return cls(language, tomllib.loads((folder / f"texts.{language}.toml").read_text("utf-8")))

    def with_names(self, names: Mapping[str, str]) -> Texts:
        """The same texts with more names: those of an edition, or of a match's own card set."""
        return Texts(self.language, {**self._data, "names": {**self.names, **names}})

    def edition(self, edition: str) -> dict[str, str]:
        """The names that differ in this edition."""
        return dict(self._data.get("editions", {}).get(edition, {}))

    def card(self, card: str) -> str | None:
        """What a card does; None if the game keeps no text for it here."""
        return self.cards.get(card)

    def name(self, value: object) -> str:
        """The name of an id, a number or a list of these, as a sentence shows it."""
        return "".join([text for text, _ in self.named(value)])

    def named(self, value: object) -> list[Piece]:
        """The same in pieces, each id that has a name apart."""
        if value is None or value == "":
            return [(_NOBODY[self.language], "")]
        if isinstance(value, str):
            name = self.names.get(value)
            if value == HIDDEN or name is None:
                return [(name or (_UNKNOWN[self.language] if value == HIDDEN else value), "")]
            return [(name, value)]
        if isinstance(value, bool):
            return [(str(value).lower(), "")]
        if isinstance(value, (list, tuple)):
            return self._joined([self.named(item) for item in value]) or [(_NONE[self.language], "")]
        if isinstance(value, Mapping):
            return _between(self._held(value), ", ")
        return [(self.names.get(str(value), str(value)), "")]

    def sentence(self, fact: AnyFact) -> str:
        """The sentence for a fact; of a fact as a viewer sees it, what this viewer may know.

        Raises:
            LookupError: the texts have no sentence for this fact.
        """
        return self.marked(fact).text

    def marked(self, fact: AnyFact) -> Marked:
        """The same, with the ids that it names."""
        fields = msgspec.structs.asdict(fact)
        for entry in self._data["facts"][type(fact).__name__]:
            if all(_fits(fields[name], value) for name, value in entry.get("when", {}).items()):
                return Marked.of(self._words.pieces(entry["says"], **fields))
        raise LookupError(f"no {self.language} sentence for {fact}")

    def why(self, prompt: Prompt) -> str:
        """The sentence that says what a seat is asked, and why."""
        about = (prompt.ask, prompt.seat, *prompt.why.items())
        return _cached(self._reasons, about, lambda: self._why(prompt))

    def _why(self, prompt: Prompt) -> str:
        return self._words.format(self._data["asks"][prompt.ask]["why"], seat=prompt.seat, **prompt.why)

    def outcome(self, outcome: Mapping[str, int]) -> str:
        """Return what dice may bring in words: each change with its number; some numbers have their own."""
        words = self._data.get("outcomes", {})
        if not outcome:
            return str(words.get("none", "–"))
        return ", ".join(self._change(words.get(id), id, number) for id, number in outcome.items())

    def _change(self, words: str | dict[str, str] | None, id: str, number: int) -> str:
        if isinstance(words, dict):
            return words[str(number)]
        return words.format(n=number) if words is not None else f"{self.name(id)} {number}"

    def label(self, ask: str, pick: Pick) -> str:
        """What a pick is called under this question; "verb:id" is labelled by its verb and its id."""
        return self.marked_label(ask, pick).text

    def marked_label(self, ask: str, pick: Pick) -> Marked:
        """The same, with the ids that it names."""
        return _cached(self._labels, (ask, pick), lambda: Marked.of(self._label(ask, pick)))

    def _label(self, ask: str, pick: Pick) -> list[Piece]:
        labels = self._data["asks"][ask].get("picks", {})
        if pick in labels:
            return self._words.pieces(labels[pick])
        verb, _, rest = pick.partition(":")
        if rest and verb in labels:
            return self._words.pieces(labels[verb], pick=rest)
        return self.named(pick)

    def refused(self, question: Prompt, fault: Fault) -> str:
        """The sentence that says what is wrong with an answer, and why if the step gave a reason."""
        least, most = question.least, question.most
        wanted = str(least) if least == most else _RANGE[self.language].format(least=least, most=most)
        said = _FAULTS[self.language][fault.kind].format(
            wanted=wanted, picked=fault.picked, pick=self._quoted(question.ask, fault.pick)
        )
        if fault.reason.id:
            why = self._data["refusals"][fault.reason.id]
            said = f"{said}: {self._words.format(why, **fault.reason.values)}"
        return (_ANSWER[self.language].format(answer=fault.answer) if fault.answer else "") + said

    def _quoted(self, ask: str, pick: Pick) -> str:
        """A pick that may not exist: its label in quotes if it has one, else what was sent."""
        sent = repr(pick) if self.language == "en" else _QUOTES[self.language].format(label=repr(pick)[1:-1])
        if not {pick, pick.partition(":")[2]} & {*self.names, *self._data["asks"][ask].get("picks", {})}:
            return sent
        try:
            label = self.label(ask, pick)
        except (KeyError, ValueError):  # the label of a verb needs an id or a number
            return sent
        if label == pick:
            return sent
        quotes = _QUOTES[self.language]
        return label if quotes[0] in label else quotes.format(label=label)  # no quotes within quotes

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the table that have a name."""
        return tuple(self._data.get("fields", {}))

    @property
    def nouns(self) -> dict[str, str]:
        """By field of the table the noun of what it holds, as `{count:one|more}`."""
        return dict(self._data.get("counts", {}))

    def letters(self, seats: Sequence[str]) -> dict[str, str]:
        """A letter for each seat: what the texts say, else the first of its name, else its number."""
        first = {seat: self.name(seat)[:1] for seat in seats}
        if len(set(first.values())) < len(seats):
            first = {seat: str(number) for number, seat in enumerate(seats, 1)}
        return first | {seat: self._data["letters"][seat] for seat in seats if "letters" in self._data}

    def field(self, field: str) -> str | None:
        """The name of a field of the table; None if the texts have none."""
        named: str | None = self._data.get("fields", {}).get(field)
        return None if named is None else self._words.format(named)

    def counted(self, field: str, count: int) -> str | None:
        """A number of what a field of the table holds ("3 tiles"); None if the texts have no noun for it."""
        noun = self._data.get("counts", {}).get(field)
        return None if noun is None else self._words.format(noun, count=count)

    def write(self, sentence: str, **values: object) -> str:
        """A sentence with its fields filled in."""
        return self._words.format(sentence, **values)

    def option(self, option: str) -> dict[str, str]:
        """What an option decides ("about") and what each of its choices means."""
        return dict(self._data.get("options", {}).get(option, {}))

    def _held(self, value: Mapping[str, Any]) -> list[list[Piece]]:
        """Points, the largest first; anything else as "place: what lies there", in the given order."""
        if any(isinstance(held, str) for held in value.values()):
            return [[*self.named(place), (": ", ""), *self.named(held)] for place, held in value.items()]
        largest_first = sorted(value.items(), key=lambda item: (-item[1], item[0]))
        return [[*self.named(key), (f" {points}", "")] for key, points in largest_first]

    def _joined(self, words: Sequence[list[Piece]]) -> list[Piece]:
        if len(words) < 2:
            return _between(words, "")
        return [*_between(words[:-1], ", "), (f" {_AND[self.language]} ", ""), *words[-1]]


class TextsByLanguage(Mapping[str, Texts]):
    """The texts of a game in every language, each read when it is first needed: that takes a while.

    Args:
        folder: has the files.
    """

    def __init__(self, folder: Traversable) -> None:
        self._folder = folder
        self._read: dict[str, Texts] = {}

    def __getitem__(self, language: str) -> Texts:
        if language not in LANGUAGES:
            raise KeyError(language)
        if language not in self._read:
            self._read[language] = Texts.read(language, self._folder)
        return self._read[language]

    def __iter__(self) -> Iterator[str]:
        return iter(LANGUAGES)

    def __len__(self) -> int:
        return len(LANGUAGES)


def forms_of(noun: str) -> tuple[str, ...]:
    """The forms of a counted noun, as `{count:one|more}` writes it."""
    return tuple(next(spec for _, path, spec in _parsed(noun) if path is not None).split("|"))


def _between(words: Sequence[list[Piece]], between: str) -> list[Piece]:
    """The words one behind another, with something between each two."""
    return [piece for i, word in enumerate(words) for piece in ([(between, ""), *word] if i else word)]


class _Words:
    """Writes fields as names, numbers with or without their sign, and counted nouns in the fitting form."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def format(self, sentence: str, **values: object) -> str:
        """A sentence with its fields filled in."""
        return "".join([text for text, _ in self.pieces(sentence, **values)])

    def pieces(self, sentence: str, **values: object) -> list[Piece]:
        """The same in pieces."""
        told: list[Piece] = []
        for literal, path, spec in _parsed(sentence):
            told.append((literal, ""))
            if path is not None:
                told += self._field(path, self._value(path, values), spec)
        return told

    def _value(self, path: str, values: Mapping[str, object]) -> Any:
        """The value at a path: most often a field, else an attribute or an item of one."""
        if path in values:
            return values[path]
        return _library.get_field(path, (), {"name": self._texts.names, **values})[0]

    def _field(self, path: str, value: Any, spec: str) -> list[Piece]:
        if not spec:
            named = path.startswith(_NAMED)
            return [(value, path[len(_NAMED) : -1])] if named else self._texts.named(value)
        if spec == "+":
            return [(f"{value:+}" if value else "0", "")]
        if spec == "-":
            return [(str(abs(value)), "")]
        count = len(value) if isinstance(value, (list, tuple)) else int(value)
        return [(f"{count} {spec.split('|')[_form(self._texts.language, count)]}", "")]


@cache
def _parsed(sentence: str) -> list[tuple[str, str | None, str]]:
    """The pieces of a sentence, each a text, the path of the field after it (None: none) and its format."""
    return [(literal, path, spec or "") for literal, path, spec, _ in _library.parse(sentence)]


def _cached(known_texts: dict[object, _T], key: object, write: Callable[[], _T]) -> _T:
    """What was written for this key before; else it is written, and kept."""
    known = known_texts.get(key)
    if known is None:
        if len(known_texts) >= _MOST_CACHED:
            known_texts.clear()
        known = known_texts[key] = write()
    return known


def _fits(value: object, wanted: object) -> bool:
    """Does a field fit a `when`?  In TOML "" stands for None, and lists stand for tuples."""
    if wanted == HIDDEN and isinstance(value, (tuple, Mapping)):
        items = value.values() if isinstance(value, Mapping) else value
        return bool(value) and all(item == HIDDEN for item in items)
    if isinstance(value, tuple):
        return bool(list(value) == wanted)
    if isinstance(wanted, list):
        return bool(value in wanted)
    if wanted == "<0":
        return isinstance(value, int) and value < 0
    if wanted == ">0":
        return isinstance(value, int) and value > 0
    return bool(value == wanted) or (wanted == "" and value is None)


def _form(language: str, count: int) -> int:
    """The index of the form of a noun that goes with a number (CLDR's cardinal rules for whole numbers)."""
    if language == "en":
        return 0 if abs(count) == 1 else 1
    ones, tens = abs(count) % 10, abs(count) % 100
    if ones == 1 and tens != 11:
        return 0
    return 1 if ones in (2, 3, 4) and tens not in (12, 13, 14) else 2
