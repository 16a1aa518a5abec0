"""README.md and README.ru.md show the same; links lead somewhere; what is named exists."""

from __future__ import annotations

import re
from os.path import normpath
from pathlib import PurePosixPath

import pytest

from tests.docs.documents import ROOT, Block, Document, documents, read

DOCUMENTS = documents()
NAMES = [document.name for document in DOCUMENTS]
OUTSIDE = ("http://", "https://")
MACHINE = re.compile(r"(?<![\w.])/(?:home|root|work|tmp|usr)/")
_LANGUAGE = re.compile(r" --lang \w+")


def commands(block: Block) -> list[str]:
    """What a reader would type, in either language."""
    if block.language != "console":
        return block.text.splitlines()
    return [_LANGUAGE.sub("", line) for line in block.text.splitlines() if line.startswith("$ ")]


def test_the_russian_readme_has_the_blocks_of_the_english_one() -> None:
    english, russian = read("README.md").blocks, read("README.ru.md").blocks
    assert [block.language for block in russian] == [block.language for block in english]
    assert [commands(block) for block in russian] == [commands(block) for block in english]


def test_the_russian_readme_has_the_sections_and_links_of_the_english_one() -> None:
    english, russian = read("README.md"), read("README.ru.md")
    assert russian.text.count("\n## ") == english.text.count("\n## ")
    own = {"README.md", "README.ru.md"}
    assert set(russian.links) - own == set(english.links) - own


def test_the_readmes_list_the_games_of_the_house() -> None:
    from domain.games import GAMES

    for name, column in (("README.md", "Game"), ("README.ru.md", "Игра")):
        rows = read(name).table(column)
        assert [list(row.values())[1].strip("`") for row in rows] == list(GAMES)


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_internal_links_lead_somewhere(document: Document) -> None:
    known = {other.name: other for other in DOCUMENTS}
    for link in document.links:
        if link.startswith(OUTSIDE):
            continue
        target, _, anchor = link.partition("#")
        folder = PurePosixPath(document.name).parent
        path = normpath(folder / target) if target else document.name
        assert (ROOT / path).exists(), f"{document.name}: {link}"
        if anchor:
            assert anchor in known[path].anchors, f"{document.name}: {link}: there is {known[path].anchors}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_files_that_a_document_names_exist(document: Document) -> None:
    missing = [path for path in document.named_files if not (ROOT / path).exists()]
    assert not missing, f"{document.name}: {missing}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_no_document_names_a_path_of_one_machine(document: Document) -> None:
    assert not MACHINE.findall(document.text)


def test_every_document_can_be_reached_from_the_readme() -> None:
    linked = {link.partition("#")[0] for link in read("README.md").links}
    assert set(NAMES) - {"README.md"} <= linked


def test_what_a_recipe_names_stands_in_the_file_that_it_names() -> None:
    recipes = re.findall(r"`([\w-]+)`[^`]{0,3}\s+(?:in|of)\s+`([\w/.]+)`", read("CONTRIBUTING.md").prose)
    assert len(recipes) >= 4
    for name, path in recipes:
        assert re.search(rf"\b{name}\b", (ROOT / path).read_text("utf-8")), (name, path)
