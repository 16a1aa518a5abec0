"""Which cards may be played, and how (book 003 and 000, sections 4, 5 and 9)."""

from __future__ import annotations

from domain.kernel import HIDDEN, Picks, Seat
from domain.piles import Cards
from domain.twilight_struggle.components import OTHER, US, USSR
from domain.twilight_struggle.rules.board import effects, in_force
from domain.twilight_struggle.rules.operations import (
    CHINA,
    COUP,
    INFLUENCE,
    KINDS,
    REALIGN,
    SPACE_RACE,
    Ops,
    holds_box,
    kinds,
    value,
)
from domain.twilight_struggle.rules.registry import CARDS, civil_war_bars
from domain.twilight_struggle.state import State

USES = (INFLUENCE, COUP, REALIGN, SPACE_RACE)
NEVER_HEADLINED = ("un_intervention", CHINA)
TRAPS = {US: "quagmire", USSR: "bear_trap"}
MAY_RID = {  # cards whose event may take a scoring card out of the hand of the side that plays them
    USSR: ("five_year_plan", "grain_sales_to_soviets"),
    US: ("ask_not_what_your_country", "aldrich_ames_remix"),
}


def rounds(turn: int) -> int:
    """4.5 D: action rounds of a turn, without an eighth."""
    return 6 if turn <= 3 else 7


def hand_size(turn: int) -> int:
    """4.2: cards in a full hand, without the China Card."""
    return 8 if turn <= 3 else 9


def has_eighth(s: State, seat: Seat) -> bool:
    """Space Race box 8, or North Sea Oil this turn."""
    return s.turn > 3 and (holds_box(s, seat, 8) or effects(s, "north_sea_oil", seat) > 0)


def rounds_left(s: State, seat: Seat) -> int:
    """How many action rounds this side has left in the turn, this one included."""
    return rounds(s.turn) + has_eighth(s, seat) - s.round + 1


def scoring(cards: Cards) -> Cards:
    """The scoring cards among these."""
    return tuple(card for card in cards if card != HIDDEN and CARDS[card].scores)


def owner(card: str, player: Seat) -> Seat:
    """The side that makes the choices of an event: the one printed on it, else the player."""
    side = CARDS[card].side
    return side if side in (US, USSR) else player


def ops_of(card: str) -> Ops:
    """The Operations that a card itself gives."""
    return Ops(card, 4 if card == CHINA else CARDS[card].ops)


def worth(s: State, seat: Seat, card: str) -> int:
    """The modified Operations value of a card in a hand; 0 for scoring cards (7.4.2)."""
    return 0 if CARDS[card].scores else value(s, seat, ops_of(card))


def discardable(s: State, seat: Seat, least: int) -> Cards:
    """The cards in hand worth at least so many Operations; neither scoring cards nor the China Card."""
    return tuple(card for card in s.hands[seat] if not CARDS[card].scores and worth(s, seat, card) >= least)


def trapped(s: State, seat: Seat) -> str | None:
    """Quagmire or Bear Trap, if it holds this side; else None."""
    return TRAPS[seat] if in_force(s, TRAPS[seat]) else None


def may_play_china(s: State, seat: Seat) -> bool:
    """9.1-9.5: the side has the China Card, face up, and is not under Aldrich Ames (2nd edition)."""
    return s.china == seat and s.china_ready and not effects(s, "aldrich_ames_2nd", seat)


def headlines(s: State, seat: Seat) -> Picks:
    """4.5 C: any card in hand except UN Intervention, an owed Missile Envy, and what 12.4 bars."""
    return tuple(
        card
        for card in s.hands[seat]
        if card not in NEVER_HEADLINED
        and not (card == "missile_envy" and s.envy == seat)
        and not (CARDS[card].side != OTHER[seat] and civil_war_bars(s, card, seat))
    )


# --------------------------------------------------------------------------- an action round


def plays(s: State, seat: Seat) -> Picks:
    """What a side may do in its action round: "<how>:<card>", or "pass" (5.1; the eighth is optional)."""
    due = scoring(s.hands[seat])
    if due and len(due) >= rounds_left(s, seat):
        return _under_pressure(s, seat, due)
    if trapped(s, seat):
        options = _in_a_trap(s, seat, due)
    elif s.envy == seat and "missile_envy" in s.hands[seat]:
        options = _owed(s, seat)
    else:
        options = _free(s, seat)
    optional = s.round > rounds(s.turn) or not s.hands[seat]
    return (*options, "pass") if optional and "pass" not in options else options


def _free(s: State, seat: Seat) -> Picks:
    """Any card, and the China Card."""
    hand = s.hands[seat]
    possible = _by_value(s, seat, {CARDS[card].ops for card in hand if not CARDS[card].scores})
    options = [
        use
        for card in _playable(s, seat)
        for use in uses(s, seat, card, hand, possible.get(CARDS[card].ops, ()))
    ]
    if may_play_china(s, seat):
        options += [f"{kind}:{CHINA}" for kind in kinds(s, seat, ops_of(CHINA), USES)]
    return tuple(options)


def _by_value(s: State, seat: Seat, values: set[int]) -> dict[int, Picks]:
    """Which kinds of Operations a card of each value allows; more points allow everything that fewer do."""
    fewest = kinds(s, seat, Ops("", min(values, default=0)), KINDS)
    return {
        points: (
            *(fewest if fewest == KINDS else kinds(s, seat, Ops("", points), KINDS)),
            *kinds(s, seat, Ops("", points), (SPACE_RACE,)),
        )
        for points in values
    }


def _playable(s: State, seat: Seat) -> Cards:
    """The hand; if Aldrich Ames (2nd edition) ordered it, only the first card of that order."""
    ordered = tuple(card for card in s.order if card in s.hands[seat]) if seat == US else ()
    return ordered[:1] or s.hands[seat]


def _under_pressure(s: State, seat: Seat, due: Cards) -> Picks:
    """As many scoring cards as rounds: one of them, or a card whose event may take one out of the hand.

    Book 003, 4.5 D: a side that still holds one at the end of the turn has lost; so such a card is a risk.
    """
    ordered = tuple(card for card in s.order if card in due) if seat == US else ()
    options = [f"event:{card}" for card in ordered[:1] or due]
    if trapped(s, seat) or (seat == US and s.order):
        return tuple(options)
    for card in MAY_RID[seat]:
        if card in s.hands[seat]:
            options += [use for use in uses(s, seat, card, s.hands[seat]) if _brings_event(use, card, seat)]
    return tuple(options)


def _brings_event(use: str, card: str, seat: Seat) -> bool:
    """Does this use of a card let its event happen?  An enemy's event happens with Operations, too."""
    how = use.partition(":")[0]
    return how.startswith("event") or (CARDS[card].side == OTHER[seat] and how in KINDS)


def _in_a_trap(s: State, seat: Seat, due: Cards) -> Picks:
    """Quagmire, Bear Trap: discard a card worth 2 or more; without one, only scoring cards."""
    fit = discardable(s, seat, 2)
    if s.envy == seat and "missile_envy" in fit:
        fit = ("missile_envy",)
    elif seat == US and s.order:
        fit = tuple(card for card in s.order if card in fit)[:1] or fit
    if fit:
        return tuple(f"discard:{card}" for card in fit)
    return (*(f"event:{card}" for card in due), "pass")


def _owed(s: State, seat: Seat) -> Picks:
    """Missile Envy: the card received is played for Operations."""
    return tuple(f"{kind}:missile_envy" for kind in kinds(s, seat, ops_of("missile_envy"), USES)) or ("pass",)


def uses(s: State, seat: Seat, card: str, hand: Cards, operations: Picks = ()) -> list[str]:
    """How one card may be played (5.1, 5.2, 6.4); `operations`: what its value allows, if known.

    A side may play its own event even if it cannot happen (5.2): then the card is discarded.
    """
    face = CARDS[card]
    if face.scores:
        return [f"event:{card}"]
    operations = operations or kinds(s, seat, ops_of(card), USES)
    if face.side == OTHER[seat]:
        found = [f"event_first:{card}", *(f"{kind}:{card}" for kind in operations)]
        if "un_intervention" in hand and may_intervene(s, seat):
            found.append(f"cancel:{card}")
        return found
    event = [] if card == "un_intervention" or civil_war_bars(s, card, seat) else [f"event:{card}"]
    return [*event, *(f"{kind}:{card}" for kind in operations)]


def may_intervene(s: State, seat: Seat) -> bool:
    """UN Intervention is not for the headline phase; cards that Aldrich Ames ordered are played singly."""
    return s.phase != "headline" and not (seat == US and s.order)


def cancel_kinds(s: State) -> tuple[str, ...]:
    """What a card freed by UN Intervention may be used for."""
    return (*KINDS, SPACE_RACE) if s.options.un_intervention_space else KINDS
