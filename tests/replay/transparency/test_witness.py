"""A witness: what it cosigns, what it refuses, and what it catches."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from api.witness.http import application
from api.witness.memory import CannotRemember, Memory
from api.witness.witness import NotCosigned, OutOfDate, Witness
from domain.log import Damaged
from domain.signed_notes import Note, SigningKey
from replay.fetching import CannotFetch
from replay.transparency import findings
from replay.transparency.client import LogReader
from replay.transparency.cosignature import Cosigner, cosigned_at
from replay.transparency.findings import AnyFinding, Fork, Rollback
from replay.transparency.following import Caught
from replay.transparency.submission import MOST_BYTES, MOST_HASHES, Submission
from replay.transparency.tree import consistency
from tests.replay.transparency.liar import NAME, Liar, mth, private

NOW = 1_700_000_000
COSIGNER = Cosigner("w1.example", private(50))
ORIGIN = f"{NAME}/log"


@pytest.fixture
def liar() -> Liar:
    liar = Liar()
    liar.many(5)
    return liar


@pytest.fixture
def url(liar: Liar) -> Iterator[str]:
    with liar.serving() as url:
        yield f"{url}/log"


@pytest.fixture
def witness(tmp_path: Path, liar: Liar) -> Iterator[Witness]:
    memory = Memory(tmp_path / "state", COSIGNER.verifying.label, new=True)
    yield Witness(COSIGNER, memory, [liar.key.verifying], lambda: NOW)
    memory.close()


def submission(liar: Liar, old: int) -> Submission:
    """What an honest log with these leaves submits to a witness that knows `old` of them."""

    def at(level: int, index: int) -> bytes:
        return mth(liar.leaves[index << level : (index + 1) << level])

    return Submission(old, tuple(consistency(old, len(liar.leaves), at)), liar.point)


# ── following ──


@pytest.mark.parametrize("more", [0, 1, 3, 250, 600])
def test_a_log_that_goes_on_is_cosigned(liar: Liar, url: str, witness: Witness, more: int) -> None:
    witness.follow(LogReader(url))
    liar.many(more)
    stated = witness.follow(LogReader(url))
    assert stated.size == 5 + more
    cosigned = witness.cosigned(ORIGIN)
    assert cosigned is not None
    assert cosigned_at(Note.parse(cosigned), COSIGNER.verifying) == NOW


def test_what_it_remembers_outlives_the_process(
    liar: Liar, url: str, witness: Witness, tmp_path: Path
) -> None:
    witness.follow(LogReader(url))
    witness._memory.close()
    memory = Memory(tmp_path / "state", COSIGNER.verifying.label)
    again = Witness(COSIGNER, memory, [liar.key.verifying], lambda: NOW)
    assert again.seen()[ORIGIN].size == 5
    liar.leaves[2:] = []
    with pytest.raises(Caught):
        again.follow(LogReader(url))
    memory.close()


def forked(liar: Liar, at: int) -> None:
    """Show a history whose leaf at this place is another one."""
    liar.leaves[at] = liar.leaves[at].replace(b'"other"', b'"somebody-else"')


@pytest.mark.parametrize("more", [0, 1, 2, 3, 300], ids=lambda more: f"{more} leaves more")
@pytest.mark.parametrize("place", [0, 4])
def test_a_second_history_is_caught_and_proved(
    liar: Liar, url: str, witness: Witness, more: int, place: int
) -> None:
    witness.follow(LogReader(url))
    forked(liar, place)
    liar.many(more)
    with pytest.raises(Caught) as caught:
        witness.follow(LogReader(url))
    assert isinstance(caught.value.finding, Fork)
    said = findings.checked(findings.encoded(caught.value.finding), [liar.key.verifying])
    assert said.startswith(f"fork: {ORIGIN} signed two histories: over its first 5 leaves")
    assert witness.seen()[ORIGIN].size == 5
    assert cosigned_sizes(witness) == [5]


def test_a_log_that_goes_back_is_caught_and_proved(liar: Liar, url: str, witness: Witness) -> None:
    witness.follow(LogReader(url))
    del liar.leaves[3:]
    with pytest.raises(Caught) as caught:
        witness.follow(LogReader(url))
    assert isinstance(caught.value.finding, Rollback)
    said = findings.checked(findings.encoded(caught.value.finding), [liar.key.verifying])
    assert "signed 5 leaves and 3 leaves" in said
    assert cosigned_sizes(witness) == [5]


def cosigned_sizes(witness: Witness) -> list[int]:
    return [seen.size for seen in witness.seen().values()]


def test_tiles_that_do_not_lead_to_the_checkpoint_are_not_believed(
    liar: Liar, url: str, witness: Witness
) -> None:
    """A liar that hides what it signed gets no cosignature."""
    liar.answers["/log/tile/0/000.p/5"] = (200, {}, bytes(5 * 32))
    with pytest.raises(Damaged, match="do not lead to the root"):
        witness.follow(LogReader(url))
    assert witness.seen() == {}


def test_a_checkpoint_by_an_unknown_key_is_not_cosigned(liar: Liar, url: str, witness: Witness) -> None:
    liar.key = SigningKey(NAME, private(2))
    with pytest.raises(Damaged, match="signed by none of the given keys"):
        witness.follow(LogReader(url))
    assert witness.seen() == {}


@pytest.mark.parametrize(
    ("path", "answer", "says"),
    [
        ("/log/checkpoint", (302, {"location": "/log/other"}, b""), "the answer is 302"),
        ("/log/checkpoint", (200, {}, b"x" * 70_000), "more than 65536 bytes"),
        ("/log/checkpoint", (200, {}, b"\xff"), "not UTF-8"),
        ("/log/checkpoint", (500, {}, b""), "the answer is 500"),
        ("/log/tile/0/000.p/5", (302, {"location": "/log/tile/0/000"}, b""), "the answer is"),
        ("/log/tile/0/000.p/5", (200, {}, b"x" * 9_000), "more than 8192 bytes"),
        ("/log/tile/0/000.p/5", (200, {}, b"x" * 31), "tile"),
    ],
    ids=["redirect", "endless", "not text", "broken", "redirected tile", "endless tile", "cut tile"],
)
def test_what_a_followed_server_sends_is_bounded(
    liar: Liar, url: str, witness: Witness, path: str, answer: tuple[int, dict[str, str], bytes], says: str
) -> None:
    liar.answers[path] = answer
    liar.answers["/log/tile/0/000"] = answer
    with pytest.raises((CannotFetch, Damaged)) as refused:
        witness.follow(LogReader(url))
    assert says in str(refused.value)
    assert witness.seen() == {}


# ── add-checkpoint ──


@pytest.fixture
def caught() -> list[AnyFinding]:
    return []


class Client:
    """Asks the application of a witness in this process."""

    def __init__(self, app: Starlette) -> None:
        self._app = app

    def post(self, path: str, content: bytes) -> httpx.Response:
        return asyncio.run(self._ask("POST", path, content))

    def get(self, path: str) -> httpx.Response:
        return asyncio.run(self._ask("GET", path, b""))

    async def _ask(self, method: str, path: str, content: bytes) -> httpx.Response:
        transport = httpx.ASGITransport(self._app)
        async with httpx.AsyncClient(transport=transport, base_url="http://witness") as client:
            return await client.request(method, path, content=content)


@pytest.fixture
def client(witness: Witness, caught: list[AnyFinding]) -> Client:
    return Client(application(witness, caught.append))


def test_a_submitted_checkpoint_is_cosigned(liar: Liar, client: Client) -> None:
    assert client.post("/add-checkpoint", content=submission(liar, 0).body).status_code == 200
    liar.many(3)
    given = submission(liar, 5)
    answer = client.post("/add-checkpoint", content=given.body)
    assert answer.status_code == 200
    assert cosigned_at(Note.parse(given.note + answer.text), COSIGNER.verifying) == NOW
    again = client.post("/add-checkpoint", content=submission(liar, 8).body)
    assert again.status_code == 200, "the same tree may be cosigned again"
    shown = client.get("/checkpoint").text
    assert shown == client.get(f"/checkpoint?origin={ORIGIN}").text == given.note + again.text


def test_the_statuses_are_those_of_the_specification(liar: Liar, client: Client) -> None:
    client.post("/add-checkpoint", content=submission(liar, 0).body)
    old, stranger = liar.point, SigningKey("elsewhere.example", private(3))
    liar.many(2)
    good = submission(liar, 5)
    stale = client.post("/add-checkpoint", content=submission(liar, 0).body)
    assert (stale.status_code, stale.text) == (409, "5\n")
    assert stale.headers["content-type"].startswith("text/x.tlog.size")
    text = Note.parse(good.note).text
    refused = {
        "no proof": (Submission(5, (), good.note), 422),
        "another proof": (Submission(5, good.path[::-1], good.note), 422),
        "older than old": (Submission(6, (), old), 400),
        "unknown log": (Submission(0, (), stranger.sign(text.replace(NAME, "elsewhere.example"))), 404),
        "unknown key": (Submission(5, good.path, SigningKey(NAME, private(4)).sign(text)), 403),
        "not a checkpoint": (Submission(5, good.path, liar.key.sign("no\n")), 400),
    }
    got = {
        name: client.post("/add-checkpoint", content=one.body).status_code
        for name, (one, _) in refused.items()
    }
    assert got == {name: status for name, (_, status) in refused.items()}
    assert client.post("/add-checkpoint", content=good.body).status_code == 200


def test_a_second_root_over_as_many_leaves_is_a_conflict_and_a_finding(
    liar: Liar, client: Client, caught: list[AnyFinding]
) -> None:
    client.post("/add-checkpoint", content=submission(liar, 0).body)
    forked(liar, 2)
    assert client.post("/add-checkpoint", content=submission(liar, 5).body).status_code == 409
    assert [finding.check([liar.key.verifying])[:5] for finding in caught] == ["fork:"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"old 0\n",
        b"old -1\n\nx\n",
        b"old 01\n\nx\n",
        b"old 0\nAAAA\n\nx\n",
        b"old 0\n" + b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n" * (MOST_HASHES + 1) + b"\nx\n",
        b"\xff\xfe",
        b"old 99999999999999999999\n\nx\n",
    ],
)
def test_what_is_no_request_is_refused(client: Client, body: bytes) -> None:
    assert client.post("/add-checkpoint", content=body).status_code == 400


def test_a_request_that_is_too_long_is_refused(client: Client) -> None:
    assert client.post("/add-checkpoint", content=b"x" * (MOST_BYTES + 1)).status_code == 413


def test_strange_signatures_are_not_kept(liar: Liar, witness: Witness) -> None:
    """A stranger who adds signature lines must not make the file of the witness grow."""
    given = submission(liar, 0)
    extra = SigningKey("x" * 200, private(9)).sign(Note.parse(given.note).text).split("\n\n")[1]
    witness.add(Submission(0, (), given.note + extra * 10))
    assert witness.seen()[ORIGIN].note == given.note


# ── memory ──


def test_nothing_is_cosigned_that_is_not_remembered(
    liar: Liar, witness: Witness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CannotRemember, match="No space left"):
        witness.add(submission(liar, 0))
    assert witness.seen() == {}


def test_one_tree_is_remembered_before_it_is_cosigned(
    liar: Liar, witness: Witness, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    remember, cosign = Memory.remember, Cosigner.cosign

    def remembering(self: Memory, *given: object) -> None:
        remember(self, *given)  # type: ignore[arg-type]
        done.append("remembered")

    def cosigning(self: Cosigner, text: str, at: int) -> str:
        done.append("cosigned")
        return cosign(self, text, at)

    monkeypatch.setattr(Memory, "remember", remembering)
    monkeypatch.setattr(Cosigner, "cosign", cosigning)
    witness.add(submission(liar, 0))
    assert done == ["remembered", "cosigned"]


def test_a_witness_that_forgot_does_not_begin_anew(tmp_path: Path) -> None:
    with pytest.raises(CannotRemember, match="could cosign a second history"):
        Memory(tmp_path / "state", COSIGNER.verifying.label)


def test_two_processes_are_not_one_witness(witness: Witness, tmp_path: Path) -> None:
    with pytest.raises(CannotRemember, match="another process is this witness"):
        Memory(tmp_path / "state", COSIGNER.verifying.label)


def test_the_file_of_another_witness_is_refused(witness: Witness, tmp_path: Path) -> None:
    witness._memory.close()
    with pytest.raises(CannotRemember, match="is the file of the witness"):
        Memory(tmp_path / "state", "w2.example+00000000")


def test_a_stale_submission_does_not_take_the_witness_back(liar: Liar, witness: Witness) -> None:
    """The race of the specification: a smaller tree is checked while a larger one is stored."""
    witness.add(submission(liar, 0))
    smaller = Liar(leaves=list(liar.leaves))
    smaller.many(1)
    liar.leaves[:] = smaller.leaves
    late = submission(smaller, 5)
    liar.many(2)
    witness.add(submission(liar, 5))
    with pytest.raises(OutOfDate) as refused:
        witness.add(late)
    assert refused.value.size == 8
    with pytest.raises(NotCosigned):
        witness.add(Submission(8, (), late.note))
