"""Writes a golden playthrough: a seeded match as text, every move with its draws, facts, views and prompts.

A reviewer reads in the difference what a change of the rules changes in play.  So nothing that changes with
every commit (roots, hashes of the rules) stands in it, of a view only what a move changed, and what an option
is called only where it is first offered.

Run `ops/golden` to write the files again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from domain.game import Game, OptionValue
from domain.games import GAMES
from domain.kernel import Prompt
from domain.log import HOUSE, Record
from domain.match_base import ALL
from domain.texts import LANGUAGES
from tests.matches import Sitting


class Golden(Struct, frozen=True):
    """A match that is kept: its game, the seed of its chance and its answers, the edition and the options."""

    game: str
    seed: int
    edition: str | None = None
    options: dict[str, OptionValue] = {}


MATCHES = {
    "thirteen_minutes": Golden("thirteen_minutes", 2),
    "cia_vs_kgb": Golden("cia_vs_kgb", 1),
    "twilight_struggle": Golden("twilight_struggle", 19, "deluxe"),
    "twilight_struggle_second": Golden(
        "twilight_struggle", 45, "second", {"bid": "victory_points", "tournament": True}
    ),
    "twilight_struggle_late_war": Golden("twilight_struggle", 18, "deluxe", {"scenario": "late_war"}),
    "imperial_struggle": Golden("imperial_struggle", 6),
}
"""The matches by the names of their files; a new game is added here."""

FOLDER = Path(__file__).parent
_GONE = object()


def path_of(name: str) -> Path:
    """The file of a match."""
    return FOLDER / f"{name}.txt"


def playthrough(golden: Golden) -> Iterator[str]:
    """The lines of a match's file."""
    game = GAMES[golden.game]
    teller = _Teller(game, Sitting(game, golden.seed, edition=golden.edition, options=golden.options))
    yield f"{game.name}: the match of seed {golden.seed}; written by ops/golden, not by hand"
    yield from teller.opening()
    for seat in game.seats:
        sitting = teller.sitting
        sitting.accept(sitting.match.sit(sitting.context, seat, seat, salt=None, bot="", source=None))
        yield from teller.move()
    while teller.sitting.match.status == "running":
        teller.sitting.random_answer()
        yield from teller.move()


class _Teller:
    """Tells what each move brought; remembers what every viewer saw before it."""

    def __init__(self, game: Game, sitting: Sitting) -> None:
        self.game, self.sitting = game, sitting
        opened = self.sitting.match.opened
        self.words = {each: game.words(each, opened.options, opened.edition) for each in LANGUAGES}
        self.told = 0
        self.viewers: tuple[str | None, ...] = (*game.seats, None, ALL)
        self.before: dict[str | None, dict[str, Any]] = {viewer: {} for viewer in self.viewers}
        self.asked: dict[str, int] = {}
        self.labelled: set[tuple[str, str]] = set()

    def opening(self) -> Iterator[str]:
        opened = self.sitting.match.opened
        yield f"edition {opened.edition}"
        for name, value in opened.options.items():
            yield f"option {name} = {_json(value)}"
        yield from self.move()

    def move(self) -> Iterator[str]:
        """What is new since the last call."""
        match = self.sitting.match
        while self.told < match.move:
            self.told += 1
            record = match.records[self.told - 1]
            yield ""
            yield f"── {record.move} · {_headline(record)} ──"
            yield from self._draws(record)
            yield from self._facts(record)
            yield from self._views(record.move)
        yield from self._prompts()

    def _draws(self, record: Record) -> Iterator[str]:
        house = record.parts.get(HOUSE)
        for draw in (*getattr(record.entry, "draws", ()), *(house.draws if house else ())):
            kind = f"open, period {draw.period}" if draw.period else "secret"
            again = f" #{draw.counter}" if draw.counter else ""
            yield f"draw   {draw.label}{again}: {draw.result} of {draw.n} is {draw.pick} ({kind})"

    def _facts(self, record: Record) -> Iterator[str]:
        viewers: tuple[str | None, ...] = (*self.game.seats, None)
        shown = [record.facts_for(viewer) for viewer in viewers]
        for place, fact in enumerate(record.facts):
            yield from self._told("fact  ", fact)
            others: dict[str, list[str]] = {}
            for viewer, facts in zip(viewers, shown, strict=True):
                if facts[place] != fact:
                    others.setdefault("\n".join(self._told("", facts[place])), []).append(_name(viewer))
            for lines, names in others.items():
                yield f"       {', '.join(names)}: {lines.lstrip()}"

    def _told(self, margin: str, fact: Any) -> Iterator[str]:
        yield f"{margin} {_json(fact)}"
        for language in LANGUAGES:
            words = self.words[language]
            yield f"         {words.sentence(fact)}"

    def _views(self, move: int) -> Iterator[str]:
        """What changed on the table; viewers who saw the same change stand together."""
        changes: dict[str, list[str]] = {}
        for viewer in self.viewers:
            view = _flat(self.sitting.match.table_at(move, viewer))
            before = self.before[viewer]
            for path in dict.fromkeys((*before, *view)):
                value = view.get(path, _GONE)
                if value != before.get(path, _GONE):
                    changed = f"{path} {_change(before.get(path, _GONE), value)}"
                    changes.setdefault(changed, []).append(_name(viewer))
            self.before[viewer] = view
        for change, names in changes.items():
            whose = "" if len(names) == len(self.viewers) else f"{', '.join(names)}: "
            yield f"view   {whose}{change}"

    def _prompts(self) -> Iterator[str]:
        """The questions that stand; one that stood before is only named."""
        standing = {seat: self.sitting.match.prompt(seat) for seat in self.game.seats}
        for seat, found in standing.items():
            if found is None:
                continue
            since, question = found
            if self.asked.get(seat) == since:
                yield f"ask    {seat}: still {question.ask}, since {since}"
            else:
                yield from self._prompt(since, question)
        self.asked = {seat: found[0] for seat, found in standing.items() if found}

    def _prompt(self, since: int, question: Prompt) -> Iterator[str]:
        order = ", in order" if question.ordered else ""
        count = f"{question.least} to {question.most}"
        yield f"ask    {question.seat}: {question.ask}, pick {count}{order}, since {since}"
        yield f"         {', '.join(question.options)}"
        for language in LANGUAGES:
            yield f"         {self.words[language].why(question)}"
        yield from self._labels(question)

    def _labels(self, question: Prompt) -> Iterator[str]:
        """What the options are called that were not offered before."""
        fresh = [pick for pick in question.options if (question.ask, pick) not in self.labelled]
        self.labelled.update((question.ask, pick) for pick in fresh)
        for language in LANGUAGES if fresh else ():
            label = self.words[language].label
            yield f"           {', '.join(f'{pick} ({label(question.ask, pick)})' for pick in fresh)}"


def _headline(record: Record) -> str:
    entry = record.entry
    kind: str = entry.__struct_config__.tag
    if kind == "played":
        secret = " (secret)" if entry.picks is None else ""
        return f"{entry.seat} answers {entry.ask}{secret}: {', '.join(record.picks or ()) or 'nothing'}"
    if kind == "closed":
        return f"closed by {entry.by}: {_json(entry.result)}"
    return f"{kind} {getattr(entry, 'seat', '')}".rstrip()


def _flat(table: Any) -> dict[str, Any]:
    """The table's fields by path, mappings opened to the last one."""
    fields: dict[str, Any] = msgspec.to_builtins(table)
    fields.pop("agenda", None)
    found: dict[str, Any] = {}

    def put(path: str, value: Any) -> None:
        if isinstance(value, dict) and value:
            for key, part in value.items():
                put(f"{path}.{key}" if path else key, part)
        else:
            found[path] = value

    put("", fields)
    return found


def _change(before: Any, now: Any) -> str:
    """The new value; of a long sorted list (a pile) only what came and went."""
    if now is _GONE:
        return "is gone"
    if not (_is_sorted(before) and _is_sorted(now)):
        return f"= {_json(now)}"
    came = [f"+{card}" for card in now if card not in before]
    went = [f"−{card}" for card in before if card not in now]
    return ", ".join(came + went)


def _is_sorted(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 5 and value == sorted(value)


def _name(viewer: str | None) -> str:
    return viewer or "spectator"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def main() -> None:
    """Write every file again."""
    for name, golden in MATCHES.items():
        text = "\n".join(playthrough(golden)) + "\n"
        path_of(name).write_text(text, "utf-8")
        sys.stdout.write(f"{path_of(name).name}: {len(text.encode()):,} bytes\n")


if __name__ == "__main__":
    main()
