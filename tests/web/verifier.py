"""verify.html, opened from the disk, and how its verdicts are compared with those of `glasnost verify`."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct, convert
from playwright.sync_api import Browser, Page, Request

from domain.signed_notes import SigningKey, VerifyingKey
from replay.report import Report
from replay.verify import verify
from tests.replay.files import (
    KEY,
    PINNED,
)
from tests.web.pin import PAGE

TESTS = Path(__file__).parents[1]
VKEY = KEY.verifying.text
SEEDED = sha256(b"glasnost: the key of seeded and scripted matches is public\n").digest()
EVERYBODY = SigningKey("seeded", Ed25519PrivateKey.from_private_bytes(SEEDED))  # its verifying key is PUBLIC
LINES = 4  # of a stored record: the leaf, and the parts of two seats and the house
UNUSUAL = {"no-archive", "unusual-member", "unknown-compression"}  # what the page does not read

JUDGE = """async files => {
  const bytes = text => Uint8Array.from(atob(text), sign => sign.charCodeAt(0)), verdicts = [];
  for (const { data, flip, ...given } of files) {
    const file = bytes(data);
    if (flip) file[flip[0]] ^= flip[1];
    const { state, failures: [first], rows } = await GlasnostVerifier.verify(file, given);
    const found = Object.fromEntries([...rows].map(([row, { state, id }]) => [row, [state, id]]));
    verdicts.push([state, first?.question ?? "", first?.move ?? null, first?.id ?? "", found]);
  }
  return verdicts;
}"""


JUDGE_TOURNAMENTS = """async files => {
  const bytes = text => Uint8Array.from(atob(text), sign => sign.charCodeAt(0)), verdicts = [];
  for (const { data, ...given } of files) {
    const { state, failures, rows } = await GlasnostTournament.verify(new Blob([bytes(data)]), given);
    const found = Object.fromEntries([...rows].map(([row, { state, id }]) => [row, [state, id]]));
    const wrong = ({ question, move, id, values }) => [question, [move, id, values.place ?? null]];
    verdicts.push([state, Object.fromEntries(failures.map(wrong)), found]);
  }
  return verdicts;
}"""


class Verdict(Struct, frozen=True, array_like=True):
    """What the page says: ok, note or wrong; the first failure, and each row with its state and sentence."""

    state: str
    question: str
    move: int | None
    id: str
    rows: dict[str, tuple[str, str]]


class TournamentVerdict(Struct, frozen=True, array_like=True):
    """What the page says of a tournament file.

    failures: by question the entry (None: none), the sentence, and the place; rows: as in `Verdict`.
    """

    state: str
    failures: dict[str, tuple[int | None, str, dict[str, Any] | None]]
    rows: dict[str, tuple[str, str]]


@pytest.fixture(scope="session")
def kept() -> list[tuple[Page, list[str]]]:
    """The page, once it is open, and what went wrong in it: it keeps nothing of a file that it judged."""
    return []


@pytest.fixture
def page(browser: Browser, kept: list[tuple[Page, list[str]]]) -> Iterator[Page]:
    """The page from the disk, opened once; nothing may go wrong in it and nothing may leave it."""
    if not kept:
        kept.append(opened(browser))
    found, faults = kept[0]
    yield found
    assert not faults


def opened(browser: Browser) -> tuple[Page, list[str]]:
    """The page from the disk, and the list of what goes wrong in it."""
    faults: list[str] = []

    def requested(request: Request) -> None:
        if not request.url.startswith(("file:", "data:")):
            faults.append(request.url)

    found = browser.new_context(locale="en-GB").new_page()
    found.on("request", requested)
    found.on("pageerror", lambda error: faults.append(str(error)))
    found.on("console", lambda message: faults.append(message.text))
    found.goto(PAGE.as_uri())
    return found, faults


def text_of(data: bytes) -> str:
    """Bytes on their way into the page."""
    return base64.b64encode(data).decode()


def judged(
    page: Page, files: Iterable[bytes], keys: str = VKEY, receipt: str = "", policy: str = ""
) -> list[Verdict]:
    """What the page says of files."""
    more = {"keys": keys, "receipt": receipt, "policy": policy}
    given = [{"data": text_of(data), **more} for data in files]
    return convert(page.evaluate(JUDGE, given), list[Verdict])


def judged_tournaments(
    page: Page, files: Iterable[bytes], keys: str = "", policy: str = ""
) -> list[TournamentVerdict]:
    """What the page says of tournament files."""
    given = [{"data": text_of(data), "keys": keys, "policy": policy} for data in files]
    return convert(page.evaluate(JUDGE_TOURNAMENTS, given), list[TournamentVerdict])


def must_agree(report: Report, verdict: Verdict, what: object = "") -> None:
    """Compare the verdict of the page with what the Python verifier says of log and chance."""
    ours = [failure for failure in report.failures if failure.check in ("log", "chance")]
    about = f"{what}: {report.failures or report.notes} / {verdict}"
    if ours:
        assert verdict.state == "wrong", about
        assert verdict.move == ours[0].move, about
    elif report.ok and verdict.state == "wrong":
        assert verdict.id in UNUSUAL, about
        assert "repacked" in report.notes[-1], about


def must_fail(page: Page, data: bytes, keys: Sequence[VerifyingKey] = PINNED) -> Verdict:
    """The verdict on a file in which both verifiers find something wrong, at the same move."""
    report = verify(data, keys)
    (verdict,) = judged(page, [data], "\n".join(key.text for key in keys))
    assert not report.ok
    assert verdict.state == "wrong", report
    must_agree(report, verdict)
    return verdict
