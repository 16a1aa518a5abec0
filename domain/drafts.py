"""The records of one command, put together: what is public, what is sealed, what chance adds.

A `Drafting` starts from a match as it stands and appends entries; it does not change the match.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, TypeVar, cast

from msgspec import Raw, Struct
from msgspec.structs import replace

from domain import kernel
from domain.chance import CHAIN, Drawn, Ledger, NoDraw, Secret, Source
from domain.events import Agenda, Asked, Closed, Entry, Key, Part, SecretOpened
from domain.game import Game
from domain.kernel import CHANCE, Answer, AnyFact, Decision, Draw, Picks, Refused, Result, Seat, Table
from domain.log import HOUSE, NOTHING, Record, b64, canonical, chained, codec
from domain.merkle import Tree
from domain.refusals import QUOTED

E = TypeVar("E", bound=Entry)
_EMPTY: Part[Any] = Part()


class Context(Struct, frozen=True):
    """What a command must be given: the match's secret, the time (microseconds UTC), the product version."""

    secret: Secret
    now: int | None
    product: str


class Draft(Struct, frozen=True):
    """The records that a command would add, in order; table (with its agenda), tree and ledger after them."""

    records: list[Record]
    live: Table
    tree: Tree
    ledger: Ledger


class Drafting:
    """The records of one command while they are put together.

    Args:
        tree, ledger: those of the match, which this may change.
        live, asked: the table with its agenda, and the question that stands.
        provable: do the draws come from `rng/1`?
        rules, product: those of the entries before.
    """

    def __init__(
        self,
        context: Context,
        game: Game,
        match: str,
        *,
        tree: Tree,
        ledger: Ledger,
        live: Table,
        asked: Asked | None = None,
        provable: bool = True,
        rules: str = "",
        product: str = "",
    ) -> None:
        self.context, self.game, self.id = context, game, match
        self.records: list[Record] = []
        self.tree, self.ledger, self.live, self.asked = tree, ledger, live, asked
        self.provable, self.rules, self.product = provable, rules, product
        self._codec = codec(game)

    def done(self) -> Draft:
        """The complete draft."""
        return Draft(self.records, self.live, self.tree, self.ledger)

    def add(self, kind: type[E], parts: dict[str, Part[Any]] | None = None, **fields: Any) -> None:
        """Append an entry: seal its parts and chain it to the root before it."""
        move, audiences, salt = self.tree.size + 1, self._codec.audiences, self.context.secret.salt
        known = {name: parts.get(name, _EMPTY) if parts else _EMPTY for name in audiences}
        stored = {name: NOTHING if part is _EMPTY else canonical(part) for name, part in known.items()}

        def make(prev: str, sealed: dict[str, str]) -> E:
            return kind(move=move, prev=prev, sealed=sealed, at=self.context.now, **fields)

        entry, whole = chained(self.tree, partial(salt, move), stored, make)
        self.records.append(Record(self._codec, self.id, move, whole, audiences, entry, known))

    def add_decision(
        self,
        kind: type[E],
        decision: Decision[Table],
        source: Source | None,
        answered: Seat | None,
        fields: dict[str, Any],
        secret_picks: Picks | None = None,
    ) -> None:
        """Append an entry with the facts of a decision and of every draw that follows; if the game is over,
        close the match.

        Args:
            kind: the entry's class.
            decision: the facts, and the table after them.
            source: answers for chance; None where a branch begins: its facts were drawn in another match, so
                nothing is drawn here, and no period ends.
            answered: the seat whose answer led here; None if none did.
            fields: the fields of the entry beside those that every `FactEntry` has.
            secret_picks: the picks of a secret answer, which only the seat may see.

        Raises:
            Refused: record; `source` has no fitting draw.
        """
        before = self.live
        facts, draws, keys, anchor = self._with_chance(decision, source)
        public, parts = _divided(facts, self.game.seats)
        if secret_picks is not None and answered is not None:
            parts[answered] = replace(parts.get(answered, _EMPTY), picks=secret_picks)
        change = _change(before.agenda, self.live.agenda)
        hidden = tuple(draw for draw in draws if not draw.period)
        parts[HOUSE] = replace(parts.get(HOUSE, _EMPTY), draws=hidden, agenda=change)
        # After an exchange of seats another player is asked: an answer to the old question must not fit.
        stood = self.asked if before.exchanged == self.live.exchanged else None
        self.asked = _question(stood, self.live, self.tree.size + 1, answered)
        self.add(
            kind,
            parts,
            facts=public,
            draws=tuple(draw for draw in draws if draw.period),
            keys=keys,
            anchor=anchor,
            asked=self.asked,
            **self._versions(),
            **fields,
        )
        if self.live.result:
            self.close("play", self.live.result)

    def close(self, by: str, result: Result | None, unopened: tuple[Seat, ...] = ()) -> None:
        """Open the secret and close the match: always together."""
        self.add(SecretOpened, secret=b64(self.context.secret.bytes))
        self.add(Closed, by=by, result=result, unopened=unopened)

    def _versions(self) -> dict[str, str]:
        """The rules and the product that decide now, if they differ from those of the entries before."""
        changed: dict[str, str] = {}
        if self.game.rules != self.rules:
            changed["rules"] = self.rules = self.game.rules
        if self.context.product != self.product:
            changed["product"] = self.product = self.context.product
        return changed

    def _with_chance(
        self, decision: Decision[Table], source: Source | None
    ) -> tuple[list[AnyFact], list[Drawn], tuple[Key, ...], str]:
        facts, draws, keys, anchor = list(decision.facts), list[Drawn](), list[Key](), ""
        if source is None:
            self.live = decision.table
            return facts, draws, (), anchor
        while True:
            for fact in decision.facts:
                if fact.ends_period:
                    period = self.ledger.close_period()
                    keys.append(self._key(period))
                    anchor = self._anchor(period) or anchor
            self.live = decision.table
            if kernel.asked(self.live) != (CHANCE,):
                return facts, draws, tuple(keys), anchor
            drawn = self._draw(source)
            draws += drawn
            decision = kernel.decide(self.live, Answer(CHANCE, tuple(draw.pick for draw in drawn)))
            facts += decision.facts

    def _draw(self, source: Source) -> list[Drawn]:
        step = cast(Draw[Any], self.live.agenda[-1])
        options = step.options(self.live, CHANCE)
        _, count = step.bounds(self.live, CHANCE)
        try:
            return source.draw(step.label(self.live), step.face_up(self.live), options, count, self.ledger)
        except NoDraw as error:
            raise Refused("record", QUOTED, {"said": str(error)}) from error

    def _key(self, period: int) -> Key:
        return Key(period, b64(self.context.secret.open_key(period)) if self.provable else "")

    def _anchor(self, period: int) -> str:
        """The anchor of the next chain, published when the last link of this one comes into use; else ""."""
        chain, rest = divmod(period + 1, CHAIN)
        return b64(self.context.secret.anchor(chain)) if self.provable and rest == 0 else ""


def _divided(
    facts: Iterable[AnyFact], seats: Sequence[Seat]
) -> tuple[tuple[AnyFact, ...], dict[str, Part[Any]]]:
    """The public facts, and the parts: each hidden fact for the seats, or the house, that know it."""
    public: list[AnyFact] = []
    hidden: dict[str, list[tuple[int, AnyFact]]] = {}
    for place, fact in enumerate(facts):
        known = fact.known_to()
        public.append(fact if known is None else fact.outside())
        for audience in () if known is None else known or (HOUSE,):
            hidden.setdefault(audience, []).append((place, fact))
    return tuple(public), {name: Part(tuple(pairs)) for name, pairs in hidden.items()}


def _change(before: tuple[Any, ...], after: tuple[Any, ...]) -> Agenda:
    keep = 0
    for old, new in zip(before, after, strict=False):
        if old is not new and old != new:
            break
        keep += 1
    return Agenda(keep, tuple(Raw(canonical(step)) for step in after[keep:]))


def _question(before: Asked | None, table: Table, move: int, answered: Seat | None) -> Asked | None:
    """The question that stands after `move`; a seat that is still asked the same keeps its move number."""
    seats = kernel.asked(table)
    if not seats:
        return None
    ask = type(table.agenda[-1]).__name__
    stood = before.seats if before and before.ask == ask else {}
    return Asked(ask, {seat: stood[seat] if seat in stood and seat != answered else move for seat in seats})
