"""`glasnost bot`: a process that plays on a real server."""

from __future__ import annotations

import json
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.http.served import Served, served
from tests.cli.program import Program, process
from tests.waiting import PATIENCE


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("bot")) as running:
        yield running


def test_it_plays_a_match_to_its_end_and_never_prints_the_token(server: Served, tmp_path: Path) -> None:
    ann = server.player()
    match = ann.post("/v1/matches", {"game": "thirteen_minutes"}).json["match"]
    assert ann.post(f"/v1/matches/{match}/seats/us", {"bot": "random"}).status == 201
    url, kept = f"http://127.0.0.1:{server.port}", tmp_path / "bot.token"
    options = ("--url", url, "--level", "random", "--match", match, "--token-file", kept)
    with process("bot", *options) as bot:
        out, err = bot.communicate(timeout=PATIENCE)
    assert (bot.returncode, err) == (0, "")
    assert out == f"plays as random\n{match} is over\n"
    account = json.loads(kept.read_bytes())
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    told = ann.get(f"/v1/matches/{match}").json
    assert (told["status"], told["seats"]["ussr"], told["bots"]["ussr"]) == (
        "over",
        account["player"],
        "client",
    )


def test_ctrl_c_ends_it_with_one_line(server: Served, tmp_path: Path) -> None:
    kept = tmp_path / "bot.token"
    with process("bot", "--url", f"http://127.0.0.1:{server.port}", "--lobby", "--token-file", kept) as bot:
        assert bot.stdout is not None
        assert bot.stdout.readline() == "plays as easy\n"
        bot.send_signal(signal.SIGINT)
        out, err = bot.communicate(timeout=PATIENCE)
    assert (bot.returncode, out, err.strip()) == (130, "", "glasnost: interrupted")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--match", "m1", "--lobby"), "not both"),
        ((), "not both"),
        (("--match", "../x"), "no id of a match"),
        (("--lobby", "--level", "genius"), "no such level"),
        (("--lobby", "--url", "ftp://x"), "no address of a server"),
        (("--lobby", "--url", "http://127.0.0.1:9"), "no server answers"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    glasnost: Program, options: tuple[str, ...], words: str
) -> None:
    glasnost("bot", *(() if "--url" in options else ("--url", "http://127.0.0.1:9")), *options).refused(
        2, words
    )


@pytest.mark.parametrize("content", [b"", b"{}", b'{"player":1}', b"\x00" * 10_000])
def test_a_file_that_holds_no_account_is_left_as_it_is(
    glasnost: Program, tmp_path: Path, content: bytes
) -> None:
    kept = tmp_path / "bot.token"
    kept.write_bytes(content)
    glasnost("bot", "--url", "http://127.0.0.1:9", "--lobby", "--token-file", kept).refused(2, "no account")
    assert kept.read_bytes() == content


def test_no_file_is_left_if_no_player_could_be_made(glasnost: Program, tmp_path: Path) -> None:
    kept = tmp_path / "bot.token"
    glasnost("bot", "--url", "http://127.0.0.1:9", "--lobby", "--token-file", kept).refused(2, "no server")
    assert not kept.exists()
