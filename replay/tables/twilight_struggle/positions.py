"""The rows of `ts_positions`."""

from __future__ import annotations

import hashlib

import msgspec

from domain.log import canonical
from domain.match import Match
from domain.twilight_struggle.components import BATTLEGROUNDS, MAP, REGIONS, SIDES, US, USSR
from domain.twilight_struggle.facts.flow import RoundBegan, TurnEnded
from domain.twilight_struggle.rules.board import controller
from domain.twilight_struggle.state import State
from replay.tables.schema import Row
from replay.tables.twilight_struggle.walk import At, Readers, sees_all

_CONTROL = {None: 0, US: 1, USSR: 2}


class Positions:
    """The positions of one match; `end` adds the last one."""

    def __init__(self, match: Match) -> None:
        self.rows: list[Row] = []
        self.readers: Readers = {RoundBegan: self._round, TurnEnded: self._turn}
        self._match, self._rules, self._sees_hands = match.id, match.game.rules, sees_all(match)
        self._map: Row = ()
        self._of: object = None  # the influence to which `_map` belongs

    def _round(self, at: At) -> None:
        self._add(at, "round")

    def _turn(self, at: At) -> None:
        self._add(at, "turn_end")

    def end(self, at: At) -> None:
        """The table after the last fact."""
        self._add(at, "end")

    def _add(self, at: At, kind: str) -> None:
        s = at.after
        if s.influence is not self._of:
            self._map, self._of = _map(s), s.influence
        hands = [len(s.hands[side]) if self._sees_hands else None for side in SIDES]
        self.rows.append(
            (
                self._match,
                at.move,
                at.place,
                s.turn,
                kind,
                s.round,
                s.phasing,
                s.vp,
                s.defcon,
                s.military[US],
                s.military[USSR],
                s.space[US],
                s.space[USSR],
                s.china,
                s.china_ready,
                *hands,
                s.deck.size,
                len(s.discards),
                *self._map,
                state_sha256(s),
                self._rules,
            )
        )


def _map(s: State) -> Row:
    """Influence and control of all countries, and the battlegrounds of each region."""
    us, ussr = s.influence[US], s.influence[USSR]
    held = us.keys() | ussr.keys()
    control = {country: _CONTROL[controller(s, country)] for country in held if country in MAP}
    grounds = [
        sum(control.get(country) == _CONTROL[side] for country in BATTLEGROUNDS[region])
        for region in REGIONS
        for side in SIDES
    ]
    return (
        *[us.get(country, 0) for country in MAP],
        *[ussr.get(country, 0) for country in MAP],
        *[control.get(country, 0) for country in MAP],
        *grounds,
    )


def state_sha256(s: State) -> str:
    """The hash of what is public on a table, in hexadecimal; the order of cards in a pile does not count."""
    public = {
        "turn": [s.turn, s.phase, s.round, s.phasing],
        "tracks": [s.vp, s.defcon, s.military, s.space, s.china, s.china_ready],
        "influence": s.influence,
        "discards": sorted(s.discards),
        "removed": sorted(s.removed),
        "in_force": [sorted(s.beside), sorted(map(msgspec.structs.astuple, s.effects)), s.buries, s.envy],
    }
    return hashlib.sha256(canonical(public)).hexdigest()
