"""Every block that a document shows runs, beside one real server, and prints what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.docs.documents import LANGUAGES, Block, Document, documents, read
from tests.docs.session import Server, agrees, run, shown
from tests.services import forked

DOCUMENTS = documents()
# In this `./ops/glasnost` and Python itself are run; in the others a fork server runs what they would start.
WHOLE = {"README.md"}


def own_blocks(document: Document) -> list[Block]:
    """Its blocks; of the Russian README those that differ from the English one's, which run there."""
    if document.name != "README.ru.md":
        return document.blocks
    english = {block.text for block in read("README.md").blocks}
    return [block for block in document.blocks if block.text not in english]


@pytest.mark.parametrize("document", DOCUMENTS, ids=[document.name for document in DOCUMENTS])
def test_the_blocks_of_a_document_run_and_print_what_is_shown(
    document: Document, server: Server, tmp_path: Path
) -> None:
    forks = forked.server() if forked.AVAILABLE and document.name not in WHOLE else None
    printed = run(document, own_blocks(document), server, tmp_path, forks)
    for block in own_blocks(document):
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


def test_the_stream_example_follows_a_match_in_a_browser(server: Server, page: Page) -> None:
    """The js block of docs/http.md, as it stands, in a page of the server."""
    (block,) = [block for block in read("docs/http.md").blocks if block.language == "js"]
    page.goto(f"{server.address}/healthz")
    moves = page.evaluate(_whole_match(block))
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
