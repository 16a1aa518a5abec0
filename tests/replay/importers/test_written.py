"""Random matches of ours, written as foreign logs: the importer follows each to its end and loses nothing."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.facts.cards import CardPlayed
from domain.twilight_struggle.facts.tracks import DefconSet
from replay.importers.twilight_struggle.report import Imported, imported
from tests.matches import PRODUCT
from tests.replay.importers.test_driver import HEADLINES, SET_UP
from tests.replay.importers.writer import played_on, written


@pytest.mark.parametrize(
    "seed", [0, 1, 5, 8, 27, 102, 194, 212, 364, 517, 540, 561, 564, 615, 685, 758, 988, 1224, 1260]
)
def test_a_match_that_was_written_as_a_log_is_followed_to_its_end(seed: int) -> None:
    """With and without handicap, optional cards and printed penalties; most of these reach the Mid War."""
    played = played_on(seed, handicap=seed % 3, optional_cards=seed % 5 != 0)
    found = imported(written(played, penalties=bool(seed % 2)).encode(), PRODUCT)
    end, ours = found.match.live, played.end
    assert played.end.turn >= 3
    assert found.clean, (found.mismatches, found.unread, found.missing)
    assert (found.lost, found.resynchronised, found.deal_problems) == (0, 0, ())
    assert found.result == ours.result
    assert (end.vp, end.influence, end.space, end.removed) == (
        ours.vp,
        ours.influence,
        ours.space,
        ours.removed,
    )


@pytest.mark.parametrize("seed", [0, 26, 52])
def test_the_scenario_of_the_late_war_is_followed_too(seed: int) -> None:
    """It begins with turn 8, nothing is placed but the handicap, and the dead cards are out of the game."""
    played = played_on(seed, handicap=seed % 3, scenario="late_war")
    found = imported(written(played).encode(), PRODUCT)
    assert found.match.opened.options["scenario"] == "late_war"
    assert found.clean, (found.mismatches, found.unread, found.missing)
    assert (found.lost, found.resynchronised, found.deal_problems) == (0, 0, ())
    assert (found.result, found.match.live.influence) == (played.end.result, played.end.influence)


# ── what such matches have found, as small logs ──


def log(text: str, set_up: str = SET_UP) -> Imported:
    found = imported((set_up + text).encode(), PRODUCT)
    assert found.mismatches == (), found.mismatches
    assert (found.lost, found.resynchronised) == (0, 0)
    return found


def facts(found: Imported, kind: type[Any]) -> list[Any]:
    return [fact for record in found.match.records for fact in record.facts if isinstance(fact, kind)]


def test_both_sides_may_place_in_one_country_in_the_set_up() -> None:
    set_up = SET_UP.replace("USSR +6 in Poland [0][6]", "USSR +5 in Poland [0][5]\nUSSR +1 in Austria [0][2]")
    set_up = set_up.replace("USSR +1 in Austria [0][2]", "USSR +1 in Austria [0][1]")
    set_up = set_up.replace("US +7 in Italy [7][0]", "US +6 in Italy [6][0]\nUS +1 in Austria [1][1]")
    assert log(HEADLINES, set_up).match.live.influence["us"]["austria"] == 1


def test_a_choice_of_which_the_log_says_nothing_changed_nothing() -> None:
    """Independent Reds: not for Yugoslavia, where the US would have gained influence."""
    there = "USSR +5 in Poland [0][5]\nUSSR +1 in Yugoslavia [0][1]"
    found = log(
        HEADLINES
        + "Turn 1, USSR AR1: Nasser*: Event: Nasser*\nUSSR +2 in Egypt [0][2]\n\n"
        + "Turn 1, US AR1: Independent Reds*: Event: Independent Reds*\n\n"
        + "Turn 1, USSR AR2: Blockade*: Place Influence (1 Ops):\nUSSR +1 in Poland [0][6]\n",
        SET_UP.replace("USSR +6 in Poland [0][6]", there),
    )
    assert "yugoslavia" not in found.match.live.influence["us"]


def test_a_choice_is_not_explained_by_the_event_that_comes_after_it() -> None:
    """The Warsaw Pact, before a war: that the war goes on with the log does not make up for lines left."""
    found = log(
        "Turn 1, Headline Phase: Warsaw Pact Formed* & Arab-Israeli War: USSR Headlines Warsaw Pact Formed*\n"
        "US Headlines Arab-Israeli War\nEvent: Warsaw Pact Formed*\nUSSR +1 in Bulgaria [0][1]\n"
        "USSR +2 in Yugoslavia [0][2]\nUSSR +2 in Austria [0][2]\nWarsaw Pact Formed* is now in play.\n\n"
        "Event: Arab-Israeli War\nWar in Israel\nDEFEAT: 1 < 4\nUSSR Military Ops to 2\n"
    )
    assert found.match.live.influence["ussr"]["austria"] == 2


LATER = "".join(
    f"Turn {turn}, USSR AR1: {card}: Place Influence (1 Ops):\nUSSR +1 in Poland [0][{7 + turn - 1}]\n\n"
    for turn, card in ((1, "Nasser*"), (2, "Romanian Abdication*"), (3, "Blockade*"))
)


def mid_war(text: str, turn: int = 4, set_up: str = SET_UP) -> Imported:
    """After three turns, of each of which the log has one round."""
    found = imported((set_up + LATER + text.replace("TURN", f"Turn {turn}")).encode(), PRODUCT)
    assert found.mismatches == (), found.mismatches
    assert found.lost == 0
    return found


@pytest.mark.parametrize(
    ("card", "text"),
    [
        ("Summit", "US gains 2 VP. Score is US 2.\n"),
        ("How I Learned To Stop Worrying*", "US Military Ops to 5\n"),
    ],
)
def test_a_defcon_of_which_the_log_says_nothing_stays(card: str, text: str) -> None:
    found = mid_war(f"TURN, US AR1: {card}: Event: {card}\n{text}\nTURN, USSR AR2: Fidel*:\n")
    moved = [fact for fact in facts(found, DefconSet) if fact.now < fact.was]
    assert moved == []


def test_operations_under_an_event_to_come_are_not_those_of_the_event_before() -> None:
    """Those of the ABM Treaty are declined; the Operations are those of Grain Sales, further down."""
    found = mid_war(
        "TURN, Headline Phase: ABM Treaty & Grain Sales To Soviets: USSR Headlines ABM Treaty\n"
        "US Headlines Grain Sales To Soviets\nEvent: ABM Treaty\n\nEvent: Grain Sales To Soviets\n"
        "USSR reveals Defectors\nUSSR reveals Defectors from hand\nUS plays Defectors\n"
        "Place Influence (2 Ops):\nUS +2 in Italy [9][0]\n"
    )
    assert found.match.live.influence["us"]["italy"] == 9


def test_missile_envy_hands_over_what_is_revealed_and_not_what_is_discarded_later() -> None:
    found = mid_war(
        "TURN, US AR1: Missile Envy: Event: Missile Envy\nUSSR reveals Five Year Plan\n"
        "Event: Five Year Plan\nUSSR discards Quagmire*\n\n"
        "TURN, USSR AR2: Missile Envy: Place Influence (2 Ops):\nUSSR +2 in Poland [0][11]\n"
    )
    assert [fact.card for fact in facts(found, CardPlayed) if fact.how == "given"] == ["five_year_plan"]


def test_what_the_cambridge_five_declined_is_not_taken_from_the_event_below() -> None:
    found = log(
        "Turn 1, Headline Phase: The Cambridge Five & Nasser*: USSR Headlines The Cambridge Five\n"
        "US Headlines Nasser*\nEvent: The Cambridge Five\nUS reveals Mideast Scoring\n\n"
        "Event: Nasser*\nUSSR +2 in Egypt [0][2]\n"
    )
    assert found.match.live.influence["ussr"]["egypt"] == 2


@pytest.mark.parametrize(
    ("shown", "played"),
    [
        ("Chernobyl*", "US plays Chernobyl*\nSpace Race (3 Ops):\nDie roll: 6 -- Failed! (Needed 3 or less)"),
        (
            "UN Intervention",
            "US plays UN Intervention\nEvent: UN Intervention\nUS plays Fidel*\nPlace Influence (2 Ops):\n"
            "US +2 in Italy [9][0]",
        ),
        (
            "Fidel*",
            "US plays Fidel*\nEvent: UN Intervention\nUS plays Fidel*\nPlace Influence (2 Ops):\n"
            "US +2 in Italy [9][0]",
        ),
    ],
)
def test_a_card_that_grain_sales_took_is_played_in_any_way(shown: str, played: str) -> None:
    found = mid_war(
        "TURN, US AR1: Grain Sales To Soviets: Event: Grain Sales To Soviets\n"
        f"USSR reveals {shown}\nUSSR reveals {shown} from hand\n{played}\n\n"
        "TURN, USSR AR2: Junta: Place Influence (2 Ops):\nUSSR +1 in Poland [0][10]\n",
        8,
    )
    assert [fact.holder for fact in facts(found, CardPlayed) if fact.holder != fact.seat] == ["ussr"]


def test_of_two_headlines_only_the_olympic_games_ask_who_takes_part() -> None:
    found = mid_war(
        "TURN, Headline Phase: Olympic Games & Iran-Iraq War*: USSR Headlines Olympic Games\n"
        "US Headlines Iran-Iraq War*\nEvent: Iran-Iraq War*\nWar in Iraq\nDEFEAT: 2 < 4\n"
        "US Military Ops to 2\n\nEvent: Olympic Games\nUS chooses to participate in the Olympics\n"
        "USSR gains 2 VP. Score is USSR 2.\n",
        8,
    )
    assert found.match.live.vp == -2


def test_what_de_stalinization_left_where_it_was_is_not_taken_from_the_event_below() -> None:
    """Two influence are relocated; the third loss is that of East European Unrest."""
    set_up = SET_UP.replace("+6 in Poland [0][6]", "+5 in Poland [0][5]\nUSSR +1 in Bulgaria [0][1]")
    found = log(
        "Turn 1, Headline Phase: De-Stalinization* & East European Unrest: USSR Headlines De-Stalinization*\n"
        "US Headlines East European Unrest\nEvent: East European Unrest\nUSSR -1 in East Germany [0][2]\n"
        "USSR -1 in Finland [0][0]\nUSSR -1 in Bulgaria [0][0]\n\nEvent: De-Stalinization*\n"
        "USSR -2 in Poland [0][3]\nUSSR +2 in Chile [0][2]\n\n",
        set_up,
    )
    assert found.match.live.influence["ussr"]["chile"] == 2


def test_the_missile_crisis_is_bought_off_although_something_else_has_ended_before() -> None:
    """The US pays within the Coup that Tear Down this Wall grants."""
    found = mid_war(
        "TURN, USSR AR1: Willy Brandt*: Event: Willy Brandt*\nUSSR gains 1 VP. Score is USSR 1.\n"
        "USSR +1 in West Germany [0][1]\nWilly Brandt* is now in play.\n\n"
        "TURN, USSR AR2: Cuban Missile Crisis*: Event: Cuban Missile Crisis*\nDEFCON degrades to 2\n"
        "Cuban Missile Crisis* is now in play.\n\n"
        "TURN, US AR2: Tear Down This Wall*: Event: Tear Down This Wall*\n"
        "Willy Brandt* is no longer in play.\nUS +3 in East Germany [3][3]\nCoup (3 Ops):\n"
        "US -2 in Turkey [0][0]\nCuban Missile Crisis* is no longer in play.\nTarget: Finland\n"
        "FAILURE: 1 [ + 3 - 2x4 = -4 ]\nTear Down This Wall* is now in play.\n\n"
        "TURN, USSR AR3: Junta: Place Influence (2 Ops):\nUSSR +1 in Poland [0][10]\n",
        8,
        SET_UP.replace("US +7 in Italy [7][0]", "US +5 in Italy [5][0]\nUS +2 in Turkey [2][0]"),
    )
    assert "turkey" not in found.match.live.influence["us"]


def test_star_wars_may_revive_the_event_of_the_other_headline() -> None:
    found = mid_war(
        "TURN, US AR1: Captured Nazi Scientist*: Event: Captured Nazi Scientist*\n"
        "US advances to 1 in the Space Race.\nUS gains 2 VP. Score is US 2.\n\n"
        "Turn 9, Headline Phase: Duck and Cover & Star Wars*: USSR Headlines Duck and Cover\n"
        "US Headlines Star Wars*\nEvent: Duck and Cover\nDEFCON degrades to 4\n"
        "US gains 1 VP. Score is US 3.\n\nEvent: Star Wars*\nEvent: Duck and Cover\n"
        "DEFCON degrades to 3\nUS gains 2 VP. Score is US 5.\n\nTurn 9, USSR AR1: Fidel*:\n",
        8,
    )
    assert found.match.live.vp == 5


LAST = "Turn 10, USSR AR7: Fidel*: Event: Fidel*\nUSSR +3 in Cuba [0][3]\n\n"


@pytest.mark.parametrize(
    "tail",
    [
        "Turn 10, US AR7: NATO*: Place Influence (4 Ops):\nUS +1 in Italy [8][0]\n\nTurn 10, Cleanup\n",
        "Turn 10, US AR7: NATO*: Place Influence (4 Ops):\nUS +1 in Italy [8][0]\n\nTurn 10, US AR8\n",
    ],
)
def test_the_end_of_the_last_turn_is_no_turn_that_goes_on(tail: str) -> None:
    found = mid_war(LAST + tail)
    (ended,) = facts(found, Ended)
    assert ended.reason in ("final_scoring", "europe_controlled")
