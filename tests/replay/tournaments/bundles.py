"""Tournament files of a played tournament, and forged ones, for tests.

A forged file is consistent but for the one thing that a test changes: leaves are chained anew, the checkpoint
is signed again by the server's own key, and the manifest holds the new hashes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from api.gate.tournament_commands import KIND
from domain.log import b64, canonical
from domain.merkle import Tree
from domain.signed_notes import checkpoint
from domain.tournaments import commands as c
from domain.tournaments.events import Result
from domain.tournaments.history import TournamentLog
from domain.tournaments.judging import Actor
from domain.tournaments.terms import AFTER_MATCH, Format
from replay import matchfile, stored_archive
from replay.tournaments.file import MANIFEST, write
from replay.tournaments.pairing import pair
from replay.tournaments.published import sha256
from tests.api.gate.memory import Keys, MemoryStore
from tests.api.gate.tournaments import DIRECTOR, Cup

KEYS = Keys()
Members = dict[str, bytes]
Json = dict[str, Any]


async def played(rounds: int = 3, entrants: int = 6, format: Format = "swiss", sides: str = "colours") -> Cup:
    """A tournament that is over, with the standings of its second round and of its end published.

    One result of the second round is ruled otherwise; an entrant calls the arbiter, and is answered.
    """
    cup = Cup(MemoryStore())
    cup.terms = msgspec.structs.replace(cup.terms, rounds=rounds, format=format, sides=sides)
    cup.tournaments._pairer = pair
    await cup.announced(entrants)
    for number in range(1, rounds + 1):
        await cup.paired()
        await cup.results()
        if number == 2:
            await quarrelled(cup)
        await cup.closed()
        if number == 2:
            await published(cup, final=False)
    await published(cup, final=True)
    return cup


async def with_ruled_matches() -> Cup:
    """A tournament of one round that is over: by rulings a match went back, one is void, and one was won.

    The director read the hidden half of the first match, by a sealed entry.
    """
    cup = Cup(MemoryStore())
    cup.terms = msgspec.structs.replace(cup.terms, rounds=1, privileged_reads=AFTER_MATCH)
    cup.tournaments._pairer = pair
    await cup.announced(6)
    await cup.paired()
    won = c.MatchResult("left", {"left": 3})
    rulings = (c.MatchRuling(back_to=3), c.MatchRuling(void=True), c.MatchRuling(result=won))
    for board, match in zip((await cup.state()).rounds[0].boards, rulings, strict=True):
        await cup.sit(board.match)
        await cup.answered(board.match)
        await _ruled(cup, c.Rule(round=1, board=board.number, reason="rule_error", text="a die", match=match))
    first = (await cup.state()).rounds[0].boards[0].match
    await cup.do(c.ReadPrivileged(why="a doubt", match=first, first=1, last=3))
    await cup.results()
    await _ruled(
        cup, c.Rule(round=1, board=2, reason="agreed", text="played anew", result="1-0", reported=True)
    )
    await cup.closed()
    await published(cup, final=True)
    return cup


async def _ruled(cup: Cup, rule: c.Rule) -> None:
    await cup.tournaments.rule(cup.id, rule, DIRECTOR, (await cup.log()).entry)


async def quarrelled(cup: Cup) -> None:
    """An entrant calls the arbiter, who rules the first board of the round otherwise."""
    s = await cup.state()
    board = s.rounds[-1].boards[0]
    player = s.entrants[board.w].player
    call = c.CallArbiter(text="The clock was wrong.", round=len(s.rounds), board=1)
    await cup.tournaments.commands.command(cup.id, call, Actor(player, "player"))
    await cup.do(c.AnswerCall(call=(await cup.log()).entry, text="It was.", outcome="ruled"))
    other: Result = "0-1" if board.result == "1-0" else "1-0"
    rule = c.Rule(round=len(s.rounds), board=1, result=other, reason="other", text="A new clock.")
    await _ruled(cup, rule)


async def published(cup: Cup, *, final: bool) -> None:
    """Publish the standings."""
    entry = (await cup.log()).entry
    await cup.tournaments.publish(cup.id, c.Publish(final=final), DIRECTOR, entry)


def file_of(cup: Cup, log: TournamentLog, at: int | None = None) -> bytes:
    """The tournament file over the first entries."""
    entry = log.entry if at is None else at
    note = checkpoint(KEYS.signing, log, entry, log.roots[entry - 1], KIND)
    out = io.BytesIO()
    keys, ours = [KEYS.signing.verifying], lambda name: match_of(cup, name)
    write(out, log, note, keys, ours, at, reported_file=lambda file: _reported(cup, file))
    return out.getvalue()


def _reported(cup: Cup, file: str) -> bytes:
    content = cup.store.reported_files.content(cup.id, file)
    assert content is not None
    return content


def match_of(cup: Cup, name: str) -> bytes:
    """The match file of a match."""
    match, note = cup.store.match(name), cup.store.note(name)
    assert match is not None
    assert note is not None
    return matchfile.write(match.records, note)


def members_of(data: bytes) -> Members:
    """The members of a file, by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members: Mapping[str, bytes], path: Path, *, hashed: bool = True) -> Path:
    """A file of these members; `hashed`: its manifest holds their hashes."""
    found = dict(members)
    if hashed:
        manifest = msgspec.json.decode(found[MANIFEST])
        manifest["parts"] = {name: sha256(part) for name, part in found.items() if name != MANIFEST}
        found[MANIFEST] = canonical(manifest) + b"\n"
    with path.open("wb") as out:
        stored_archive.write(out, sorted(found.items()))
    return path


def forged(
    members: Mapping[str, bytes], path: Path, change: Callable[[list[Json]], None], tournament: str
) -> Path:
    """A file whose entries are changed, chained anew and signed again, and whose manifest fits."""
    entries = [msgspec.json.decode(line) for line in members["tournament.ndjson"].splitlines()]
    change(entries)
    tree, leaves = Tree(), list[bytes]()
    for entry in entries:
        entry["prev"] = b64(tree.root)
        leaves.append(canonical(entry))
        tree.add(leaves[-1])
    manifest = msgspec.json.decode(members[MANIFEST])
    manifest |= {"root": b64(tree.root), "entries": len(leaves)}
    note = KEYS.signing.sign(f"test.example/tournament/{tournament}\n{len(leaves)}\n{b64(tree.root)}\n")
    found = {
        **members,
        MANIFEST: canonical(manifest) + b"\n",
        "checkpoint.txt": note.encode(),
        "tournament.ndjson": b"".join(leaf + b"\n" for leaf in leaves),
    }
    return packed(found, path)
