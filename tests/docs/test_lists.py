"""Lists in the documents are complete: commands, paths, refusals, settings, options, card-set fields."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import msgspec
import pytest

from api.bots.levels import EASY, HARD, method_of
from api.cli.main import COMMANDS
from api.http import ws_messages as socket_shapes
from api.http import ws_session as socket_session
from api.http.problems import KINDS
from api.settings import PREFIX, Settings
from api.store.accounts import ROLES
from domain.branches import BRANCH
from domain.game import Option
from domain.games import GAMES
from domain.imported import UPLOADED
from domain.kernel import Refused
from domain.match_base import SOLO
from domain.thirteen_minutes.components import AnyOp
from domain.thirteen_minutes.components.card_sets import checked
from domain.twilight_struggle.components import SETUP
from projections.model import BOTS, LIVE
from projections.ratings import BEGINNER, Skill
from projections.read import MOST, Asked
from replay.scripted import PREFIXES
from tests.docs.documents import PAGES, ROOT, Document, read
from tests.docs.session import Server
from tests.docs.strengths import TABLE, strengths_table
from tests.domain.spelling import table
from tests.waiting import PATIENCE

CODE = "`"


def codes(document: Document, column: str) -> list[str]:
    """The first column of a table, without the marks of code."""
    return [next(iter(row.values())).strip(CODE) for row in document.table(column)]


def test_the_command_line_page_lists_every_command() -> None:
    assert codes(read("docs/command-line.md"), "Command") == list(COMMANDS)


def test_the_page_of_bots_shows_the_strengths_that_were_measured() -> None:
    found = TABLE.search(read("docs/bots.md").text)
    assert found is not None
    assert found.group() == strengths_table()


def test_the_page_of_bots_shows_how_each_game_is_played() -> None:
    rows = read("docs/bots.md").table("Game")
    assert [row["Game"].strip(CODE) for row in rows] == list(GAMES)
    for row in rows:
        for level in (EASY, HARD):
            budget = method_of(level, row["Game"].strip(CODE)).budget.playouts
            assert budget in (0, 2) or f" {budget} for a question" in row[f"How `{level}` finds its answer"]


def test_the_http_page_lists_every_path(server: Server) -> None:
    paths = httpx.get(f"{server.address}/openapi.json", timeout=PATIENCE).json()["paths"]
    served = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    rows = read("docs/http.md").table("Method")
    told = [(row["Method"], row["Path"].strip(CODE)) for row in rows]
    assert sorted(told) == sorted(served)


def test_the_http_page_lists_every_refusal_under_its_status() -> None:
    rows = read("docs/http.md").table("Status")
    told = {kind: int(row["Status"]) for row in rows for kind in row["`type` ends in"].split(CODE)[1::2]}
    assert told == {kind: about.status for kind, about in KINDS.items()}


def test_the_http_page_lists_every_message_of_the_socket_with_its_fields() -> None:
    rows = read("docs/http.md").table("`do`")
    told = {row["`do`"].strip(CODE): set(row["Fields besides `id`"].split(CODE)[1::2]) for row in rows}
    assert told == {
        str(kind.__struct_config__.tag): set(kind.__struct_fields__) - {"id"} for kind in socket_shapes.SAID
    }


def test_the_http_page_lists_the_codes_with_which_we_close_a_socket() -> None:
    told = {int(row["Code"]) for row in read("docs/http.md").table("Code")}
    ours = {
        socket_session.STOPPING,
        socket_session.NOT_ENTERED,
        socket_session.UNWELCOME,
        socket_session.BROKEN,
    }
    assert {ending.code for ending in ours} <= told


def test_the_http_page_lists_every_role() -> None:
    assert set(codes(read("docs/http.md"), "Role")) == set(ROLES)


def test_the_http_page_tells_how_many_rows_a_page_has() -> None:
    assert f"`limit` rows (1 to {MOST}, else {Asked().limit})" in read("docs/http.md").text


def test_the_page_for_analysts_tells_the_pools(server: Server) -> None:
    told = [name for row in read("docs/analysts.md").table("Pool") for name in row["Pool"].split(CODE)[1::2]]
    assert told == [LIVE, BOTS, SOLO, "seeded", *PREFIXES, BRANCH, UPLOADED]
    for pool in told:
        board = httpx.get(
            f"{server.address}/v1/scoreboards/cia_vs_kgb", params={"pool": pool}, timeout=PATIENCE
        )
        assert board.json().get("pool") == pool, board.text


def test_the_page_for_analysts_tells_how_a_rating_is_made() -> None:
    prose = " ".join(read("docs/analysts.md").prose.split())
    mu, sigma = re.findall(r"A new player has (\d+) and ([\d.]+)\.", prose)[0]
    assert (float(mu), float(sigma)) == (BEGINNER.mu, round(BEGINNER.sigma, 3))
    start, scale, times = re.findall(r"is (\d+) \+ (\d+) × \(`mu` − (\d) × `sigma`\)", prose)[0]
    for skill in (BEGINNER, Skill(31.0, 2.5)):
        assert skill.shown == int(start) + int(scale) * (skill.mu - int(times) * skill.sigma)


def test_the_operations_page_lists_every_setting_with_its_default() -> None:
    rows = read("docs/operations.md").table("Variable")
    told = {row["Variable"].strip(CODE): row["Default"] for row in rows}
    assert told == {
        PREFIX + name.upper(): _word(value) for name, value in msgspec.structs.asdict(Settings()).items()
    }


def test_the_operations_page_lists_every_other_variable_that_is_read() -> None:
    sources = [*(ROOT / "api").rglob("*.py"), ROOT / "ops" / "lib" / "env.sh"]
    read_there = {
        name for path in sources for name in re.findall(r"GLASNOST_[A-Z_]+", path.read_text("utf-8"))
    }
    settings = {PREFIX + name.upper() for name in Settings.__struct_fields__}
    ours = {"GLASNOST_ROOT"}  # set by the scripts for themselves
    told = set(codes(read("docs/operations.md"), "Other"))
    assert told == {name for name in read_there - ours if not any(s.startswith(name) for s in settings)}


@pytest.mark.parametrize("game", GAMES)
def test_a_games_page_lists_its_options_with_their_values_the_default_first(game: str) -> None:
    rows = read(PAGES[game]).table("Option")
    options = GAMES[game].options
    assert [row["Option"].strip(CODE) for row in rows] == [option.name for option in options]
    for row, option in zip(rows, options, strict=True):
        assert row["Values"].split(CODE)[1::2] == values(option), option.name


@pytest.mark.parametrize("game", GAMES)
def test_a_games_page_tells_how_its_picks_are_spelt(game: str) -> None:
    assert table(GAMES[game]) in read(PAGES[game]).text, "./ops/docs writes it anew"


def departures(game: str) -> list[dict[str, str]]:
    """The table of a game's page that tells where the program leaves the book."""
    return next(rows for rows in read(PAGES[game]).tables() if "The book" in rows[0])


@pytest.mark.parametrize("game", GAMES)
def test_a_games_page_lists_where_the_program_leaves_the_book(game: str) -> None:
    assert "\n## Where the program leaves the letter of the book\n" in read(PAGES[game]).text
    rows = departures(game)
    assert all(row["The book"] and row["The program"] for row in rows)
    named = {word for row in rows for word in row["The program"].split(CODE)[1::2]}
    assert named <= {option.name for option in GAMES[game].options}


def test_the_set_up_of_the_late_war_differs_from_the_book_as_the_page_says() -> None:
    """Book 003 leaves Taiwan out and prints Spain for the wrong side."""
    rows = {row["Point"]: row["The program"] for row in departures("twilight_struggle")}
    us, ussr = (SETUP["late_war"][side] for side in ("us", "ussr"))
    assert (us["taiwan"], us["spain_portugal"]) == (3, 1)
    assert not {"taiwan", "spain_portugal"} & set(ussr)
    assert rows["Late War scenario: Taiwan"].startswith("3 US influence")
    assert rows["Late War scenario: Spain"].startswith("1/0")


def values(option: Option) -> list[str]:
    """An option's values as a page tells them: the default first."""
    default = _word(option.default)
    words = [_word(choice) for choice in option.choices]
    if option.least is not None:
        words += [str(option.least), str(option.most)]
    return [default, *(word for word in words if word != default)]


def _word(value: Any) -> str:
    if value is None or value == ():
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_the_card_set_that_the_page_shows_is_a_card_set() -> None:
    (block,) = [block for block in read("docs/13-minutes.md").blocks if block.language == "json"]
    assert checked(json.loads(block.text))["warnings"] == []


def test_the_card_set_page_lists_the_verbs_of_events_with_their_fields() -> None:
    rows = read("docs/13-minutes.md").table("`op`")
    told = {row["`op`"].strip(CODE): row["Fields"].split(CODE)[1::2] for row in rows}
    for verb, fields in told.items():
        real = real_fields(verb)
        assert {field for field in fields if field not in ("executor", "opponent")} <= real, verb
        assert real - {"op", "cubes_of"} <= set(fields), verb
    assert set(told) == {kind.__struct_config__.tag for kind in AnyOp.__args__}


def real_fields(verb: str) -> set[str]:
    """The fields that the checker knows, from its own refusal."""
    card = {"event": {"steps": [{"op": verb, "no such field": 1}]}}
    with pytest.raises(Refused) as refused:
        checked({"cards": [card]})
    known = str(refused.value).split("no such field: unknown field (known: ")[1].split(")")[0]
    return set(known.split(", "))


def test_the_changelog_tells_this_version_and_its_date() -> None:
    from api.settings import product

    assert f"\n## {product()} (2026-11-20)\n" in read("CHANGELOG.md").text
