"""Between two rounds a tournament lives through an upgrade, a restore and a new signing key, all three.

A season is longer than a version.  The store is left as a version of before would have left it; a backup is
restored to a time before the latest entry; the server signs with a new key.  Then the tournament goes on, and
its file proves all of it.
"""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from api.gate import Gate
from api.gate.tournament_commands import KIND
from api.gate.tournament_follower import TournamentFollower
from api.gate.tournaments import TournamentGate
from api.store.backup import backup, restore
from api.store.sqlite import SqliteStore
from api.store.sqlite_schema import FILE
from domain.game import Game
from domain.signed_notes import Checkpoint, Note, VerifyingKey, checkpoint
from domain.tournaments import commands as c
from domain.tournaments.history import TournamentLog
from replay import matchfile
from replay.tournaments.file import write
from replay.tournaments.pairing import pair
from replay.tournaments.verify import verify
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, TERMS, Cup, verified_here
from tests.api.store.older import TO_SCHEMA_5


class Season(Cup):
    """A tournament over a store with keys of its own, which it can leave for another one."""

    def __init__(self, store: SqliteStore, product: str) -> None:
        self.product, self.sqlite = product, store
        super().__init__(store, replace(TERMS, rounds=2))

    def restart(self) -> None:
        """See `Cup.restart`: this server has the keys of the store, and a version."""
        self.gate = Gate(self.sqlite, self.sqlite.keys, lambda: self.now, self.product)
        self.tournaments = TournamentGate(self.gate, pair)
        self.follower = TournamentFollower(self.tournaments, verified_here, lambda: True)

    def goes_on_in(self, store: SqliteStore, product: str) -> None:
        """Another version serves another store."""
        self.store, self.sqlite, self.product = store, store, product
        self.restart()

    async def plays_a_round(self) -> None:
        """Pair, play and close a round."""
        await self.paired()
        await self.results()
        await self.closed()

    def receipt(self, log: TournamentLog) -> str:
        """The signed checkpoint over the log, which a player keeps."""
        return checkpoint(self.sqlite.keys.signing, log, log.entry, log.root, KIND)


def older(store: SqliteStore) -> Path:
    """Close a store, and undo the latest migrations of it; gives its folder."""
    folder = store.folder
    store.close()
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        for statement in TO_SCHEMA_5:
            connection.execute(statement)
    return folder


def file_of(cup: Season, log: TournamentLog, folder: Path) -> Path:
    """The tournament file, as the server makes it."""
    store = cup.sqlite

    def match_of(name: str) -> bytes:
        match = store.match(name)
        assert match is not None
        return matchfile.write(match.records, store.note(name) or "")

    out, path = io.BytesIO(), folder / "season.glasnost-tournament"
    keys = [store.keys.present, *store.keys.retired]
    write(out, log, cup.receipt(log), keys, match_of, log.entry)
    path.write_bytes(out.getvalue())
    return path


def held(log: TournamentLog, receipt: str, keys: list[VerifyingKey]) -> bool:
    """Whether the log is the one of which a player has kept a signed checkpoint."""
    note = Note.parse(receipt)
    assert note.checked(keys).by, note.names
    kept = Checkpoint.parse(note.text)
    return kept.size <= log.entry and log.roots[kept.size - 1] == kept.root


def test_a_tournament_lives_through_an_upgrade_a_restore_and_a_new_key(
    toy_game: Game, tmp_path: Path
) -> None:
    async def first_round(cup: Season) -> None:
        await cup.announced(4)
        await cup.plays_a_round()

    async def second_round(cup: Season) -> TournamentLog:
        await cup.plays_a_round()
        entry = (await cup.log()).entry
        await cup.tournaments.publish(cup.id, c.Publish(final=True), DIRECTOR, entry)
        return await cup.log()

    keys = tmp_path / "keys"
    cup = Season(SqliteStore.open(tmp_path / "first", keys=keys), "before")
    run(first_round(cup))
    before = run(cup.log())
    receipt, old_key, entry = cup.receipt(before), cup.sqlite.keys.present, before.entry

    # an upgrade: the store of an older schema is migrated when it is opened
    folder = older(cup.sqlite)
    upgraded = SqliteStore.open(folder, keys=keys)
    cup.goes_on_in(upgraded, "after")
    assert (folder / f"{FILE}.schema-5").exists(), "the copy that a migration makes"
    assert run(cup.store_root()) == before.root
    copy = tmp_path / "season.backup"
    backup(upgraded.folder, copy)

    # a restore: what was entered after the backup is lost, and who kept its root can show that
    run(cup.do(c.Withdraw(entrant="n4")))
    lost = cup.receipt(run(cup.log()))
    upgraded.close()
    restore(copy, tmp_path / "second")
    restored = SqliteStore.open(tmp_path / "second", keys=keys)

    # a new signing key
    restored.keys.rotate(now=cup.now)
    restored.note_signing()
    cup.goes_on_in(restored, "after")
    assert (restored.keys.retired, run(cup.log()).entry) == ((old_key,), entry)

    log = run(second_round(cup))
    both = [restored.keys.present, old_key]
    assert held(log, receipt, both)
    assert not held(log, lost, both)
    report = verify(file_of(cup, log, tmp_path), both)
    assert not report.failures, [str(one.sentence) for one in report.failures]
    assert len(log.state.rounds) == 2
    assert log.roots[entry - 1] == before.root
    only_new = verify(file_of(cup, log, tmp_path), both[:1])
    assert {one.question for one in only_new.failures} == {"matches"}, "the old key signed those of round 1"
    restored.close()
