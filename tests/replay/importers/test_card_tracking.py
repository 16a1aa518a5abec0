"""Where the cards go: what a log says of them becomes moves."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.rules.registry import CARDS
from replay.importers.twilight_struggle.card_tracking import (
    ALL,
    BESIDE,
    DISCARDS,
    REMOVED,
    SCORING,
    Arrives,
    Doubtful,
    Draws,
    Lacks,
    Leaves,
    Looks,
    Move,
    PutAway,
    Reshuffled,
    Shows,
    Skips,
    TurnBegins,
    TurnEnds,
    moves,
)
from tests.replay.importers.logs import HEADLINES, log_of

LATER = "Turn 1, US AR7: Summit: Event: Summit"  # an extra round: so the log does not stop within an entry


def told(*entries: str) -> tuple[Move, ...]:
    """The moves of action rounds after the headlines, up to `LATER`."""
    found = moves(log_of(HEADLINES, *entries, LATER))
    last = found.index(Leaves(1, found[-1].line, "us", "summit"))
    return tuple(one for one in found[:last] if one.line > 17 and not isinstance(one, TurnBegins))


def kinds_of(*entries: str) -> list[str]:
    """Kind and card, or what else matters, of the moves of action rounds; passed rounds aside."""
    return [_short(one) for one in told(*entries) if not _is_passed(one)]


def _is_passed(one: Move) -> bool:
    return isinstance(one, Skips) or (isinstance(one, Shows) and not one.cards)


def _short(one: Move) -> str:
    words = [type(one).__name__]
    for name in ("side", "card", "to", "count", "cards"):
        what = getattr(one, name, None)
        if what is not None and not isinstance(what, frozenset):
            words.append("+".join(what) if isinstance(what, tuple) else str(what))
    return " ".join(words)


# --------------------------------------------------------------------------- headlines and rounds


def test_both_headlines_leave_the_hands_before_anything_happens() -> None:
    found = moves(log_of(HEADLINES))
    assert found == (
        TurnBegins(1, 10, True),
        Leaves(1, 10, "ussr", "blockade"),
        Leaves(1, 10, "us", "fidel"),
        PutAway(1, 15, "fidel", REMOVED),
        PutAway(1, 16, "blockade", REMOVED),
    )


def test_a_headline_without_its_event_is_discarded() -> None:
    text = "Turn 1, Headline Phase: Fidel* & Defectors: USSR Headlines Fidel*\nUS Headlines Defectors\n"
    found = moves(log_of(text + "Event: Defectors"))
    assert set(found[3:]) == {PutAway(1, 12, "fidel", DISCARDS), PutAway(1, 12, "defectors", DISCARDS)}


def test_a_card_for_operations_is_discarded_star_or_not() -> None:
    assert kinds_of("Turn 1, USSR AR1: Fidel*: Coup (2 Ops):") == [
        "Leaves ussr fidel",
        "PutAway fidel discards",
    ]


def test_an_event_with_a_star_removes_its_card() -> None:
    assert kinds_of("Turn 1, USSR AR1: Romanian Abdication*: Event: Romanian Abdication*")[1:] == [
        "PutAway romanian_abdication removed"
    ]


def test_a_card_that_turns_up_again_was_not_removed() -> None:
    rounds = (
        "Turn 1, USSR AR1: Solidarity*: Event: Solidarity*",
        "Turn 1, US AR2: Solidarity*: Coup (2 Ops):",
    )
    assert kinds_of(*rounds)[:2] == ["Leaves ussr solidarity", "PutAway solidarity discards"]


def test_the_china_card_lies_in_no_hand() -> None:
    assert kinds_of("Turn 1, USSR AR1: The China Card: Coup (4 Ops):") == []


def test_shuttle_diplomacy_lies_beside_the_board_until_it_is_used() -> None:
    rounds = (
        "Turn 1, USSR AR1: Shuttle Diplomacy: Event: Shuttle Diplomacy",
        "Turn 1, US AR1: Asia Scoring: Event: Asia Scoring\nShuttle Diplomacy is no longer in play.",
    )
    found = kinds_of(*rounds)
    assert found[1] == f"PutAway shuttle_diplomacy {BESIDE}"
    assert found[3:] == ["PutAway shuttle_diplomacy discards", "PutAway asia_scoring discards"]


def test_a_round_of_which_no_line_tells_was_passed_or_is_missing() -> None:
    found = told("Turn 1, USSR AR1: Summit: Coup (1 Ops):", "Turn 1, USSR AR2: Blockade*: Coup (1 Ops):")
    assert Skips(1, 20, "us") in found


def test_a_round_beyond_the_usual_ones_shows_nothing_when_it_is_passed() -> None:
    rounds = [f"Turn 1, {side} AR{number}: :" for number in range(1, 7) for side in ("USSR", "US")]
    found = moves(log_of(HEADLINES, *rounds, "Turn 1, USSR AR7: :", "Turn 2, Headline Phase: Junta & Che:"))
    empty = [one for one in found if isinstance(one, Shows)]
    assert len(empty) == 12


def test_the_last_round_of_a_log_may_be_empty_because_the_log_stops() -> None:
    found = moves(log_of(HEADLINES, "Turn 1, USSR AR1: :"))
    assert not [one for one in found if isinstance(one, Shows)]


def test_who_goes_on_holds_no_scoring_card_at_the_end_of_a_turn() -> None:
    assert not [one for one in moves(log_of(HEADLINES)) if isinstance(one, TurnEnds)]
    found = moves(log_of(HEADLINES, "Turn 2, Headline Phase: Junta & Che:"))
    turns = [type(one).__name__ for one in found if isinstance(one, TurnBegins | TurnEnds)]
    assert turns == ["TurnBegins", "TurnEnds", "TurnBegins"]


def test_turn_ten_is_over_after_its_last_round() -> None:
    turns = [f"Turn {number}, Headline Phase: Summit & Junta:" for number in range(1, 11)]
    for last, ends in ((6, 9), (7, 10)):
        found = moves(log_of(*turns, f"Turn 10, US AR{last}: OPEC: Coup (3 Ops):"))
        assert sum(isinstance(one, TurnEnds) for one in found) == ends


def test_the_end_of_a_turn_discards_from_the_hand() -> None:
    found = moves(
        log_of(HEADLINES, "Turn 3, Cleanup: US discards Junta", "Turn 2, Headline Phase: Che & OPEC:")
    )
    assert Leaves(1, 18, "us", "junta") in found
    assert PutAway(1, 18, "junta", DISCARDS) in found


# --------------------------------------------------------------------------- cards that move cards


def test_missile_envy_changes_places_with_the_best_card_of_a_hand() -> None:
    found = told("Turn 1, USSR AR1: Missile Envy: Event: Missile Envy\nUS reveals Junta\nEvent: Junta")
    better = frozenset(card for card in ALL if CARDS[card].ops > 2)
    assert found == (
        Leaves(1, 18, "ussr", "missile_envy"),
        Lacks(1, 19, "us", better),
        Leaves(1, 19, "us", "junta"),
        Arrives(1, 19, "us", "missile_envy"),
        PutAway(1, 20, "junta", DISCARDS),
    )


def test_missile_envy_against_a_hand_without_operations() -> None:
    found = told("Turn 1, USSR AR1: Missile Envy: Event: Missile Envy\nUS has no cards to reveal")
    assert Lacks(1, 19, "us", ALL - SCORING) in found
    assert PutAway(1, 19, "missile_envy", DISCARDS) in found


def test_grain_sales_plays_a_card_of_the_ussr() -> None:
    text = "USSR reveals Che\nUSSR reveals Che from hand\nUS plays Che\nUS plays Che\nCoup (3 Ops):"
    assert kinds_of("Turn 1, US AR1: Grain Sales To Soviets: Event: Grain Sales To Soviets\n" + text) == [
        "Leaves us grain_sales_to_soviets",
        "Shows ussr che",
        "Leaves ussr che",
        "PutAway grain_sales_to_soviets discards",
        "PutAway che discards",
    ]


def test_grain_sales_may_return_the_card() -> None:
    text = "USSR reveals Che\nUSSR reveals Che from hand\nUS returns Che to USSR\nCoup (2 Ops):"
    assert kinds_of("Turn 1, US AR1: Grain Sales To Soviets: Event: Grain Sales To Soviets\n" + text)[1:] == [
        "Shows ussr che",
        "PutAway grain_sales_to_soviets discards",
    ]


def test_un_intervention_by_way_of_grain_sales_takes_its_card_from_the_own_hand() -> None:
    text = "USSR reveals UN Intervention\nUS plays UN Intervention\nUS plays Allende*\nCoup (1 Ops):"
    found = kinds_of("Turn 1, US AR1: Grain Sales To Soviets: Event: Grain Sales To Soviets\n" + text)
    assert found[2:4] == ["Leaves ussr un_intervention", "Leaves us allende"]


def test_un_intervention_plays_another_card_of_the_hand() -> None:
    text = "Event: UN Intervention\nUSSR plays NORAD*\nPlace Influence (3 Ops):"
    assert kinds_of("Turn 1, USSR AR1: UN Intervention: " + text)[:2] == [
        "Leaves ussr un_intervention",
        "Leaves ussr norad",
    ]


def test_five_year_plan_lets_the_event_of_a_us_card_happen() -> None:
    text = "Event: Five Year Plan\nUSSR discards Kitchen Debates*\nEvent: Kitchen Debates*"
    assert kinds_of("Turn 1, US AR1: Five Year Plan: " + text)[1:] == [
        "Leaves ussr kitchen_debates",
        "PutAway five_year_plan discards",
        "PutAway kitchen_debates removed",
    ]


@pytest.mark.parametrize("event", ["Five Year Plan", "Terrorism", "CIA Created*"])
def test_no_cards_means_an_empty_hand(event: str) -> None:
    found = told(f"Turn 1, US AR1: {event}: Event: {event}\nUSSR has no cards to discard")
    assert Shows(1, 19, "ussr", (), True) in found


def test_blockade_without_a_card_to_discard_says_nothing_of_the_hand() -> None:
    found = told("Turn 1, USSR AR1: Blockade*: Event: Blockade*\nUS has no cards to discard")
    assert not [one for one in found if isinstance(one, Shows | Lacks)]


def test_ask_not_draws_as_many_as_it_discards_when_its_paragraph_ends() -> None:
    title = '"Ask Not What Your Country..."*'
    text = f"Turn 1, US AR1: {title}: Event: {title}\nUS discards Che\nUS discards Junta\n\nCoup (3 Ops):"
    assert kinds_of(text)[1:-1] == [
        "Leaves us che",
        "PutAway che discards",
        "Leaves us junta",
        "PutAway junta discards",
        "Draws us 2",
    ]


def test_ask_not_without_a_discard_draws_nothing() -> None:
    title = '"Ask Not What Your Country..."*'
    assert not [one for one in told(f"Turn 1, US AR1: {title}: Event: {title}") if isinstance(one, Draws)]


def test_salt_takes_a_card_out_of_the_discards() -> None:
    text = "Turn 1, US AR1: SALT Negotiations*: Event: SALT Negotiations*\nUS reveals Che"
    assert kinds_of(text)[1:3] == ["TakenBack che", "Arrives us che"]


def test_star_wars_revives_a_card() -> None:
    text = "Turn 1, US AR1: Star Wars*: Event: Star Wars*\nEvent: Arms Race"
    assert kinds_of(text)[1:] == [
        "TakenBack arms_race",
        "PutAway star_wars removed",
        "PutAway arms_race discards",
    ]


def test_our_man_in_tehran_discards_from_the_draw_pile() -> None:
    text = "Turn 1, US AR1: Our Man in Tehran*: Event: Our Man in Tehran*\nUS discards Che\nUS discards Junta"
    assert Looks(1, 20, ("che", "junta")) in told(text)
    assert not [one for one in told(text) if isinstance(one, Leaves) and one.card == "che"]


@pytest.mark.parametrize(
    ("title", "side"), [("CIA Created*", "USSR"), ('"Lone Gunman"*', "US"), ("Aldrich Ames Remix*", "US")]
)
def test_a_hand_that_is_shown_is_shown_whole(title: str, side: str) -> None:
    text = f"Turn 1, US AR1: {title}: Event: {title}\n{side} reveals Che\n{side} reveals OPEC\nCoup (1 Ops):"
    assert Shows(1, 21, side.lower(), ("che", "opec"), True) in told(text)


def test_a_hand_is_not_shown_whole_where_the_log_stops_in_the_list() -> None:
    text = "Turn 1, USSR AR1: CIA Created*: Event: CIA Created*\nUSSR reveals Che"
    assert Shows(1, 19, "ussr", ("che",), False) in moves(log_of(HEADLINES, text))


def test_aldrich_ames_shows_the_hand_before_it_discards() -> None:
    title = "Aldrich Ames Remix*"
    text = f"Turn 1, USSR AR1: {title}: Event: {title}\nUS reveals Che\nUS reveals OPEC\nUS discards OPEC"
    assert kinds_of(text)[1:4] == ["Shows us che+opec", "Leaves us opec", "PutAway opec discards"]


def test_the_cambridge_five_shows_every_scoring_card() -> None:
    text = "Turn 1, USSR AR1: The Cambridge Five: Event: The Cambridge Five\nUS "
    found = told(text + "reveals Africa Scoring")
    assert Shows(1, 19, "us", ("africa_scoring",)) in found
    assert Lacks(1, 19, "us", SCORING - {"africa_scoring"}) in found
    assert Lacks(1, 19, "us", SCORING) in told(text + "has no cards to reveal")


# --------------------------------------------------------------------------- traps

TRAP = "Turn 1, USSR AR1: Quagmire*: Event: Quagmire*\nQuagmire* is now in play."


def fit(least: int) -> frozenset[str]:
    """The cards worth so much."""
    return frozenset(card for card in ALL if CARDS[card].ops >= least)


def test_a_discard_into_a_trap_is_the_card_of_the_round() -> None:
    text = "US discards Che\nTrap Roll: 5 > 4 -- Trap Remains in Effect"
    assert kinds_of(TRAP, "Turn 1, US AR1: Che: " + text)[2:] == ["Leaves us che", "PutAway che discards"]


def test_who_passes_in_a_trap_has_no_card_for_it() -> None:
    assert Lacks(1, 21, "us", fit(2)) in told(TRAP, "Turn 1, US AR1: :")


def test_red_scare_raises_what_opens_the_trap() -> None:
    scare = "\n\nEvent: Red Scare/Purge\nRed Scare/Purge is now in play."
    rounds = (TRAP, "Turn 1, USSR AR2: Red Scare/Purge:" + scare, "Turn 1, US AR2: :")
    assert Lacks(1, 26, "us", fit(3)) in told(*rounds)


def test_containment_lowers_it() -> None:
    plan = "Turn 1, US AR1: Containment*:\nEvent: Containment*\nContainment* is now in play."
    assert Lacks(1, 25, "us", fit(1)) in told(plan, TRAP, "Turn 1, US AR2: :")


def test_a_scoring_card_in_a_trap_is_played_for_want_of_a_card() -> None:
    assert Lacks(1, 21, "us", fit(2)) in told(TRAP, "Turn 1, US AR1: Asia Scoring: Event: Asia Scoring")


def test_or_because_there_is_no_time_left_for_it() -> None:
    found = told(TRAP, "Turn 1, US AR6: Africa Scoring: Event: Africa Scoring")
    lacking = [one for one in found if isinstance(one, Lacks)]
    assert len(lacking) == 5  # for the rounds that were passed, and none for the last


def test_an_opened_trap_holds_no_side() -> None:
    out = "US discards Che\nTrap Roll: 2 <= 4 -- Trap Escaped\nQuagmire* is no longer in play."
    found = told(
        TRAP, "Turn 1, US AR1: Che: " + out, "Turn 1, USSR AR2: Blockade*: Coup (1 Ops):", "Turn 1, US AR2: :"
    )
    assert Shows(1, 27, "us", (), True) in found


# --------------------------------------------------------------------------- doubts


def test_an_event_of_a_card_that_was_not_played_is_doubtful() -> None:
    found = told("Turn 1, USSR AR1: Che: Event: OPEC")
    assert Doubtful(1, 18, "the event opec happens, but no side has played that card") in found


def test_a_reshuffle_is_a_move() -> None:
    assert Reshuffled(1, 18) in told("Turn 1, USSR AR1: Che: *RESHUFFLE*")


def test_an_event_that_is_said_twice_happens_once() -> None:
    text = "Turn 1, USSR AR1: Warsaw Pact Formed*: Event: Warsaw Pact Formed*\nEvent: Warsaw Pact Formed*"
    assert kinds_of(text) == ["Leaves ussr warsaw_pact_formed", "PutAway warsaw_pact_formed removed"]
