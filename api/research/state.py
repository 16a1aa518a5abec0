"""A match as a state of the world, with the method names of OpenSpiel, for search and for training.

A state holds the true table, but what it says about a seat (`observation_tensor`, `information_state_string`,
`observation_json`, `resample_from_infostate`) comes from that seat's own fold alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, MutableSequence
from typing import Any, Protocol, cast, get_args

import msgspec

from api.research.answering import Answering
from api.research.episode import Chance, Episode, Record, Setting
from api.research.information import Node, as_seen, folded, since
from api.research.resampling import fresh_source, known_to
from domain import kernel
from domain.agents.observation import Observation, observe
from domain.agents.spec import Rng
from domain.chance import Ledger
from domain.game import OptionValue
from domain.kernel import CHANCE, Answer, AnyStep, Decision, Draw, Picks, Prompt, Seat, Table
from domain.log import canonical

NOTHING: Mapping[str, OptionValue] = {}


class Buffer(Protocol):
    """Memory that can be written to: a bytearray, an array, a numpy array."""

    def __buffer__(self, flags: int, /) -> memoryview:
        """A view of the memory."""


class State:
    """One moment of an episode; `apply_action` leads to the next one.

    Args:
        game: the name of a game.
        seed: from 0 up to, and without, 2 to the power of 256; every draw of sampled chance follows from it.
        edition: "" for the first one.
        options: those that differ from the defaults.
        chance: "sampled": draws happen by themselves, by `rng/1`; "explicit": chance is a player, `CHANCE`.

    Raises:
        KeyError: there is no such game.
        Refused: bad-option; an edition or option is not legal.
        ValueError: the seed or the kind of chance is another.
    """

    def __init__(
        self,
        game: str,
        *,
        seed: int,
        edition: str = "",
        options: Mapping[str, OptionValue] = NOTHING,
        chance: Chance = "sampled",
    ) -> None:
        self._begin(Setting(game, edition, dict(options)), seed, chance)

    @classmethod
    def of(cls, setting: Setting, seed: int, chance: Chance = "sampled") -> State:
        """The same, of a setting that was made before: faster where many episodes share it."""
        state = cls.__new__(cls)
        state._begin(setting, seed, chance)
        return state

    def _begin(self, setting: Setting, seed: int, chance: Chance) -> None:
        if chance not in get_args(Chance):
            raise ValueError(f"chance is {' or '.join(get_args(Chance))}, not {chance!r}")
        self._setting = setting
        self._episode = Episode(setting, seed)
        self._source = self._episode.source
        self._sampled = chance == "sampled"
        self._ledger = Ledger()
        self._prefixes: dict[Seat, tuple[Any, ...]] | None = None
        self._record: tuple[Record, Node] | None = None
        self._table: Any = setting.empty
        self._last = self._first = Node(None, "", "", (), False, (), True)
        self._views: dict[Seat, tuple[Table, Node]] = dict.fromkeys(
            setting.game.seats, (setting.empty, self._first)
        )
        self._encoded: dict[Seat, tuple[Table, array[float]]] = {}
        self._shared: set[Seat] = set()  # whose numbers in `_encoded` a clone has, too
        begun = kernel.begin(setting.empty, setting.game.first(setting.empty))
        self._follow(begun, "", "", (), secret=False)

    # ── the course ──

    def _follow(self, decision: Decision[Any], seat: Seat, ask: str, picks: Picks, *, secret: bool) -> None:
        """Take in what followed from an answer, and what chance draws after it; then put the question."""
        while True:
            facts = decision.facts
            public = self._setting.private.isdisjoint(map(type, facts))
            self._last = Node(self._last, seat, ask, picks, secret, facts, public)
            self._table = table = decision.table
            for fact in facts:
                if fact.ends_period:
                    self._ledger.close_period()
            seats = kernel.asked(table)
            if not self._sampled or seats != (CHANCE,):
                break
            question, picks = self._drawn(table)
            seat, ask = CHANCE, question.ask
            decision = kernel.decide(table, Answer(CHANCE, picks), question)
        self._answering = Answering(_asked(table, seats[0]), self._setting.actions) if seats else None

    def _drawn(self, table: Any) -> tuple[Prompt, Picks]:
        """What chance is asked, and what it draws."""
        step, question = cast(Draw[Any], table.agenda[-1]), _asked(table, CHANCE)
        label, face_up = step.label(table), step.face_up(table)
        drawn = self._source.draw(label, face_up, question.options, question.most, self._ledger)
        return question, tuple([draw.pick for draw in drawn])

    def apply_action(self, action: int) -> None:
        """Take an action of the player whose turn it is.

        Raises:
            ValueError: it is not legal, or the match is over.
        """
        answering = self._answering
        if answering is None:
            raise ValueError("the match is over")
        picks = answering.ended_by(action)
        if picks is None:
            self._answering = answering.with_action(action)
        else:
            self._answer(answering.question, picks)

    def answer(self, picks: Picks) -> None:
        """Answer the whole question of the current player at once, in the picks of the rules.

        Raises:
            ValueError: the match is over, or the answer has begun already.
            Refused: illegal; these are no legal picks.
        """
        if self._answering is None or self._answering.picked:
            raise ValueError("the match is over, or the answer has begun already")
        self._answer(self._answering.question, picks)

    def _answer(self, question: Prompt, picks: Picks) -> None:
        step: AnyStep = self._table.agenda[-1]
        decision = kernel.decide(self._table, Answer(question.seat, picks), question)
        self._follow(decision, question.seat, question.ask, picks, secret=step.secret)

    def clone(self) -> State:
        """The same state, which goes its own way from here; tables and history are shared, not copied."""
        other = State.__new__(State)
        other.__dict__.update(self.__dict__)
        other._ledger, other._record = self._ledger.fork(), None
        other._views, other._encoded = dict(self._views), dict(self._encoded)
        self._shared, other._shared = set(self._encoded), set(self._encoded)
        return other

    # ── what is to be done ──

    @property
    def num_actions(self) -> int:
        """The size of the action space."""
        return self._setting.actions.size

    @property
    def observation_size(self) -> int:
        """How many numbers `observation_tensor` writes."""
        return self._setting.encoding.size

    def observation_names(self) -> tuple[str, ...]:
        """The name of each of these numbers, such as "own_hand/us-1"."""
        return self._setting.encoding.names

    @property
    def players(self) -> tuple[Seat, ...]:
        """The seats, in the rulebook's order."""
        return self._setting.game.seats

    def current_player(self) -> Seat:
        """The seat that acts now; of two that are asked at once, the first.  `CHANCE`, or "" at the end."""
        return self._answering.question.seat if self._answering else ""

    def legal_actions(self) -> list[int]:
        """The actions of the current player, sorted; at the end none."""
        return sorted(self._answering.legal) if self._answering else []

    def legal_actions_mask(self, out: Buffer) -> None:
        """Write 1 at every legal action and 0 elsewhere.

        Args:
            out: `num_actions` items of one byte in a row, such as a numpy array of int8.
        """
        mask = memoryview(out).cast("B")
        mask[:] = bytes(self.num_actions)
        self.mark_legal_actions(mask)

    def mark_legal_actions(self, mask: MutableSequence[int] | memoryview) -> None:
        """Do as `legal_actions_mask`, where all is 0 already."""
        for action in self._answering.legal if self._answering else ():
            mask[action] = 1

    def action_to_string(self, action: int) -> str:
        """The pick that an action stands for; "done" in words for the last action."""
        space = self._setting.actions
        return "end of the answer" if action == space.done else space.picks[action]

    def string_to_action(self, pick: str) -> int:
        """The action that stands for a pick.

        Raises:
            KeyError: the action space has no such pick.
        """
        return self._setting.actions.places[pick]

    def is_chance_node(self) -> bool:
        """Does chance act now?  Never with sampled chance."""
        return self.current_player() == CHANCE

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What chance may bring now, one card or die at a time, each equally likely.

        Raises:
            ValueError: it is not the turn of chance.
        """
        if not self.is_chance_node():
            raise ValueError("it is not the turn of chance")
        legal = self.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]

    def is_terminal(self) -> bool:
        """Is the match over?"""
        return self._answering is None

    def returns(self) -> dict[Seat, float]:
        """1 for the winner and -1 for the loser; 0 for both after a draw, and while the match runs."""
        result = self._table.result
        winner = result.winner if result else None
        return {seat: 0.0 if winner is None else 1.0 if seat == winner else -1.0 for seat in self.players}

    # ── what a seat knows ──

    def view(self, seat: Seat) -> Table:
        """The table as a seat folds it from what it was told; without its agenda."""
        table, known = self._views[seat]
        if known is not self._last:
            table = folded(table, seat, since(self._last, known))
            self._views[seat] = table, self._last
        return table

    def observation(self, seat: Seat) -> Observation:
        """What the current player gets that is an agent of the server (see `api.bots.levels.act`).

        Raises:
            ValueError: it is not the turn of this seat.
        """
        if self._answering is None or self._answering.question.seat != seat:
            raise ValueError(f"it is not the turn of {seat}")
        game, agenda = self._setting.game, self._table.agenda
        return observe(game, self.view(seat), agenda, self._answering.question)

    def observation_tensor(self, seat: Seat, out: Buffer) -> None:
        """Write what a seat knows as `observation_size` numbers.

        Args:
            out: a float32 buffer with that many items in a row, such as a numpy array.

        Raises:
            ValueError: it has another length or another type.
        """
        memoryview(out)[:] = memoryview(self.numbers(seat))

    def numbers(self, seat: Seat) -> array[float]:
        """Return what `observation_tensor` writes, as a new array of float32."""
        answering = self._answering
        numbers = self._of_table(seat)[:]
        if answering is not None and answering.question.seat == seat:
            picks = answering.picks if answering.picked else ()
            self._setting.encoding.add_question(answering.question, picks, numbers)
        return numbers

    def _of_table(self, seat: Seat) -> array[float]:
        """The numbers of a seat's table, without a question; they are kept: callers must not change them."""
        view, encoding, known = self.view(seat), self._setting.encoding, self._encoded.get(seat)
        if known is None:
            numbers = array("f", bytes(4 * encoding.size))
            encoding.encode(view, seat, numbers)
        else:
            before, numbers = known
            if before is view:
                return numbers
            if seat in self._shared:
                self._shared.remove(seat)
                numbers = numbers[:]
            encoding.update(numbers, before, view, seat)
        self._encoded[seat] = view, numbers
        return numbers

    def information_state_string(self, seat: Seat) -> str:
        """What a seat was told so far, as canonical JSON; then what it has picked of an unfinished answer."""
        start = self._prefixes[seat] if self._prefixes else ()
        seen = (*start, *as_seen(seat, since(self._last, self._first)))
        own = self._answering if self._answering and self._answering.question.seat == seat else None
        return canonical([seen, own.picks if own else ()]).decode()

    def observation_json(self, seat: Seat) -> bytes:
        """The body with which the server answers GET /v1/matches/{match}?view={seat} at this moment.

        Raises:
            ValueError: the state has no match (see `match_file`).
        """
        from api.gate import CachedMatch
        from api.http.views import match_view

        match = self._played().match
        seen = CachedMatch(match, self._episode.secret)
        view = match_view(seen, {}, match.chair_of(seat), match.move, "en", None, [])
        return msgspec.json.encode(view)

    def resample_from_infostate(self, seat: Seat, rng: Rng) -> State:
        """A state that this seat cannot tell from the true one, drawn at random, with dice of its own.

        The other seat knows there what is public, and its own hidden cards; what it had seen in secret
        besides is left out.
        """
        other = self.clone()
        view = msgspec.structs.replace(self.view(seat), agenda=self._table.agenda)
        table = other._table = self._setting.spec.determinize(view, rng)
        other._source = fresh_source(self._episode, rng)
        start = since(self._last, self._first)
        public = folded(self._setting.empty, "", start)
        other._last = other._first = Node(None, "", "", (), False, (), True)
        prefixes: dict[Seat, tuple[Any, ...]] = {}
        for player in self.players:
            own = player == seat
            known = self.view(seat) if own else known_to(player, public, table)
            before = self._prefixes[player] if self._prefixes else ()
            prefixes[player] = (*before, *as_seen(seat, start)) if own else (known,)
            other._views[player] = known, other._last
        other._prefixes = prefixes
        return other

    # ── the proof ──

    def match_file(self) -> bytes:
        """The match file of this episode: its answers, played again through `Match`, which verifies.

        Raises:
            ValueError: the match is not over; or it has no file, because its chance is explicit or it was
                resampled.
        """
        from api.seeded import SeededKeys, match_file, note_by

        if not self.is_terminal():
            raise ValueError("the match is not over")
        match = self._played().match
        return match_file(match.records, note_by(SeededKeys().signing, match))

    def _played(self) -> Record:
        """The match up to here; what was played before is kept."""
        if not self._sampled or self._prefixes is not None:
            raise ValueError("a state with explicit chance, or a resampled one, is no match of rng/1")
        record, known = self._record or (Record(self._episode), self._first)
        for move in since(self._last, known):
            if move.seat and move.seat != CHANCE:
                record.play(move.seat, move.picks)
        self._record = record, self._last
        return record


def _asked(table: Table, seat: Seat) -> Prompt:
    """The prompt of a seat, or of chance, that is known to be asked (`kernel.prompt` would look again)."""
    step: AnyStep = table.agenda[-1]
    least, most = step.bounds(table, seat)
    why = step.why(table, seat)
    return Prompt(seat, type(step).__name__, step.options(table, seat), least, most, step.ordered, why)
