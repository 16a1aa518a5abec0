"""Twilight Struggle: an answer by rules of thumb, without looking ahead.

Each kind of question has a function that says what its options are worth, in victory points; the best are
picked.  A question without such a function is answered at random.  The order below: the play of a card, the
points of Operations, influence that a card changes, cards that a card asks for, other choices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from domain.agents.search import random_picks
from domain.agents.spec import Rng
from domain.agents.twilight_struggle.cards import dangerous, event_value, happens, risk
from domain.agents.twilight_struggle.influence import (
    LOST,
    best_rate,
    change,
    coup_value,
    needed,
    realign_value,
    war_value,
)
from domain.kernel import Pick, Picks, Prompt, Seat
from domain.twilight_struggle.components import MAP, OTHER, SPACE, SPACES, US
from domain.twilight_struggle.rules.hand import may_play_china, ops_of, rounds_left, scoring, worth
from domain.twilight_struggle.rules.operations import (
    CHINA,
    COUP,
    INFLUENCE,
    REALIGN,
    SPACE_RACE,
    Ops,
    placeable,
    targets,
    value,
)
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import NONE

Values = Callable[[State, Seat, Any, Prompt], dict[Pick, float]]

MILITARY = 0.9  # of each Military Operation that is needed: it saves a victory point at the end of the turn
KEEP_CHINA = 2.5  # what it costs to play the China Card, which then goes to the other side
OPENING = {"us": {"west_germany": 4, "italy": 3}, "ussr": {"poland": 4, "east_germany": 4, "yugoslavia": 1}}
KEEP_OPS = 0.25  # of each point of Operations that a discarded card would have had
SPACE_VALUE = 0.9  # of an attempt in the Space Race, besides its points
FORCED = 0.5  # of playing a scoring card, for each that waits beyond the rounds that are left
AHEAD = 8.0  # of a headline that ends the world if the other headline lowers DEFCON first
RID, RID_AT_ONCE = 4.0, 9.0
HOLDING = 2.0  # of each such card in hand, when a Coup leaves DEFCON at 2
LOWER_DEFCON = {2: -0.4, 3: 0.2}  # of leaving DEFCON there by a Coup


def policy(s: State, seat: Seat, question: Prompt, rng: Rng) -> Picks:
    """The best answer by the rules of thumb; equal ones by chance."""
    step = s.agenda[-1]
    known = VALUES.get(question.ask)
    if known is None or question.ordered:
        return random_picks(question, rng)
    values = known(s, seat, step, question)
    options = sorted(question.options, key=lambda pick: (-values.get(pick, 0.0), rng.random()))
    most = min(question.most, len(options))
    if question.least == most:
        return tuple(options[:most])
    wanted = sum(values.get(pick, 0.0) > 0 for pick in options)
    return tuple(options[: max(question.least, min(most, wanted))])


# --------------------------------------------------------------------------- the play of a card


def _plays(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """An action round: what each way of playing each card brings."""
    operations: dict[tuple[str, int], float] = {}
    return {pick: _play_value(s, me, pick, operations) for pick in question.options}


def _play_value(s: State, me: Seat, pick: Pick, operations: dict[tuple[str, int], float]) -> float:
    how, _, card = pick.partition(":")
    if how in ("pass", "ransom", "return"):
        return -0.5
    if how == "discard":
        return -KEEP_OPS * worth(s, me, card) - max(0.0, event_value(s, me, card, me))
    brought = _relief(s, me, card)
    if happens(how, card, me):
        brought -= LOST * risk(s, me, card, s.defcon - (how == COUP))
        brought += event_value(s, me, card, me)
    if how == "event":
        return brought + _urgency(s, me, card)
    kind = INFLUENCE if how in ("event_first", "cancel") else how
    key = kind, worth(s, me, card) if card != CHINA else 5
    if key not in operations:
        operations[key] = _ops_value(s, me, ops_of(card), kind)
    first = 0.1 if how == "event_first" else 0.0  # the points can then answer the event
    return brought + first + operations[key] - (KEEP_CHINA if card == CHINA else 0.0)


def _relief(s: State, me: Seat, card: str) -> float:
    """What it is worth to be rid of a card of the other side that ends the world at DEFCON 2.

    It can be kept if there are more cards than rounds in which one must be played.
    """
    held = dangerous(s, me)
    if card not in held:
        return 0.0
    spare = len(s.hands[me]) + may_play_china(s, me) - rounds_left(s, me)
    return RID if len(held) <= spare else RID_AT_ONCE


def _urgency(s: State, me: Seat, card: str) -> float:
    """Scoring cards must be played in time; those that bring points may wait for more of them."""
    if not CARDS[card].scores:
        return 0.0
    spare = rounds_left(s, me) - len(scoring(s.hands[me]))
    return 20.0 if spare <= 0 else FORCED if spare <= 2 else 0.0


def _ops_value(s: State, me: Seat, ops: Ops, kind: str) -> float:
    """What the points of a card bring in one use."""
    if kind == SPACE_RACE:
        return _space_value(s, me)
    if kind == COUP:
        return max((_coup(s, me, target, ops) for target in targets(s, me, ops, COUP)), default=-1.0)
    if kind == REALIGN:
        found = (realign_value(s, me, target) for target in targets(s, me, ops, REALIGN))
        return max(found, default=-1.0) * min(2, ops.printed)
    points = value(s, me, ops, "")
    rates = [best_rate(s, me, country, points) for country in placeable(s, me, ops)]
    return 0.9 * points * max(rates, default=0.0)


def _space_value(s: State, me: Seat) -> float:
    box = SPACE[s.space[me] + 1]
    points = box.vp_first if s.space[OTHER[me]] < box.box else box.vp_second
    return (points + SPACE_VALUE) * box.success / 6


def _coup(s: State, me: Seat, target: str, ops: Ops) -> float:
    """A Coup: what it changes, the Military Operations that are needed, and DEFCON."""
    military = 0.0 if ops.free else MILITARY * min(needed(s, me), value(s, me, ops))
    lowers = 0.0
    if MAP[target].battleground:
        lowers = LOWER_DEFCON.get(s.defcon - 1, 0.0)
        lowers -= HOLDING * len(dangerous(s, me)) if s.defcon == 3 else 0.0
    return coup_value(s, me, target, ops) + military + lowers


def _headlines(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """A headline: its event less what its points would have brought."""
    return {card: _headline(s, me, card) for card in question.options if card != NONE}


def _headline(s: State, me: Seat, card: str) -> float:
    danger = LOST * risk(s, me, card, s.defcon) + AHEAD * risk(s, me, card, s.defcon - 1)
    return event_value(s, me, card, me) - KEEP_OPS * CARDS[card].ops - danger + _relief(s, me, card)


# --------------------------------------------------------------------------- the points of Operations


def _kinds(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """Which kind of Operations."""
    return {
        pick: 0.0 if pick == NONE or ":" in pick else _ops_value(s, me, step.ops, pick)
        for pick in question.options
    }


def _placing(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """The next point of influence."""
    left = value(s, me, step.ops, step.scope) - step.spent
    return {
        country: best_rate(s, me, country, max(left, 1)) if country in SPACES else 0.0
        for country in question.options
    }


def _realigning(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    return {pick: realign_value(s, me, pick) if pick in MAP else 0.0 for pick in question.options}


def _coups(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    return {pick: _coup(s, me, pick, step.ops) if pick in MAP else 0.0 for pick in question.options}


# --------------------------------------------------------------------------- influence that a card changes


def _added(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """Influence of `side` is added: one, `each`, or as many in a row as complete something."""
    side, left = getattr(step, "side", me), getattr(step, "left", 1)
    each = getattr(step, "each", 1)
    return {
        country: max(_shift(s, me, side, country, add * each) / add for add in range(1, min(left, 4) + 1))
        for country in question.options
        if country in SPACES
    }


def _opening(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """The free influence of the set-up: what is usual, then as any other."""
    values = _added(s, me, step, question)
    for country, wanted in OPENING[me].items():
        if s.influence[me].get(country, 0) < wanted:
            values[country] = values.get(country, 0.0) + LOST
    return values


def _removed(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """Influence of `side` is removed; `each` 0 means all of it."""
    side, each = step.side, getattr(step, "each", 1)
    return {
        country: _shift(s, me, side, country, -(each or s.influence[side].get(country, 0)))
        for country in question.options
        if country in MAP
    }


def _doubled(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    side = step.side
    return {
        country: _shift(s, me, side, country, s.influence[side].get(country, 0))
        for country in question.options
    }


def _shift(s: State, me: Seat, side: Seat, country: str, by: int) -> float:
    return change(s, me, country, by, 0) if side == me else change(s, me, country, 0, by)


# --------------------------------------------------------------------------- choices of single cards


def _chosen(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """A choice beside a card: the cards among its options by what they are worth, the rest by name."""
    name = step.name or step.card
    if name in DECISIONS:
        return DECISIONS[name](s, me, step, question)
    return {pick: _option(s, me, pick) for pick in question.options}


def _option(s: State, me: Seat, pick: Pick) -> float:
    if pick in CARDS:
        return -KEEP_OPS * CARDS[pick].ops - event_value(s, me, pick, me)
    return change(s, me, pick, 1, 0) if pick in MAP else 0.0


def _defcon(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """Summit: the war is won by the side that is not phasing, and lost by the other one."""
    return {"degrade": war_value(s, me) if s.defcon == 2 else -0.2, "improve": 0.1, "leave": 0.0}


def _olympics(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    return {"boycott": war_value(s, me) if s.defcon == 2 else -1.0, "participate": 0.0}


def _level(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """How I Learned to Stop Worrying: DEFCON 1 is the war; low levels keep the other side from Coups."""
    return {pick: war_value(s, me) if pick == "1" else -int(pick) / 10 for pick in question.options}


def _end(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """Wargames: end the match only with a lead of more than the 6 points that it costs."""
    lead = s.vp if me == US else -s.vp
    return {"end": LOST if lead > 6 else -LOST, "go_on": 0.0}


def _handed_over(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """Missile Envy: give the card that helps the other side least, or the one that ends its world."""
    return {pick: event_value(s, me, pick, OTHER[me]) for pick in question.options if pick in CARDS}


def _taken(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """A card that comes into one's own hand, or whose event happens for one's own side."""
    return {
        pick: event_value(s, me, pick, me) + KEEP_OPS * CARDS[pick].ops - LOST * risk(s, me, pick, s.defcon)
        for pick in question.options
        if pick in CARDS
    }


def _lost_by_other(s: State, me: Seat, step: Any, question: Prompt) -> dict[Pick, float]:
    """A card that the other side loses."""
    return {
        pick: event_value(s, OTHER[me], pick, OTHER[me]) + KEEP_OPS * CARDS[pick].ops
        for pick in question.options
        if pick in CARDS
    }


DECISIONS: dict[str, Values] = {
    "summit": _defcon,
    "olympic_games": _olympics,
    "how_i_learned_to_stop_worrying": _level,
    "wargames": _end,
    "missile_envy": _handed_over,
    "salt_negotiations": _taken,
    "star_wars": _taken,
    "aldrich_ames_remix": _lost_by_other,
}
VALUES: dict[str, Values] = {
    "PlayCard": _plays,
    "PlayTaken": _plays,
    "ChooseHeadline": _headlines,
    "Operate": _kinds,
    "PlaceInfluence": _placing,
    "Realign": _realigning,
    "Coup": _coups,
    "PlaceFree": _opening,
    "PlaceExtra": _added,
    "Spread": _added,
    "AddEach": _added,
    "RemoveEach": _removed,
    "Drain": _removed,
    "Double": _doubled,
    "Choose": _chosen,
}
