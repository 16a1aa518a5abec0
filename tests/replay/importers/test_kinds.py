"""Kinds of lines and games that other logs hold: each as a small log, written for the test."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.facts.board import WarRolled
from domain.twilight_struggle.facts.flow import EffectBegan, TurnEnded
from domain.twilight_struggle.facts.tracks import RegionScored
from replay.importers.twilight_struggle.report import Imported, imported
from replay.verify import verify_records
from tests.matches import PRODUCT
from tests.replay.importers.test_driver import HEADLINES, SET_UP


def log(text: str, set_up: str = SET_UP) -> Imported:
    found = imported((set_up + text).encode(), PRODUCT)
    assert verify_records(found.match.records).ok
    return found


def facts(found: Imported, kind: type[Any]) -> list[Any]:
    return [fact for record in found.match.records for fact in record.facts if isinstance(fact, kind)]


# ── Operations that an event hands out ──


@pytest.mark.parametrize("between", ["\n", ""])
def test_a_coup_that_was_declined_stands_before_the_operations_of_the_other_player(between: str) -> None:
    """Che, played by the US: the USSR declines both Coups, then the US conducts its Operations."""
    found = log(
        HEADLINES
        + "Turn 4, USSR AR1: Fidel*:\n\n"
        + f"Turn 4, US AR1: Che: Event: Che\nCoup (3 Ops):\n{between}Place Influence (3 Ops):\n"
        + "US +3 in Italy [10][0]\n\n"
        + "Turn 4, USSR AR2: Summit: Place Influence (1 Ops):\nUSSR +1 in Poland [0][7]\n"
    )
    assert not [one for one in found.mismatches if "Coup" in one.what], found.mismatches
    assert found.match.live.influence["us"]["italy"] == 10


def test_a_hand_that_is_shown_tells_that_its_event_happened() -> None:
    """CIA Created, played by the USSR: the Operations below the reveal are those of the US."""
    shown = ("Blockade*", "Nasser*", "Containment*", "NATO*", "De-Stalinization*", "Decolonization")
    reveals = "".join(f"USSR reveals {card}\n" for card in shown)
    found = log(
        HEADLINES
        + f"Turn 1, USSR AR1: CIA Created*: {reveals}Coup (1 Ops):\nTarget: Cuba\n"
        + "SUCCESS: 6 [ + 1 - 2x3 = 1 ]\nUSSR -1 in Cuba [0][2]\nUS Military Ops to 1\n"
        + "DEFCON degrades to 4\n\nPlace Influence (1 Ops):\nUSSR +1 in Poland [0][7]\n"
    )
    assert found.mismatches == ()
    assert found.match.live.influence["ussr"]["cuba"] == 2
    assert found.match.live.influence["ussr"]["poland"] == 7


# ── lines ──


def test_an_event_that_is_printed_twice_happens_once() -> None:
    text = "Turn 1, USSR AR1: Nasser*: Event: Nasser*\n{}USSR +2 in Egypt [0][2]\n"
    for twice in ("", "Event: Nasser*\n", "\nEvent: Nasser*\n"):
        found = log(HEADLINES + text.format(twice))
        assert found.clean, found.mismatches
        assert found.match.live.influence["ussr"]["egypt"] == 2


def test_one_line_that_is_not_understood_loses_nothing_else() -> None:
    clean = log(HEADLINES + "Turn 1, USSR AR1: Nasser*: Event: Nasser*\nUSSR +2 in Egypt [0][2]\n")
    found = log(
        HEADLINES + "Turn 1, USSR AR1: Nasser*: Event: Nasser*\nEvent: Hat\nUSSR +2 in Egypt [0][2]\n"
    )
    assert len(found.unread) == 1
    assert found.lost == found.resynchronised == 0
    assert found.match.live.influence == clean.match.live.influence


def test_two_headlines_of_the_same_kind_each_have_their_own_lines() -> None:
    """Two wars: the lines of each stand under its event, whichever of them is written first."""
    wars = (
        "Event: Indo-Pakistani War\nUS Military Ops to 2\nWar in India\nDEFEAT: 2 < 4\n",
        "Event: Korean War*\nUSSR Military Ops to 2\nWar in South Korea\nVICTORY: 6 >= 4\n"
        "US -1 in South Korea [0][0]\nUSSR +1 in South Korea [0][1]\nUSSR gains 2 VP. Score is USSR 2.\n",
    )
    head = "Turn 1, Headline Phase: Korean War* & Indo-Pakistani War: USSR Headlines Korean War*\n"
    head += "US Headlines Indo-Pakistani War\n"
    for events in (wars, wars[::-1]):
        found = log(head + "\n".join(events))
        assert found.mismatches == (), found.mismatches
        rolled = {fact.card: fact.roll for fact in facts(found, WarRolled)}
        assert rolled == {"indo_pakistani_war": 2, "korean_war": 6}


def test_where_chernobyl_strikes_is_found_where_the_log_does_not_say_it() -> None:
    """Nothing was added in the region, so it is one in which the USSR adds nothing later in that turn."""
    turns = "".join(f"Turn {n}, USSR AR1: Nasser*: \n\n" for n in range(1, 8))
    found = log(
        turns
        + "Turn 8, US AR1: Chernobyl*: Event: Chernobyl*\nUS chooses Chernobyl* is now in play.\n\n"
        + "Turn 8, USSR AR2: Summit: Place Influence (1 Ops):\nUSSR +1 in Poland [0][7]\n"
    )
    assert [fact.region for fact in facts(found, EffectBegan) if fact.card == "chernobyl"] != ["europe"]
    assert found.match.live.influence["ussr"]["poland"] == 7
    assert found.unread == ()


# ── the set-up ──


@pytest.mark.parametrize(
    "lines",
    [
        "US +4 in West Germany [4][0]\nUS +3 in Italy [3][0]\nUS +2 in Iran [3][0]",
        "US +2 in Iran [3][0]\nUS +4 in West Germany [4][0]\nUS +3 in Italy [3][0]",
        "US +4 in West Germany [4][0]\nUS +1 in Italy [1][0]\nUS +2 in France [2][0]\nUS +2 in Italy [3][0]",
        "US +4 in Italy [4][0]\nUS +4 in West Germany [4][0]\nUS +1 in France [1][0]",
    ],
)
@pytest.mark.parametrize("announced", ["Handicap influence: US +2", "Grace bids 2 Influence for USSR."])
def test_of_a_set_up_with_handicap_or_bid_only_the_sum_counts(lines: str, announced: str) -> None:
    set_up = (
        "SETUP: : Ada will play as USSR.\nGrace will play as USA.\n"
        f"{announced}\nScenario: Standard\nOptional Cards Added\nUSSR +6 in Poland [0][6]\n{lines}\n\n"
    )
    found = log(HEADLINES, set_up)
    assert found.clean, found.mismatches
    assert found.match.opened.options["handicap"] == 2


# ── games with holes ──


def test_turns_with_rounds_missing_are_followed_from_what_the_next_lines_state() -> None:
    found = log(
        HEADLINES
        + "Turn 1, USSR AR3: Nasser*: Event: Nasser*\nUSSR +2 in Egypt [0][2]\n\n"
        + "Turn 3, US AR2: Duck and Cover: Place Influence (3 Ops):\nUS +3 in Italy [10][0]\n"
    )
    assert found.lost == found.resynchronised == 0
    assert (1, 1, "ussr") in found.missing
    assert (2, 0, "") in found.missing
    assert (3, 1, "us") in found.missing
    assert found.match.live.influence["us"]["italy"] == 10
    assert found.match.live.turn == 3


def test_after_a_surprise_the_rest_of_the_game_is_checked() -> None:
    """The US has one influence more in Italy than it placed; the next lines count from there."""
    found = log(
        HEADLINES
        + "Turn 1, USSR AR1: Nasser*: Event: Nasser*\nUSSR +2 in Egypt [0][2]\nUS +1 in Italy [8][0]\n\n"
        + "Turn 1, US AR1: Duck and Cover: Place Influence (3 Ops):\nUS +3 in Italy [11][0]\n\n"
        + "Turn 1, USSR AR2: Blockade*: Place Influence (1 Ops):\nUSSR +1 in Poland [0][9]\n"
    )
    assert [one.what for one in found.mismatches] == ["InfluenceChange italy", "influence in poland"]
    assert (found.resynchronised, found.lost) == (1, 0)  # the line before contradicts the last one
    assert found.match.live.influence["us"]["italy"] == 11


def test_a_game_goes_on_although_our_rules_would_end_it() -> None:
    """DEFCON 1 by our rules, but the log plays on: nothing of it is cut off."""
    coups = "".join(
        f"Turn 1, {side} AR{number}: {card}: Coup (3 Ops):\nTarget: Iran\nFAILURE: 1 [ + 3 - 2x2 = 0 ]\n\n"
        for number, side, card in (
            (1, "USSR", "Nasser*"),
            (1, "US", "Duck and Cover"),
            (2, "USSR", "Decolonization"),
            (2, "US", "NATO*"),
            (3, "USSR", "Fidel*"),
            (3, "US", "Marshall Plan*"),
        )
    )
    last = "Turn 1, USSR AR4: Blockade*: Place Influence (1 Ops):\nUSSR +1 in Poland [0][7]\n"
    found = log(HEADLINES + coups + last)
    assert facts(found, Ended) == []
    assert found.match.live.influence["ussr"]["poland"] == 7


# ── scores ──


def score(points: int) -> str:
    """A score as a log writes it."""
    return "even" if not points else f"US {points}" if points > 0 else f"USSR {-points}"


@pytest.mark.parametrize(("now", "right"), [("US 2", True), ("US 1", True), ("US 5", False)])
def test_the_last_score_of_a_turn_may_stand_before_or_after_its_cleanup(now: str, right: bool) -> None:
    """In the cleanup the USSR gains 1: the US lacks 4 Military Operations, and the USSR 3."""
    found = log(
        HEADLINES
        + "Turn 1, USSR AR6: Nasser*: Coup (1 Ops):\nTarget: Iran\nFAILURE: 1 [ + 1 - 2x2 = -2 ]\n"
        + "USSR Military Ops to 1\nDEFCON degrades to 4\n\n"
        + "Turn 1, US AR6: Captured Nazi Scientist*: Event: Captured Nazi Scientist*\n"
        + f"US advances to 1 in the Space Race.\nUS gains 2 VP. Score is {now}.\n\n"
        + "Turn 2, Headline Phase: Blockade* & NATO*: USSR Headlines Blockade*\nUS Headlines NATO*\n"
    )
    assert ("score" in {one.what for one in found.mismatches}) != right, found.mismatches


LAST_TURN = "Turn 10, USSR AR7: Nasser*: Event: Nasser*\nUSSR +2 in Egypt [0][2]\n\nTurn 10, US AR7"


@pytest.mark.parametrize("off", [0, 5])
def test_a_final_score_may_stand_in_the_last_round_without_a_card(off: int) -> None:
    ours = log(HEADLINES + LAST_TURN + "\nUS gains 1 VP. Score is US 1.\n").match
    assert ours.result is not None
    ours_now, before = ours.result.score["us"], [one.vp for one in facts_of_end(ours)][-1]
    gained = ours_now - before
    side = "US" if gained > 0 else "USSR"
    text = f"\n{side} gains {abs(gained)} VP. Score is {score(ours_now + off)}.\n"
    found = log(HEADLINES + LAST_TURN + text)
    assert found.match.result == ours.result
    assert bool(found.mismatches) == bool(off), found.mismatches


def facts_of_end(match: Any) -> list[TurnEnded]:
    return [fact for record in match.records for fact in record.facts if isinstance(fact, TurnEnded)]


@pytest.mark.parametrize(("more", "known"), [(0, False), (1, True), (2, False)])
def test_asia_under_shuttle_diplomacy_is_a_known_fault_of_that_edition(more: int, known: bool) -> None:
    """The USSR holds Japan: it is paid 1 point too much, and the log is followed."""

    def game(line: str) -> Imported:
        return log(
            HEADLINES
            + "Turn 4, USSR AR1: Nasser*: Event: Nasser*\nUSSR +2 in Egypt [0][2]\n"
            + "USSR -3 in North Korea [0][0]\nUSSR +5 in Japan [1][5]\n\n"
            + "Turn 4, US AR1: Shuttle Diplomacy: Event: Shuttle Diplomacy\n"
            + "Shuttle Diplomacy is now in play.\n\n"
            + f"Turn 4, USSR AR2: Asia Scoring: Event: Asia Scoring\n{line}\n\n"
            + "Turn 4, US AR2: Duck and Cover: Place Influence (3 Ops):\nUS +3 in Italy [10][0]\n"
        )

    net = facts(game("Event: Asia Scoring"), RegionScored)[-1].net - more
    assert net > 0
    found = game(f"US gains {net} VP. Score is US {net}.")
    wrong = [one for one in found.mismatches if one.what in ("score", "victory points")]
    assert bool(found.faults) == known
    assert bool(wrong) == (more == 2)
    assert found.match.live.vp == net
    assert found.match.live.influence["us"]["italy"] == 10
