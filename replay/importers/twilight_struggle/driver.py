"""Runs our rules along a foreign log, with the log's dice and an inferred deal.

The rules check every answer as they check a player's.  If they refuse what an entry says, or come to another
position, the position is set as the log states it, in an entry of its own, and the rules go on from there:
`Driver` goes through a log, `replay.importers.twilight_struggle.stated_position` collects what it states.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from msgspec.structs import replace

from domain.games import GAMES
from domain.kernel import (
    CHANCE,
    Answer,
    AnyFact,
    Fact,
    Picks,
    Prompt,
    Refused,
    Result,
    Seat,
    begin,
    decide,
    fold,
)
from domain.twilight_struggle.components import MEMBERS, OTHER, US, USSR
from domain.twilight_struggle.facts.cards import ChinaPassed, PositionStated
from domain.twilight_struggle.facts.flow import EffectsLapsed, RoundBegan, TurnBegan
from domain.twilight_struggle.facts.tracks import RegionScored
from domain.twilight_struggle.rules.hand import ops_of, rounds, scoring
from domain.twilight_struggle.rules.operations import CHINA, COUP, SPACE_RACE, Ops, narrowed, value
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.rules.scoring import MOST, score
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import Choose
from domain.twilight_struggle.steps.flow import LAST_TURN, ChooseHeadline, EndTurn
from domain.twilight_struggle.steps.hands import DealTo, LookAtTop, LoseCard, LosePlanned, TakeCard
from domain.twilight_struggle.steps.operations import Coup, Operate, RollCoup
from domain.twilight_struggle.steps.play import PlayCard
from replay.importers.twilight_struggle import structure as log
from replay.importers.twilight_struggle.answers import ANSWERS, DICE, NoAnswer
from replay.importers.twilight_struggle.card_tracking import DISCARDS, Arrives, Draws
from replay.importers.twilight_struggle.card_tracking import moves as moves_of
from replay.importers.twilight_struggle.comparison import Checker, Mismatch
from replay.importers.twilight_struggle.deal import deal
from replay.importers.twilight_struggle.dealer import Dealer
from replay.importers.twilight_struggle.places import (
    CLEANUP,
    NOWHERE,
    Place,
    between,
    entries_of,
    headline_of,
    order_of,
    ways,
)
from replay.importers.twilight_struggle.reader import handicap, is_explained, summed
from replay.importers.twilight_struggle.sections import in_order
from replay.importers.twilight_struggle.stated_position import (
    Layout,
    Sequel,
    Stated,
    effects_of,
    facts_of,
    needs,
    nothing,
)
from replay.importers.twilight_struggle.statement_pool import Pool
from replay.scripted import RecordedMatch, Wrong

GAME = "twilight_struggle"
MOST_ANSWERS = 20_000  # of a whole game, those of chance included; a real one has fewer than two thousand
MOST_TRIES = 2  # to go on with one entry
BEYOND = 10**9  # a line after the last one


class Stopped(Exception):
    """The rules cannot follow this entry any further."""


class Missing(Exception):
    """The rules ask for an entry that is not in the log."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.place = place


FAILURES = (NoAnswer, Wrong, Stopped)


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
        self.entries = entries_of(said)
        self.last_column = _last_column(said.turns[-1]) if said.turns else None
        self.turn_ends = [_last_column(turn) for turn in said.turns[:-1]]
        self.plays = 0
        self.deal_problems: tuple[str, ...] = ()
        self.score_before_end: set[int] = set()
        self.order = sorted(self.entries, key=order_of)
        moves = moves_of(said)
        self.moves, self.needs = moves, needs(moves)
        self.log_after = Sequel(said)
        self.at: Place = NOWHERE
        self.set_up = self.played = self.scored = self.lost_at_end = False
        self.reported = 0  # mismatches
        self.fitted: set[Place] = set()
        self.lost: dict[Place, str] = {}
        self.resynchronised: set[Place] = set()
        self.missing: list[Place] = []
        self.tries: dict[Place, int] = dict.fromkeys(self.order, 0)
        self.right: list[tuple[Place, int, Stated, State]] = []  # what has to be set right

    @property
    def table(self) -> State:
        """The table now."""
        table: State = cast(State, self.recorded.live)
        return table

    def run(self) -> None:
        """Play the log to its end: by the rules, and where they cannot follow, as it states."""
        self.checker.pool = Pool(summed(self.log.setup), 1)
        self.checker.pool.goes_on = bool(self.entries)
        self._tell(self.table, self.recorded.begin())
        for _ in range(MOST_ANSWERS):
            if self.recorded.match.status == "over" or not self._goes_on():
                break
        self._end()

    def _goes_on(self) -> bool:
        """One answer more, or one position set as it is stated; False: the log is over."""
        try:
            self._set_right()
            self._answer()
        except Missing as error:
            return self._skip(error.place)
        except FAILURES as error:
            if self._log_is_over():
                return self._is_scored()
            return self._give_up(error)
        except Exception as error:  # on a table that no rule led to a rule may raise anything
            return self._give_up(Stopped(f"cannot be carried out: {type(error).__name__}: {error}"))
        return True

    def _log_is_over(self) -> bool:
        """The log stops here; so may the match."""
        return not self._following() and not self.checker.next_line

    def _following(self) -> bool:
        return any(line > self.entry.line for line in (entry.line for entry in self.entries.values()))

    def _end(self) -> None:
        if self.recorded.match.status == "over" or not self.lost_at_end:
            self._leave(self.table)
        self._check_ending()
        if self.recorded.match.status != "over":
            self._set_right()
        self.recorded.close(self._stated_result())

    def _stated_result(self) -> Result | None:
        """The winner by the log's own words, if our rules cannot know it (a resignation, the clock)."""
        wins = next((said for said in self.log.end if isinstance(said, log.Wins)), None)
        return Result(wins.side or None, "record", score(self.table)) if wins else None

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
        fits = any(max(-MOST, min(MOST, vp + by)) == said.now for vp in stood)  # the track ends at 20
        ours = by if fits else said.now - min(stood, key=lambda vp: abs(vp + by - said.now))
        self.checker.compare(said.line, "points at the end", by, ours)

    # ── answers ──

    def _answer(self) -> None:
        question = self.recorded.questions()[0]
        s = self.table
        picks = self._luck(s) if question.seat == CHANCE else self._picks(s, question)
        before = self.table  # the hands may have been made to fit
        self._must_not_end_early(before, question.seat, picks)
        decision = self.recorded.answer(question.seat, picks)
        self._tell(before, decision.facts)
        if decision.table.result and isinstance(before.agenda[-1], Coup):
            self._tell_fatal_coup(before, picks[0])

    def _must_not_end_early(self, s: State, seat: Seat, picks: Picks) -> None:
        """A game that goes on in the log was not over; in rounds that are passed it does not go on."""
        if not any(one.line > self.entry.line and not _is_idle(one) for one in self.entries.values()):
            return
        try:
            result = decide(s, Answer(seat, picks)).table.result
        except Refused:
            return  # the answer itself is refused later, with all reasons
        if result is not None:
            raise Stopped(f"by our rules the game is over here ({result.reason}), but the log goes on")

    def _picks(self, s: State, question: Prompt) -> Picks:
        step = s.agenda[-1]
        if isinstance(step, ChooseHeadline):
            self._move_to(headline_of(s.turn), s)
        if isinstance(step, (ChooseHeadline, PlayCard)):
            self.set_up = True
            if self.at not in self.entries and self._following():
                if "pass" in question.options:
                    return ("pass",)
                raise Missing(self.at)
            self._fit_hands()
            s = self.table
            question = next(one for one in self.recorded.questions() if one.seat == question.seat)
            step = s.agenda[-1]
        answer = ANSWERS.get(type(step))
        if answer is None:
            raise Stopped(f"{question.ask}: no log in this format answers that")
        if self.checker.pool.stops and not self._follows_from_the_rules(s, step):
            raise NoAnswer("the log stops here")
        if (
            isinstance(step, Choose)
            and step.card == "chernobyl"
            and not self.checker.pool.first(log.ChoosesRegion)
        ):
            picks: Picks = (self._untouched(question),)
        else:
            picks = answer(s, question, self.checker.pool, self.entry)
        self._check_header(s, question.seat, picks)
        if isinstance(step, PlayCard) and not picks[0].startswith("ransom"):
            self.plays += 1
            self.played = True
        return picks

    def _untouched(self, question: Prompt) -> str:
        """Chernobyl, of a log that does not say where: where the USSR adds nothing in that turn."""
        turn = next(turn for turn in self.log.turns if turn.number == self.table.turn)
        added = {
            one.country
            for entry in turn.entries()
            for one in entry.said
            if isinstance(one, log.InfluenceChange) and (one.side, one.by > 0) == (USSR, True)
        }
        found = (region for region in question.options if not added & set(MEMBERS.get(region, ())))
        return next(found, question.options[0])

    def _follows_from_the_rules(self, s: State, step: Any) -> bool:
        """Answers that need no word of the log, though it says nothing any more.

        A scoring card, or Wargames, of which only the head is left, ended the game; so did the last round of
        the last turn, after which nothing is played.  With 20 points an event ends it, whatever it asks.
        """
        last_round = s.turn == LAST_TURN and s.round >= rounds(s.turn)
        if isinstance(step, PlayCard):
            card = self.entry.card if isinstance(self.entry, log.ActionRound) else ""
            passed = not card and s.turn == LAST_TURN and s.round > rounds(s.turn)
            return passed or card == "wargames" or (card in CARDS and bool(CARDS[card].scores))
        return last_round or (isinstance(step, Choose) and (step.card == "wargames" or abs(s.vp) >= MOST))

    def _check_header(self, s: State, seat: Seat, picks: Picks) -> None:
        """The points that the log prints over Operations."""
        header = self.checker.pool.headed
        if header is None:
            return
        self.checker.pool.headed = None
        step: Any = s.agenda[-1]
        card = picks[0].partition(":")[2]
        ops: Ops = step.ops if isinstance(step, Operate) else ops_of(card)
        modified = header.kind in (COUP, SPACE_RACE)
        ours = value(s, seat, ops) if modified else ops.printed
        self.checker.compare(header.line, f"Operations of {ops.card}", header.points, ours)

    def _luck(self, s: State) -> Picks:
        step: Any = s.agenda[-1]
        if isinstance(step, DealTo):
            return self.dealer.deal(s, step.seat, step.count, s.turn)
        if isinstance(step, LookAtTop):
            count = step.bounds(s, CHANCE)[0]
            shown = tuple(said.card for _, said in self.checker.pool.unused(log.Discards))
            return self.dealer.seen(s, count, shown)
        if isinstance(step, (LoseCard, LosePlanned, TakeCard)):
            return self._from_hand(s, step)
        return DICE[type(step)](s, step, self.checker.pool)

    def _from_hand(self, s: State, step: Any) -> Picks:
        pool, hand = self.checker.pool, s.hands[step.seat]
        if isinstance(step, TakeCard):
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
        rolling = begin(replace(before, agenda=()), (RollCoup(step.seat, country, points, step.ops),))
        found = self.checker.pool.first(log.CoupRoll)
        if found is not None:
            rolled = decide(rolling.table, Answer(CHANCE, (str(found[1].die),)))
            self._tell(rolling.table, rolled.facts)

    # ── entries ──

    def _tell(self, before: State, facts: list[AnyFact]) -> None:
        s = before
        for fact in facts:
            self._turn_page(fact, s)
            s = fact.apply(s)
            if s.phase == "end" and s.turn == LAST_TURN and not isinstance(fact, RegionScored):
                self.score_before_end.add(s.vp)
            self.checker.observe(fact, s)

    def _turn_page(self, fact: Fact[State], s: State) -> None:
        """The facts that begin another entry of the log."""
        if isinstance(fact, RoundBegan):
            self._move_to((s.turn, fact.round, fact.seat), s)
        elif isinstance(fact, TurnBegan):
            self._move_to(headline_of(fact.turn), s)
        elif isinstance(fact, EffectsLapsed):
            self._clean_up(s)

    def _clean_up(self, s: State) -> None:
        """The end of a turn: what the log tells of it stands under the last round, or under its own head."""
        self.score_before_end = {s.vp}
        place = (s.turn, CLEANUP, "")
        cleanup = self.entries.get(place)
        if cleanup is not None:
            self._check_column(s)
            self.entry, self.at = cleanup, place
            self.checker.pool.extend(cleanup.said)

    def _move_to(self, place: Place, s: State) -> None:
        """Another entry begins; `s` is the table that the one before leaves."""
        entry = self.entries.get(place)
        if entry is self.entry:
            return
        self.at = place
        if entry is None and self._following():
            return
        self._leave(s)
        self.entry, self.played = entry or log.Entry(line=BEYOND), False
        self.checker.pool = Pool(self.entry.said, self.entry.line)
        self.checker.pool.goes_on, self.checker.pool.ends = self._following(), bool(self.log.end)

    def _leave(self, s: State) -> None:
        """The entry is over; what the log states of it otherwise is set right as soon as that can be done."""
        self.checker.leave(s)
        self._check_column(s)
        self.reported, before = len(self.checker.mismatches), self.reported
        if self.checker.stated:
            then = self.checker.then or s
            place = self._here() if self.reported > before else NOWHERE  # a known fault
            self.right.append((place, max(1, self.entry.line), self.checker.stated, then))
            self.checker.stated = nothing()

    def _here(self) -> Place:
        """Where the entry stands in the log."""
        return next((place for place, entry in self.entries.items() if entry is self.entry), NOWHERE)

    # ── where rules and log part ──

    def _set_right(self) -> None:
        """The position as the entries that are over state it, where our rules came to another one."""
        if not self.right or not self.recorded.whole or self.recorded.match.status == "over":
            return
        for place, line, stated, then in self.right:
            wanted = stated.on(self.table, then)
            self.log_after.confirm(wanted, self.table, self._lines(place)[1] if place in self.entries else 0)
            facts = list(facts_of(wanted, self.table))
            if facts:
                self.resynchronised |= {place} - {NOWHERE}
                self.recorded.restate(line, [*facts, PositionStated(line)])
        self.right = []

    def _fit_hands(self) -> None:
        """The deal is worked out, not known: what an entry takes out of a hand has to be in that hand."""
        place = self.at
        if place in self.fitted or place not in self.entries:
            return
        self.fitted.add(place)
        layout = Layout(self.table)
        self._bring(layout, place)
        if layout.changed:
            if layout.undiscarded:
                self.resynchronised.add(place)
            self.recorded.restate(self.entry.line, [layout.stated(self.entry.line)])

    def _bring(self, layout: Layout, place: Place) -> None:
        """The hands as the entry at `place` needs them."""
        first, last = self._lines(place)
        inside = [move for move in self.moves if first <= move.line <= last]
        got = {(move.side, move.card) for move in inside if isinstance(move, Arrives)}
        drawn = {move.side: move.line for move in inside if isinstance(move, Draws)}  # from there on others
        for line, side, card in self.needs:
            if first <= line <= min(last, drawn.get(side, last)) and (side, card) not in got:
                layout.bring(side, card, self._later(side, first))

    def _later(self, side: Seat, line: int) -> list[str]:
        """The cards that a side is known to need from a line on, the first ones first."""
        return list(dict.fromkeys(card for at, who, card in self.needs if who == side and at >= line))

    def _lines(self, place: Place) -> tuple[int, int]:
        """The first and the last line of an entry."""
        first = self.entries[place].line
        beyond = min((one.line for one in self.entries.values() if one.line > first), default=BEYOND)
        return first, beyond - 1

    def _skip(self, place: Place) -> bool:
        """Entries are missing: what the next one states is checked from the position that stands."""
        target = self._target(place)
        if target is None:
            return False
        self._resume(target, [], Layout(self.table), place)
        return True

    def _is_scored(self) -> bool:
        """The log gives the final score but no card in the last round: the turn is over all the same."""
        s: State = cast(State, self.recorded.match.live)
        has_score = any(isinstance(one, log.Score) for one in self.log.end)
        if self.scored or not has_score or s.turn != LAST_TURN or s.round < rounds(LAST_TURN):
            return False
        self.scored, layout, line = True, Layout(s), max(1, self.log.end[0].line - 1)
        for card in scoring((*s.hands[US], *s.hands[USSR])):
            layout.put(card, DISCARDS)  # no side has lost by holding it
        if layout.hand(s.phasing or US):
            self.missing.append(self.at)
        stated = layout.stated(line)
        self._retell(s, self.recorded.restate(line, [stated], (EndTurn(),)), 1)
        return True

    def _give_up(self, error: Exception) -> bool:
        """The rules cannot follow this entry: what it states is taken over, and they go on with the next."""
        line = getattr(error, "line", 0) or self.checker.next_line or self.entry.line
        self.checker.mismatches.append(Mismatch(line, str(error), None, None))
        here = max(self.at, self._here(), key=order_of) if self.set_up else NOWHERE
        self.lost[here] = str(error)
        base = self.recorded.match.live
        said = self.entry.said if self.set_up else self.log.setup
        stated = nothing()
        for one in said:
            stated.take(one)
        facts: list[Fact[State]] = list(facts_of(stated, base))
        player = self.entry.side if isinstance(self.entry, log.ActionRound) else None
        facts += effects_of(said, base, player)
        layout = self._followed(base, said)
        if player and getattr(self.entry, "card", "") == CHINA and base.china == player:
            facts.append(ChinaPassed(OTHER[player], ready=False))
        target = self._target(here)
        self.checker.pool, self.checker.stated, self.right = Pool(), nothing(), []
        self.entry, line = log.Entry(line=self.entry.line), max(1, self.entry.line)
        if target is None:
            self.lost_at_end = True
            self.recorded.restate(line, [*facts, layout.stated(line)])
            return False
        self._resume(target, facts, layout, here)
        return True

    def _followed(self, s: State, said: log.Statements) -> Layout:
        """The cards as an entry moves them."""
        layout = Layout(s)
        if not self.set_up or self._here() not in self.entries:
            return layout
        first, last = self._lines(self._here())
        for move in self.moves:
            if first <= move.line <= last:
                layout.follow(move)
        for one in said:
            if isinstance(one, log.NotInPlay):
                layout.end(one.card)
        return layout

    def _resume(self, target: Place, facts: list[Fact[State]], layout: Layout, here: Place) -> None:
        """Go on with the entry at `target`, whatever lies between; `here` is where the rules stood."""
        line, s = max(1, self.entries[target].line), self.recorded.match.live
        for place in between(here, target, asked=here not in self.lost):
            if place in self.entries:
                continue
            sides = (place[2],) if place[2] else (USSR, US)
            if any(layout.hand(side) for side in sides):
                self.missing.append(place)
            for side in sides:
                layout.lose(side, self._later(side, line))
        if target[1] != 0 and target[1] != CLEANUP and target[0] == s.turn:
            self._bring(layout, target)
        self.fitted.discard(target)
        facts = [*facts, layout.stated(line)]
        table = fold(s, facts)
        for more, todo in list(ways(target, table))[-1 if self.tries[target] > 1 else 0 :]:
            begun = begin(replace(fold(table, more), agenda=()), todo).table
            if begun.result is None or target == self.order[-1]:
                break
        self._leave_quietly(target)
        given = self.recorded.restate(line, [*facts, *more], todo)
        self._retell(s, given, len(facts) + len(more))

    def _target(self, here: Place) -> Place | None:
        """The next entry after a place; none to which two ways have led already."""
        later = (place for place in self.order if order_of(place) > order_of(here))
        target = next((place for place in later if self.tries[place] < MOST_TRIES), None)
        if target is not None:
            self.tries[target] += 1
        return target

    def _leave_quietly(self, target: Place) -> None:
        """What was left of the entry before is lost."""
        self.checker.pool = Pool()
        self.checker.pool.goes_on = True
        self.entry = log.Entry(line=max(1, self.entries[target].line) - 1)

    def _retell(self, before: State, facts: list[Fact[State]], stated: int) -> None:
        """What was set is not compared; what the rules made of it is."""
        self._tell(fold(before, facts[:stated]), facts[stated:])

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
    if not is_explained(said):
        driver.checker.compare(1, "handicap", sum(said.handicap.values()), abs(handicap(said)))
    for line, stated, ours in said.misnumbered:
        driver.checker.compare(line, "turn", stated, ours)
    for line, stated, ours in misnumbered:
        driver.checker.compare(line, "action round", stated, ours)
    driver.run()
    return driver


def _is_idle(entry: log.Entry) -> bool:
    """The end of a turn, or a round in which nothing was played."""
    return isinstance(entry, log.Cleanup) or (
        isinstance(entry, log.ActionRound) and not entry.card and not entry.said
    )


def _last_column(turn: log.Turn) -> log.Entry | None:
    """The entry whose column shows DEFCON of the next turn: the end of the turn, or the last action."""
    if turn.cleanup and turn.cleanup.column:
        return turn.cleanup
    played = [entry for entry in turn.rounds if entry.card]
    return played[-1] if played else turn.headline


def options_of(said: log.Log) -> dict[str, Any]:
    """The options of a match that follows this log."""
    return {
        "optional_cards": said.optional_cards,
        "drawn_defectors": "score",
        "handicap": handicap(said),
        "scenario": "late_war" if said.late_war else "standard",
    }
