"""Refusals are told in Russian too (architecture, section 5): no sentence of our own is missing.

Those that are refused by an id have their sentences in a table: see tests/domain/test_refusals.py.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.http.messages import in_russian
from api.store import postgres_connection, postgres_schema
from api.store.interface import Unavailable

ROOT = Path(__file__).parents[3]
VERIFYING = {
    name: f"replay/{name}.py" for name in ("archive", "chain", "transitions", "randomness", "audit", "verify")
}
PLACES = {"Damaged": 0, "Differs": 0, "BadFile": 1, "Wrong": 2}  # where a sentence stands in what raises it


def sentence(node: ast.expr) -> str | None:
    """A literal sentence, a 7 standing for whatever is filled in; None where it is not literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "7" for part in node.values]
        return "".join(map(str, parts))
    return None


def findings(source: str) -> Iterator[str]:
    """The sentences in which a module tells what is wrong with a match file."""
    for node in ast.walk(ast.parse((ROOT / source).read_text("utf-8"))):
        told: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PLACES:
            told = node.args[PLACES[node.func.id] :][:1]
        elif isinstance(node, ast.Return) and node.value is not None and "transitions" in source:
            whole = node.value
            told = [whole.body, whole.orelse] if isinstance(whole, ast.IfExp) else [whole]
        yield from (said for said in map(sentence, told) if said and " " in said.strip("7() "))


@pytest.mark.parametrize("source", VERIFYING.values(), ids=VERIFYING)
def test_every_finding_about_a_match_file_has_its_russian_sentence(source: str) -> None:
    told = list(findings(source))
    assert len(told) > 5
    assert [said for said in told if in_russian(said) == said] == []


def test_what_a_store_says_that_cannot_do_its_work_has_its_russian_sentence() -> None:
    outdated = postgres_schema._newer(3, postgres_schema.CURRENT)
    for error in (Unavailable(postgres_connection.AWAY), outdated):
        told = error.refusal().text("ru")
        assert "ничего не изменено" in told
        assert "nothing" not in told


@pytest.mark.parametrize(
    ("english", "russian"),
    [
        ("move 5 was taken back itself", "ход 5 сам взят назад"),
        ("a library's own words", "a library's own words"),
        (
            "log: archive: not a zip archive, or cut off: File is not a zip file; get the file once more from"
            " where it came",
            "журнал: архив: это не архив zip, или он обрывается; возьмите файл ещё раз там, откуда он",
        ),
        (
            "log: move 5: prev is not the root over the moves before it; fold: move 7: cut off",
            "журнал: ход 5: prev — не корень ходов перед ним; ход событий: ход 7: cut off",
        ),
    ],
)
def test_what_is_filled_in_stays(english: str, russian: str) -> None:
    assert in_russian(english) == russian
