"""Refusals are one id each: the tables hold every id that is used, no other, and the same fields."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

from api.http.problems import KINDS, document
from api.store import postgres_connection, postgres_schema
from api.store.interface import InDoubt, StoreError, Unavailable
from domain.kernel import Refused
from domain.refusals import QUOTED, Sentence, sentences, text
from domain.texts import LANGUAGES
from replay.matchfile import BadFile
from replay.report import CHECKS, Failure
from replay.tournaments.report import QUESTIONS

ROOT = Path(__file__).parents[2]
FOLDERS = ("api", "domain", "projections", "replay")
ALSO = {"asked-since": {"seats"}}  # what only the Russian sentence says


def fields(sentence: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def constructed(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("Refused", "Sentence")
    )


@cache
def modules() -> list[ast.Module]:
    """Those that refuse."""
    sources = [path.read_text("utf-8") for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return [ast.parse(source) for source in sources if "Refused" in source or "Sentence" in source]


def calls() -> Iterator[ast.Call]:
    """Each place where something is refused by an id."""
    for module in modules():
        yield from (node for node in ast.walk(module) if isinstance(node, ast.Call) and constructed(node))


def test_both_languages_hold_the_same_ids_with_the_same_fields() -> None:
    english, russian = sentences("en"), sentences("ru")
    assert english.keys() == russian.keys()
    more = {id: fields(russian[id]) - fields(said) for id, said in english.items()}
    assert {id: names for id, names in more.items() if names - ALSO.get(id, set())} == {}


def test_every_id_in_the_code_has_its_sentence_and_its_values() -> None:
    wrong = []
    for call in calls():
        args = call.args[1:] if isinstance(call.func, ast.Name) and call.func.id == "Refused" else call.args
        match args:
            case [ast.Constant(value=id)]:
                given: set[str] = set()
            case [ast.Constant(value=id), ast.Dict(keys=keys), *_] if all(
                isinstance(key, ast.Constant) for key in keys
            ):
                given = {str(key.value) for key in keys if isinstance(key, ast.Constant)}
            case [ast.Constant(value=id), *_]:
                given = set[str]().union(*(fields(sentences(one).get(str(id), "")) for one in LANGUAGES))
            case _:
                continue
        known = {language: sentences(language).get(str(id)) for language in LANGUAGES}
        wanted = set[str]().union(*(fields(said) for said in known.values() if said is not None))
        if None in known.values() or wanted != given:
            wrong.append((id, given, wanted))
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
    faults = {f"fault-{kind}" for kind in ("count", "twice", "option")} | {
        f"check-{name}" for name in (*CHECKS, *QUESTIONS)
    }
    assert set(sentences("en")) - used - places - slow - faults == {QUOTED} - used


def test_every_kind_has_a_status() -> None:
    kinds = {
        call.args[0].value
        for call in calls()
        if isinstance(call.func, ast.Name)
        and call.func.id == "Refused"
        and isinstance(call.args[0], ast.Constant)
    }
    assert len(kinds) > 30
    assert kinds | {StoreError.kind, InDoubt.kind} <= set(KINDS)


@pytest.mark.parametrize("path", sorted((ROOT / "replay").glob("*.py")), ids=lambda path: path.stem)
def test_what_is_wrong_with_a_match_file_is_said_by_an_id(path: Path) -> None:
    told = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("BadFile", "Damaged", "Differs", "Wrong")
        and path.stem != "scripted"  # its Wrong is of a script, which no client sends
        for said in node.args[-2:]
        if isinstance(said, ast.JoinedStr) or (isinstance(said, ast.Constant) and " " in str(said.value))
    ]
    assert told == []


def test_what_a_store_says_that_cannot_do_its_work_has_its_russian_sentence() -> None:
    outdated = postgres_schema._newer(3, postgres_schema.CURRENT)
    for error in (Unavailable(postgres_connection.AWAY), outdated):
        told = error.refusal().text("ru")
        assert "ничего не изменено" in told
        assert "nothing" not in told


def test_what_is_wrong_with_a_match_file_is_said_in_both_languages() -> None:
    archive = BadFile(
        "archive", Sentence("get-again", {"said": Sentence("not-an-archive", {"error": "cut"})})
    )
    found = [Failure("log", None, archive.said), Failure("fold", 7, "a library's own words")]
    findings = Sentence("findings", {"findings": [one.sentence for one in found]})
    assert str(findings) == (
        "log: archive: not a zip archive, or cut off: cut; get the file once more from where it came;"
        " fold: move 7: a library's own words"
    )
    assert text("ru", findings.id, findings.values) == (
        "журнал: архив: это не архив zip, или он обрывается; возьмите файл ещё раз там, откуда он;"
        " ход событий: ход 7: a library's own words"
    )


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
                    "where": Sentence("parameter-in-query", {"name": "limit"}),
                    "most": "200",
                    "given": "201",
                },
            ),
            "query limit: at most 200, not 201",
            "Запрос неверен: параметр limit: не больше 200, а не 201",
        ),
    ],
    ids=["words", "list", "nested"],
)
def test_a_refusal_says_the_same_in_both_languages(refused: Refused, english: str, russian: str) -> None:
    assert str(refused) == document(refused.kind, refused, "en").detail == english
    assert document(refused.kind, refused, "ru").detail == russian
