"""A match as an event-sourced aggregate: what may be said to it, and what each entry of its log does.

A command (`play`, `resign`, ...) judges on the committed match and gives a `Draft`: records ready to be
stored, all or none.  Nothing of a draft is part of the match before `accept` is called with its records,
which is also how a stored log is read again.  No clock and no random source: time, secret and the source
of chance come with the command.

The table after every move is kept (they share their parts), so that a view of any move, for any viewer,
costs the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from msgspec import Raw, Struct
from msgspec.structs import replace

from domain import kernel
from domain.chance import RECORDED, SCHEME, Drawn, Ledger, Provable, Source, joined
from domain.drafting import Context, Draft, Drafting, Refused
from domain.game import Game, Options
from domain.games import GAMES
from domain.kernel import Answer, Decision, Illegal, Picks, Prompt, Result, Seat, Table
from domain.log import (
    HOUSE,
    Asked,
    Chance,
    Closed,
    Damaged,
    Entry,
    Opened,
    Played,
    Record,
    Resigned,
    Ruled,
    Seated,
    TakebackAnswered,
    TakebackAsked,
    TakenBack,
    Told,
    Tree,
    b64,
    codec,
)

_BATCH = "a draw, a reveal or another seat's question begins there"
ALL = "all"  # the viewer who sees everything, once the match is over

E = TypeVar("E", bound=Entry)


class Position(Struct, frozen=True):
    """The match after one move.

    `table` is the truth, without its agenda, which waits encoded in `agenda`.  `before` is the move from
    which this one went on.  `shown`: this move showed a draw, or somebody's secret to somebody else.
    """

    table: Table
    agenda: tuple[Raw, ...]
    asked: Asked | None
    before: int
    shown: bool


class Request(Struct, frozen=True):
    """A takeback that waits for an answer: asked at move `move` by `seat`, back to the table after `to`."""

    move: int
    seat: Seat
    to: int


class Match:
    """One match, as its log tells it."""

    def __init__(self, opened: Opened) -> None:
        if opened.game not in GAMES:
            raise Damaged(f"unknown game {opened.game!r}; this version knows: {', '.join(GAMES)}")
        self.game: Game = GAMES[opened.game]
        self.opened = opened
        self.seats: dict[Seat, Seated[Any] | None] = dict.fromkeys(self.game.seats)
        self.records: list[Record] = []
        self.roots: list[bytes] = []
        self.positions: list[Position] = []
        self.request: Request | None = None
        self.closed: Closed | None = None
        self.ledger = Ledger(1, {}, {})
        self.rules, self.product = opened.rules, opened.product
        self.tree = Tree()
        self._views: dict[Seat | None, list[Table]] = {}
        self._live: Table | None = None

    # ── reading ──

    @property
    def id(self) -> str:
        """The match's id."""
        return self.opened.match

    @property
    def move(self) -> int:
        """The number of the latest move."""
        return len(self.records)

    @property
    def status(self) -> str:
        """open (a seat is free), running or over."""
        if self.closed:
            return "over"
        return "running" if all(self.seats.values()) else "open"

    @property
    def result(self) -> Result | None:
        """How it ended; None while it runs, and where it is void or unknown."""
        return self.closed.result if self.closed else None

    @property
    def provable(self) -> bool:
        """Do the draws come from `rng/1`, not from a record?"""
        return self.opened.chance.scheme == SCHEME

    @property
    def house_seeded(self) -> bool:
        """Has no seat added a salt of its own to the draws?"""
        return not any(seated and seated.salt for seated in self.seats.values())

    @property
    def salts(self) -> str:
        """The seats' salts as they enter every draw."""
        return joined({seat: seated.salt if seated else None for seat, seated in self.seats.items()})

    @property
    def live(self) -> Any:
        """The table now, of the game's own class, its agenda included."""
        if self._live is None:
            self._live = self.table_with_agenda(self.move)
        return self._live

    @property
    def asked(self) -> Asked | None:
        """The question that stands."""
        return self.positions[-1].asked if self.status == "running" else None

    def prompt(self, seat: Seat) -> tuple[int, Prompt] | None:
        """The move that put the question to `seat`, and the question; None when it is not asked."""
        asked = self.asked
        question = kernel.prompt(self.live, seat) if asked and seat in asked.seats else None
        return (asked.seats[seat], question) if asked and question else None

    def table_at(self, move: int, viewer: Seat | None) -> Any:
        """The table after `move`, as `viewer` (a seat, None: a spectator, ALL) was told it; no agenda."""
        if viewer == ALL:
            return self.positions[move - 1].table
        tables = self._views.setdefault(viewer, [])
        for record in self.records[len(tables) :]:
            entry = record.entry
            if isinstance(entry, TakenBack):
                tables.append(tables[entry.to - 1])
            else:
                before = tables[-1] if tables else self._empty
                tables.append(kernel.fold(before, record.facts_for(viewer)))
        return tables[move - 1]

    def table_with_agenda(self, move: int) -> Table:
        """The true table after `move`, its agenda decoded."""
        position = self.positions[move - 1]
        step = codec(self.game).step
        return replace(position.table, agenda=tuple(step(raw) for raw in position.agenda))

    def line(self) -> Iterable[int]:
        """The moves that stand, from the latest backwards; those taken back are left out."""
        move = self.move
        while move:
            yield move
            move = self.positions[move - 1].before

    @property
    def _empty(self) -> Table:
        return self.game.table(self.opened.edition, self.opened.options)

    # ── folding the log ──

    @classmethod
    def project(cls, match: Match | None, records: Iterable[Record]) -> Match | None:
        """The match after `records`: the projector that the event store's repository calls."""
        for record in records:
            if match is None:
                match = cls(_expect(record.entry, Opened))
            match.accept(record)
        return match

    def accept(self, record: Record, live: Table | None = None) -> None:
        """Take in the next record, which is stored; `live` is the table after it, where it is at hand.

        Raises:
            Damaged: it is not the next move.
        """
        if record.move != self.move + 1:
            raise Damaged(f"move {record.move} follows move {self.move}")
        self.positions.append(self._after(record))
        self.records.append(record)
        self.tree.add(record.leaf)
        self.roots.append(self.tree.root)
        self._live = live
        self._note(record)

    def _after(self, record: Record) -> Position:
        entry = record.entry
        if isinstance(entry, TakenBack):
            back = self.positions[entry.to - 1]
            return replace(back, asked=entry.asked, before=entry.to, shown=False)
        if not self.positions:
            return Position(self._empty, (), None, 0, False)
        last = self.positions[-1]
        if not isinstance(entry, Told):
            return replace(last, before=self.move, shown=False)
        change = record.parts[HOUSE].agenda if HOUSE in record.parts else None
        agenda = (*last.agenda[: change.keep], *change.then) if change else last.agenda
        table = kernel.fold(last.table, record.facts)
        return Position(table, agenda, entry.asked or _still(last, entry), self.move, _shown(record))

    def _note(self, record: Record) -> None:
        entry = record.entry
        if isinstance(entry, Told):
            self._count(record)
            self.rules, self.product = entry.rules or self.rules, entry.product or self.product
        if isinstance(entry, Seated):
            self.seats[entry.seat] = entry
        elif isinstance(entry, TakebackAsked):
            self.request = Request(entry.move, entry.seat, entry.to)
        elif isinstance(entry, Closed):
            self.closed = entry
        elif isinstance(entry, TakenBack):
            self.ledger = self._recount()
        if not isinstance(entry, (TakebackAsked, Seated, Opened)):
            self.request = None

    def _count(self, record: Record) -> None:
        for _ in record.entry.keys:
            self.ledger.close_period()
        for draw in _draws(record):
            self._count_draw(self.ledger, draw)

    @staticmethod
    def _count_draw(ledger: Ledger, draw: Drawn) -> None:
        if not draw.period:
            ledger.secret[draw.label] = max(draw.counter + 1, ledger.secret.get(draw.label, 0))
        elif draw.period == ledger.period:
            ledger.open[draw.label] = max(draw.counter + 1, ledger.open.get(draw.label, 0))

    def _recount(self) -> Ledger:
        """After a takeback: only the draws on the line that stands count, and an opened key never returns."""
        ledger = Ledger(self.ledger.period, {}, {})
        for move in self.line():
            for draw in _draws(self.records[move - 1]):
                self._count_draw(ledger, draw)
        return ledger

    # ── commands ──

    def sit(
        self, context: Context, seat: Seat, player: str, *, salt: str | None, bot: str, source: Source | None
    ) -> Draft:
        """`player` takes a seat; with the last one the set-up is drawn and play starts.

        `source` gives the draws of a recorded match; None draws by `rng/1`.

        Raises:
            Refused: unknown-seat, seat-taken, over, record.
        """
        self._must_not_be_over()
        if seat not in self.seats:
            raise Refused("unknown-seat", f"{self.game.name} has no seat {seat!r}; it has {_and(self.seats)}")
        if self.seats[seat]:
            raise Refused("seat-taken", f"the seat {seat} is taken")
        draft = self._drafting(context)
        fields: dict[str, Any] = {"seat": seat, "player": player, "salt": salt, "bot": bot}
        if all(seated for name, seated in self.seats.items() if name != seat):
            own = {name: (s.salt if s else salt) for name, s in self.seats.items()}
            begun = kernel.begin(draft.live, self.game.first(draft.live))
            draft.tell(Seated, begun, source or Provable(context.secret, joined(own)), None, fields)
        else:
            draft.add(Seated, **fields)
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
        """`seat` answers what it is asked, once or several times in a row: all of it or nothing.

        `expect` is the move that put the question, where the caller says it.

        Raises:
            Refused: not-running, over, not-asked, stale, illegal, batch, record.
        """
        self._must_run()
        standing = self.prompt(seat)
        if expect is not None and (standing is None or expect != standing[0]):
            raise Refused("stale", self._stale(seat, expect))
        if standing is None:
            raise Refused(
                "not-asked", f"{seat} is not asked now; asked: {_and(self.asked.seats)}" if self.asked else ""
            )
        draft = self._drafting(context)
        source = source or Provable(context.secret, self.salts)
        for number, picks in enumerate(answers, 1):
            decision = self._decided(draft, seat, picks, number if len(answers) > 1 else 0)
            if number < len(answers) and _ends_batch(decision, seat):
                left = len(answers) - number
                raise Refused(
                    "batch", f"the batch must end with answer {number}: {_BATCH}; {left} are left over"
                )
            step = draft.live.agenda[-1]
            fields = {"seat": seat, "ask": type(step).__name__, "picks": None if step.secret else picks}
            draft.tell(Played, decision, source, seat, fields, secret_picks=picks if step.secret else None)
        return draft.done()

    def resign(self, context: Context, seat: Seat) -> Draft:
        """`seat` gives up; the match is over and its secret opened.

        Raises:
            Refused: not-running, over.
        """
        self._must_run()
        draft = self._drafting(context)
        draft.add(Resigned, seat=seat)
        other = next(name for name in self.game.seats if name != seat)
        draft.close("resignation", Result(other, "resignation", self.game.score(draft.live)))
        return draft.done()

    def ask_takeback(self, context: Context, seat: Seat, to: int | None = None) -> Draft:
        """`seat` asks to go back to the table after move `to` (None: before its own latest answer).

        Raises:
            Refused: not-running, over, takeback (a request waits; no such move; something was shown since).
        """
        self._must_run()
        if self.request:
            raise Refused("takeback", f"the request of move {self.request.move} waits for an answer")
        to = self._before_last_answer(seat) if to is None else to
        self._must_be_unshown(to)
        draft = self._drafting(context)
        draft.add(TakebackAsked, seat=seat, to=to)
        return draft.done()

    def answer_takeback(self, context: Context, seat: Seat, request: int, agree: bool) -> Draft:
        """`seat` answers the other's request, made at move `request`; agreed, it is carried out at once.

        Raises:
            Refused: not-running, over, takeback (no such request, or it is the seat's own).
        """
        self._must_run()
        waiting = self.request
        if waiting is None or waiting.move != request:
            raise Refused(
                "takeback", f"no request of move {request} waits; a request lapses with the next move"
            )
        if waiting.seat == seat:
            raise Refused("takeback", "the other seat answers a request")
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
        back_to: int | None = None,
        result: Result | None = None,
        void: bool = False,
    ) -> Draft:
        """An organizer rules: exactly one of back to a move, a result, or void.

        Raises:
            Refused: over, ruling (no reason, not exactly one ruling, no such move or seat).
        """
        self._must_not_be_over()
        if not reason.strip():
            raise Refused("ruling", "a ruling needs a reason")
        if sum((back_to is not None, result is not None, void)) != 1:
            raise Refused("ruling", "a ruling says exactly one of: back_to, result, void")
        if result and result.winner is not None and result.winner not in self.seats:
            raise Refused("ruling", f"no seat {result.winner!r}; there are {_and(self.seats)}")
        draft = self._drafting(context)
        draft.add(Ruled, by=by, reason=reason, back_to=back_to, result=result, void=void)
        if back_to is not None:
            self._must_be_a_table(back_to, "ruling")
            self._take_back(draft, back_to, "ruling")
        else:
            draft.close("ruling", result)
        return draft.done()

    def close_record(self, context: Context, result: Result | None) -> Draft:
        """The record of a recorded match stops here; `result` is what it says, None where unknown.

        Raises:
            Refused: over, record (the match is not a recorded one).
        """
        self._must_not_be_over()
        if self.provable:
            raise Refused("record", "only a recorded match ends with its record")
        draft = self._drafting(context)
        draft.close("record", result)
        return draft.done()

    # ── what the commands check ──

    def _drafting(self, context: Context) -> Drafting:
        draft = Drafting(context, self.game, self.id)
        draft.provable, draft.tree, draft.ledger = self.provable, self.tree.copy(), self.ledger.fork()
        draft.live, draft.asked = self.live, self.positions[-1].asked
        draft.rules, draft.product = self.rules, self.product
        return draft

    def _take_back(self, draft: Drafting, to: int, by: str) -> None:
        back = self.positions[to - 1].asked
        assert back is not None, "a table of a running game asks somebody"
        asked = Asked(back.ask, dict.fromkeys(back.seats, draft.tree.size + 1))
        draft.add(TakenBack, to=to, by=by, asked=asked)
        draft.live = self.table_with_agenda(to)

    def _must_not_be_over(self) -> None:
        if self.closed:
            raise Refused("over", "the match is over")

    def _must_run(self) -> None:
        self._must_not_be_over()
        if self.status == "open":
            free = [seat for seat, seated in self.seats.items() if not seated]
            raise Refused("not-running", f"the match starts when every seat is taken; free: {_and(free)}")

    def _decided(self, draft: Drafting, seat: Seat, picks: Picks, number: int) -> Decision[Table]:
        try:
            return kernel.decide(draft.live, Answer(seat, picks))
        except Illegal as error:
            where = f"answer {number}: " if number else ""
            raise Refused("illegal", where + error.detail, rule=error.rule, legal=error.legal) from error

    def _stale(self, seat: Seat, expect: int) -> str:
        standing = self.prompt(seat)
        now = (
            f"the question to {seat} was put by move {standing[0]}"
            if standing
            else f"{seat} is not asked now"
        )
        return f"expected the question of move {expect}; {now}"

    def _before_last_answer(self, seat: Seat) -> int:
        for move in self.line():
            entry = self.records[move - 1].entry
            if isinstance(entry, Played) and entry.seat == seat:
                return self.positions[move - 1].before
        raise Refused("takeback", f"{seat} has not answered anything that could be taken back")

    def _must_be_a_table(self, to: int, kind: str) -> None:
        if not 1 <= to < self.move or self.positions[to - 1].asked is None:
            raise Refused(kind, f"there is no table of a running game after move {to}")

    def _must_be_unshown(self, to: int) -> None:
        self._must_be_a_table(to, "takeback")
        for move in self.line():
            if move == to:
                return
            if self.positions[move - 1].shown:
                shown = f"move {move} showed a draw or a secret"
                raise Refused("takeback", f"{shown}; going back behind it needs an organizer's ruling")
        raise Refused("takeback", f"move {to} was taken back itself")


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
) -> Draft:
    """The first record of a new match; `edition` and `options` are complete (see `Game.settle`)."""
    secret = context.secret
    chance = Chance(RECORDED) if recorded else Chance(SCHEME, b64(secret.commitment), b64(secret.anchor(0)))
    draft = Drafting(context, game, match)
    draft.add(
        Opened,
        match=match,
        game=game.name,
        edition=edition,
        options=options,
        origin=origin,
        rules=game.rules,
        product=context.product,
        chance=chance,
        opener=opener,
    )
    return draft.done()


def _ends_batch(decision: Decision[Table], seat: Seat) -> bool:
    return kernel.asked(decision.table) != (seat,) or any(fact.reveals for fact in decision.facts)


def _shown(record: Record) -> bool:
    """Did this move show a draw, or somebody's secret to somebody else?"""
    mover = record.entry.seat
    told = (
        place for name, part in record.parts.items() if name not in (mover, HOUSE) for place in part.facts
    )
    return bool(_draws(record)) or any(fact.reveals for fact in record.entry.facts) or any(told)


def _draws(record: Record) -> list[Drawn]:
    house = record.parts.get(HOUSE)
    return [*getattr(record.entry, "draws", ()), *(house.draws if house else ())]


def _still(last: Position, entry: Entry) -> Asked | None:
    """A seat taken before the last one asks nothing; a played entry without a question ended the game."""
    return last.asked if isinstance(entry, Seated) else None


def _expect(entry: Any, kind: type[E]) -> E:
    if not isinstance(entry, kind):
        raise Damaged(f"the first entry is {type(entry).__name__}, not {kind.__name__}")
    return entry


def _and(seats: Iterable[str]) -> str:
    return " and ".join(seats) or "nobody"
