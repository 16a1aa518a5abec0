"""The words of a match in one language: those of its game, and those of the log around it.

A game has the names of its ids and fields and the sentences of its facts (`domain.texts`).  The words that
all logs share (sitting down, rulings, the end) are in `words.<language>.toml` beside this module.  A field
without a name in either is shown by its identifier.
"""

from __future__ import annotations

import importlib.resources
import tomllib
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from functools import cache, cached_property

from domain.clocks import DAY, SECOND
from domain.game import Game, Options
from domain.kernel import AnyFact, Pick, Result
from domain.match_base import ALL, Outline
from domain.match_clock import BY_TIME
from domain.texts import LANGUAGES, Marked, fill, forms_of, join
from replay.sanitize import one_line

Sections = dict[str, dict[str, str]]


class Words:
    """The words of one match in one language.

    Raises:
        ValueError: there are no words in this language.
    """

    def __init__(self, match: Outline, language: str) -> None:
        self._read(match.game, match.opened.edition, match.opened.options, language)

    @classmethod
    def of_game(cls, game: Game, edition: str, options: Options, language: str) -> Words:
        """Return the words of a match that is not there: of a game in an edition with these options."""
        words = cls.__new__(cls)
        words._read(game, edition, options, language)
        return words

    def _read(self, game: Game, edition: str, options: Options, language: str) -> None:
        self.language, self._game = language, game.name
        self.backstage, self.idle = game.backstage, game.idle
        self.seats = frozenset(game.seats)
        self._log = _log_words(language)
        self.texts = game.words(language, options, edition)
        self.letters = self.texts.letters(game.seats)

    def name(self, value: object) -> str:
        """Return the name of an id, a number or a list of these."""
        return one_line(self.texts.name(value))

    def field(self, field: str) -> str:
        """Return the name of an id, or else of a field of the table."""
        return one_line(self._field(field) or field.replace("_", " "))

    def knows(self, id: str) -> bool:
        """Is there a word for an id, or a field?"""
        return self._field(id) is not None

    def _field(self, field: str) -> str | None:
        return self.texts.names.get(field) or self.texts.field(field) or self._log["fields"].get(field)

    @property
    def fields(self) -> dict[str, str]:
        """The names of all fields that have one, those of the game before those of all games."""
        own = {field: self.texts.field(field) or field for field in self.texts.fields}
        return {field: one_line(name) for field, name in (self._log["fields"] | own).items()}

    @property
    def counts(self) -> dict[str, tuple[str, ...]]:
        """The forms of the noun that a field counts, the smallest number's first; "": of cards."""
        nouns = {"": self._log["shown"]["cards"], **self.texts.nouns}
        return {field: forms_of(noun) for field, noun in nouns.items()}

    def in_order(self, ids: Iterable[str]) -> list[str]:
        """Sort ids in the order of the game's list of names; ids without a name come last."""
        return sorted(ids, key=self.place)

    def place(self, id: str) -> int:
        """Return the place of an id in that order."""
        return self._places.get(id, len(self._places))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {id: place for place, id in enumerate(self.texts.names)}

    @property
    def game(self) -> str:
        """The title of the game."""
        return self.texts.name(self._game)

    def marked(self, id: str) -> Marked:
        """Return the name of an id, with its mark."""
        return _one_line(Marked.of(self.texts.named(id)))

    def entry(self, sentence: str, **values: object) -> Marked:
        """Return a sentence about an entry of the log; values that have marks keep them."""
        return _one_line(fill(self._log["entries"][sentence], values))

    def shown(self, phrase: str, **values: object) -> str:
        """Return a phrase that is shown with a position."""
        return self._log["shown"][phrase].format(**values)

    def analysis(self, phrase: str, **values: object) -> str:
        """Return a phrase of an analysis."""
        return self._log["analysis"][phrase].format(**values)

    def count(self, cards: int, field: str = "") -> str:
        """Return a number of cards in words, or of what else this field of the table holds."""
        return self.texts.counted(field, cards) or self.texts.write(self._log["shown"]["cards"], count=cards)

    def viewer(self, viewer: str | None) -> str:
        """Return the name of a viewer."""
        if viewer is None or viewer == ALL:
            return self._log["shown"]["spectator" if viewer is None else "all"]
        return self.name(viewer)

    def fact(self, fact: AnyFact) -> Marked:
        """Return the sentence of a fact; its ids if the game has no sentence for it (any more)."""
        try:
            return _one_line(self.texts.marked(fact))
        except (LookupError, ValueError, TypeError):
            return Marked(one_line(f"{type(fact).__name__} {fact}"))

    def picks(self, ask: str, picks: Iterable[Pick]) -> Marked:
        """Return the picks with the labels of the question."""
        return join((self._pick(ask, pick) for pick in picks), ", ")

    def result(self, result: Result) -> str:
        """Return how a match ended, in one clause, with the score."""
        reasons = self._log["results"]
        known = result.reason in ("resignation", BY_TIME)
        reason = reasons[result.reason] if known else self.field(result.reason)
        clause = reasons["drawn" if result.winner is None else "won"]
        words = clause.format(winner=self.name(result.winner), reason=reason)
        score = ", ".join(f"{self.name(seat)} {points}" for seat, points in result.score.items())
        return f"{words} ({score})" if score else words

    def moment(self, at: int | None, zone: tzinfo | None = None) -> str:
        """Return a time in UTC, then in the reader's `zone` (None: the time zone of this machine)."""
        if at is None:
            return self._log["shown"]["unknown_time"]
        try:
            moment = datetime.fromtimestamp(at // 1_000_000, UTC)
            local = moment.astimezone(zone)
        except (OverflowError, ValueError, OSError):
            return self._log["shown"]["unknown_time"]
        there = f"{local:%H:%M:%S}" if local.date() == moment.date() else f"{local:%Y-%m-%d %H:%M:%S}"
        return f"{moment:%Y-%m-%d %H:%M:%S} UTC ({there} {self._log['shown']['local']})"

    def duration(self, microseconds: int) -> str:
        """Return a length of time in days, hours, minutes and seconds, a part of a second as a whole one."""
        days, seconds = divmod(-(-microseconds // SECOND), DAY // SECOND)
        time = f"{seconds // 3_600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        return self._log["shown"]["days"].format(days=days, time=time) if days else time

    def _pick(self, ask: str, pick: Pick) -> Marked:
        try:
            return _one_line(self.texts.marked_label(ask, pick))
        except (LookupError, ValueError, TypeError):
            return self.marked(pick)


def _one_line(sentence: Marked) -> Marked:
    """See `one_line`, which puts one character in place of one: marks stay where they are."""
    return Marked(one_line(sentence.text), sentence.marks)


@cache
def _log_words(language: str) -> Sections:
    if language not in LANGUAGES:
        raise ValueError(f"no words in {language!r}; there are: {', '.join(LANGUAGES)}")
    file = importlib.resources.files("replay") / f"words.{language}.toml"
    found: Sections = tomllib.loads(file.read_text("utf-8"))
    return found
