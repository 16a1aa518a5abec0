"""Code, texts and glossary agree: every name exists, each concept has one word in each language."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.docs.documents import ROOT, read

GAMES = {
    "13 Minutes": "thirteen_minutes",
    "Cold War: CIA vs. KGB": "cia_vs_kgb",
    "Twilight Struggle": "twilight_struggle",
    "Imperial Struggle": "imperial_struggle",
}
ENDING = 3  # letters that Russian may change at the end of a word
Row = dict[str, str]


def glossary(section: str) -> list[Row]:
    """The rows of one section."""
    text = read("docs/glossary.md")
    titles = re.findall(r"^## (.*)$", text.text, flags=re.MULTILINE)
    return list(text.tables())[titles.index(section)]


SERVER = glossary("The server")
PARTS = glossary("The parts of the server")
PARTS_IN = ("api", "projections", "replay")
GAME_ROWS = [(game, row) for title, game in GAMES.items() for row in glossary(title)]
SHARED = [
    *(path for folder in ("projections", "replay") for path in sorted((ROOT / folder).rglob("*.ru.toml"))),
    ROOT / "api" / "http" / "problems.py",
]


@cache
def code(package: str) -> str:
    """All Python and JSON of a package."""
    files = sorted((ROOT / package).rglob("*"))
    return "\n".join(path.read_text("utf-8") for path in files if path.suffix in (".py", ".json"))


def texts(game: str, language: str) -> str:
    """The file of the texts of a game."""
    return (ROOT / "domain" / game / "components" / f"texts.{language}.toml").read_text("utf-8")


@cache
def words(game: str, language: str) -> str:
    """The texts of a game, in small letters; comments are left out."""
    return said(texts(game, language))


def said(toml: str) -> str:
    """What a file of texts says, in small letters, without its comments."""
    return "\n".join(line for line in toml.lower().split("\n") if not line.lstrip().startswith("#"))


@cache
def names(game: str, language: str) -> dict[str, str]:
    """The names that a game gives to ids."""
    found: dict[str, str] = tomllib.loads(texts(game, language))["names"]
    return found


def says(text: str, term: str) -> bool:
    """Do the texts use this term, in whatever form its words take?"""
    return all(
        re.search(rf"\b{re.escape(word[: max(3, len(word) - ENDING)])}", text)
        for word in term.lower().split()
    )


def forbidden(row: Row) -> list[str]:
    """The words under "Never"."""
    return [word.strip() for word in row["Never"].split(",") if word.strip()]


def forbidden_in(text: str) -> list[str]:
    """The words of all sections under "Never" that a text uses."""
    rows = [*SERVER, *(row for _, row in GAME_ROWS)]
    return [word for row in rows for word in forbidden(row) if re.search(rf"\b{word}", text)]


def ids(rows: list[tuple[str, Row]]) -> list[str]:
    """Names for the cases."""
    return [f"{game}-{row['English']}" for game, row in rows]


@pytest.mark.parametrize("row", SERVER, ids=lambda row: row["English"])
def test_a_word_of_the_server_stands_in_the_code(row: Row) -> None:
    everything = "\n".join(code(package) for package in ("domain", "projections", "replay", "api"))
    assert re.search(rf"\b{row['In code'].strip('`')}\b", everything)


@pytest.mark.parametrize(("game", "row"), GAME_ROWS, ids=ids(GAME_ROWS))
def test_a_word_of_a_game_stands_in_its_code(game: str, row: Row) -> None:
    assert re.search(rf"\b{row['In code'].strip('`')}\b", code(f"domain/{game}"))


@pytest.mark.parametrize(("game", "row"), GAME_ROWS, ids=ids(GAME_ROWS))
def test_a_word_of_a_game_is_that_of_its_texts(game: str, row: Row) -> None:
    named = row["In code"].strip("`")
    for column, language in (("English", "en"), ("Русский", "ru")):
        term = names(game, language).get(named)
        if term is not None and named.islower() and named not in ("event", "command", "reconstruction"):
            assert row[column].lower() == term.lower()
        else:
            assert says(words(game, language), row[column]), (language, row[column])


@pytest.mark.parametrize(("game", "row"), GAME_ROWS, ids=ids(GAME_ROWS))
def test_a_games_texts_use_no_other_word_for_it(game: str, row: Row) -> None:
    for word in forbidden(row):
        assert not re.search(rf"\b{word}", words(game, "ru")), word


@pytest.mark.parametrize("path", SHARED, ids=lambda path: str(path.relative_to(ROOT)))
def test_texts_beside_the_games_use_the_words_of_the_glossary(path: Path) -> None:
    assert not forbidden_in(said(path.read_text("utf-8")))


def test_the_russian_readme_uses_the_words_of_the_glossary() -> None:
    assert not forbidden_in(read("README.ru.md").prose.lower())


def test_every_name_that_is_no_card_is_in_the_glossary() -> None:
    """Phases, agents, factions, zones, colours: the vocabulary of a game's names."""
    for title, game in GAMES.items():
        listed = {row["In code"].strip("`") for row in glossary(title)}
        vocabulary = VOCABULARY[game]
        assert vocabulary <= set(names(game, "en"))
        assert vocabulary <= listed


def test_the_words_of_the_two_books_are_those_of_the_texts_of_each_edition() -> None:
    """Names are those of the edition; all other words are those of book 003 in both."""
    renamed = tomllib.loads(texts("twilight_struggle", "ru"))["editions"]["second"].values()
    for row in glossary("Twilight Struggle: the words of the two books"):
        deluxe, second = row["Book 003 (Deluxe)"], row["Book 000 (2nd edition)"]
        assert says(words("twilight_struggle", "ru"), deluxe), deluxe
        if deluxe[0].isupper():
            assert second in renamed, second


THIRTEEN = {
    "us",
    "ussr",
    "un",
    "us_sphere",
    "neutral",
    "ussr_sphere",
    "military",
    "political",
    "world_opinion",
}
CIA = {"briefing", "planning", "influence_struggle", "cease_fire", "debriefing", "detente"} | {
    *("master_spy", "deputy_director", "double_agent", "analyst", "assassin", "director"),
    *("military", "economic", "political", "media"),
}
TWILIGHT = {"us", "ussr", "turn", "setup", "handicap", "deal", "headline", "rounds", "end"} | {
    *("early", "mid", "late", "influence", "coup", "realign", "space"),
    *("presence", "domination", "control", "discards", "removed", "beside", "china_card"),
    *("nuclear_war", "final_scoring"),
}
IMPERIAL = {
    "br",
    "fr",
    "turn",
    "layout",
    "peace",
    "action",
    "succession",
    "empire",
    "revolution",
} | {
    *("economic", "diplomatic", "military", "major", "minor", "upgrade", "keywords"),
    *("debt", "available_debt", "treaty_points", "market", "political", "territory", "naval", "fort"),
    *("prestige", "alliances", "flag", "unflag", "conflict", "isolated", "protected", "region"),
    *("squadrons", "navy_box", "turn_track", "removed", "tiles", "resistance"),
    *("turn_sweep", "war_sweep", "victory_points", "final_scoring"),
}
VOCABULARY = {
    "thirteen_minutes": THIRTEEN,
    "cia_vs_kgb": CIA,
    "twilight_struggle": TWILIGHT,
    "imperial_struggle": IMPERIAL,
}


# Names on the wire stay: the OpenAPI document lists them.
ON_THE_WIRE = {"PlayTold", "Tally", "TurnTold", "TurnView.told"}


def names_in(tree: ast.Module) -> Iterator[str]:
    """The classes, functions, parameters and attributes that a module defines; of a class, with its name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name
            for part in node.body:
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                    yield f"{node.name}.{part.target.id}"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


@cache
def words_of(name: str) -> set[str]:
    """The words of which a name is made; of "Class.attribute" those of the attribute."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name.rpartition(".")[2])}


@pytest.mark.parametrize("row", PARTS, ids=lambda row: row["English"])
def test_a_part_of_the_server_stands_in_the_code(row: Row) -> None:
    everything = "\n".join(code(package) for package in ("domain", *PARTS_IN))
    assert re.search(rf"\b{row['In code'].strip('`')}\b", everything)


def test_no_name_of_the_server_contains_another_word_for_it() -> None:
    never = {word for row in PARTS for word in forbidden(row)}
    found: dict[str, set[str]] = {}
    for path in (path for folder in PARTS_IN for path in sorted((ROOT / folder).rglob("*.py"))):
        names = {path.stem, *names_in(ast.parse(path.read_text("utf-8")))} - ON_THE_WIRE
        module = str(path.relative_to(ROOT))
        wrong = {name for name in names if words_of(name) & never}
        if wrong:
            found[module] = wrong
    assert not found
