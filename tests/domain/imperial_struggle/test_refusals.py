"""What is refused in an action round, and the section of the book that the refusal names."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import ADVANTAGES, BOARD, BR, DIPLOMATIC, ECONOMIC, FR, MILITARY
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.points import Pool
from domain.imperial_struggle.rules.registry import ABILITIES
from domain.kernel import Answer, Illegal, decide
from tests.domain.imperial_struggle.governing import acting, offered
from tests.domain.imperial_struggle.refusing import refusal, refused
from tests.domain.imperial_struggle.table import major, minor

IN_SPACES = ("flag", "unflag", "rise", "clear", "build", "repair", "seize", "deploy")
PICKS = (
    "",
    "nonsense",
    "flag",
    "draw",
    "buy",
    "construct",
    "upgrade",
    "end",
    *(f"pass:{debt}" for debt in ("", "0", "1", "2", "3", "x")),
    *(f"exchange:{type}" for type in (ECONOMIC, DIPLOMATIC, MILITARY)),
    *(f"{verb}:{space}" for verb in IN_SPACES for space in (*BOARD, "atlantis")),
    *(f"event:{card}" for card in (*EVENTS, "?")),
    *(f"advantage:{tile}" for tile in (*ADVANTAGES, "gold")),
    *(f"ability:{id}" for id in (*ABILITIES, "magic")),
    *(f"reveal:{card}" for card in ("john_law", "?")),
)
MANY_FLAGS: dict[str, Any] = {
    "br": ("jamaica", "madras", "kanchipuram", "antilles_channel", "gibraltar", "cumberland", "halifax"),
    "fr": (
        "martinique",
        "karaikal",
        "vandavasi",
        "pondicherry",
        "biscay",
        "algonquin",
        "ohio_forks",
        "savoy",
    ),
    "flags": {"chesapeake": "usa", "santiago": "spain"},
    "conflicts": {"karaikal": 1, "sweden": 0},
    "damaged": ("halifax", "ohio_forks"),
}
ROUNDS: dict[str, dict[str, Any]] = {
    "economic": {"pools": (major(ECONOMIC, 2), minor(MILITARY)), "br_hand": ("hyder_ali",)},
    "diplomatic": {"pools": (major(DIPLOMATIC, 3), minor(ECONOMIC)), "debt": {BR: 6, FR: 6}},
    "military": {"pools": (major(MILITARY, 4), minor(DIPLOMATIC)), "turn": 6, "war": ""},
    "no points": {"pools": (), "in_round": {"acted": True}},
    "event": {"pools": (Pool("hyder_ali", ECONOMIC, "event", 1),), "in_round": {"event": "hyder_ali"}},
}


@pytest.mark.parametrize("name", ROUNDS)
def test_whatever_is_not_offered_is_refused_with_a_reason_and_a_section(name: str) -> None:
    game = acting(BR, **MANY_FLAGS, **ROUNDS[name])
    options = set(offered(game, BR))
    refused_picks = [pick for pick in PICKS if pick not in options]
    assert len(refused_picks) > 500
    for pick in refused_picks:
        found = refused(game, BR, pick)
        assert found.rule.startswith("book 001, "), pick
        assert found.detail.startswith(f"Act: {pick!r} is not among the options: "), pick


def test_a_refusal_says_what_is_missing() -> None:
    game = acting(BR, pools=(major(ECONOMIC, 1),), br=("antilles_channel",), debt={BR: 6, FR: 0})
    told = refused(game, BR, "flag:antigua").detail
    assert told.endswith(": it costs 2, which points, Treaty Points and Debt do not reach")
    assert refused(game, BR, "flag:savoy").detail.endswith(
        ": this round has no diplomatic action to pay with"
    )


@pytest.mark.parametrize(
    ("pick", "section"),
    [
        ("flag:savoy", "5.3.1"),
        ("unflag:martinique", "5.3.2"),
        ("flag:calicut", "5.4.1"),
        ("construct", "3.6"),
        ("buy", "5.6.1"),
        ("advantage:wheat", "8.1"),
        ("flag:usa_prestige_2", "3.2.1"),
        ("flag:jamaica", "3.2.3"),
        ("flag:biscay", "3.2.4"),
        ("unflag:louisbourg", "3.2.5"),
        ("flag:atlantis", "3.2"),
        ("repair:louisbourg", "5.6.4"),
        ("build:louisbourg", "5.6.3"),
        ("clear:antigua", "5.6.2"),
        ("ability:robert_walpole", "3.5.2"),
        ("reveal:robert_walpole", "3.5.1"),
        ("rise:scotland_alliance", "3.5.2"),
        ("event:hyder_ali", "5.2"),
        ("upgrade", "5.3.3"),
        ("pass:1", "6.2"),
        ("end", "5.1"),
        ("dance", "5.0"),
    ],
)
def test_each_refusal_names_its_section(pick: str, section: str) -> None:
    """A round with 4 military points and a Minor economic action, when two tiles were bought."""
    game = acting(
        BR,
        pools=(major(MILITARY, 4), minor(ECONOMIC)),
        br=("jamaica", "antilles_channel"),
        fr=("martinique", "guadeloupe"),
        unbuilt={BR: 0, FR: 0},
        in_round={"bought": 2},
    )
    assert refusal(game, BR, pick) == f"book 001, {section}"


def test_an_answer_with_too_few_picks_names_the_rule_of_the_question() -> None:
    with pytest.raises(Illegal) as found:
        decide(acting(BR).table, Answer(BR, ()))
    assert found.value.rule == "book 001, 5.0: an action round"
