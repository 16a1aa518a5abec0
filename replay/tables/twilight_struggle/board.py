"""The rows of influence, scorings, bids, effects and the Space Race."""

from __future__ import annotations

from typing import Any

from domain.kernel import AnyFact
from domain.match import Match
from domain.twilight_struggle.components import CIVIL_WAR, SIDES, USSR
from domain.twilight_struggle.facts.board import CivilWarEnded, InfluenceSet
from domain.twilight_struggle.facts.cards import CardDiscarded, CardKept, CardPutAway, EnvyEnded, MarkerEnded
from domain.twilight_struggle.facts.flow import (
    BidMade,
    BidPassed,
    BidRaised,
    BurialBegan,
    BurialEnded,
    EffectBegan,
    EffectEnded,
    EffectsLapsed,
    SidesSettled,
)
from domain.twilight_struggle.facts.tracks import (
    CountryLeftOut,
    RegionScored,
    ScoreMoved,
    SpaceDeclined,
    SpaceRolled,
    SpaceSet,
)
from replay.tables.schema import Row
from replay.tables.twilight_struggle.walk import At, Readers, start

BURIAL, ENVY = "we_will_bury_you", "missile_envy"


class Influence:
    """Changes of influence, beginning with what is printed on the map."""

    def __init__(self, match: Match) -> None:
        self._match = match.id
        self.readers: Readers = {InfluenceSet: self._set, CivilWarEnded: self._civil_war}
        printed = start(match)
        self.rows: list[Row] = [
            (match.id, 1, place, printed.turn, side, country, 0, count, None, "printed")
            for place, (side, country, count) in enumerate(
                (side, country, count) for side in SIDES for country, count in printed.influence[side].items()
            )
        ]

    def _set(self, at: At) -> None:
        fact = at.fact
        self._add(at, fact.side, fact.country, at.before.influence[fact.side].get(fact.country, 0), fact.now)

    def _civil_war(self, at: At) -> None:
        self._add(at, USSR, CIVIL_WAR, at.before.influence[USSR].get(CIVIL_WAR, 0), 0)

    def _add(self, at: At, side: str, country: str, before: int, now: int) -> None:
        where = (self._match, at.move, at.place, at.after.turn)
        self.rows.append((*where, side, country, before, now, at.card, at.cause))


class Scorings:
    """Scorings of regions."""

    def __init__(self, match: Match) -> None:
        self._match, self._left_out = match.id, ""
        self.rows: list[Row] = []
        self.readers: Readers = {RegionScored: self._scored, CountryLeftOut: self._leave_out}

    def _leave_out(self, at: At) -> None:
        self._left_out = at.fact.country

    def _scored(self, at: At) -> None:
        fact, s = at.fact, at.before
        final = s.phase == "end"
        self.rows.append(
            (
                self._match,
                at.move,
                at.place,
                s.turn,
                s.round,
                fact.region,
                None if final else at.card,
                final,
                fact.us.status,
                fact.ussr.status,
                len(fact.us.countries),
                len(fact.ussr.countries),
                len(fact.us.battlegrounds),
                len(fact.ussr.battlegrounds),
                fact.us.points,
                fact.ussr.points,
                fact.net,
                s.vp,
                self._left_out or None,
            )
        )
        self._left_out = ""


class Bids:
    """Bids for the sides."""

    def __init__(self, match: Match) -> None:
        self._match = match.id
        self.rows: list[Row] = []
        self.readers: Readers = {
            BidMade: self._sealed,
            BidRaised: self._raised,
            BidPassed: self._passed,
            SidesSettled: self._settled,
        }

    def _sealed(self, at: At) -> None:
        side, _, points = at.fact.bid.partition(":")
        self._add(at, "sealed", at.fact.seat, *((side, int(points)) if points else (None, None)))

    def _raised(self, at: At) -> None:
        self._add(at, "raised", at.fact.seat, at.fact.side, at.fact.points)

    def _passed(self, at: At) -> None:
        self._add(at, "passed", at.fact.seat, None, None)

    def _settled(self, at: At) -> None:
        self._add(at, "settled", None, at.fact.to, at.fact.gift, at.fact.exchanged)

    def _add(self, at: At, kind: str, *values: Any) -> None:
        row = (self._match, at.move, at.place, at.after.turn, kind, *values)
        self.rows.append(row if kind == "settled" else (*row, None))


class Effects:
    """What is in force; a row is complete when it ends, and its place is that of its beginning."""

    def __init__(self, match: Match) -> None:
        self._match = match.id
        self._begun: list[tuple[Row, list[Any]]] = []
        self._open: dict[tuple[str, str, str | None], list[list[Any]]] = {}
        self.readers: Readers = {
            EffectBegan: self._begin_effect,
            EffectEnded: self._end_effect,
            EffectsLapsed: self._lapse,
            CardPutAway: self._put_away,
            MarkerEnded: self._end_marker,
            BurialBegan: self._begin_burial,
            BurialEnded: self._end_burial,
            CardKept: self._owe,
            EnvyEnded: self._pay,
            CardDiscarded: self._discard,
        }
        s = start(match)
        for place, card in enumerate(s.beside):
            self._begin((match.id, 1, place, s.turn), "lasting", card, None)

    @property
    def rows(self) -> list[Row]:
        """The rows, in the order in which the effects began."""
        return [(*row, *end) for row, end in self._begun]

    def _begin(self, where: Row, kind: str, card: str, seat: str | None, region: str | None = None) -> None:
        end: list[Any] = [None, None, None]
        self._begun.append(((*where, kind, card, seat, region), end))
        self._open.setdefault((kind, card, seat), []).append(end)

    def _end(self, at: At, key: tuple[str, str, str | None], why: str | None = None) -> None:
        for end in self._open.pop(key, ()):
            end[:] = at.move, at.after.turn, why

    def _where(self, at: At) -> Row:
        return self._match, at.move, at.place, at.after.turn

    def _begin_effect(self, at: At) -> None:
        self._begin(self._where(at), "turn", at.fact.card, at.fact.seat, at.fact.region or None)

    def _end_effect(self, at: At) -> None:
        self._end(at, ("turn", at.fact.card, at.fact.seat), at.fact.why)

    def _lapse(self, at: At) -> None:
        for key in [key for key in self._open if key[0] == "turn"]:
            self._end(at, key)

    def _put_away(self, at: At) -> None:
        if at.fact.to == "beside":
            self._begin(self._where(at), "lasting", at.fact.card, None)

    def _end_marker(self, at: At) -> None:
        self._end(at, ("lasting", at.fact.card, None), at.card if at.card != at.fact.card else None)

    def _begin_burial(self, at: At) -> None:
        self._begin(self._where(at), "burial", BURIAL, "us")

    def _end_burial(self, at: At) -> None:
        self._end(at, ("burial", BURIAL, "us"), "un_intervention" if at.fact.averted else None)

    def _owe(self, at: At) -> None:
        self._begin(self._where(at), "owed", ENVY, at.fact.to)

    def _pay(self, at: At) -> None:
        self._end(at, ("owed", ENVY, at.before.envy))

    def _discard(self, at: At) -> None:
        if at.fact.card == ENVY:
            self._end(at, ("owed", ENVY, at.before.envy), at.fact.why)


class SpaceRace:
    """Attempts at boxes of the Space Race, and moves of markers by events."""

    def __init__(self, match: Match) -> None:
        self._match = match.id
        self.rows: list[Row] = []
        self.readers: Readers = {
            SpaceRolled: self._rolled,
            SpaceDeclined: self._declined,
            SpaceSet: self._set,
        }

    def _rolled(self, at: At) -> None:
        fact = at.fact
        success = type(_next(at.following)) is SpaceSet
        points = scored_by(at.following[1:], "space") if success else 0
        self._add(at, fact.seat, fact.card, "rolled", fact.box, fact.roll, fact.need, success, abs(points))

    def _declined(self, at: At) -> None:
        self._add(at, at.fact.seat, at.fact.card, "declined", None, None, None, False, 0)

    def _set(self, at: At) -> None:
        if type(at.previous) is not SpaceRolled and at.cause != "stated":
            points = abs(scored_by(at.following, at.card or ""))
            self._add(at, at.fact.side, at.card, "event", at.fact.now, None, None, True, points)

    def _add(self, at: At, *values: Any) -> None:
        self.rows.append((self._match, at.move, at.place, at.after.turn, at.after.round, *values))


def _next(facts: tuple[AnyFact, ...]) -> AnyFact | None:
    return facts[0] if facts else None


def scored_by(facts: tuple[AnyFact, ...], why: str) -> int:
    """The points of the first of these facts if it moves the marker for that reason, above 0 for the US."""
    first = _next(facts)
    if not isinstance(first, ScoreMoved) or first.why != why:
        return 0
    return first.points if first.seat == "us" else -first.points
