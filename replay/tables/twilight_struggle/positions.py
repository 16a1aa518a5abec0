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
_PLACES = {country: place for place, country in enumerate(MAP)}
_GROUNDS = tuple(tuple(_PLACES[country] for country in BATTLEGROUNDS[region]) for region in REGIONS)


class Positions:
    """The positions of one match; `end` adds the last one."""

    def __init__(self, match: Match) -> None:
        self.rows: list[Row] = []
        self.readers: Readers = {RoundBegan: self._round, TurnEnded: self._turn}
        self._match, self._rules, self._sees_hands = match.id, match.game.rules, sees_all(match)
        self._map = _Map()

    def _round(self, at: At) -> None:
        self._add(at, "round")

    def _turn(self, at: At) -> None:
        self._add(at, "turn_end")

    def end(self, at: At) -> None:
        """The table after the last fact."""
        self._add(at, "end")

    def _add(self, at: At, kind: str) -> None:
        s = at.after
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
                *self._map.row(s),
                state_sha256(s),
                self._rules,
            )
        )


class _Map:
    """Influence and control of all countries, and the battlegrounds of each region.

    Between two positions few countries change: only these are computed again.
    """

    def __init__(self) -> None:
        self._us, self._ussr, self._control = ([0] * len(MAP) for _ in range(3))
        self._held: dict[str, dict[str, int]] = {US: {}, USSR: {}}  # the influence to which these belong
        self._row: Row = ()

    def row(self, s: State) -> Row:
        """The columns of the map, by country in the order of the map; then those of the battlegrounds."""
        if s.influence is not self._held or not self._row:
            self._read(s)
            self._held = s.influence
            grounds = [
                [self._control[place] for place in places].count(_CONTROL[side])
                for places in _GROUNDS
                for side in SIDES
            ]
            self._row = (*self._us, *self._ussr, *self._control, *grounds)
        return self._row

    def _read(self, s: State) -> None:
        us, ussr = s.influence[US], s.influence[USSR]
        changed = (us.items() ^ self._held[US].items()) | (ussr.items() ^ self._held[USSR].items())
        for country in {country for country, _ in changed if country in MAP}:
            place = _PLACES[country]
            self._us[place], self._ussr[place] = us.get(country, 0), ussr.get(country, 0)
            self._control[place] = _CONTROL[controller(s, country)]


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
