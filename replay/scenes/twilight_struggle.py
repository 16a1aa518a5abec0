"""The scene of Twilight Struggle: the map with influence and control, the tracks, the cards."""

from __future__ import annotations

from itertools import chain

from domain.kernel import Seat
from domain.twilight_struggle.components import MAP, REGIONS, SIDES, SPACE, US, USSR
from domain.twilight_struggle.rules.board import controller
from domain.twilight_struggle.rules.operations import LOCKED
from domain.twilight_struggle.rules.scoring import MOST, scored, winner_of_europe
from domain.twilight_struggle.state import State
from replay.scenes.generic import YES, bids_of, cards_of, pile_of
from replay.scenes.vocabulary import Pair, Panel, Rows, Scene, Slots, Status, Track, Value, scene_of

MOST_MILITARY = 5
SOUTHEAST = "southeast_asia"
CLOSED_BELOW = {
    str(defcon): next(region for region in LOCKED[defcon] if region not in LOCKED.get(defcon + 1, ()))
    for defcon in (2, 3, 4)
}
BOXES: dict[str, Value] = {str(box): f"space.{box}" for box in SPACE}


def scene(s: State) -> Scene:
    """How the table looks to the viewer whose table it is."""
    panels: dict[str, Panel] = {
        "status": Status(_status(s)),
        "vp": Track(-MOST, MOST, {"vp": s.vp}),
        "defcon": Track(1, 5, {"defcon": s.defcon}, dict(CLOSED_BELOW)),
        "military": Pair(s.military, MOST_MILITARY),
        "space": Track(0, len(SPACE), dict(s.space), BOXES),
        "china": Status(_china(s)),
        "headlines": Status({**s.chosen, **s.headlines}),
        "playing": Status({play.card: play.seat for play in s.playing}),
        **{f"hands.{side}": cards_of(s.hands[side], side) for side in SIDES},
        "beside": cards_of(s.beside),
        "effects": Rows(("card", "seat", "region"), _effects(s)),
        "order": cards_of(s.order),
        "bids": bids_of(s.bids),
        "deck": pile_of(s.deck),
        "discards": cards_of(s.discards, folded=True),
        "removed": cards_of(s.removed, folded=True),
        "regions": Rows(("us", "ussr", "worth"), _regions(s)),
    }
    return scene_of(panels, _board(s))


def _board(s: State) -> dict[str, Slots]:
    """The spaces with influence, and who controls them."""
    board: dict[str, Slots] = {}
    for country in dict.fromkeys(chain(s.influence[US], s.influence[USSR])):
        slots: Slots = {side: s.influence[side][country] for side in SIDES if country in s.influence[side]}
        by = controller(s, country) if country in MAP else None
        board[country] = {**slots, "by": by} if by else slots
    return board


def _status(s: State) -> dict[str, Value]:
    items: dict[str, Value] = {"turn": s.turn} if s.turn else {}
    if s.phase:
        items["phase"] = s.phase
    if s.round:
        items["round"] = s.round
    if s.phasing:
        items["phasing"] = s.phasing
    if s.envy:
        items["envy"] = s.envy
    if s.buries:
        items["buries"] = YES
    return items


def _china(s: State) -> dict[str, Value]:
    if s.china is None:
        return {}
    return {"china": s.china, "china_ready": YES} if s.china_ready else {"china": s.china}


def _effects(s: State) -> dict[str, dict[str, Value]]:
    rows: dict[str, dict[str, Value]] = {}
    for number, effect in enumerate(s.effects, 1):
        row: dict[str, Value] = {"card": effect.card, "seat": effect.seat}
        rows[str(number)] = {**row, "region": effect.region} if effect.region else row
    return rows


def _regions(s: State) -> dict[str, dict[str, Value]]:
    """What each side has in each region, and what scoring it would bring now.

    That is points (above 0: the US); or a side wins the game by Control of Europe (10.3.1).
    """
    rows: dict[str, dict[str, Value]] = {}
    for region in (*REGIONS, SOUTHEAST):
        working = scored(s, region)
        held: dict[Seat, str] = {US: working.us.status, USSR: working.ussr.status}
        shown: dict[str, Value] = {side: status for side, status in held.items() if status != "none"}
        winner = winner_of_europe(working)
        rows[region] = {**shown, "worth": f"wins.{winner}" if winner else working.net}
    return rows
