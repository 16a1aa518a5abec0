"""Every block that a document shows runs, beside one real server, and prints what is shown."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.docs.documents import LANGUAGES, ROOT, Block, Document, documents, read
from tests.docs.session import Server, agrees, run, shown

DOCUMENTS = documents()


@pytest.mark.parametrize("document", DOCUMENTS, ids=[document.name for document in DOCUMENTS])
def test_the_blocks_of_a_document_run_and_print_what_is_shown(
    document: Document, server: Server, tmp_path: Path
) -> None:
    printed = run(document, server, tmp_path)
    for block in document.blocks:
        if block.language == "console":
            for number, one in enumerate(shown(block)):
                assert agrees(one.expected, printed[block.line, number]), (
                    f"{block.place}: {one.command} prints (./ops/docs writes it anew):\n"
                    + "\n".join(printed[block.line, number])
                )


@pytest.mark.parametrize("document", DOCUMENTS, ids=[document.name for document in DOCUMENTS])
def test_every_block_is_of_a_kind_that_is_tested(document: Document) -> None:
    assert {block.language for block in document.blocks} <= LANGUAGES


def test_the_first_match_takes_five_lines_of_curl() -> None:
    first = next(block for block in read("README.md").blocks if "/v1/players" in block.text)
    assert [("curl -s " in line) for line in first.text.splitlines()] == [True] * 5


def test_the_first_match_needs_only_curl_sed_and_python() -> None:
    lines = "".join(block.text for block in read("README.md").blocks if block.language == "bash")
    assert "jq" not in lines


def test_the_stream_example_follows_a_match_in_a_browser(server: Server) -> None:
    """The js block of docs/http.md, as it stands, in a page of the server."""
    (block,) = [block for block in read("docs/http.md").blocks if block.language == "js"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=_chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = browser.new_page()
        page.goto(f"{server.address}/healthz")
        moves = page.evaluate(_whole_match(block))
        browser.close()
    assert [move["move"] for move in moves] == list(range(1, len(moves) + 1))
    assert [move["kind"] for move in moves[-3:]] == ["resigned", "secret_opened", "closed"]


def _whole_match(block: Block) -> str:
    """A match that is resigned while it is followed."""
    return f"""async () => {{
        {block.text}
        const post = async (path, body, token) => {{
            const headers = {{"Content-Type": "application/json"}};
            if (token) headers["Authorization"] = `Bearer ${{token}}`;
            const answer = await fetch(path, {{method: "POST", headers, body: JSON.stringify(body)}});
            return answer.json();
        }};
        const {{ token }} = await post("/v1/players", {{name: "Ann"}});
        const {{ match }} = await post("/v1/matches", {{game: "thirteen_minutes"}}, token);
        await post(`/v1/matches/${{match}}/seats/us`, {{}}, token);
        const moves = [];
        let source;
        const over = new Promise(async (done) => {{
            source = await follow(match, token, (move) => {{
                moves.push(move);
                if (move.kind === "closed") done();
            }});
        }});
        await post(`/v1/matches/${{match}}/seats/ussr`, {{bot: "random"}}, token);
        await post(`/v1/matches/${{match}}/resignation`, {{}}, token);
        await over;
        source.close();
        return moves;
    }}"""


def _chromium() -> str:
    """The browser of the tests: CHROMIUM, else the one that `ops/lib/browser.py` finds."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    finder = [sys.executable, str(ROOT / "ops" / "lib" / "browser.py"), "--print"]
    environment = {**os.environ, "GLASNOST_VENV": os.environ.get("GLASNOST_VENV", sys.prefix)}
    found = subprocess.run(finder, capture_output=True, text=True, check=False, env=environment)
    assert found.returncode == 0, found.stderr
    path = found.stdout.strip().split("\n")[-1]
    assert shutil.which(path), path
    return path
