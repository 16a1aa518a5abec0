"""A server asks its witnesses, keeps what they cosign, and waits for none of them."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from api.gate import cosignatures
from api.gate.cosignatures import Cosignatures, read_witnesses
from api.settings import BadSetting
from api.store.log_guard import Behind
from api.store.log_writer import LogWriter
from api.store.sqlite import SqliteStore
from api.store.transparency import SignedSize
from api.witness.memory import Memory
from api.witness.program import answering
from api.witness.witness import Witness
from domain.game import Game
from domain.log import Damaged
from domain.signed_notes import Note
from replay.fetching import CannotFetch
from replay.transparency.client import LogReader
from replay.transparency.cosignature import Cosigner
from replay.transparency.policy import Policy
from tests.api.http.served import served
from tests.api.store.appends import store_all
from tests.cli.program import Program
from tests.matches import finished
from tests.waiting import soon

NOW = 1_790_000_000_000_000
AWAY = "http://127.0.0.1:9"  # no one listens on this port


def cosigner(number: int) -> Cosigner:
    return Cosigner(f"w{number}.example", Ed25519PrivateKey.from_private_bytes(bytes([60 + number]) * 32))


def policy(*urls: str, log: str = "", least: int = 2) -> Policy:
    """Witnesses at these URLs, of which so many must have cosigned."""
    lines = [f"witness W{n} {cosigner(n).verifying.text} {url}" for n, url in enumerate(urls, 1)]
    names = " ".join(f"W{n}" for n in range(1, len(urls) + 1))
    return Policy.parse("\n".join([log, *lines, f"group all {least} {names}", "quorum all", ""]).encode())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore.open(tmp_path / "store")
    yield store
    store.close()


class Witnesses:
    """Real witnesses of a store, over HTTP."""

    def __init__(self, folder: Path, store: SqliteStore, count: int) -> None:
        self._stack = ExitStack()
        self.all = [self._one(folder, store, number) for number in range(1, count + 1)]
        self.urls = [self._served(one) for one in self.all]

    def _one(self, folder: Path, store: SqliteStore, number: int) -> Witness:
        memory = Memory(folder / f"w{number}", cosigner(number).verifying.label, new=True)
        self._stack.callback(memory.close)
        return Witness(cosigner(number), memory, [store.keys.present], lambda: NOW // 1_000_000)

    def _served(self, witness: Witness) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        self._stack.callback(listener.close)
        return self._stack.enter_context(answering(witness, lambda _: None, listener))

    def close(self) -> None:
        self._stack.close()


@pytest.fixture
def witnesses(tmp_path: Path, store: SqliteStore) -> Iterator[Witnesses]:
    found = Witnesses(tmp_path, store, 2)
    yield found
    found.close()


def signed(store: SqliteStore) -> SignedSize:
    """The latest checkpoint, after everything is in the log."""
    writer = LogWriter(store, store.keys, lambda: NOW)
    writer.catch_up()
    writer.publish()
    latest = store.transparency.latest()
    assert latest is not None
    return latest


def asking(store: SqliteStore, found: Policy) -> Cosignatures:
    return Cosignatures(found, store, store.keys, lambda: True)


def test_two_of_three_witnesses_cosign_and_the_third_is_away(
    store: SqliteStore, witnesses: Witnesses, toy_game: Game
) -> None:
    log = f"log {store.keys.present.text}"
    found = policy(*witnesses.urls, AWAY, log=log)
    ask = asking(store, found)
    for seed in (1, 2, 3):  # the second and the third time the witness knows an older tree
        store_all(store, finished(toy_game, seed))
        latest = signed(store)
        assert [ask.ask(one, latest) for one in found.witnesses[:2]] == ["", ""]
        with pytest.raises(CannotFetch):
            ask.ask(found.witnesses[2], latest)
        cosigned = store.transparency.latest()
        assert cosigned is not None
        checked = found.checked(cosigned.text)
        assert (checked.stated.size, [name for name, _ in checked.by]) == (2 * seed, ["W1", "W2"])


def test_what_is_not_the_cosignature_of_the_asked_witness_is_not_kept(
    store: SqliteStore, witnesses: Witnesses, toy_game: Game
) -> None:
    """A forger answers with the cosignature of another witness, of another checkpoint, or with anything."""
    store_all(store, finished(toy_game, 1))
    latest = signed(store)
    other, text = cosigner(9), Note.parse(latest.note).text
    ask = asking(store, policy(AWAY, AWAY))
    forged = {
        "another witness": other.cosign(text, 1),
        "another text": cosigner(1).cosign("example/log\n1\n" + 43 * "A" + "=\n", 1),
        "nothing": "",
        "words": "— no signature\n",
        "two lines in one": f"{cosigner(1).cosign(text, 1).strip()} more\n",
    }
    for name, answer in forged.items():
        kept = store.transparency.cosign(latest.size, answer.splitlines(), ask.check)
        assert kept == [], name
    assert store.transparency.cosign(latest.size, [cosigner(1).cosign(text, 1).strip()], ask.check) == ["W1"]


def test_a_witness_that_is_ahead_stops_a_restored_server_from_signing(
    tmp_path: Path, store: SqliteStore, witnesses: Witnesses, toy_game: Game
) -> None:
    """The store and what is kept beside the keys are of an older day: only the witness knows more."""
    found = policy(*witnesses.urls)
    store_all(store, finished(toy_game, 1))
    signed(store)
    for name in ("store", "store.keys"):
        shutil.copytree(tmp_path / name, tmp_path / "backup" / name)
    store_all(store, finished(toy_game, 2))
    assert asking(store, found).ask(found.witnesses[0], signed(store)) == ""
    restored = SqliteStore.open(tmp_path / "backup" / "store")
    latest = signed(restored)
    assert latest.size == 2
    assert "it answers 409" in asking(restored, found).ask(found.witnesses[0], latest)
    with pytest.raises(Behind):
        restored.log_guard.check()
    restored.close()


def test_a_server_answers_while_its_witnesses_are_away(
    tmp_path: Path, toy_in_words: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cosignatures, "PAUSE", 0.01)
    with served(tmp_path, witnesses=policy(AWAY, AWAY)) as server:
        match, [_, player] = server.table()
        assert player.get(f"/v1/matches/{match}").status == 200
        soon(lambda: server.client().get("/log/checkpoint").status == 200)


def test_a_real_server_is_cosigned_watched_and_verified(
    tmp_path: Path,
    toy_in_words: Game,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(cosignatures, "PAUSE", 0.01)
    store = SqliteStore.open(tmp_path / "store")
    witnesses = Witnesses(tmp_path, store, 2)
    found = policy(*witnesses.urls, AWAY, log=f"log {store.keys.present.text}")
    with served(tmp_path, store=store, witnesses=found) as server:
        server.table()

        def cosigned() -> bool:
            answer = server.client().get("/log/checkpoint")
            try:
                return answer.status == 200 and found.checked(answer.body.decode()).stated.size >= 1
            except Damaged:
                return False

        soon(cosigned)
        url = f"http://127.0.0.1:{server.port}"
        third = tmp_path / "third"
        third.mkdir()
        key = store.keys.present.text
        program = Program(capsys, tmp_path)
        files = ("--state", third / "state", "--key", third / "key", "--name", "w3.example")
        done = program("witness", "--follow", f"{url}/log", "--log", key, *files, "--once").ok()
        assert "cosigned: glasnost.local/log, 1 leaves" in done.out
        seen = program("watch", url, "--key", key, "--state", third / "watch", "--once", "--json").json
        assert (seen["ok"], seen["leaves"], seen["matches"], seen["wrong"]) == (True, 1, 1, [])
        assert LogReader(f"{url}/log").latest()
    witnesses.close()
    store.close()


def test_the_setting_names_a_policy_file(tmp_path: Path) -> None:
    assert read_witnesses({}) is None
    path = tmp_path / "policy"
    key = cosigner(1).verifying.text
    path.write_text(f"witness W {key} http://w1.example\nquorum W\n")
    found = read_witnesses({"GLASNOST_WITNESSES": str(path)})
    assert found is not None
    assert [witness.url for witness in found.witnesses] == ["http://w1.example"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "No such file"),
        ("quorum x\n", "line 1"),
        (f"witness W {cosigner(1).verifying.text}\nquorum W\n", "has a URL"),
        (f"witness W {cosigner(1).verifying.text} ftp://w1.example\nquorum W\n", "has a URL"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused(tmp_path: Path, text: str | None, says: str) -> None:
    path = tmp_path / "policy"
    if text is not None:
        path.write_text(text)
    with pytest.raises(BadSetting) as refused:
        read_witnesses({"GLASNOST_WITNESSES": str(path)})
    assert says in str(refused.value)
