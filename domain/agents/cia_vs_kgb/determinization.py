"""CIA vs. KGB: both decks; the agents that were sent, and the hands that were closed, in secret."""

from __future__ import annotations

from msgspec.structs import replace

from domain.agents.determinization import Unseen, choose
from domain.agents.spec import Rng
from domain.cia_vs_kgb.state import State
from domain.kernel import HIDDEN, Picks, Seat

HANDS = ("left", "right")


def determinize(view: State, rng: Rng) -> State:
    """A whole table that agrees with what a seat knows; every agent at headquarters is as likely."""
    return replace(
        view,
        objectives=Unseen(view.objectives, rng).pile(),
        groups=Unseen(view.groups, rng).pile(),
        fists={seat: _one_of(hand, HANDS, rng) for seat, hand in view.fists.items()},
        sent={seat: _sent(view, seat, rng) for seat in view.sent},
    )


def _sent(view: State, seat: Seat, rng: Rng) -> str:
    return _one_of(view.sent[seat], view.headquarters[seat], rng)


def _one_of(known: str, possible: Picks, rng: Rng) -> str:
    return choose(possible, rng) if known == HIDDEN else known
