"""`glasnost log`: the static tree is the log, byte for byte, and grows; and what an operator says."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import msgspec

from api.store.log_guard import FILE, LogState
from api.store.log_writer import LogWriter
from api.store.sqlite import SqliteStore
from api.store.transparency import NewLeaf
from domain.log import unb64
from domain.merkle import Tree
from domain.signed_notes import Checkpoint, Note
from replay.transparency.tiles import entries
from tests.cli.program import Program


def grown(folder: Path, count: int) -> None:
    """A store whose log has so many more leaves, and is signed."""
    with closing(SqliteStore.open(folder)) as store:
        size = store.transparency.size()
        new = [NewLeaf(f"m{number}", "opened", b"%d" % number) for number in range(size, size + count)]
        store.transparency.append(store.transparency.position(), 0, new)
        LogWriter(store, store.keys, lambda: 1).publish()


def test_the_log_is_exported_as_static_files(glasnost: Program, tmp_path: Path) -> None:
    store, target = tmp_path / "store", tmp_path / "public"
    grown(store, 258)
    told = glasnost("log", "export", target, "--store", store, "--json").ok()
    assert msgspec.json.decode(told.out)["written"] == 5
    files = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    tiles = {"0/000", "0/001.p/2", "1/000.p/1", "entries/000", "entries/001.p/2"}
    assert files == {"checkpoint", *(f"tile/{name}" for name in tiles)}
    leaves = entries((target / "tile/entries/000").read_bytes())
    leaves += entries((target / "tile/entries/001.p/2").read_bytes())
    tree = Tree()
    for leaf in leaves:
        tree.add(leaf)
    _, size, root, _ = Note.parse((target / "checkpoint").read_text()).text.split("\n")
    assert (int(size), unb64(root)) == (tree.size, tree.root)
    before = (target / "tile/0/001.p/2").read_bytes()
    grown(store, 1)
    glasnost("log", "export", target, "--store", store).ok()
    assert (target / "tile/0/001.p/3").read_bytes().startswith(before)


def test_a_restored_log_needs_a_reason(glasnost: Program, tmp_path: Path) -> None:
    store = tmp_path / "store"
    grown(store, 3)
    say = ("log", "restored", "--store", store, "--reason")
    glasnost(*say, "nothing happened").refused(2, "nothing to say")
    with closing(SqliteStore.open(store)) as opened:
        note = opened.keys.signing.sign(Checkpoint("glasnost.local/log", 9, bytes(32)).text)
    (tmp_path / "store.keys" / FILE).write_bytes(msgspec.json.encode(LogState(note)))
    for reason in ("", "  ", "two\nlines", "x" * 501):
        glasnost(*say, reason).refused(2, "--reason")
    assert "restored to 3 leaves, 6 lost of the 9" in glasnost(*say, "the disk failed").ok().out
    glasnost(*say, "again").refused(2, "nothing to say")
    with closing(SqliteStore.open(store)) as opened:
        opened.log_guard.check()
        assert b"the disk failed" in opened.transparency.leaves(3, 4)[0]


def test_a_log_that_is_not_signed_yet_is_not_exported(glasnost: Program, tmp_path: Path) -> None:
    with closing(SqliteStore.open(tmp_path / "store")):
        pass
    glasnost("log", "export", tmp_path / "public", "--store", tmp_path / "store").refused(2, "no checkpoint")
