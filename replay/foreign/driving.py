"""Driving our rules through a foreign log, by the ordinary gate, with the log's dice and an inferred deal.

Every answer is judged by the rules like a player's; a log that our rules refuse stops there, and the report
says at which line and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from msgspec.structs import replace

from domain.games import GAMES
from domain.kernel import CHANCE, Answer, Fact, Picks, Prompt, Result, Seat, begin, decide
from domain.twilight_struggle import facts as happened
from domain.twilight_struggle import steps
from domain.twilight_struggle.components import US
from domain.twilight_struggle.rules.hand import ops_of, rounds
from domain.twilight_struggle.rules.operations import COUP, SPACE_RACE, Ops, narrowed, value
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.rules.scoring import score
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import LAST_TURN
from replay.foreign import structure as log
from replay.foreign.answering import ANSWERS, DICE, NoAnswer
from replay.foreign.checking import Checker
from replay.foreign.deal import deal
from replay.foreign.dealer import Dealer
from replay.foreign.order import in_order
from replay.foreign.pool import Pool
from replay.recorded import RecordedMatch, Wrong

GAME = "twilight_struggle"
BEYOND = 10**9  # a line after the last one
CLEANUP = 99  # the end of a turn, where rounds are numbered


Place = tuple[int, int, str]


class Stopped(Exception):
    """The log cannot be followed any further."""


class Driver:
    """One log, played by our rules.

    Args:
        said: the log.
        content: the bytes from which the match's id derives.
        product: the version of this program.
        dealer: gives the hidden cards.
        players: who sits where, by seat.
    """

    def __init__(
        self, said: log.Log, content: bytes, product: str, dealer: Dealer, players: Mapping[Seat, str]
    ) -> None:
        self.log, self.dealer = said, dealer
        game = GAMES[GAME]
        edition, options = game.settle("deluxe", options_of(said))
        self.recorded = RecordedMatch(
            game, edition, options, content, product, origin="imported", players=players
        )
        self.checker = Checker()
        self.entry: log.Entry = log.Entry(line=1)
        self.entries = _entries(said)
        self.last_column = _last_column(said.turns[-1]) if said.turns else None
        self.turn_ends = [_last_column(turn) for turn in said.turns[:-1]]
        self.plays = 0
        self.deal_problems: tuple[str, ...] = ()
        self.score_before_end: set[int] = set()
        self.stopped = ""
        self.stopped_at = 0

    @property
    def table(self) -> State:
        """The table now."""
        table: State = cast(State, self.recorded.live)
        return table

    def run(self) -> None:
        """Play the log to its end, or as far as it can be followed."""
        self.checker.pool = Pool(self.log.setup, 1)
        before = self.table
        try:
            self._tell(before, self.recorded.begin())
            while self.recorded.questions():
                self._answer()
        except (NoAnswer, Wrong, Stopped) as error:
            if not self._log_is_over():
                self.stopped = str(error)
                self.stopped_at = getattr(error, "line", 0) or self.checker.next_line or self.entry.line
        self._end()

    def _log_is_over(self) -> bool:
        """The log stops here; so may the match."""
        return not self._following() and not self.checker.next_line

    def _following(self) -> bool:
        return any(line > self.entry.line for line in (entry.line for entry in self.entries.values()))

    def _end(self) -> None:
        if not self.stopped:
            self._leave(self.table)
            self._check_ending()
        self.recorded.close(self._stated_result())

    def _stated_result(self) -> Result | None:
        """Who has won by the log's own words, where our rules do not know (a resignation, the clock)."""
        for said in self.log.end:
            if isinstance(said, log.Wins) and not self.stopped:
                return Result(said.side or None, "record", score(self.table))
        return None

    def _check_ending(self) -> None:
        """What the log says of the end: the final score, in one sum, and who won."""
        s = self.table
        for said in self.log.end:
            if isinstance(said, log.Score):
                self._check_final_score(said)
            elif isinstance(said, log.Wins) and s.result is not None:
                self.checker.compare(said.line, "winner", said.side, s.result.winner or log.NOBODY)

    def _check_final_score(self, said: log.Score) -> None:
        """The last score may stand before or after final scoring, and takes several gains together."""
        stood = {*self.score_before_end, self.table.vp}
        by = said.by if said.side == US else -said.by
        self.checker.compare(said.line, "score", said.now, said.now if said.now in stood else self.table.vp)
        began = said.now - by
        ours = by if began in stood else said.now - min(stood, key=lambda vp: abs(vp - began))
        self.checker.compare(said.line, "points at the end", by, ours)

    # ── answers ──

    def _answer(self) -> None:
        question = self.recorded.questions()[0]
        before = self.table
        picks = self._luck(before) if question.seat == CHANCE else self._picks(before, question)
        decision = self.recorded.answer(question.seat, picks)
        self._tell(before, decision.facts)
        if decision.table.result and isinstance(before.agenda[-1], steps.Coup):
            self._tell_fatal_coup(before, picks[0])

    def _picks(self, s: State, question: Prompt) -> Picks:
        step = s.agenda[-1]
        if isinstance(step, steps.ChooseHeadline):
            self._move_to(_headline(s.turn), s)
        answer = ANSWERS.get(type(step))
        if answer is None:
            raise Stopped(f"{question.ask}: no log in this format answers that")
        if self.checker.pool.stops and not self._follows_from_the_rules(s, step):
            raise NoAnswer("the log stops here")
        picks = answer(s, question, self.checker.pool, self.entry)
        self._check_header(s, question.seat, picks)
        if isinstance(step, steps.PlayCard) and not picks[0].startswith("ransom"):
            self.plays += 1
        return picks

    def _follows_from_the_rules(self, s: State, step: Any) -> bool:
        """Answers that need no word of the log, though it says nothing any more.

        A scoring card, or Wargames, of which only the head is left, ended the game; so did the last round of
        the last turn, after which nothing is played.
        """
        last_round = s.turn == LAST_TURN and s.round >= rounds(s.turn)
        if isinstance(step, steps.PlayCard):
            card = self.entry.card if isinstance(self.entry, log.ActionRound) else ""
            return card == "wargames" or (card in CARDS and bool(CARDS[card].scores))
        return last_round or (isinstance(step, steps.Choose) and step.card == "wargames")

    def _check_header(self, s: State, seat: Seat, picks: Picks) -> None:
        """The points that the log prints over Operations."""
        header = self.checker.pool.headed
        if header is None:
            return
        self.checker.pool.headed = None
        step: Any = s.agenda[-1]
        card = picks[0].partition(":")[2]
        ops: Ops = step.ops if isinstance(step, steps.Operate) else ops_of(card)
        modified = header.kind in (COUP, SPACE_RACE)
        ours = value(s, seat, ops) if modified else ops.printed
        self.checker.compare(header.line, f"Operations of {ops.card}", header.points, ours)

    def _luck(self, s: State) -> Picks:
        step: Any = s.agenda[-1]
        if isinstance(step, steps.DealTo):
            return self.dealer.deal(s, step.seat, step.count, s.turn)
        if isinstance(step, steps.LookAtTop):
            count = step.bounds(s, CHANCE)[0]
            shown = tuple(said.card for _, said in self.checker.pool.unused(log.Discards))
            return self.dealer.seen(s, count, shown)
        if isinstance(step, (steps.LoseCard, steps.LosePlanned, steps.TakeCard)):
            return self._from_hand(s, step)
        return DICE[type(step)](s, step, self.checker.pool)

    def _from_hand(self, s: State, step: Any) -> Picks:
        pool, hand = self.checker.pool, s.hands[step.seat]
        if isinstance(step, steps.TakeCard):
            shown = pool.first(log.Reveals, lambda said: said.side == step.seat and said.card in hand)
            if shown:
                shown[0].take()
                return (shown[1].card,)
        else:
            lost = pool.first(log.Discards, lambda said: said.side == step.seat and said.card in hand)
            if lost:
                return (lost[1].card,)
        raise NoAnswer(f"{type(step).__name__}: the log names no card in hand")

    def _tell_fatal_coup(self, before: State, country: str) -> None:
        """A Coup that ends the game is not rolled by our rules; logs give its die and result all the same."""
        step: Any = before.agenda[-1]
        points = value(before, step.seat, step.ops, narrowed("", country))
        rolling = begin(replace(before, agenda=()), (steps.RollCoup(step.seat, country, points, step.ops),))
        found = self.checker.pool.first(log.CoupRoll)
        if found is not None:
            rolled = decide(rolling.table, Answer(CHANCE, (str(found[1].die),)))
            self._tell(rolling.table, rolled.facts)

    # ── entries ──

    def _tell(self, before: State, facts: list[Fact]) -> None:
        s = before
        for fact in facts:
            self._turn_page(fact, s)
            s = fact.apply(s)
            if s.phase == "end" and s.turn == LAST_TURN and not isinstance(fact, happened.RegionScored):
                self.score_before_end.add(s.vp)
            self.checker.observe(fact, s)

    def _turn_page(self, fact: Fact, s: State) -> None:
        """The facts that begin another entry of the log."""
        if isinstance(fact, happened.RoundBegan):
            self._move_to((s.turn, fact.round, fact.seat), s)
        elif isinstance(fact, happened.TurnBegan):
            self._move_to(_headline(fact.turn), s)
        elif isinstance(fact, happened.EffectsLapsed):
            self._clean_up(s)

    def _clean_up(self, s: State) -> None:
        """The end of a turn: what the log tells of it stands under the last round, or under its own head."""
        self.score_before_end = {s.vp}
        cleanup = self.entries.get((s.turn, CLEANUP, ""))
        if cleanup is not None:
            self._check_column(s)
            self.entry = cleanup
            self.checker.pool.extend(cleanup.said)

    def _move_to(self, place: Place, s: State) -> None:
        """Another entry begins; `s` is the table that the one before leaves."""
        entry = self.entries.get(place)
        if entry is self.entry or (entry is None and self._following()):
            return
        self._leave(s)
        self.entry = entry or log.Entry(line=BEYOND)
        self.checker.pool = Pool(self.entry.said, self.entry.line)
        self.checker.pool.goes_on = self._following()

    def _leave(self, s: State) -> None:
        """The entry is over."""
        self.checker.leave(s)
        self._check_column(s)

    def _check_column(self, s: State) -> None:
        """Some logs print DEFCON after an entry beside its head (and a score, which may be stale).

        After the last action of a turn that is DEFCON of the next; a war that ends the game may be missing.
        """
        column = self.entry.column
        if column is not None and s.defcon > 1 and (self.checker.pool.goes_on or not s.agenda):
            ours = min(5, s.defcon + (self.entry in self.turn_ends))
            if self.entry is self.last_column and column.defcon == min(5, s.defcon + 1):
                ours = column.defcon  # the turn may have ended, or the log stops in it
            self.checker.compare(column.line, "DEFCON column", column.defcon, ours)


def follow(said: log.Log, content: bytes, product: str, players: Mapping[Seat, str]) -> Driver:
    """A log as far as our rules follow it; `content` gives the match its id, `players` sit on its seats."""
    ordered, misnumbered = in_order(said)
    plan = deal(ordered)
    driver = Driver(ordered, content, product, Dealer(plan), players)
    driver.deal_problems = plan.problems
    for line, stated, ours in misnumbered:
        driver.checker.compare(line, "action round", stated, ours)
    driver.run()
    return driver


def _headline(turn: int) -> Place:
    return turn, 0, ""


def _entries(said: log.Log) -> dict[Place, log.Entry]:
    """Every entry by turn, round (0: headlines, `CLEANUP`: the end of the turn) and side."""
    found: dict[Place, log.Entry] = {}
    for turn in said.turns:
        if turn.headline:
            found[_headline(turn.number)] = turn.headline
        for entry in turn.rounds:
            found[turn.number, entry.number, entry.side] = entry
        if turn.cleanup:
            found[turn.number, CLEANUP, ""] = turn.cleanup
    return found


def _last_column(turn: log.Turn) -> log.Entry | None:
    """The entry whose column shows DEFCON of the next turn: the end of the turn, or the last action."""
    if turn.cleanup and turn.cleanup.column:
        return turn.cleanup
    played = [entry for entry in turn.rounds if entry.card]
    return played[-1] if played else turn.headline


def options_of(said: log.Log) -> dict[str, Any]:
    """The options of a match that follows this log."""
    us = said.handicap.get(US, 0)
    return {
        "optional_cards": said.optional_cards,
        "drawn_defectors": "score",
        "handicap": us or -said.handicap.get("ussr", 0),
    }
