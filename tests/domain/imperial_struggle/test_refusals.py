"""What is refused in an action round, and the section of the book that the refusal names."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import ADVANTAGES, BOARD, BR, DIPLOMATIC, ECONOMIC, FR, MILITARY
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.points import Pool
from domain.imperial_struggle.rules import refusals
from domain.imperial_struggle.rules.registry import ABILITIES
from domain.kernel import Answer, Refused, decide
from tests.domain.imperial_struggle.governing import acting, offered
from tests.domain.imperial_struggle.refusing import refusal, refused, told
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
        assert found.fault is not None
        assert found.fault.pick == pick
        assert told(game, BR, pick).partition(" is not among the options: ")[2], pick
        assert told(game, BR, pick, "ru").partition(" — такого варианта сейчас нет: ")[2], pick


def test_each_reason_has_its_sentence_and_each_sentence_its_reason() -> None:
    calls = [call for call in ast.walk(ast.parse(inspect.getsource(refusals))) if isinstance(call, ast.Call)]
    given = {
        node.value
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "Reason"
        for node in ast.walk(call.args[0])
        if isinstance(node, ast.Constant)
    }
    assert len(given) > 40
    for language in ("en", "ru"):
        assert set(GAME.texts[language]._data["refusals"]) == given


def test_a_refusal_says_what_is_missing() -> None:
    game = acting(BR, pools=(major(ECONOMIC, 1),), br=("antilles_channel",), debt={BR: 6, FR: 0})
    assert told(game, BR, "flag:antigua") == (
        "“Place a flag: Antigua” is not among the options:"
        " it costs 2, which points, Treaty Points and Debt do not reach"
    )
    assert told(game, BR, "flag:antigua", "ru").endswith(
        ": это стоит 2 очка действий: столько не набрать и с очками соглашений и долгом"
    )
    assert told(game, BR, "flag:savoy").endswith(": this round has no diplomatic action to pay with")
    assert ": в этот ход нет действия с такими очками (дипломат" in told(game, BR, "flag:savoy", "ru")


def test_a_minor_action_that_is_used_is_not_refused_as_missing() -> None:
    game = acting(BR, pools=(major(MILITARY, 4), minor(ECONOMIC)), br=("antilles_channel",))
    game.when(BR, "flag:antigua")
    assert told(game, BR, "flag:st_lucia").endswith(
        ": the economic action of this round was a Minor one, and it is used"
    )
    assert told(game, BR, "flag:savoy").endswith(": this round has no diplomatic action to pay with")


@pytest.mark.parametrize(
    ("pick", "reason"),
    [
        ("advantage:wheat_", "no_such_advantage"),
        ("advantage:wheat", "not_held"),
        ("event:hyder", "no_such_event"),
        ("ability:magic", "no_such_ability"),
        ("clear:atlantis", "no_such_space"),
        ("rise:atlantis", "no_such_space"),
        ("draw:hyder_ali", "no_such_action"),
    ],
)
def test_what_does_not_exist_is_refused_as_such(pick: str, reason: str) -> None:
    fault = refused(acting(BR, pools=(major(ECONOMIC, 4),)), BR, pick).fault
    assert fault is not None
    assert fault.reason.id == reason


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
    with pytest.raises(Refused) as found:
        decide(acting(BR).table, Answer(BR, ()))
    assert found.value.rule == "book 001, 5.0: an action round"
