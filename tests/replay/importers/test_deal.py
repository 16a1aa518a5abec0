"""One deal that fits a log, or why there is none."""

from __future__ import annotations

import re

import pytest

from replay.importers.twilight_struggle.deal import Deal, Drawn, Looked, Want, deal
from replay.importers.twilight_struggle.reader import read
from tests.replay.importers.invented import FACES, Invented, judged
from tests.replay.importers.logs import HEADLINES, SET_UP, log_of

TURN_2 = "Turn 2, Headline Phase: Junta & Che: USSR Headlines Junta\nUS Headlines Che"

SHOWN = """Turn 1, USSR AR1: CIA Created*: Event: CIA Created*
USSR reveals Nasser*
USSR reveals NATO*
USSR reveals Suez Crisis*
USSR reveals Korean War*
USSR reveals Decolonization
USSR reveals Defectors

Coup (1 Ops):"""


# --------------------------------------------------------------------------- whole games


@pytest.mark.parametrize("seed", range(25))
def test_an_invented_game_has_a_deal_that_explains_everything_in_it(seed: int) -> None:
    game = Invented(seed)
    found = deal(read(game.text.encode()))
    assert found.problems == ()
    assert judged(found, game.truth) == []


def test_the_invented_games_do_what_the_search_is_for() -> None:
    texts = [Invented(seed).text for seed in range(25)]
    wanted = (
        "Event: Missile Envy\nUS reveals",
        "Event: Missile Envy\nUSSR reveals",
        "Event: Cia Created*\nUSSR reveals",
        "Event: Lone Gunman*\nUS reveals",
        "Event: Aldrich Ames Remix*\nUS reveals",
        "Event: Five Year Plan\nUSSR discards",
        "discards Defectors\nEvent: Defectors",
        "Event: Our Man In Tehran*\nUS discards",
        "Event: Terrorism\nUS",
        "Event: Ask Not What Your Country*\nUS discards",
        "Event: Salt Negotiations*\nUSSR reveals",
        "Event: Blockade*\nUS discards",
        ":\n*RESHUFFLE*\nUSSR Headlines",
    )
    assert [words for words in wanted if not any(words in text for text in texts)] == []


def test_a_game_that_stops_after_any_entry_has_a_deal_too() -> None:
    text = Invented(4).text
    for end in [found.start() for found in re.finditer(r"\n\nTurn", text)][::7]:
        assert deal(read((text[:end] + "\n").encode())).problems == ()


def test_the_same_log_has_the_same_deal() -> None:
    data = Invented(3).text.encode()
    assert deal(read(data)) == deal(read(data))


def test_without_optional_cards_none_is_dealt() -> None:
    found = deal(log_of(HEADLINES, set_up=SET_UP.replace("Optional Cards Added", "")))
    assert [(draw.side, len(draw.cards)) for draw in found.draws] == [("ussr", 8), ("us", 8)]
    assert not [card for draw in found.draws for card in draw.cards if FACES[card]["optional"]]


# --------------------------------------------------------------------------- who draws what


def test_the_first_hands_hold_what_is_played() -> None:
    found = deal(log_of(HEADLINES, "Turn 1, USSR AR1: Containment*: Coup (3 Ops):"))
    assert found.problems == ()
    ussr, us = found.draws
    assert {"blockade", "containment"} <= set(ussr.cards)
    assert "fidel" in us.cards
    assert (ussr.turn, ussr.line, ussr.side, ussr.reshuffled) == (1, 10, "ussr", False)


def test_cards_that_are_never_played_fill_the_hands_cheap_ones_and_no_scoring_cards() -> None:
    found = deal(log_of(HEADLINES))
    idle = [card for draw in found.draws for card in draw.cards if card not in ("blockade", "fidel")]
    assert len(idle) == 14
    assert max(FACES[card]["ops"] for card in idle) == 2
    assert not [card for card in idle if FACES[card]["scores"]]


def test_a_scoring_card_is_drawn_in_the_turn_in_which_it_is_played() -> None:
    found = deal(log_of(HEADLINES, "Turn 2, Headline Phase: Asia Scoring & Nasser*:"))
    holding = [(draw.turn, draw.side) for draw in found.draws if "asia_scoring" in draw.cards]
    assert holding == [(2, "ussr")]


def test_a_hand_that_was_shown_holds_nothing_else() -> None:
    found = deal(log_of(HEADLINES, SHOWN, "Turn 1, US AR1: Romanian Abdication*: Coup (1 Ops):"))
    assert set(found.draws[0].cards) == {
        "blockade",
        "cia_created",
        "nasser",
        "nato",
        "suez_crisis",
        "korean_war",
        "decolonization",
        "defectors",
    }


def test_the_cards_of_our_man_in_tehran_are_still_in_the_pile() -> None:
    text = "Event: Our Man in Tehran*\nUS discards Arms Race\nUS discards Quagmire*"
    turns = [f"Turn {number}, Headline Phase: :" for number in (2, 3, 4)]
    found = deal(log_of(HEADLINES, *turns, "Turn 4, US AR1: Our Man in Tehran*: " + text))
    look = found.looks[0]
    assert (look.turn, look.thrown, len(look.cards)) == (4, ("arms_race", "quagmire"), 5)
    assert look.cards[:2] == look.thrown
    assert not {card for draw in found.draws for card in draw.cards} & set(look.cards)


# --------------------------------------------------------------------------- problems


def problems(*entries: str) -> list[str]:
    """Why no deal fits these entries, after the headlines."""
    return list(deal(log_of(HEADLINES, *entries)).problems)


def test_a_card_that_was_discarded_cannot_be_played_before_a_reshuffle() -> None:
    rounds = ("Turn 1, USSR AR1: Nasser*: Coup (1 Ops):", "Turn 1, US AR1: Nasser*: Coup (1 Ops):")
    assert problems(*rounds) == [
        "turn 1, line 20: the US has nasser in its hand, but that card lies among the discards",
    ]


def test_a_card_of_a_later_period_cannot_be_played() -> None:
    assert problems("Turn 1, USSR AR1: Glasnost*: Coup (4 Ops):") == [
        "turn 1, line 18: the USSR has glasnost in its hand, but that card is not in the game yet",
    ]


def test_a_shown_hand_must_have_the_size_that_counting_gives() -> None:
    text = "Event: CIA Created*\nUSSR reveals Che\n\nCoup (1 Ops):"
    found = problems("Turn 1, USSR AR1: CIA Created*: " + text)
    assert "turn 1, line 20: the USSR has 1 cards in its hand, by counting 6" in found


def test_a_hand_cannot_hold_what_it_showed_not_to_hold() -> None:
    assert problems(SHOWN, "Turn 1, USSR AR2: De-Stalinization*: Coup (3 Ops):") == [
        "turn 1, line 28: the USSR has de_stalinization in its hand, "
        "but between its draws and then the log shows its hand without that card",
    ]


def test_a_hand_without_scoring_cards_cannot_play_one_later_in_the_turn() -> None:
    none = "Turn 1, USSR AR1: The Cambridge Five: Event: The Cambridge Five\nUS has no cards to reveal"
    assert problems(none, "Turn 1, US AR1: Asia Scoring: Event: Asia Scoring") == [
        "turn 1, line 21: the US has asia_scoring in its hand, "
        "but between its draws and then the log shows its hand without that card",
    ]


def test_a_hand_has_no_more_cards_than_were_drawn() -> None:
    names = ("Nasser*", "COMECON*", "Korean War*", "Suez Crisis*", "Defectors", "NORAD*", "NATO*")
    thrown = "\n".join(f"USSR discards {name}" for name in names)
    assert problems("Turn 1, USSR AR1: Five Year Plan: Event: Five Year Plan\n" + thrown) == [
        "turn 1, line 25: the USSR has nato in its hand, "
        "but the draws that could have brought it are full of cards that are as necessary",
    ]


def test_a_reshuffle_must_come_when_the_pile_runs_out() -> None:
    early = HEADLINES.replace("Event: Fidel*", "*RESHUFFLE*\nEvent: Fidel*")
    found = deal(log_of(early)).problems
    assert found == (
        "turn 1, line 17: the log reshuffles the discards in this turn, "
        "but by counting the pile does not run out",
    )


def test_a_reshuffle_that_the_log_leaves_out_is_reported() -> None:
    text = Invented(2).text.replace("*RESHUFFLE*\n", "", 1)
    found = deal(read(text.encode())).problems
    assert len(found) == 1
    assert found[0].endswith(
        "by counting the pile runs out in this turn, but the log does not reshuffle the discards"
    )


def test_another_scenario_has_another_deal() -> None:
    begun = "Turn 8, Headline Phase: Junta & Che:"
    assert deal(log_of(begun, set_up=SET_UP.replace("Standard", "Late War"))).problems == ()
    found = deal(log_of(begun, set_up=SET_UP.replace("Standard", "Turn Zero"))).problems
    assert found[0] == "what is dealt in the scenario 'Turn Zero' is not known"


def test_where_there_is_a_problem_the_rest_of_the_deal_stands() -> None:
    rounds = ("Turn 1, USSR AR1: Nasser*: Coup (1 Ops):", "Turn 1, US AR1: Nasser*: Coup (1 Ops):")
    found = deal(log_of(HEADLINES, *rounds))
    assert [len(draw.cards) for draw in found.draws] == [8, 8]
    assert "nasser" in found.draws[0].cards


# --------------------------------------------------------------------------- asking for cards

PLAN = Deal(
    draws=(Drawn(1, 9, "ussr", ("fidel", "nasser"), False), Drawn(1, 9, "us", ("nato",), False)),
    looks=(Looked(4, 90, ("che", "opec", "junta"), ("che",)),),
    problems=(),
    wants=(Want("us", "nato", 2), Want("ussr", "suez_crisis", 3), Want("us", "comecon", 4)),
)


def test_a_planned_draw_is_given_as_it_was_planned() -> None:
    assert PLAN.draw(0, "ussr", 2, ("nasser", "nato", "fidel")) == ("fidel", "nasser")


def test_instead_of_a_card_that_is_missing_comes_one_that_the_side_needs() -> None:
    assert PLAN.draw(0, "ussr", 2, ("nasser", "blockade", "suez_crisis")) == ("nasser", "suez_crisis")


def test_then_one_that_no_side_needs_the_cheapest_first() -> None:
    assert PLAN.draw(2, "us", 2, ("comecon", "containment", "blockade")) == ("comecon", "blockade")
    assert PLAN.draw(9, "us", 1, ("asia_scoring", "containment")) == ("containment",)


def test_and_last_one_that_the_other_side_needs_latest() -> None:
    assert PLAN.draw(1, "ussr", 2, ("nato", "comecon", "suez_crisis")) == ("suez_crisis", "comecon")


def test_a_look_gives_the_planned_cards_as_far_as_they_lie_there() -> None:
    assert PLAN.look(0, 3, ("allende", "che", "junta", "opec")) == ("che", "opec", "junta")
    assert PLAN.look(0, 3, ("allende", "che", "junta")) == ("che", "junta", "allende")
    assert PLAN.look(1, 2, ("opec", "allende", "che")) == ("allende", "che")


def test_wants_name_what_each_side_needs_before_which_draw() -> None:
    found = deal(log_of(HEADLINES, TURN_2.replace("Junta", "Nasser*").replace("Che", "NATO*")))
    assert set(found.wants) == {
        Want("ussr", "blockade", 2),
        Want("us", "fidel", 2),
        Want("ussr", "nasser", 4),
        Want("us", "nato", 4),
    }
