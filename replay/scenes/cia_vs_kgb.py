"""The scene of Cold War: CIA vs. KGB: groups left and right of the objective, agents, objectives won."""

from __future__ import annotations

from domain.cia_vs_kgb.components import GROUPS, OBJECTIVES
from domain.cia_vs_kgb.rules import SEATS, influence, score
from domain.cia_vs_kgb.state import State
from domain.kernel import Seat
from replay.scenes.generic import YES, cards_of, pile_of
from replay.scenes.vocabulary import (
    Cards,
    Gauge,
    Lanes,
    Panel,
    Rows,
    Scene,
    Status,
    Track,
    Value,
    scene_of,
)

LANES = ("cia", "objective", "kgb")


def scene(s: State) -> Scene:
    """How the table looks to the viewer whose table it is."""
    panels: dict[str, Panel] = {
        "status": Status(_status(s)),
        "recruited": Lanes(LANES, _lanes(s), {group: {"mobilized": YES} for group in s.mobilized}),
        **{f"influence.{seat}": _gauge(s, seat) for seat in SEATS},
        "fists": Status(dict(s.fists)),
        "sent": Status(dict(s.sent)),
        "exposed": Status(dict(s.exposed)),
        "promises": Rows(("seat",), {agent: {"seat": seat} for agent, seat in s.promises.items()}),
        **_agents(s),
        "objectives": pile_of(s.objectives),
        **{f"won.{seat}": cards_of(s.won[seat], seat) for seat in SEATS},
        "spent": cards_of(s.spent, folded=True),
        "groups": pile_of(s.groups),
        "discards": cards_of(s.discards, folded=True),
        "score": Track(0, s.options.score_limit, score(s)),
    }
    return scene_of(panels)


def _status(s: State) -> dict[str, Value]:
    items: dict[str, Value] = {"turn": s.turn} if s.turn else {}
    named = {"phase": s.phase, "balance": s.balance, "token": s.token, "prevailed": s.prevailed}
    return items | {name: value for name, value in named.items() if value}


def _lanes(s: State) -> dict[str, str]:
    """In which lane each group lies, and between them the objective."""
    lanes = {group: seat for seat in SEATS for group in s.recruited[seat]}
    return {s.objective: "objective", **lanes} if s.objective else lanes


def _gauge(s: State, seat: Seat) -> Gauge:
    """The influence of a side against the stability that it may not exceed."""
    stability = OBJECTIVES[s.objective].stability if s.objective else 0
    return Gauge(
        influence(s, seat), stability, {group: GROUPS[group].influence for group in s.recruited[seat]}
    )


def _agents(s: State) -> dict[str, Cards]:
    """Where the agents of each side are."""
    places = {"headquarters": s.headquarters, "leave": s.leave, "fallen": s.fallen}
    return {
        f"{place}.{seat}": cards_of(agents[seat], seat) for place, agents in places.items() for seat in SEATS
    }
