"""What every game shares: facts, steps, prompts; begin, decide, fold, prompt.  Not one game word.

A game is a pure decider with an agenda of steps as data:

*   A `Fact` is something that happened.  It carries an outcome, never an intention, so `fold` knows no
    rule and a log replays for ever.  It declares which seats may know it (`known_to`) and what all other
    viewers see instead (`outside`).
*   A `Step` is something still to be done.  It asks one seat, or several at once and in secret, or no seat
    and simply runs.  What remains to be done is `table.agenda`, a stack of steps (the last is the next), so
    a match can be stored, moved or inspected between any two answers.
*   Luck is a seat, `CHANCE`.  A `Draw` asks it; its answers come from outside (`domain.chance`), so that
    `decide` is pure.

Two rules keep it sound: `Fact.apply` never looks at a rule and never fails on a recorded fact; nothing
waits for an answer except the agenda.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import Any, ClassVar, Generic, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from domain.refusals import Sentence, Value, text

Seat = str
Pick = str
Picks = tuple[Pick, ...]

CHANCE: Seat = "chance"
HIDDEN = "?"  # stands, in what a viewer sees, for an id that this viewer does not know


class Reason(Struct, frozen=True, omit_defaults=True):
    """Why a pick is not an option: the id of a sentence of the texts ("" if there is none) and its fields.

    `rule` names the book and section on which this rests.
    """

    id: str = ""
    rule: str = ""
    values: dict[str, str | int] = {}


class Fault(Struct, frozen=True, omit_defaults=True):
    """What is wrong with an answer: how many picks it has (`picked`), or one `pick` of them, and why.

    `Texts.refused` puts it into words.  `answer` is the answer's number if several came at once.
    """

    kind: Literal["count", "twice", "option"]
    picked: int
    pick: Pick = ""
    reason: Reason = Reason()
    answer: int = 0


class Refused(Exception):
    """A refusal, by the rules, the match, the gate or a protocol; nothing has changed.

    `kind` is a stable name, to which a protocol assigns a status; `id` and `values` belong to the sentence
    that says why (`domain.refusals`).  `headers` are additional HTTP headers.  If an answer is refused,
    `rule` names the book and section, `legal` is the prompt that it should have answered, and `fault` says
    what is wrong with it.

    The gate adds what it knows of a refused command: its `match`, the `seat` that it was sent for, the
    `chair` on which its player sat down, and the move that it expected (`expect`).
    """

    match: str | None = None
    seat: Seat | None = None
    chair: Seat | None = None
    expect: int | None = None

    def __init__(
        self,
        kind: str,
        id: str,
        values: Mapping[str, Value] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        rule: str = "",
        legal: Prompt | None = None,
        fault: Fault | None = None,
    ) -> None:
        super().__init__(kind, id)
        self.kind, self.id, self.values = kind, id, dict(values or {})
        self.headers = dict(headers or {})
        self.rule, self.legal, self.fault = rule, legal, fault

    def __str__(self) -> str:
        return self.text("en")

    def text(self, language: str, names: Mapping[str, str] | None = None) -> str:
        """The sentence that says why, in a language; `names` are those of seats, by id."""
        return text(language, self.id, self.values, names)


class Result(Struct, frozen=True, gc=False, omit_defaults=True):
    """How a match ended: the winning seat (None: no winner), the reason's id, and the score of each seat."""

    winner: Seat | None
    reason: str
    score: dict[Seat, int] = {}


class Table(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The state of a game at one moment; a game's own state derives from it.

    The steps of the agenda belong to the game's own union, with which its codec reads them
    (`domain.log.codec`).
    `exchanged`: each of the two players plays the seat on which the other sat down (see `SeatsSettled`).
    """

    agenda: tuple[AnyStep, ...] = ()
    result: Result | None = None
    exchanged: bool = False


T = TypeVar("T", bound=Table)


class Fact(Struct, Generic[T], frozen=True, gc=False, omit_defaults=True, tag_field="fact", tag=True):
    """Something that happened on a game's table `T`.  Immutable, self-contained, never edited."""

    ends_period: ClassVar[bool] = (
        False  # closes a turn or round: the open draws of that period become checkable
    )
    reveals: ClassVar[bool] = (
        False  # shows a viewer what was hidden: a batch ends here, a takeback needs a ruling
    )

    conceals: ClassVar[tuple[str, ...]] = ()  # the fields that only the seats of `known_to` see
    turning: ClassVar[bool] = False  # a turning point of the match, which turn summaries point out

    def apply(self, s: T) -> T:
        """The table after this fact.  Knows no rule."""
        return s

    def marks(self) -> tuple[tuple[str, int], ...]:
        """(track, where it stands now) for each track that this fact moves; turn summaries follow them.

        A track has the name of a field of the table, or "field/seat" if each seat has its own.
        """
        return ()

    def opens(self) -> tuple[str, int] | None:
        """The kind of turn that this fact opens, and its number among those (0: the only one); None: no turn.

        For a game that has more than one kind of turn; its texts name the kind's id.
        """
        return None

    def known_to(self) -> tuple[Seat, ...] | None:
        """The seats that know this fact in full: None for everyone, () for no seat at all.

        For a fact that `conceals` something this is its own `seat`, unless the fact says otherwise.
        """
        owner: Seat = getattr(self, "seat", "")
        return (owner,) if self.conceals else None

    def outside(self) -> Fact[T]:
        """The fact as all other viewers see it.  That it happened is never a secret, only what it was."""
        return replace(self, **{name: _veiled(getattr(self, name)) for name in self.conceals})

    def seen_by(self, viewer: Seat | None) -> Fact[T]:
        """The fact as `viewer` (None: a spectator) sees it."""
        known = self.known_to()
        return self if known is None or viewer in known else self.outside()


def _veiled(value: Any) -> Any:
    """What stands in the place of a hidden value; the number of its items is not a secret."""
    if isinstance(value, tuple):
        return (HIDDEN,) * len(value)
    return dict.fromkeys(value, HIDDEN) if isinstance(value, dict) else HIDDEN


class Ended(Fact[T], frozen=True, tag="Ended"):
    """The game is over."""

    winner: Seat | None
    reason: str
    score: dict[Seat, int] = {}

    def apply(self, s: T) -> T:
        return replace(s, result=Result(self.winner, self.reason, self.score), agenda=())


class SeatsSettled(Fact[T], frozen=True):
    """Which player plays which seat from here on: their own or, if `exchanged`, each the other's.

    A game derives its own public fact from it.  The table is not turned round: what belongs to a seat stays
    there, hands included, and the player of the seat may see it.  So a game opens the sealed bids that lead
    here *before* this fact: then nothing is left that one player hid from the other.
    """

    exchanged: bool

    def apply(self, s: T) -> T:
        return replace(s, exchanged=self.exchanged)


class Step(Struct, Generic[T], frozen=True, gc=False, omit_defaults=True, tag_field="do", tag=True):
    """Something still to be done on a table `T`.  `seat` in the signatures is the seat that answers."""

    secret: ClassVar[bool] = False  # only the seat that picked sees the picks
    ordered: ClassVar[bool] = False  # the order of the picks matters
    rule: ClassVar[str] = ""  # book and section, shown with a refusal
    spelling: ClassVar[tuple[str, ...]] = ()  # what picks look like: "flag:{space}", "end" (see `Game.ids`)

    def asks(self, s: T) -> tuple[Seat, ...]:
        """The seats that must answer: none (the step simply runs), one, or several at once and in secret."""
        return ()

    def options(self, s: T, seat: Seat) -> Picks:
        """What `seat` may pick.  A seat without options is not asked: the step runs for it with no picks."""
        return ()

    def has_options(self, s: T, seat: Seat) -> bool:
        """Whether `seat` may pick anything; a step that always offers something answers this faster."""
        return bool(self.options(s, seat))

    def bounds(self, s: T, seat: Seat) -> tuple[int, int]:
        """How many options form a legal answer: any `least`...`most` different ones."""
        return 1, 1

    def why(self, s: T, seat: Seat) -> dict[str, str | int]:
        """The values of the sentence that says what the seat is asked and why (see `domain.texts`)."""
        return {}

    def details(self, s: T, seat: Seat) -> dict[Pick, Detail]:
        """Cost and chances of options, for readers of the question; the rules never use them."""
        return {}

    def refusal(self, s: T, seat: Seat, pick: Pick) -> Reason:
        """Why a pick is not an option."""
        return Reason(rule=self.rule)

    def run(self, s: T, seat: Seat, picks: Picks) -> Resolution[T]:
        """Yield facts (they happen now) and steps (they come next, in this order).

        Every `yield` evaluates to the newest table: `s = yield SomeFact(...)`.  If several seats are asked at
        once, `run` is called once for each answer and yields the step again for the others.
        """
        return
        yield


class Draw(Step[T], frozen=True):
    """A step that asks chance.  Each pick is one draw, without replacement, among the options."""

    def asks(self, s: T) -> tuple[Seat, ...]:
        return (CHANCE,)

    def label(self, s: T) -> str:
        """The place of the draw in the game ("deal/b1/us"), in [a-z0-9_/]; the same place, the same label."""
        raise NotImplementedError

    def face_up(self, s: T) -> bool:
        """Are possibilities and result both public?  Then the draw is checkable at the end of its period."""
        return False


Resolution = Generator[Fact[T] | Step[T], T, None]
AnyFact = Fact[Any]  # of any game
AnyStep = Step[Any]


class Answer(Struct, frozen=True):
    """What a seat, or chance, answers to the step on top of the agenda."""

    seat: Seat
    picks: Picks


class Chance(Struct, frozen=True, omit_defaults=True):
    """One possible outcome of dice: `ways` of `of` throws bring it.  The game says what `outcome` holds."""

    ways: int
    of: int
    outcome: dict[str, int] = {}


class Detail(Struct, frozen=True, omit_defaults=True):
    """What a seat should know about one option: its cost and how it adds up, and what the dice may bring.

    `working` holds the parts of the cost, in the order of the rules, under ids that the game's texts name.
    `pays`, under such ids as well: what pays the cost, if there is only one way.
    """

    cost: int | None = None
    chances: tuple[Chance, ...] = ()
    working: dict[str, int] = {}
    pays: dict[str, int] = {}


class Prompt(Struct, frozen=True, omit_defaults=True):
    """What one seat may answer now: any `least`...`most` different options.

    `details` says more about some options, if the caller asks for it (`detailed`).
    """

    seat: Seat
    ask: str
    options: Picks
    least: int
    most: int
    ordered: bool = False
    why: dict[str, str | int] = {}
    details: dict[Pick, Detail] = {}


class Decision(Struct, Generic[T], frozen=True):
    """What follows from an answer: the facts, in order, and the table after them (its agenda included)."""

    facts: list[Fact[T]]
    table: T


def fold(s: T, facts: Iterable[Fact[T]]) -> T:
    """The table after `facts`.  Facts do not change the agenda, except that `Ended` empties it."""
    for fact in facts:
        s = fact.apply(s)
    return s


def asked(s: Table) -> tuple[Seat, ...]:
    """The seats that must answer now; () when the game is over."""
    return s.agenda[-1].asks(s) if s.agenda and s.result is None else ()


def prompt(s: Table, seat: Seat) -> Prompt | None:
    """What `seat` is asked now, or None when it is not asked."""
    if seat not in asked(s):
        return None
    step: AnyStep = s.agenda[-1]
    least, most = step.bounds(s, seat)
    why = step.why(s, seat)
    return Prompt(seat, type(step).__name__, step.options(s, seat), least, most, step.ordered, why)


def detailed(s: Table, question: Prompt) -> Prompt:
    """An open question of this table, with cost and chances of its options."""
    found = s.agenda[-1].details(s, question.seat)
    return replace(question, details=found) if found else question


def begin(s: T, steps: Iterable[Step[T]]) -> Decision[T]:
    """From an empty table to the first question; `steps` are to be done in this order."""
    return _settle(s, [], list(reversed(tuple(steps))))


def decide(s: T, answer: Answer, known: Prompt | None = None) -> Decision[T]:
    """What follows from one answer.

    Args:
        s: the table on which the question is open; it stays as it is.
        answer: the seat, or chance, and its picks.
        known: this seat's prompt at this very table, if the caller has it already.

    Raises:
        Refused: illegal; the seat is not asked, or these are not legal picks.
    """
    question = known or prompt(s, answer.seat)
    if question is None:
        raise Refused("illegal", "asked-nothing", {"seat": answer.seat})
    step: AnyStep = s.agenda[-1]
    _check(s, step, question, answer.picks)
    facts: list[Fact[T]] = []
    agenda: list[Step[T]] = list(s.agenda[:-1])
    s = _perform(step.run(s, answer.seat, answer.picks), s, facts, agenda)
    return _settle(s, facts, agenda)


def _check(s: Table, step: AnyStep, question: Prompt, picks: Picks) -> None:
    fault = _fault(s, step, question, picks)
    if fault is not None:
        values = {"ask": question.ask, **_values(question, fault)}
        rule = fault.reason.rule or step.rule
        raise Refused("illegal", f"fault-{fault.kind}", values, rule=rule, legal=question, fault=fault)


def _fault(s: Table, step: AnyStep, question: Prompt, picks: Picks) -> Fault | None:
    """The first thing that is wrong with an answer."""
    if not question.least <= len(picks) <= question.most:
        return Fault("count", len(picks))
    for place, pick in enumerate(picks):
        if pick in picks[:place]:
            return Fault("twice", len(picks), pick)
    for pick in picks:
        if pick not in question.options:
            return Fault("option", len(picks), pick, step.refusal(s, question.seat, pick))
    return None


def _values(question: Prompt, fault: Fault) -> dict[str, Value]:
    """The values of a fault's sentence without the texts of the game: ids stay as they are."""
    if fault.kind == "count":
        least, most = question.least, question.most
        wanted = least if least == most else Sentence("range", {"least": least, "most": most})
        return {"wanted": wanted, "picked": fault.picked}
    if fault.kind == "twice":
        return {"pick": repr(fault.pick)}
    return {"pick": repr(fault.pick), "reason": f" ({fault.reason.id})" if fault.reason.id else ""}


def _settle(s: T, facts: list[Fact[T]], agenda: list[Step[T]]) -> Decision[T]:
    """Run the steps that ask no seat, until one must answer or the game is over."""
    while agenda and s.result is None:
        step = agenda[-1]
        seats = step.asks(s)
        silent = ""
        for seat in seats:
            if not step.has_options(s, seat):
                silent = seat
                break
        if seats and not silent:
            return Decision(facts, replace(s, agenda=tuple(agenda)))
        agenda.pop()
        s = _perform(step.run(s, silent, ()), s, facts, agenda)
    return Decision(facts, replace(s, agenda=()))


def _perform(todo: Resolution[T], s: T, facts: list[Fact[T]], agenda: list[Step[T]]) -> T:
    """Drive one resolution: apply each fact, hand the new table back, put the steps on the agenda."""
    scheduled: list[Step[T]] = []
    try:
        item = next(todo)
        while True:
            if isinstance(item, Fact):
                facts.append(item)
                s = item.apply(s)
                if s.result is not None:
                    todo.close()
                    return s
            else:
                scheduled.append(item)
            item = todo.send(s)
    except StopIteration:
        agenda.extend(reversed(scheduled))
    return s
