"""The position that a log states, as facts that need no rule: used when our rules and the log differ.

`Stated` is what some lines say about the board and the tracks; `facts_of` returns what has to change on a
table.  `Layout` knows where the cards are, and moves them to where the log has them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct

from domain.kernel import Fact, Seat
from domain.twilight_struggle.components import OTHER, SIDES, US, USSR
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import PositionStated
from domain.twilight_struggle.facts.flow import EffectBegan
from domain.twilight_struggle.facts.tracks import DefconSet, MilitarySet, ScoreMoved, SpaceSet
from domain.twilight_struggle.rules.hand import scoring
from domain.twilight_struggle.rules.operations import CHINA
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.state import State
from replay.importers.twilight_struggle import structure as log
from replay.importers.twilight_struggle.card_tracking import (
    DISCARDS,
    REMOVED,
    Arrives,
    Leaves,
    Move,
    PutAway,
    Shows,
    TakenBack,
)

RECORD = "record"  # why a marker moves that no rule has moved
DECK, BESIDE = "deck", "beside"
FOR_A_TURN = {  # for whom an effect holds that ends with the turn; others depend on who played the card
    "aldrich_ames_remix": US,
    "brezhnev_doctrine": USSR,
    "chernobyl": USSR,
    "containment": US,
    "iran_contra_scandal": US,
    "north_sea_oil": US,
    "nuclear_subs": US,
    "u2_incident": USSR,
    "vietnam_revolts": USSR,
    "yuri_and_samantha": USSR,
}
FOR_THE_PLAYER = ("salt_negotiations", "latin_american_death_squads")
AGAINST_THE_PLAYER = ("red_scare_purge", "cuban_missile_crisis")


class Stated(Struct):
    """What a log states: influence of the US and the USSR by country, and where the markers stand."""

    influence: dict[str, tuple[int, int]] = {}
    military: dict[Seat, int] = {}
    space: dict[Seat, int] = {}
    defcon: int | None = None
    vp: int | None = None

    def on(self, now: State, then: State) -> Stated:
        """What was stated of a table, and what the rules have added to it since."""
        defcon = None if self.defcon is None else max(2, min(5, self.defcon + now.defcon - then.defcon))
        vp = None if self.vp is None else self.vp + now.vp - then.vp
        military = self.military if now.turn == then.turn else {}
        return Stated(dict(self.influence), military, self.space, defcon, vp)

    def take(self, said: log.Statement) -> None:
        """One line more."""
        if isinstance(said, log.InfluenceChange):
            self.influence[said.country] = (said.us, said.ussr)
        elif isinstance(said, log.Military):
            self.military[said.side] = min(5, said.to)
        elif isinstance(said, log.SpaceAdvance):
            self.space[said.side] = min(8, said.box)
        elif isinstance(said, log.Defcon):
            self.defcon = said.to
        elif isinstance(said, log.Score):
            self.vp = said.now

    def forget(self, said: log.Statement) -> None:
        """A later line agrees with our rules."""
        if isinstance(said, log.InfluenceChange):
            self.influence.pop(said.country, None)
        elif isinstance(said, log.Military):
            self.military.pop(said.side, None)
        elif isinstance(said, log.SpaceAdvance):
            self.space.pop(said.side, None)
        elif isinstance(said, log.Defcon):
            self.defcon = None
        elif isinstance(said, log.Score):
            self.vp = None

    def __bool__(self) -> bool:
        moved = self.influence or self.military or self.space
        return bool(moved) or self.defcon is not None or self.vp is not None


class Sequel:
    """What the rest of a log says of a position: a value that it contradicts is misprinted."""

    def __init__(self, said: log.Log) -> None:
        self._influence: dict[str, list[log.InfluenceChange]] = {}
        self._tracks: list[log.Score | log.Defcon] = []
        for one in (*said.setup, *said.said()):
            if isinstance(one, log.InfluenceChange):
                self._influence.setdefault(one.country, []).append(one)
            elif isinstance(one, (log.Score, log.Defcon)):
                self._tracks.append(one)

    def confirm(self, stated: Stated, s: State, line: int) -> None:
        """Forget what was stated up to a line where the rest of the log agrees with the table instead."""
        for country in list(stated.influence):
            ours = (s.influence[US].get(country, 0), s.influence[USSR].get(country, 0))
            if self._misprinted(country, ours, line):
                del stated.influence[country]
        later = [one for one in self._tracks if one.line > line]
        score = next((one for one in later if isinstance(one, log.Score)), None)
        if score and s.vp == score.now - score.by * (1 if score.side == US else -1):
            stated.vp = None
        level = next((one for one in later if isinstance(one, log.Defcon)), None)
        if level and s.defcon == level.to + (-1 if level.improves else 1):
            stated.defcon = None

    def _misprinted(self, country: str, ours: tuple[int, int], line: int) -> bool:
        """The next line of a country tells; after the last one it is the line before."""
        found = self._influence.get(country, [])
        after = next((one for one in found if one.line > line), None)
        if after:
            return ours == _changed(after, after, -1)
        if len(found) < 2:
            return False
        return ours == _changed(found[-2], found[-1], 1)


def _changed(stood: log.InfluenceChange, by: log.InfluenceChange, way: int) -> tuple[int, int]:
    """Both totals of a line, and the change that another one tells."""
    return stood.us + way * by.by * (by.side == US), stood.ussr + way * by.by * (by.side == USSR)


def nothing() -> Stated:
    """Nothing stated yet."""
    return Stated({}, {}, {})


def facts_of(stated: Stated, s: State) -> Iterator[Fact[State]]:
    """What has to change so that a table is as it is stated."""
    for country, both in sorted(stated.influence.items()):
        for side, now in zip((US, USSR), both, strict=True):
            was = s.influence[side].get(country, 0)
            if now != was:
                yield InfluenceSet(side, country, now - was, now)
    for side, now in sorted(stated.space.items()):
        if now != s.space[side]:
            yield SpaceSet(side, now)
    for side, now in sorted(stated.military.items()):
        if now != s.military[side]:
            yield MilitarySet(side, now)
    if stated.defcon is not None and stated.defcon != s.defcon:
        yield DefconSet(s.defcon, stated.defcon)
    if stated.vp is not None and stated.vp != s.vp:
        yield ScoreMoved(US if stated.vp > s.vp else USSR, abs(stated.vp - s.vp), stated.vp, RECORD)


def effects_of(said: Iterable[log.Statement], s: State, player: Seat | None) -> Iterator[Fact[State]]:
    """The effects that some lines say hold for the rest of the turn."""
    region = next((one.region for one in said if isinstance(one, log.ChoosesRegion)), "")
    for one in said:
        if isinstance(one, log.InPlay) and one.card not in {item.card for item in s.effects}:
            side = FOR_A_TURN.get(one.card)
            if player and one.card in FOR_THE_PLAYER:
                side = player
            elif player and one.card in AGAINST_THE_PLAYER:
                side = OTHER[player]
            if side:
                yield EffectBegan(one.card, side, region if one.card == "chernobyl" else "")


# --------------------------------------------------------------------------- the cards


class Layout:
    """Where every card of a table lies; what is being resolved there counts as discarded."""

    def __init__(self, s: State) -> None:
        self.place: dict[str, str] = {}
        piles = {DISCARDS: s.discards, REMOVED: s.removed, BESIDE: s.beside, **s.hands}
        for name, cards in piles.items():
            self.place |= dict.fromkeys(cards, name)
        self.place |= dict.fromkeys((*s.deck.cards, *s.deck.top, *s.deck.bottom), DECK)
        self.place |= dict.fromkeys((*s.headlines.values(), *(item.card for item in s.playing)), DISCARDS)
        self.before = dict(self.place)

    @property
    def changed(self) -> bool:
        """Does any card lie elsewhere than before?"""
        return self.place != self.before

    @property
    def undiscarded(self) -> bool:
        """Is a card in a hand again that lay among the discards?"""
        return any(self.before[card] == DISCARDS and self.place[card] in SIDES for card in self.place)

    def hand(self, side: Seat) -> list[str]:
        """The cards of a hand."""
        return [card for card, place in self.place.items() if place == side]

    def put(self, card: str, place: str) -> None:
        """A card goes somewhere; one that is not in this game stays out of it."""
        if card in self.place:
            self.place[card] = place

    def follow(self, move: Move) -> None:
        """What a log says of a card."""
        if isinstance(move, Leaves):
            self.put(move.card, DISCARDS)
        elif isinstance(move, PutAway):
            lasting = move.to == REMOVED and CARDS[move.card].lasting
            self.put(move.card, BESIDE if lasting else move.to)
        elif isinstance(move, Arrives):
            self.put(move.card, move.side)
        elif isinstance(move, TakenBack):
            self.put(move.card, DISCARDS)

    def end(self, card: str) -> None:
        """A card beside the board is in force no longer."""
        if self.place.get(card) == BESIDE:
            self.put(card, REMOVED if CARDS[card].starred else DISCARDS)

    def bring(self, side: Seat, card: str, later: Collection[str]) -> None:
        """A card that a hand must hold, unless it is out of the game: one that it can spare takes its place.

        `later`: the cards that the side is known to play later, the first ones first.
        """
        place = self.place.get(card)
        if place in (None, side, REMOVED, BESIDE):
            return
        spare = self.spare(side, (*later, card), rather_scoring=False)
        self.put(card, side)
        if spare and spare not in later:
            self.put(spare, DECK if place == DISCARDS else str(place))

    def lose(self, side: Seat, later: Collection[str]) -> None:
        """A card was played that no line names."""
        spare = self.spare(side, later, rather_scoring=True)
        if spare:
            self.put(spare, DISCARDS)

    def spare(self, side: Seat, later: Collection[str], *, rather_scoring: bool) -> str:
        """A card that a side will miss last."""
        order = {card: number for number, card in enumerate(later)}

        def misses(card: str) -> tuple[int, bool, int, str]:
            scores = bool(scoring((card,))) == rather_scoring
            return -order.get(card, len(order)), not scores, CARDS[card].ops, card

        return min(self.hand(side), key=misses, default="")

    def stated(self, line: int) -> PositionStated:
        """The fact that says where everything lies."""
        piles: dict[str, list[str]] = {}
        for card, place in sorted(self.place.items()):
            piles.setdefault(place, []).append(card)
        deck = piles.get(DECK, [])
        return PositionStated(
            line,
            placed=True,
            hands={side: tuple(piles.get(side, ())) for side in sorted(SIDES)},
            deck=tuple(deck),
            size=len(deck),
            discards=tuple(piles.get(DISCARDS, ())),
            removed=tuple(piles.get(REMOVED, ())),
            beside=tuple(piles.get(BESIDE, ())),
        )


Need = tuple[int, Seat, str]  # at a line, a side must have a card in its hand


def needs(moves: Iterable[Move]) -> list[Need]:
    """Which cards have to be in a hand, and when, as far as that hand did not get them on the way."""
    found: list[Need] = []
    for move in moves:
        if isinstance(move, Leaves) and move.card != CHINA:
            found.append((move.line, move.side, move.card))
        elif isinstance(move, Shows):
            found += [(move.line, move.side, card) for card in move.cards]
    return found
