"""What a tournament is after an entry: entrants, officials, rounds, boards, calls, lots.

A state is immutable; `domain.tournaments.fold` makes the next one.  It holds what the log says and nothing
else: no rule, no name, no standings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.tournaments.crosstable import Cell
from domain.tournaments.events import Origin, Paired, Unfinished
from domain.tournaments.formats.bracket import Bracket, Game, Gone, bracket
from domain.tournaments.formats.knockout import LEAST, MOST
from domain.tournaments.terms import Stage, Terms, stages_of
from domain.tournaments.totals import exchanged_result, points_for, total

Status = Literal["announced", "entering", "running", "finished", "published", "cancelled"]
DIRECTOR, ARBITER = "director", "arbiter"
OFFICES = (DIRECTOR, ARBITER)


class Entrant(Struct, frozen=True, omit_defaults=True):
    """One entrant: the id stays, also if another player takes over the place.

    status: "invited" (a place is kept, and can be paired), "active", "waiting" or "withdrawn".
    player: who plays; for a place that is only kept, the person that was invited.
    players: everybody who played in this place, in order.
    seed: the place in the order of seeds; 0: none is given.
    first_round: the first round in which the entrant can be paired.
    away_from: the round from which the entrant is not paired (None: is paired).
    away: rounds in which the entrant was withdrawn before returning.
    byes: the half points of the byes asked for, by round; 2: the points of a win.
    penalty: the half points that arbiters took away.
    """

    id: str
    player: str
    status: Literal["invited", "active", "waiting", "withdrawn"]
    rating: int = 0
    rating_source: str = ""
    seed: int = 0
    first_round: int = 1
    players: tuple[str, ...] = ()
    away_from: int | None = None
    away: tuple[tuple[int, int], ...] = ()
    byes: Mapping[int, int] = {}
    penalty: int = 0
    expelled: bool = False

    @property
    def takes_part(self) -> bool:
        """Can the entrant be paired, if not withdrawn?"""
        return self.status in ("invited", "active")

    def is_away(self, round_number: int) -> bool:
        """Is the entrant not paired in this round, because not entered yet or withdrawn?"""
        gone = self.away_from is not None and self.away_from <= round_number
        return gone or self.first_round > round_number or any(a <= round_number < b for a, b in self.away)


NOT_RUN = {"verify": "not run"}
"""What was checked of a match on which `verify` could not be run."""


class Outcome(Struct, frozen=True, omit_defaults=True):
    """What was recorded of a board's match; `entry` is that of `result_recorded`.

    checked: what `verify` found, then or later; not_run: why it could not be run then.
    """

    entry: int
    result: str
    reason: str
    closed_move: int
    root: str
    winner: str = ""
    score: Mapping[str, int] = {}
    sides: Mapping[str, str] = {}
    checked: Mapping[str, str] = {}
    end_turn: int = 0
    house_seeded: bool = False
    not_run: str = ""


class Ruling(Struct, frozen=True, omit_defaults=True):
    """The latest ruling on a board; `agreed`: the entrants who have confirmed its statement."""

    entry: int
    by: str
    result: str
    reason: str
    reported: bool = False
    unrated: bool = False
    statement: str = ""
    file: str = ""
    file_match: str = ""
    file_root: str = ""
    agreed: tuple[str, ...] = ()


class MatchRuled(Struct, frozen=True, omit_defaults=True):
    """The latest ruling that took the match of a board back to a move, or made it void (`back_to` is 0)."""

    entry: int
    by: str
    reason: str
    move: int
    back_to: int = 0


class Board(Struct, frozen=True, omit_defaults=True):
    """A pairing with its number in its round: `w` has the first colour.

    match: its id is derived when the round is paired; `opened`: the entry of `board_opened`, 0 before.
    confirmed: by what the recorded result is confirmed; "" if it is not.
    match_ruled: the latest ruling on its match that gave the board no result.
    policy: what a closed round left to happen to it.
    frozen, paused: officials stopped its match, or the clocks of it.
    extended: it may be played until this time, whatever was said before.
    adjourned: it is played on from this time.
    exchanged: the lot gave `b` the first seat of the match.
    """

    number: int
    w: str
    b: str
    match: str
    floats: str = ""
    colour_rule: str = ""
    opened: int = 0
    root: str = ""
    outcome: Outcome | None = None
    confirmed: str = ""
    ruling: Ruling | None = None
    policy: Unfinished | None = None
    frozen: bool = False
    paused: bool = False
    extended: int | None = None
    adjourned: int | None = None
    exchanged: bool = False
    match_ruled: MatchRuled | None = None

    @property
    def result(self) -> str:
        """The effective result: that of the latest ruling, else the recorded one; "" if there is none."""
        if self.ruling is not None:
            return self.ruling.result
        return self.outcome.result if self.outcome else ""

    @property
    def stands(self) -> bool:
        """Is there a result that only a ruling changes?"""
        return self.ruling is not None or bool(self.confirmed and self.result)

    @property
    def not_verified(self) -> bool:
        """Could `verify` not be run on the match, and does no result stand?"""
        return self.outcome is not None and self.outcome.checked == NOT_RUN and not self.stands

    @property
    def status(self) -> str:
        """The state of the board in one word: paired, running, recorded, confirmed or ruled."""
        if self.ruling is not None:
            return "ruled"
        if self.outcome is not None:
            return "confirmed" if self.confirmed and self.result else "recorded"
        return "running" if self.opened else "paired"

    @property
    def ruled_by(self) -> tuple[int, ...]:
        """The entries of its latest rulings: on its result, and on its match."""
        return tuple(one.entry for one in (self.ruling, self.match_ruled) if one is not None)

    @property
    def entrants(self) -> tuple[str, str]:
        """Both entrants, the one with the first colour first."""
        return self.w, self.b

    @property
    def seated(self) -> tuple[str, str]:
        """Both entrants, the one for whom the first seat of the match is kept first."""
        return (self.b, self.w) if self.exchanged else (self.w, self.b)


class Round(Struct, frozen=True, omit_defaults=True, dict=True):
    """One round: its boards in the order of their numbers, and why the others have none.

    `dict` holds what is looked up many times and follows from the fields; it is no part of the state.
    """

    number: int
    status: Literal["paired", "published", "closed"]
    pairing: Paired
    boards: tuple[Board, ...]
    byes: Mapping[str, str]
    changed: int = 0  # the entry of the latest change by hand
    closed_by: str = ""
    opens_at: int | None = None
    until: int | None = None

    def board(self, number: int) -> Board | None:
        """The board with this number, or None."""
        return self.boards[number - 1] if 1 <= number <= len(self.boards) else None

    def board_of(self, entrant: str) -> Board | None:
        """The board of an entrant, the first one of those who play both sides; or None."""
        return next(iter(self.boards_of(entrant)), None)

    def boards_of(self, entrant: str) -> tuple[Board, ...]:
        """The boards of an entrant: one, or the two of a pair that plays both sides, or none."""
        return self._pair_of.get(entrant, ())

    @cached_property
    def _pair_of(self) -> Mapping[str, tuple[Board, ...]]:
        return {name: pair for pair in reversed(self.pairs) for name in pair[0].entrants}

    @cached_property
    def cells(self) -> dict[bool, tuple[tuple[Terms, Mapping[str, int]], Mapping[str, Cell]]]:
        """What `domain.tournaments.crosstables` keeps, by whether adjourned boards count as drawn.

        The cells of the entrants, and the terms and numbers from which they follow.
        """
        return {}

    @cached_property
    def pairs(self) -> tuple[tuple[Board, ...], ...]:
        """The boards by pair: one each, or the two on which a pair plays both sides."""
        found, at = list[tuple[Board, ...]](), 0
        while at < len(self.boards):
            found.append(self._pair_at(at))
            at += len(found[-1])
        return tuple(found)

    def _pair_at(self, at: int) -> tuple[Board, ...]:
        """The boards of the pair whose first board is at this index."""
        first, following = self.boards[at], self.boards[at + 1 : at + 2]
        return (first, *(board for board in following if board.entrants == (first.b, first.w)))


class Call(Struct, frozen=True, omit_defaults=True):
    """A call for the arbiter, by its entry; `answer` is the entry of the answer, 0 while it stands.

    held_move, held_root: the root that the entrant kept of the match of the board; 0 and "" if none is given.
    """

    entry: int
    entrant: str
    round: int = 0
    board: int = 0
    ruling: int = 0
    answer: int = 0
    held_move: int = 0
    held_root: str = ""


class RuledBoard(Struct, frozen=True):
    """The board of a ruling, who made it ("" is the house), and the move of the match that took it, or 0."""

    round: int
    board: int
    by: str
    move: int = 0


class Publication(Struct, frozen=True):
    """Standings that were published."""

    entry: int
    at_entry: int
    standings_sha256: str
    bundle_sha256: str
    final: bool


class BegunStage(Struct, frozen=True):
    """A stage after the first: its first round, its entrants by seed, and what penalties took until then."""

    first: int
    entrants: tuple[str, ...]
    penalties: Mapping[str, int]


class Move(Struct, frozen=True):
    """Where an entrant of a league plays next: divisions, from 1."""

    origin: int
    to: int


class Tournament(Struct, frozen=True, kw_only=True):
    """A tournament after `entry`.

    gone: who went on from the contests of brackets, by the origin that entries name.
    begun: the stages after the first.  stage: the number of the latest one, from 1.
    moves: who goes up or down between the divisions of a league.
    origin: of an imported tournament.
    """

    id: str
    entry: int
    title: str
    terms: Terms
    opener: str
    commitment: str
    anchor: str
    at: int | None = None
    announced_at: int | None = None
    offices: Mapping[str, tuple[str, ...]] = {}  # of each person
    entrants: Mapping[str, Entrant] = {}
    rounds: tuple[Round, ...] = ()
    calls: Mapping[int, Call] = {}
    rulings: Mapping[int, RuledBoard] = {}  # every ruling, by its entry
    lots: Mapping[str, int] = {}  # the result of each label
    periods: int = 0  # so many keys of lots are open
    publications: tuple[Publication, ...] = ()
    changes: tuple[int, ...] = ()  # the entries that changed terms after the first pairing
    ended: Literal["", "published", "cancelled"] = ""
    gone: Mapping[str, Gone] = {}
    begun: tuple[BegunStage, ...] = ()
    stage: int = 1
    moves: Mapping[str, Move] = {}
    origin: Origin | None = None

    @property
    def status(self) -> Status:
        """The state of the tournament in one word."""
        if self.ended:
            return self.ended
        if self.rounds:
            last = self.rounds[-1]
            done = last.status == "closed" and last.number >= self.last_round and self.is_last_stage
            return "finished" if done else "running"
        return "entering" if self.entrants else "announced"

    def moves_ruled(self, round_number: int, board: int) -> frozenset[int]:
        """The moves of the match of a board that rulings name; 0: one that no match took."""
        made = self.rulings.values()
        return frozenset(one.move for one in made if (one.round, one.board) == (round_number, board))

    def was_played_elsewhere(self, round_number: int) -> bool:
        """Was this round played before the tournament was imported?  No match of it is here."""
        return self.origin is not None and round_number <= self.origin.rounds

    @property
    def is_last_stage(self) -> bool:
        """Does no stage follow?"""
        return self.stage >= len(stages_of(self.terms))

    @property
    def last_round(self) -> int:
        """The number of the last round, as far as it is known; that of the latest stage."""
        match self.terms.format:
            case "swiss":
                return self.terms.rounds
            case "knockout":
                return self._last_of_bracket()
            case "league":
                return max(len(self.rounds), self._last_of_league())
            case "stages":
                return self.first_of_stage - 1 + self.playing.last_round
        if not self.rounds:
            return self.terms.rounds
        first = self.rounds[0]
        count = 2 * len(first.pairs) + len([kind for kind in first.byes.values() if kind == "pairing_bye"])
        return min(self.terms.rounds, (count - 1 + count % 2) * self.terms.cycles)

    def _last_of_bracket(self) -> int:
        count = len(self.rounds)
        if not count:
            return self.terms.rounds
        found = self.bracket
        return count if found is None or found.champion or not found.current else count + 1

    def _last_of_league(self) -> int:
        sizes = [len(names) for names in self.divisions]
        return max(((size - 1 + size % 2) * self.terms.cycles for size in sizes), default=self.terms.rounds)

    @property
    def league_rounds(self) -> int:
        """The rounds of a league without its play-offs."""
        return self._last_of_league()

    @property
    def divisions(self) -> tuple[tuple[str, ...], ...]:
        """The entrants of each division of a league, the highest first; the last takes all that remain."""
        league = self.terms.league
        if not league:
            return ()
        names, found = [one.id for one in self.numbered], list[tuple[str, ...]]()
        for size in league.divisions[:-1]:
            found.append(tuple(names[:size]))
            names = names[size:]
        return (*found, tuple(names))

    def division_of(self, entrant: str) -> int:
        """The division of an entrant, from 1; 0 if there is none."""
        return next((place for place, names in enumerate(self.divisions, 1) if entrant in names), 0)

    @property
    def first_of_stage(self) -> int:
        """The number of the first round of the latest stage."""
        return self.begun[self.stage - 2].first if self.stage > 1 else 1

    @property
    def bracket(self) -> Bracket | None:
        """The bracket of a knock-out; None if there is none, or it has too few or too many entrants."""
        if self.terms.stages:
            return self.playing.bracket
        seeds = [one.id for one in self.numbered]
        if self.terms.format != "knockout" or not LEAST <= len(seeds) <= MOST:
            return None
        games = [Game(one.number, had.w, had.b, had.result) for one in self.rounds for had in one.boards]
        following = len(self.rounds) + 1
        slots = {
            (int(path[3]), int(path[5]) - 1): one
            for origin, one in self.gone.items()
            if len(path := origin.split("/")) == 6 and path[1] == str(self.stage)
        }
        away = {one.id for one in self.numbered if one.is_away(following) or not one.takes_part}
        return bracket(seeds, games, slots, away.__contains__, self.terms.contests.best_of)

    def in_stage(self, number: int) -> Tournament:
        """Return a stage alone, as a tournament of its format whose rounds count from 1."""
        stage: Stage = stages_of(self.terms)[number - 1]
        began = self.begun[number - 2] if number > 1 else BegunStage(1, (), {})
        last = self.begun[number - 1].first - 1 if number <= len(self.begun) else len(self.rounds)
        before = began.first - 1
        rounds = tuple(replace(one, number=one.number - before) for one in self.rounds[before:last])
        until = self.begun[number - 1].penalties if number <= len(self.begun) else {}
        if number > 1:
            seeded = [(seed, self.entrants[name]) for seed, name in enumerate(began.entrants, 1)]
        else:
            seeded = [(one.seed, one) for one in self.entrants.values()]
        entrants = {
            one.id: replace(
                _shifted(one, before),
                seed=seed,
                penalty=until.get(one.id, one.penalty) - began.penalties.get(one.id, 0),
            )
            for seed, one in seeded
        }
        terms = replace(
            self.terms,
            format=stage.format,
            rounds=stage.rounds,
            cycles=stage.cycles,
            knockout=replace(self.terms.contests, best_of=stage.best_of),
            stages=UNSET,
        )
        mine = f"stage/{number}/"
        gone = {
            origin: replace(one, round=one.round - before)
            for origin, one in self.gone.items()
            if origin.startswith(mine)
        }
        return replace(self, terms=terms, entrants=entrants, rounds=rounds, stage=number, gone=gone)

    @property
    def playing(self) -> Tournament:
        """The latest stage alone; the tournament itself, if it has no stages."""
        return self.in_stage(self.stage) if self.terms.stages else self

    def in_division(self, number: int) -> Tournament:
        """Return a division of a league alone, as a round robin without its play-offs."""
        names = self.divisions[number - 1]
        rounds = tuple(
            replace(
                one,
                boards=tuple(board for board in one.boards if board.w in names),
                byes={name: why for name, why in one.byes.items() if name in names},
            )
            for one in self.rounds[: self.league_rounds]
        )
        terms = replace(self.terms, format="round_robin", league=UNSET)
        entrants = {name: self.entrants[name] for name in names}
        return replace(self, terms=terms, entrants=entrants, rounds=rounds)

    @property
    def round(self) -> Round | None:
        """The latest round; None before the first pairing."""
        return self.rounds[-1] if self.rounds else None

    def at_round(self, number: int) -> Round | None:
        """The round with this number, or None."""
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None

    def is_official(self, person: str, *offices: str) -> bool:
        """Does a person have one of these offices (none named: any)?"""
        held = self.offices.get(person, ())
        return any(office in held for office in offices or OFFICES)

    def entrant_of(self, player: str) -> Entrant | None:
        """The entrant in whose place this player plays, or waits to; None if there is none."""
        return next((one for one in self.entrants.values() if one.player == player), None)

    def took_part(self, player: str) -> bool:
        """Has this player ever played in a place of this tournament?"""
        return any(player == one.player or player in one.players for one in self.entrants.values())

    def board_with(self, match: str) -> tuple[Round, Board] | None:
        """The round and the board of a match; None if it is no match of this tournament."""
        return next(
            ((one, board) for one in self.rounds for board in one.boards if board.match == match), None
        )

    @property
    def numbered(self) -> list[Entrant]:
        """The entrants in the order of their numbers: by seed, then by rating, then by place of entry.

        Those on the waiting list, and those who left it before they were paired, are not among them.
        """
        paired = {name for one in self.rounds for name in (*_boarded(one), *one.byes)}
        listed = [one for one in self.entrants.values() if one.takes_part or one.id in paired]
        last = len(self.entrants) + 1
        return sorted(listed, key=lambda one: (one.seed or last, -one.rating, int(one.id[1:])))

    @property
    def standing_calls(self) -> list[Call]:
        """The calls that wait for an answer."""
        return [call for call in self.calls.values() if not call.answer]

    def score(self, entrant: str) -> int:
        """The half points of an entrant, by the effective results and the byes, less penalties."""
        public = (one for one in self.rounds if one.status != "paired")
        own = sum(self.score_in(one, entrant, one.boards_of(entrant)) for one in public)
        return own - self.entrants[entrant].penalty

    def score_in(self, one: Round, entrant: str, boards: Sequence[Board]) -> int:
        """The half points of an entrant from one round; `boards`: theirs in it."""
        points = self.terms.points
        if not boards:
            worth = {"pairing_bye": points.pairing_bye, "full_bye": points.win, "half_bye": points.draw}
            return worth.get(one.byes.get(entrant, ""), 0)
        return points_for(points, self.result_of(boards))[0 if boards[0].w == entrant else 1]

    def result_of(self, pair: Sequence[Board]) -> str:
        """The result of a pair, the first entrant of its first board first; "" while there is none."""
        return total(self.terms.points, results_of(pair))


def results_of(pair: Sequence[Board]) -> list[str]:
    """Return the results of the boards of a pair, the first entrant of the first board first in each."""
    return [board.result if board.w == pair[0].w else exchanged_result(board.result) for board in pair]


def _shifted(one: Entrant, rounds: int) -> Entrant:
    """An entrant whose rounds count from a later one."""
    if not rounds:
        return one
    return replace(
        one,
        first_round=max(1, one.first_round - rounds),
        away_from=None if one.away_from is None else max(1, one.away_from - rounds),
        away=tuple((max(1, a - rounds), max(1, b - rounds)) for a, b in one.away),
        byes={number - rounds: points for number, points in one.byes.items() if number > rounds},
    )


def _boarded(one: Round) -> list[str]:
    return [name for board in one.boards for name in board.entrants]
