"""A match as an event-sourced aggregate: its commands.

A command (`play`, `resign`, ...) is judged on the committed match and returns a `Draft`: records ready to be
stored, all or none.  Nothing of a draft is part of the match before `accept` is called with its records,
which is also how a stored log is read again (`domain.history`).  There is no clock and no random source:
time, secret and the source of chance come with the command.  The commands of officials and of the house are
in `domain.match_officials`, what all commands check in `domain.judging`.
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
from domain.clocks import Clock, settled
from domain.drafts import Context, Draft, Drafting
from domain.events import (
    BoardOf,
    Branch,
    Chance,
    Opened,
    Played,
    Resigned,
    Restated,
    SaltOpened,
    Seated,
    TakebackAnswered,
    TakebackAsked,
)
from domain.game import Game, Options
from domain.judging import must_be_free
from domain.kernel import Answer, Decision, Picks, Prompt, Refused, Result, Seat, Table
from domain.log import b64
from domain.match_base import Outline
from domain.match_officials import Officiated
from domain.merkle import Tree
from domain.refusals import Sentence, Value
from domain.sharing import shared


class Match(Officiated):
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
            Refused: not-running, over, time, frozen, not-asked, stale, illegal, batch, record.
        """
        self._must_be_playable(context)
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
            Refused: not-running, over, time, frozen.
        """
        self._must_be_playable(context)
        draft = self._drafting(context)
        draft.add(Resigned, seat=seat)
        other = next(name for name in self.game.seats if name != seat)
        draft.close("resignation", Result(other, "resignation", self.game.score(draft.live)))
        return draft.done()

    def ask_takeback(self, context: Context, seat: Seat, to: int | None = None) -> Draft:
        """`seat` asks to go back to the table after move `to` (None: before its own latest answer).

        Raises:
            Refused: not-running, over, time, frozen, takeback (a request waits; no such move; something was
                shown since).
        """
        self._must_be_playable(context)
        to = self._before_last_answer(seat) if to is None else to
        must_be_free("takeback", self.takeback_refused(to))
        draft = self._drafting(context)
        draft.add(TakebackAsked, seat=seat, to=to)
        return draft.done()

    def answer_takeback(self, context: Context, seat: Seat, request: int, agree: bool) -> Draft:
        """`seat` answers the other seat's request, made at move `request`; if it agrees, the match goes back.

        Raises:
            Refused: not-running, over, time, frozen, takeback (no such request, or it is the seat's own).
        """
        self._must_be_playable(context)
        must_be_free("takeback", self.takeback_answer_refused(seat, request))
        waiting = self.request
        assert waiting is not None, "the request that is answered"
        draft = self._drafting(context)
        draft.add(TakebackAnswered, seat=seat, request=request, agree=agree)
        if agree:
            self._take_back(draft, waiting.to, "agreement")
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
    tournament: BoardOf | None = None,
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
        tournament=tournament,
    )
    return draft.done()


def _ends_batch(before: Table, decision: Decision[Table], seat: Seat) -> bool:
    """Is another player asked next (the new player of this seat, too), or was something shown?"""
    other = kernel.asked(decision.table) != (seat,) or decision.table.exchanged != before.exchanged
    return other or any(fact.reveals for fact in decision.facts)


def no_such_seat(match: Outline, seat: str) -> Refused:
    """The refusal if the game of a match has no such seat."""
    return Refused(
        "unknown-seat",
        "no-such-seat",
        {"game": match.game.name, "given": repr(seat), "known": list(match.seats)},
    )
