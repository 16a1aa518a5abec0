"""The core tables a second way: from the bytes of a match file, with nothing that the tables are made of.

It takes the zip apart, reads each leaf and private part as JSON, and counts turns, takebacks and think times
itself.  Only the options come from the rules: the domain is asked on the table that it folds.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from domain import kernel
from domain.games import GAMES
from domain.log import codec
from domain.match import Match

Rows = list[tuple[Any, ...]]
Entry = dict[str, Any]


class Read:
    """A match file, taken apart: `leaves`, and of a match that was not imported the hidden `parts`."""

    def __init__(self, data: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        self.data = data
        self.raw = members["log.ndjson"].splitlines()
        self.leaves: list[Entry] = [json.loads(line) for line in self.raw]
        self.opened = self.leaves[0]
        self.game = GAMES[self.opened["game"]]
        self.imported = self.opened["origin"] == "imported"
        lines = [json.loads(line) for line in members["private.ndjson"].splitlines()]
        self.sealed: list[dict[str, Entry]] = [line["parts"] for line in lines]
        self.parts = [{} for _ in self.leaves] if self.imported else self.sealed

    def facts(self, move: int) -> list[Entry]:
        """The facts of a move, with what is hidden in them."""
        facts = list(self.leaves[move - 1].get("facts", ()))
        for part in self.parts[move - 1].values():
            for place, fact in part.get("facts", ()):
                facts[place] = fact
        return facts

    def decoded(self, move: int) -> list[Any]:
        """The same as the domain's facts."""
        read = codec(self.game).fact
        return [read(json.dumps(fact).encode()) for fact in self.facts(move)]


@cache  # several tests ask for the same matches; they must not change what they get
def expected(data: bytes) -> dict[str, Rows]:
    """The rows of each core table that follows from a match file alone."""
    file = Read(data)
    turns = list(_turns(file))
    return {
        "matches": [_match(file, turns)],
        "moves": list(_moves(file, turns)),
        "facts": list(_facts(file, turns)),
        "draws": list(_draws(file, turns)),
        "decisions": list(_decisions(file, turns)),
        "takebacks": list(_takebacks(file)),
        "rulings": list(_rulings(file)),
    }


def _turns(file: Read) -> Iterator[int]:
    """The turn of each move: it grows with each fact that ends one, and goes back with the match."""
    now, last, after = 1, 1, [1]
    for leaf in file.leaves:
        if leaf["kind"] == "taken_back":
            now = after[leaf["to"]]
        last = now if leaf["kind"] == "played" else last
        yield last
        now += sum(fact.ends_period for fact in file.decoded(leaf["move"]))
        after.append(now)


def _standing(file: Read) -> set[int]:
    """The moves that were not taken back."""
    before = [0]
    last = 0
    for leaf in file.leaves:
        before.append(leaf["to"] if leaf["kind"] == "taken_back" else last)
        last = leaf["move"]
    found = set[int]()
    while last:
        found.add(last)
        last = before[last]
    return found


def _match(file: Read, turns: list[int]) -> tuple[Any, ...]:
    opened, closed = file.opened, file.leaves[-1]
    result = closed.get("result") or {}
    score = result.get("score", {})
    seated = [leaf for leaf in file.leaves if leaf["kind"] == "seated"]
    rules = [leaf["rules"] for leaf in file.leaves if leaf.get("rules")]
    begun = len(seated) == len(file.game.seats)
    return (
        opened["match"],
        opened["game"],
        opened["edition"],
        json.dumps(opened["options"], sort_keys=True, separators=(",", ":"), ensure_ascii=False),
        opened["origin"],
        file.imported,
        not any(leaf.get("salt") or leaf.get("salt_hash") for leaf in seated),
        None,
        None,
        None,
        opened.get("at"),
        closed.get("at"),
        *file.game.seats,
        result.get("winner"),
        result.get("reason"),
        closed["by"],
        *(score.get(seat) for seat in file.game.seats),
        turns[-1] if begun else None,
        len(file.leaves),
        opened["rules"],
        rules[-1],
        opened["product"],
        hashlib.sha256(file.data).hexdigest(),
        "unproven" if file.imported else "ok",
        begun and not any(leaf["kind"] == "restated" for leaf in file.leaves),
    )


def _moves(file: Read, turns: list[int]) -> Iterator[tuple[Any, ...]]:
    stands = _standing(file)
    times = [leaf.get("at") for leaf in file.leaves]
    asked: Entry = {}
    for leaf, turn in zip(file.leaves, turns, strict=True):
        think = None
        if leaf["kind"] == "played":
            put = times[asked["seats"][leaf["seat"]] - 1]
            think = None if None in (put, leaf.get("at")) else (leaf["at"] - put) // 1000
        yield (
            file.opened["match"],
            leaf["move"],
            leaf["kind"],
            leaf.get("seat"),
            leaf.get("ask"),
            turn,
            leaf.get("at"),
            think,
            leaf["move"] in stands,
            len(leaf.get("facts", ())),
            bool(leaf.get("rules")) and leaf["move"] > 1,
        )
        asked = leaf.get("asked", asked)


def _facts(file: Read, turns: list[int]) -> Iterator[tuple[Any, ...]]:
    for leaf, turn in zip(file.leaves, turns, strict=True):
        for place, fact in enumerate(file.decoded(leaf["move"])):
            known = fact.known_to()
            fields = {name: getattr(fact, name) for name in fact.__struct_fields__}
            yield (
                file.opened["match"],
                leaf["move"],
                place,
                turn,
                leaf.get("seat"),
                file.facts(leaf["move"])[place]["fact"],
                None if known is None else list(known),
                json.loads(msgspec.json.encode(fields)),
            )


def _draws(file: Read, turns: list[int]) -> Iterator[tuple[Any, ...]]:
    for leaf, turn in zip(file.leaves, turns, strict=True):
        hidden = file.parts[leaf["move"] - 1].get("house", {}).get("draws", ())
        draws = [(True, one) for one in leaf.get("draws", ())] + [(False, one) for one in hidden]
        for place, (is_open, one) in enumerate(draws):
            numbers = (one.get(name, 0) for name in ("counter", "period", "n", "result"))
            where = (file.opened["match"], leaf["move"], place, turn)
            yield (*where, is_open, one["label"], *numbers, one["pick"], one.get("forced", False))


def _decisions(file: Read, turns: list[int]) -> Iterator[tuple[Any, ...]]:
    if file.imported:
        return
    known = codec(file.game)
    records = [
        known.join(
            file.opened["match"], leaf, {name: json.dumps(part).encode() for name, part in parts.items()}
        )
        for leaf, parts in zip(file.raw, file.sealed, strict=True)
    ]
    match = Match.project(None, records)
    assert match is not None
    for leaf in file.leaves:
        if leaf["kind"] == "played":
            move, seat = leaf["move"], leaf["seat"]
            prompt = kernel.prompt(match.table_with_agenda(move - 1), seat)
            assert prompt is not None
            picks = leaf.get("picks")
            picked = file.parts[move - 1][seat]["picks"] if picks is None else picks
            yield (
                file.opened["match"],
                move,
                turns[move - 1],
                seat,
                leaf["ask"],
                prompt.least,
                prompt.most,
                len(prompt.options),
                list(prompt.options),
                list(picked),
                file.game.rules,
            )


def _takebacks(file: Read) -> Iterator[tuple[Any, ...]]:
    match = file.opened["match"]
    for leaf in file.leaves:
        move = leaf["move"]
        if leaf["kind"] == "takeback_asked":
            yield match, move, "asked", leaf["seat"], None, leaf["to"], None
        elif leaf["kind"] == "takeback_answered":
            what = "agreed" if leaf["agree"] else "declined"
            yield match, move, what, leaf["seat"], leaf["request"], None, None
        elif leaf["kind"] == "taken_back":
            yield match, move, "taken_back", None, None, leaf["to"], leaf["by"]


def _rulings(file: Read) -> Iterator[tuple[Any, ...]]:
    for leaf in file.leaves:
        if leaf["kind"] == "ruled":
            result = leaf.get("result") or {}
            kind = "void" if leaf.get("void") else "result" if result else "back"
            named = (leaf.get("back_to"), result.get("winner"), result.get("reason"), leaf["reason"])
            yield (file.opened["match"], leaf["move"], leaf["by"], kind, *named)


def salts(file: Read) -> dict[str, str]:
    """How each seat gave a salt, by the seat on which its player sat down."""
    seated = [leaf for leaf in file.leaves if leaf["kind"] == "seated"]
    return {
        leaf["seat"]: "committed" if leaf.get("salt_hash") else "clear" if leaf.get("salt") else "none"
        for leaf in seated
    }


def players(file: Read) -> dict[str, str]:
    """Who plays each seat at the end: a bid may make two players change places."""
    found = {leaf["seat"]: leaf["player"] for leaf in file.leaves if leaf["kind"] == "seated"}
    stands, exchanged = _standing(file), False
    for leaf in file.leaves:
        for fact in file.facts(leaf["move"]) if leaf["move"] in stands else ():
            if fact["fact"] == "SidesSettled":
                exchanged = fact["exchanged"]
    return dict(zip(found, reversed(found.values()), strict=True)) if exchanged else found
