"""A match as an event-sourced aggregate: its commands.

A command (`play`, `resign`, ...) is judged on the committed match and returns a `Draft`: records ready to be
stored, all or none.  Nothing of a draft is part of the match before `accept` is called with its records,
which is also how a stored log is read again (`domain.history`).  There is no clock and no random source:
time, secret and the source of chance come with the command.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from domain import kernel
from domain.chance import (
    RECORDED,
    SCHEME,
    Forced,
    Ledger,
    Provable,
    Source,
    is_long_enough,
    joined,
    salt_hash,
)
from domain.clocks import SECOND, Clock, settled
from domain.drafts import Context, Draft, Drafting
from domain.events import (
    Asked,
    Branch,
    Chance,
    ClockStopped,
    Opened,
    Played,
    Resigned,
    Restated,
    Ruled,
    SaltOpened,
    Seated,
    TakebackAnswered,
    TakebackAsked,
    TakenBack,
    TimedOut,
)
from domain.game import Game, Options
from domain.history import BY_TIME, History
from domain.kernel import Answer, Decision, Picks, Prompt, Refused, Result, Seat, Table
from domain.log import b64
from domain.match_base import Chair, Outline
from domain.merkle import Tree
from domain.refusals import Sentence, Value
from domain.sharing import shared


class Match(History):
    """One match: its log, and the commands."""

    def sit(
        self,
        context: Context,
        seat: Seat,
        player: str,
        *,
        salt: str | None,
        bot: str,
        source: Source | None,
        hashed: str | None = None,
        line: Decision[Table] | None = None,
        agent: str = "",
    ) -> Draft:
        """`player` takes a seat; with the last one the set-up is drawn and play starts.

        With `hashed`, the hash of a salt, it starts only when that salt is opened (`open_salt`).
        `source` gives the draws of a recorded match; if it is None, they come from `rng/1`.
        `line`: in a branch, the facts and the table with which it begins (`domain.branches.line_of`).
        `agent`: the version of the bot's code, if a bot plays that does not answer at random.

        Raises:
            Refused: unknown-seat, seat-taken, over, record.
        """
        self._must_not_be_over(context)
        if self._seated(seat):
            raise Refused("seat-taken", "seat-taken", {"seat": seat})
        fields: dict[str, Any] = {
            "seat": seat,
            "player": player,
            "salt": salt,
            "bot": bot,
            "salt_hash": hashed,
            "agent": agent,
        }
        others = all(seated for name, seated in self.seats.items() if name != seat)
        begins = others and not hashed and not self.unopened
        return self._with_salt(context, Seated, fields, source, begins=begins, line=line)

    def open_salt(
        self,
        context: Context,
        seat: Seat,
        salt: str,
        *,
        source: Source | None = None,
        line: Decision[Table] | None = None,
    ) -> Draft:
        """`seat` opens the salt whose hash it brought; with the last one the set-up is drawn and play starts.

        `line`: see `sit`.

        Raises:
            Refused: unknown-seat, over, salt (a seat is free; this one brought no hash, or has opened its
                salt; the salt does not fit the hash).
        """
        self._must_not_be_over(context)
        seated = self._seated(seat)
        free = [name for name, taken in self.seats.items() if not taken]
        if free:
            raise Refused("salt", "salts-too-early", {"free": free})
        if seated is None or seated.salt_hash is None:
            raise Refused("salt", "no-salt-hash", {"seat": seat})
        if seat not in self.unopened:
            raise Refused("salt", "salt-open-already", {"seat": seat})
        if not is_long_enough(salt) or b64(salt_hash(self.id, seat, salt)) != seated.salt_hash:
            raise Refused("salt", "another-salt", {"seat": seat})
        fields = {"seat": seat, "salt": salt}
        begins = self.unopened == (seat,)
        return self._with_salt(context, SaltOpened, fields, source, begins=begins, line=line)

    def close_unopened(self, context: Context) -> Draft:
        """Close a match that never began because a salt was not opened; the caller decides how long to wait.

        Raises:
            Refused: over, salt (the match waits for no salt).
        """
        self._must_not_be_over(context)
        if self.status != "waiting":
            raise Refused("salt", "waits-for-no-salt")
        draft = self._drafting(context)
        draft.close("salt", None, self.unopened)
        return draft.done()

    def play(
        self,
        context: Context,
        seat: Seat,
        answers: Sequence[Picks],
        *,
        expect: int | None = None,
        source: Source | None = None,
    ) -> Draft:
        """`seat` answers what it is asked, once or several times in a row: all answers or none are accepted.

        `expect` is the number of the move that put the question, if the caller gives it.

        Raises:
            Refused: not-running, over, time, not-asked, stale, illegal, batch, record.
        """
        self._must_have_time(context)
        standing = self.prompt(seat)
        if expect is not None and (standing is None or expect != standing[0]):
            raise Refused("stale", "stale", {"expect": expect, "now": self._asked_now(seat, standing)})
        if standing is None:
            raise Refused("not-asked", "not-asked", {"seat": seat, "seats": self._asked_seats})
        draft = self._drafting(context)
        source = source or Provable(context.secret, self.salts)
        for number, picks in enumerate(answers, 1):
            known = standing[1] if number == 1 else None
            decision = self._decided(draft, Answer(seat, picks), number if len(answers) > 1 else 0, known)
            if number < len(answers) and _ends_batch(draft.live, decision, seat):
                raise Refused("batch", "batch-too-long", {"number": number, "left": len(answers) - number})
            step = draft.live.agenda[-1]
            fields = {"seat": seat, "ask": type(step).__name__, "picks": None if step.secret else picks}
            draft.add_decision(
                Played, decision, source, seat, fields, secret_picks=picks if step.secret else None
            )
        return draft.done()

    def resign(self, context: Context, seat: Seat) -> Draft:
        """`seat` gives up; the match is over and its secret opened.

        Raises:
            Refused: not-running, over, time.
        """
        self._must_have_time(context)
        draft = self._drafting(context)
        draft.add(Resigned, seat=seat)
        other = next(name for name in self.game.seats if name != seat)
        draft.close("resignation", Result(other, "resignation", self.game.score(draft.live)))
        return draft.done()

    def time_out(self, context: Context) -> Draft:
        """The house notes that the time of a seat is up; the match is over and its secret opened.

        Which seat that is, follows from the log and the time of the command alone.

        Raises:
            Refused: not-running, over, time (no time is up).
        """
        self._must_run(context)
        out = None if context.now is None else self.run_out(context.now)
        if out is None:
            raise Refused("time", "time-left")
        draft = self._drafting(context)
        seat, left = self.timed_out(out)
        draft.add(TimedOut, seat=seat, left=left)
        draft.close(BY_TIME, self.result_of_time_out(seat, left, self.game.score(draft.live)))
        return draft.done()

    def stop_clock(self, context: Context, start: int, end: int) -> Draft:
        """The house notes that the server was stopped between two times, so that no clock ran then.

        Raises:
            Refused: not-running, over, time (no clock, or these are no such times).
        """
        self._must_run(context)
        _must_be_free("time", self.clock_stop_refused(start, end, context.now or 0))
        draft = self._drafting(context)
        draft.add(ClockStopped, start=start, end=end)
        return draft.done()

    def ask_takeback(self, context: Context, seat: Seat, to: int | None = None) -> Draft:
        """`seat` asks to go back to the table after move `to` (None: before its own latest answer).

        Raises:
            Refused: not-running, over, time, takeback (a request waits; no such move; something was shown
                since).
        """
        self._must_have_time(context)
        to = self._before_last_answer(seat) if to is None else to
        _must_be_free("takeback", self.takeback_refused(to))
        draft = self._drafting(context)
        draft.add(TakebackAsked, seat=seat, to=to)
        return draft.done()

    def answer_takeback(self, context: Context, seat: Seat, request: int, agree: bool) -> Draft:
        """`seat` answers the other seat's request, made at move `request`; if it agrees, the match goes back.

        Raises:
            Refused: not-running, over, time, takeback (no such request, or it is the seat's own).
        """
        self._must_have_time(context)
        _must_be_free("takeback", self.takeback_answer_refused(seat, request))
        waiting = self.request
        assert waiting is not None, "the request that is answered"
        draft = self._drafting(context)
        draft.add(TakebackAnswered, seat=seat, request=request, agree=agree)
        if agree:
            self._take_back(draft, waiting.to, "agreement")
        return draft.done()

    def rule(
        self,
        context: Context,
        by: str,
        reason: str,
        *,
        expect: int | None = None,
        back_to: int | None = None,
        result: Result | None = None,
        void: bool = False,
    ) -> Draft:
        """An organizer rules: exactly one of back to a move, a result, or void.

        `expect` is the latest move that the organizer has seen, if the caller gives it.

        Raises:
            Refused: over, stale, ruling (no reason, not exactly one ruling, no such move or seat).
        """
        self._must_not_be_over(context)
        if expect is not None and expect != self.move:
            raise Refused("stale", "match-went-on", {"expect": expect, "last": self.move})
        draft = self._drafting(context)
        draft.add(Ruled, by=by, reason=reason, back_to=back_to, result=result, void=void)
        _must_be_free("ruling", self.ruling_refused(draft.records[0].entry))
        if back_to is not None:
            self._take_back(draft, back_to, "ruling")
        else:
            draft.close("ruling", result)
        return draft.done()

    def restate(
        self, context: Context, line: int, decision: Decision[Table], source: Source | None = None
    ) -> Draft:
        """Set the position that the record of an imported match states, because the rules led to another one.

        `decision` is what is set and what follows from it by the rules; `line` is the record's line.

        Raises:
            Refused: not-running, over, record (the match is not an imported one).
        """
        self._must_run(context)
        if not self.imported:
            raise Refused("record", "not-imported")
        draft = self._drafting(context)
        draft.add_decision(Restated, decision, source or Forced(iter(())), None, {"line": line})
        return draft.done()

    def close_record(self, context: Context, result: Result | None) -> Draft:
        """The record of a recorded match stops here; `result` is what it says, None if unknown.

        Raises:
            Refused: over, record (the match is not a recorded one).
        """
        self._must_not_be_over(context)
        if self.provable:
            raise Refused("record", "not-recorded")
        draft = self._drafting(context)
        draft.close("record", result)
        return draft.done()

    # ── what the commands check ──

    def _drafting(self, context: Context) -> Drafting:
        return Drafting(
            context,
            self.game,
            self.id,
            tree=self.tree.copy(),
            ledger=self.ledger.fork(),
            live=self.live,
            asked=self.positions[-1].asked,
            provable=self.provable,
            rules=self.rules,
            product=self.product,
        )

    def _with_salt(
        self,
        context: Context,
        kind: type[Any],
        fields: dict[str, Any],
        source: Source | None,
        *,
        begins: bool,
        line: Decision[Table] | None = None,
    ) -> Draft:
        """The entry of a player who sits down or opens a salt; if play begins with it, with the set-up."""
        draft = self._drafting(context)
        if begins and self.opened.branch is not None:
            if line is None:
                raise ValueError(f"{self.id} is a branch: it begins with the facts of another match")
            draft.add_decision(kind, line, None, None, fields)
        elif begins:
            salts = {seat: self._salt_of(seat) for seat in self.seats} | {fields["seat"]: fields["salt"]}
            begun = kernel.begin(draft.live, self.game.first(draft.live))
            draft.add_decision(kind, begun, source or Provable(context.secret, joined(salts)), None, fields)
        else:
            draft.add(kind, **fields)
        return draft.done()

    def _seated(self, seat: Seat) -> Seated[Any] | None:
        if seat not in self.seats:
            raise no_such_seat(self, seat)
        return self.seats[seat]

    def _take_back(self, draft: Drafting, to: int, by: str) -> None:
        back = self.positions[to - 1].asked
        assert back is not None, "a table of a running game asks a seat"
        asked = Asked(back.ask, dict.fromkeys(back.seats, draft.tree.size + 1))
        draft.add(TakenBack, to=to, by=by, asked=asked)
        draft.live = self.table_with_agenda(to)

    def _must_not_be_over(self, context: Context) -> None:
        if self.closed and self.closed.by == BY_TIME:
            entry, clock = self.records[-3].entry, self.positions[-3].clock
            raise time_is_up(entry.seat, clock.at if clock else 0, context.now)
        if self.closed:
            raise Refused("over", "match-over")

    def _must_have_time(self, context: Context) -> None:
        """Check that play has begun and is not over, and that no seat's time is up."""
        self._must_run(context)
        out = None if context.now is None else self.run_out(context.now)
        if out is not None:
            raise time_is_up(self.seat_of(Chair(out.chair)), out.due, context.now)

    def _must_run(self, context: Context) -> None:
        """Check that play has begun and is not over."""
        self._must_not_be_over(context)
        if self.status == "open":
            free = [seat for seat, seated in self.seats.items() if not seated]
            raise Refused("not-running", "seats-free", {"free": free})
        if self.status == "waiting":
            raise Refused("not-running", "waits-for-salt", {"seats": self.unopened})

    def _decided(self, draft: Drafting, answer: Answer, number: int, known: Prompt | None) -> Decision[Table]:
        try:
            return kernel.decide(draft.live, answer, known)
        except Refused as error:
            if number:
                said = Sentence(error.id, error.values)
                error.id, error.values = "answer-of-several", {"number": number, "said": said}
                error.fault = replace(error.fault, answer=number) if error.fault else None
            raise

    @property
    def _asked_seats(self) -> list[Seat]:
        return list(self.asked.seats) if self.asked else []

    def _asked_now(self, seat: Seat, standing: tuple[int, Prompt] | None) -> Sentence:
        """What is asked instead of the question that the caller expected."""
        asked: dict[str, Value] = {"seat": seat, "seats": self._asked_seats}
        if standing is None:
            return Sentence("asked-instead", asked)
        return Sentence("asked-since", {**asked, "move": standing[0]})

    def _before_last_answer(self, seat: Seat) -> int:
        chair, move = self.chair_of(seat), self.positions[-1].answered
        while move:
            before = self.positions[move - 1].before
            if self.chair_of(self.records[move - 1].entry.seat, before) == chair:
                return before
            move = self.positions[before - 1].answered
        raise Refused("takeback", "nothing-to-take-back", {"seat": seat})


def open_match(
    context: Context,
    game: Game,
    edition: str,
    options: Options,
    *,
    match: str,
    origin: str,
    opener: str | None,
    recorded: bool = False,
    branch: Branch | None = None,
    private: bool = False,
    clock: Clock = (),
) -> Draft:
    """The first record of a new match; `edition` and `options` are complete (see `Game.settle`).

    Raises:
        Refused: bad-option; the terms of the clock cannot be kept.
    """
    secret = context.secret
    chance = Chance(RECORDED) if recorded else Chance(SCHEME, b64(secret.commitment), b64(secret.anchor(0)))
    draft = Drafting(context, game, match, tree=Tree(), ledger=Ledger(), live=Table())
    draft.add(
        Opened,
        match=match,
        game=game.name,
        edition=edition,
        options=shared(options),
        origin=origin,
        rules=game.rules,
        product=context.product,
        chance=chance,
        opener=opener,
        branch=branch,
        private=private,
        clock=settled(clock, context.now),
    )
    return draft.done()


def _ends_batch(before: Table, decision: Decision[Table], seat: Seat) -> bool:
    """Is another player asked next (the new player of this seat, too), or was something shown?"""
    other = kernel.asked(decision.table) != (seat,) or decision.table.exchanged != before.exchanged
    return other or any(fact.reveals for fact in decision.facts)


def _must_be_free(kind: str, refusal: Sentence | None) -> None:
    """Raises Refused, of this kind, if there is a reason to refuse."""
    if refusal is not None:
        raise Refused(kind, refusal.id, refusal.values)


def time_is_up(seat: Seat, due: int, now: int | None) -> Refused:
    """The refusal of what comes at `now`, after the time of a seat was up at `due` (microseconds UTC)."""
    late = (due if now is None else max(now, due)) - due
    seconds = f"{late // SECOND}.{late % SECOND // 1_000:03d}"
    return Refused("time", "time-is-up", {"seat": seat, "seconds": seconds})


def no_such_seat(match: Outline, seat: str) -> Refused:
    """The refusal if the game of a match has no such seat."""
    return Refused(
        "unknown-seat",
        "no-such-seat",
        {"game": match.game.name, "given": repr(seat), "known": list(match.seats)},
    )
