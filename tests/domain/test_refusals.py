"""Refusals are one id each: the tables hold every id that is used, no other, and the same fields."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

from api.http.problems import KINDS, document
from domain.kernel import Reason
from domain.refusals import QUOTED, Refused, sentences

ROOT = Path(__file__).parents[2]
FOLDERS = ("api", "domain", "projections", "replay")


def fields(sentence: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def constructed(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refused"


@cache
def modules() -> list[ast.Module]:
    """Those that refuse by an id."""
    sources = [path.read_text("utf-8") for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return [ast.parse(source) for source in sources if "domain.refusals import" in source]


def calls() -> Iterator[ast.Call]:
    """Each place where something is refused by an id."""
    for module in modules():
        yield from (node for node in ast.walk(module) if isinstance(node, ast.Call) and constructed(node))


def test_both_languages_hold_the_same_ids_with_the_same_fields() -> None:
    english, russian = sentences("en"), sentences("ru")
    assert {id: fields(said) for id, said in english.items()} == {
        id: fields(said) for id, said in russian.items()
    }


def test_every_id_in_the_code_has_its_sentence_and_its_values() -> None:
    wrong = []
    for call in calls():
        match call.args:
            case [_, ast.Constant(value=id)]:
                given: set[str] = set()
            case [_, ast.Constant(value=id), ast.Dict(keys=keys), *_] if all(
                isinstance(key, ast.Constant) for key in keys
            ):
                given = {str(key.value) for key in keys if isinstance(key, ast.Constant)}
            case [_, ast.Constant(value=id), *_]:
                given = fields(sentences("en").get(str(id), ""))
            case _:
                continue
        if id not in sentences("en") or fields(sentences("en")[str(id)]) != given:
            wrong.append((id, given))
    assert wrong == []


def test_no_sentence_is_left_that_nothing_says() -> None:
    used = {
        node.value
        for module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    places = {f"parameter-in-{place}" for place in ("path", "query", "header")}
    slow = {f"{part}-too-slow" for part in ("head", "body")}
    assert set(sentences("en")) - used - places - slow == {QUOTED} - used


def test_every_kind_has_a_status() -> None:
    kinds = {call.args[0].value for call in calls() if isinstance(call.args[0], ast.Constant)}
    assert kinds
    assert kinds <= set(KINDS)


@pytest.mark.parametrize(
    ("refused", "english", "russian"),
    [
        (
            Refused("forbidden", "wrong-role", {"roles": ("organizer", "admin"), "role": "player"}),
            "this takes the role organizer or admin, yours is player",
            "Вам это не разрешено: нужна роль organizer или admin, а ваша player",
        ),
        (
            Refused("unknown-seat", "no-such-view", {"list": ["light", "dark"], "last": "all"}),
            "the views are light, dark and all",
            "Такого места нет: виды: light, dark и all",
        ),
        (
            Refused(
                "invalid",
                "parameter-too-large",
                {
                    "where": Reason("parameter-in-query", values={"name": "limit"}),
                    "most": "200",
                    "given": "201",
                },
            ),
            "query limit: at most 200, not 201",
            "Запрос не подходит: параметр limit: не больше 200, а не 201",
        ),
    ],
    ids=["words", "list", "nested"],
)
def test_a_refusal_says_the_same_in_both_languages(refused: Refused, english: str, russian: str) -> None:
    assert str(refused) == document(refused.kind, refused, "en").detail == english
    assert document(refused.kind, refused, "ru").detail == russian
