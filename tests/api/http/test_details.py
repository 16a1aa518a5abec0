"""Refusals are told in Russian too (architecture, section 5): no sentence of our own is missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.http.details import in_russian
from api.http.problems import KINDS
from api.store import postgres_address, postgres_schema, shard_part

ROOT = Path(__file__).parents[3]
SOURCES = (
    "domain/match.py",
    "domain/game.py",
    "projections/read.py",
    *(
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "api").rglob("*.py"))
        if "cli" not in path.parts
    ),
)
WITH_KIND = {"Refused", "Denied", "Failed"}
WITHOUT_KIND = {"BadOption", "BadQuery", "NotReady"}
_LINES = "cards: не хватает; cards[3].command: нужно 1 to 3, а не 7"


def sentence(node: ast.expr) -> str | None:
    """A literal sentence, a 7 standing for whatever is filled in; None where it is not literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "7" for part in node.values]
        return "".join(map(str, parts))
    return None


def refusals(source: str) -> Iterator[str]:
    """The sentences of a module that a Russian detail would quote."""
    for node in ast.walk(ast.parse((ROOT / source).read_text("utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if name in WITHOUT_KIND and node.args:
            yield from filter(None, [sentence(node.args[0])])
        elif name in WITH_KIND and len(node.args) > 1:
            kind = sentence(node.args[0])
            if kind is None or "{detail}" in KINDS[kind].detail:
                yield from filter(None, [sentence(node.args[1])])


def test_there_are_sentences_to_tell() -> None:
    assert sum(len(list(refusals(source))) for source in SOURCES) > 30


@pytest.mark.parametrize("source", SOURCES)
def test_every_refusal_of_our_own_has_its_russian_sentence(source: str) -> None:
    missing = [said for said in refusals(source) if in_russian(said) == said]
    assert missing == []


def test_what_a_store_says_that_cannot_do_its_work_has_its_russian_sentence() -> None:
    outdated = str(postgres_schema._newer(3, postgres_schema.CURRENT))
    for said in (postgres_address.AWAY, shard_part.AWAY, outdated):
        told = in_russian(said)
        assert "ничего не изменено" in told
        assert "nothing" not in told


@pytest.mark.parametrize(
    ("english", "russian"),
    [
        ("move 5 was taken back itself", "ход 5 сам взят назад"),
        ("Expected `int`, got `str` - at `$.expect`", "нужно `int`, а не `str`: `$.expect`"),
        ("a page has 1 to 200 rows, not 0", "на странице от 1 до 200 строк, а не 0"),
        ("cards: missing; cards[3].command: expected 1 to 3, got 7", _LINES),
        ("Invalid value 'fly' - at `$.do`", "'fly' не бывает: `$.do`"),
        ("Expected `str` of length <= 64 - at `$.view`", "нужно `str` длиной <= 64: `$.view`"),
        (
            "Expected `str` matching regex '^[a-z]$' - at `$.match`",
            "нужно `str` по образцу '^[a-z]$': `$.match`",
        ),
        ("a library's own words", "a library's own words"),
    ],
)
def test_what_is_filled_in_stays(english: str, russian: str) -> None:
    assert in_russian(english) == russian
