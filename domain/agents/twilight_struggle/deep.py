"""Twilight Struggle for searches that look ahead: what a table is worth, where playouts end, what is tried.

Besides what counts for everybody (points, countries, regions as if they were scored now) a side fears what it
holds: cards that end the world, and scoring cards that it can no longer play.
"""

from __future__ import annotations

from domain.agents.spec import Deep, Rng
from domain.agents.twilight_struggle.cards import ENDS_THE_WORLD, event_value
from domain.agents.twilight_struggle.influence import held, weight
from domain.agents.twilight_struggle.policy import VALUES, policy
from domain.kernel import HIDDEN, Picks, Prompt, Seat
from domain.twilight_struggle.components import MAP, OTHER, US
from domain.twilight_struggle.rules.hand import may_play_china, rounds, rounds_left
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.rules.scoring import MOST, scored
from domain.twilight_struggle.state import State

WON = 1_000.0  # far more than the track has points
CHINA, CHINA_TURNED = 2.0, 1.2  # of holding the China Card, face up or down
SPACE = 0.8  # of a box of the Space Race
REGION = {  # the part of what a region would score now, by whether its card can be in the deck
    "europe": 0.35, "asia": 0.4, "middle_east": 0.35,
    "central_america": 0.3, "south_america": 0.3, "africa": 0.3,
}  # fmt: skip
EUROPE = 8.0  # of Control of Europe, which wins when it is scored
SHORT = 0.7  # of a Military Operation that is missing
OPS = 0.22  # of each point of Operations in hand
EVENT = 0.35  # the part of what its events are worth that a hand is worth
DOOMED = 60.0  # of each card that must still be played and ends the world
UNSURE = 12.0  # of such a card that can perhaps be kept
OVERDUE = 300.0  # of a scoring card for which no round is left
MID_WAR = 4  # the first turn in which the third world is scored
THIRD_WORLD = ("central_america", "south_america", "africa")
SEARCHED = ("PlayCard", "PlayTaken", "ChooseHeadline")
MOST_TRIED = 16  # answers to one question


def evaluate(s: State, seat: Seat) -> float:
    """The points by which a seat leads, with those that its countries, regions and cards will bring."""
    if s.result is not None:
        return 0.0 if s.result.winner is None else WON if s.result.winner == seat else -WON
    lead = float(s.vp if seat == US else -s.vp)
    return (
        lead + _tracks(s, seat) + _board(s, seat) + _regions(s, seat) + _hand(s, seat) - _hand(s, OTHER[seat])
    )


def _tracks(s: State, seat: Seat) -> float:
    other = OTHER[seat]
    china = 0.0
    if s.china is not None:
        china = (CHINA if s.china_ready else CHINA_TURNED) * (1 if s.china == seat else -1)
    space = SPACE * (s.space[seat] - s.space[other])
    return china + space + _short(s, other) - _short(s, seat)


def _short(s: State, seat: Seat) -> float:
    """What the Military Operations that are missing will cost; the fewer rounds are left, the more."""
    missing = max(0, s.defcon - s.military[seat])
    gone = min(1.0, s.round / rounds(s.turn))
    return missing * (0.35 + 0.65 * gone) * SHORT


def _board(s: State, seat: Seat) -> float:
    own, other, early = s.influence[seat], s.influence[OTHER[seat]], s.turn < MID_WAR
    return sum(
        weight(country, early) * held(own.get(country, 0) - other.get(country, 0), MAP[country].stability)
        for country in {*own, *other}
        if country in MAP
    )


def _regions(s: State, seat: Seat) -> float:
    """A part of what each region would score now."""
    total = 0.0
    for region, part in REGION.items():
        if s.turn < MID_WAR - 1 and region in THIRD_WORLD:
            continue
        found = scored(s, region)
        total += part * found.net
        if region == "europe":
            total += EUROPE * ((found.us.status == "control") - (found.ussr.status == "control"))
    return total if seat == US else -total


def _hand(s: State, seat: Seat) -> float:
    """What the cards in a hand are worth to their holder; cards that nobody knows count nothing."""
    hand = s.hands[seat]
    if HIDDEN in hand:
        return 0.0
    left = rounds_left(s, seat) - (s.phasing != seat and s.round > 0 and _has_played(s, seat))
    total, deadly, due = 0.0, 0.0, 0
    for card in hand:
        face = CARDS[card]
        if face.scores:
            due += 1
            total += max(-MOST, min(MOST, event_value(s, seat, card, seat))) * 0.5
            continue
        total += OPS * face.ops
        worth = event_value(s, seat, card, seat)
        total += EVENT * max(-5.0, min(5.0, worth))
        if face.side == OTHER[seat]:
            deadly += ENDS_THE_WORLD[seat].get(card, 0.0)
    if s.round > 0 and due > left:
        total -= OVERDUE * (due - left)
    if deadly:
        spare = len(hand) + may_play_china(s, seat) - max(0, left)
        total -= deadly * (UNSURE if spare >= deadly else DOOMED if s.defcon == 2 else 2 * UNSURE)
    return total


def _has_played(s: State, seat: Seat) -> bool:
    """Has a side had its action round of this number already?  The USSR goes first."""
    return (seat != US) == (s.phasing == US)


def is_quiet(before: State, now: State) -> bool:
    """A playout goes to the next own round, or to the headlines of the next turn."""
    if now.turn != before.turn:
        return True
    if before.phase == "headline" or before.round == 0:
        return now.round > 1
    return now.round > before.round and now.phasing == before.phasing


def narrow(s: State, question: Prompt, rng: Rng) -> Picks:
    """The plays and headlines that the rules of thumb like best; they answer all other questions."""
    if question.ask not in SEARCHED:
        return ()
    values = VALUES[question.ask](s, question.seat, s.agenda[-1], question)
    ranked = sorted(question.options, key=lambda pick: (-values.get(pick, 0.0), rng.random()))
    kept = set(ranked[:MOST_TRIED])
    return tuple(pick for pick in question.options if pick in kept)


DEEP = Deep(policy=policy, evaluate=evaluate, is_quiet=is_quiet, narrow=narrow)
