"""The text files of a game, looked at as data: what the tests of its words compare."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from string import Formatter
from typing import Any, get_args

from domain.game import Game
from domain.kernel import AnyFact, AnyStep, Seat, Table


def texts_of(game: Game, language: str) -> dict[str, Any]:
    """The whole file of a language."""
    return dict(game.texts[language]._data)


def keys(data: Any, path: str = "") -> Iterator[str]:
    """Every key of a file, with the keys above it; a list counts its entries and their conditions."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from keys(value, f"{path}/{key}")
    elif isinstance(data, list):
        for number, entry in enumerate(data):
            yield f"{path}/{number} {entry.get('when')}"
    else:
        yield path


def entries(game: Game, language: str) -> Iterator[tuple[type[AnyFact], dict[str, Any]]]:
    """Each sentence with its fact."""
    facts = {cls.__name__: cls for cls in get_args(game.facts)}
    for name, told in texts_of(game, language)["facts"].items():
        for entry in told:
            yield facts[name], entry


def roots(sentence: str) -> set[str]:
    """The fields that a sentence names; `name[<id>]`, which quotes the name of an id, is none."""
    found = {re.split(r"[.\[]", name)[0] for _, name, _, _ in Formatter().parse(sentence) if name}
    return found - {"name"}


def quoted(data: Any) -> set[str]:
    """The ids whose names are quoted anywhere in a file."""
    return set(re.findall(r"{name\[([\w.]+)]}", str(data)))


def unnamed(game: Game, language: str, ids: Iterable[str]) -> set[str]:
    """Those of the ids that have no name."""
    return set(ids) - set(game.texts[language].names)


def check_sentences(game: Game, language: str) -> None:
    """A sentence names only what its fact holds, and every fact has one for whatever it holds."""
    for fact, entry in entries(game, language):
        known = set(fact.__struct_fields__)
        assert roots(entry["says"]) <= known, entry
        assert set(entry.get("when", {})) <= known, entry
    for told in texts_of(game, language)["facts"].values():
        assert "when" not in told[-1], told
        assert all("when" in entry for entry in told[:-1]), told


def check_fields(game: Game, language: str, table: type[Table]) -> None:
    """Every field of the table is called something."""
    words = game.texts[language]
    fields = set(table.__struct_fields__) - {"agenda", "result"}
    assert not [field for field in fields if not (words.field(field) or words.names.get(field))]


def check_question(game: Game, language: str, step: AnyStep, table: Table, seat: Seat) -> None:
    """A question names only what its step tells the seat that it asks."""
    asked = texts_of(game, language)["asks"][type(step).__name__]
    assert roots(asked["why"]) <= {"seat", *step.why(table, seat)}
    assert all(roots(label) <= {"pick"} for label in asked.get("picks", {}).values())
