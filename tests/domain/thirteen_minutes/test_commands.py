"""The Command (book 002, Commands)."""

from __future__ import annotations

import pytest

from domain.thirteen_minutes.board import US, USSR
from domain.thirteen_minutes.commands import Command
from domain.thirteen_minutes.facts import CommandDeclined, CubesPlaced, CubesRemoved, TerritorySlid
from domain.thirteen_minutes.rules import one_step
from tests.domain.thirteen_minutes.tables import lying, table
from tests.scenario import given

THREE = Command(US, "us-1", None)  # Command 3


def test_t_command_places_own_cubes_and_slides_one_step_toward_their_owner() -> None:
    """Book 002: placing moves the territory one step to one's own edge."""
    command = given(table(), do=THREE).asks(US, "cuba").when(US, "cuba")
    command.asks(US, "place:1", "place:2", "place:3").when(US, "place:3")
    command.then(CubesPlaced(US, "cuba", 3, 3, 7), TerritorySlid("cuba", "us_sphere")).asks_nobody()


def test_t_command_removes_own_cubes_and_slides_one_step_toward_the_opponent() -> None:
    """Book 002: removing moves the territory one step to the opponent's sphere."""
    s = table(territories=lying(un_1=("n", 2, 4)))
    command = given(s, do=THREE).when(US, "un-1")
    command.asks(US, "place:1", "place:2", "place:3", "remove:1", "remove:2").when(US, "remove:2")
    command.then(CubesRemoved(US, US, "un-1", 2, 0, 12), TerritorySlid("un-1", "ussr_sphere"))


@pytest.mark.parametrize("cubes", [1, 2, 3])
def test_t_command_slides_one_step_at_most_whatever_the_number(cubes: int) -> None:
    """Book 002: always one step, however many cubes."""
    s = table(territories=lying(un_1=("ussr", 0, 1)))
    command = given(s, do=THREE).when(US, "un-1").when(US, f"place:{cubes}")
    command.then(CubesPlaced(US, "un-1", cubes, cubes, 10 - cubes), TerritorySlid("un-1", "neutral"))


def test_t_command_does_not_slide_beyond_a_sphere() -> None:
    """T-COMMAND: at the end of the line the territory stays."""
    s = table(territories=lying(un_1=("us", 1, 0)))
    given(s, do=THREE).when(US, "un-1").when(US, "place:1").then(CubesPlaced(US, "un-1", 1, 2, 9))


def test_t_command_removing_pushes_a_territory_out_of_the_own_sphere() -> None:
    """Notes A3: the way to be rid of a dangerous colour."""
    s = table(territories=lying(un_1=("us", 1, 0)))
    command = given(s, do=THREE).when(US, "un-1").when(US, "remove:1")
    command.then(CubesRemoved(US, US, "un-1", 1, 0, 11), TerritorySlid("un-1", "neutral"))


def test_t_command_zero_cubes_do_not_slide() -> None:
    """T-COMMAND: from 0 cubes; zero moves nothing."""
    given(table(), do=THREE).when(US).then(CommandDeclined(US, "us-1")).asks_nobody()


def test_t_command_may_be_weaker_than_printed_but_not_stronger() -> None:
    """Book 002: one need not use the whole number; more than it is refused."""
    command = given(table(), do=Command(US, "us-5", None)).when(US, "cuba").asks(US, "place:1")
    command.refuses(US, "place:2").refuses(US, "place:0")


def test_t_command_is_for_one_territory_only() -> None:
    """T-COMMAND: on ONE territory."""
    s = table(territories=lying(un_1=("n", 0, 0), un_2=("n", 0, 0)))
    given(s, do=THREE).asks(US, "un-1", "un-2").refuses(US, "un-1", "un-2")


def test_t_command_reaches_every_zone_and_the_card_just_played() -> None:
    """T-COMMAND: any territory, the opponent's sphere and the played card included."""
    s = table(territories=lying(cuba=("n", 0, 0), us_1=("us", 0, 0), un_1=("ussr", 0, 3)))
    given(s, do=THREE).asks(US, "cuba", "us-1", "un-1")


def test_t_command_never_touches_the_opponents_cubes() -> None:
    """Book 002: one's own cubes."""
    s = table(territories=lying(un_1=("n", 0, 3)), supply={US: 0, USSR: 7})
    given(s, do=THREE).then(CommandDeclined(US, "us-1")).asks_nobody()


def test_t_command_mirrors_for_the_ussr() -> None:
    """The line of zones is the same, seen from the other end."""
    s = table(territories=lying(un_1=("us", 0, 2)))
    placed = given(s, do=Command(USSR, "ussr-1", None)).when(USSR, "un-1").when(USSR, "place:1")
    placed.then(CubesPlaced(USSR, "un-1", 1, 3, 9), TerritorySlid("un-1", "neutral"))
    removed = given(s, do=Command(USSR, "ussr-1", None)).when(USSR, "un-1").when(USSR, "remove:1")
    removed.then(CubesRemoved(USSR, USSR, "un-1", 1, 1, 11))


def test_sliding_line_of_three_zones() -> None:
    """Book 002, Set-up: US sphere, neutral zone, USSR sphere."""
    assert [one_step(zone, US) for zone in ("ussr_sphere", "neutral", "us_sphere")] == [
        "neutral",
        "us_sphere",
        "us_sphere",
    ]
    assert [one_step(zone, USSR) for zone in ("us_sphere", "neutral", "ussr_sphere")] == [
        "neutral",
        "ussr_sphere",
        "ussr_sphere",
    ]


def test_t_supply_limits_placing() -> None:
    """T-SUPPLY: only what is left can be placed."""
    s = table(supply={US: 2, USSR: 10})
    given(s, do=THREE).when(US, "cuba").asks(US, "place:1", "place:2")


def test_t_supply_empty_leaves_only_removing() -> None:
    """T-SUPPLY: without cubes in hand a Command can only remove."""
    s = table(supply={US: 0, USSR: 10}, territories=lying(cuba=("n", 0, 0), un_1=("n", 2, 0)))
    given(s, do=THREE).asks(US, "un-1").when(US, "un-1").asks(US, "remove:1", "remove:2")


def test_t_supply_takes_removed_cubes_back() -> None:
    """T-SUPPLY: removed cubes return to the supply; bids do not."""
    s = table(supply={US: 4, USSR: 10}, territories=lying(un_1=("n", 2, 0)))
    given(s, do=THREE).when(US, "un-1").when(US, "remove:2").has(supply={US: 6, USSR: 10})


def test_t_cap_none_is_the_default() -> None:
    """T-CAP: the rulebook names no maximum; the printed number is a strength."""
    s = table(territories=lying(un_1=("us", 9, 0)))
    given(s, do=THREE).when(US, "un-1").when(US, "place:3").includes(CubesPlaced(US, "un-1", 3, 12, 7))


def test_t_cap_option_limits_each_sides_cubes_on_a_territory() -> None:
    """T-CAP, option max_cubes_per_territory: own cubes only; the opponent's take no room."""
    s = table({"max_cubes_per_territory": 5}, territories=lying(un_1=("us", 4, 5), un_2=("us", 5, 0)))
    command = given(s, do=THREE).asks(US, "un-1", "un-2").when(US, "un-1")
    command.asks(US, "place:1", "remove:1", "remove:2", "remove:3")
    given(s, do=THREE).when(US, "un-2").asks(US, "remove:1", "remove:2", "remove:3")
