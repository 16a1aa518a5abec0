"""A tournament that random commands are sent to, legal and illegal ones."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from domain.chance import Secret
from domain.kernel import Refused
from domain.log import b64
from domain.tournaments import commands as c
from domain.tournaments import rules
from domain.tournaments.drafts import drafted, needs_engine, on_both_sides, without_board
from domain.tournaments.events import RESULTS
from domain.tournaments.formats.cut import Ranked
from domain.tournaments.history import TournamentLog
from domain.tournaments.judging import THE_HOUSE, Actor, Given
from domain.tournaments.rounds import next_round
from domain.tournaments.state import Tournament
from domain.tournaments.terms import BOTH, League, Stage, Terms

DIRECTOR = Actor("pd", "organizer")
ARBITER = Actor("pa", "player")
ADMIN = Actor("px", "admin")
PEOPLE = [Actor(f"p{number}", "player") for number in range(14)]
NOW = 1_000_000_000_000_000
GREEN = {"log": "ok", "chance": "ok", "fold": "ok", "rules": "ok"}
ENGINE, TRF = "greedy", "trf"


def given(secret: Secret, seed: int = 0) -> Given:
    """What the house brings."""
    random = hashlib.sha256(f"random {seed}".encode()).digest()[:16]
    return Given(now=NOW + seed, secret=secret, random=b64(random), rating=1500 + seed % 40)


def started(terms: Terms, name: str = "tabcdefghij234567abcd") -> tuple[TournamentLog, Secret]:
    """A tournament that was just announced."""
    secret = Secret(hashlib.sha256(name.encode()).digest(), name)
    draft = rules.opened(name, "Open of the house", terms, DIRECTOR, given(secret), "1.0")
    log = TournamentLog.project(draft.records)
    assert log is not None
    return log, secret


def carried_out(
    log: TournamentLog,
    secret: Secret,
    command: Struct,
    actor: Actor,
    seed: int = 0,
    expect: int | None = None,
) -> None:
    """Judge a command and take in its records.  Raises Refused."""
    known = given(secret, seed)
    if isinstance(command, c.Advance):
        complete = Given(now=known.now, secret=secret, random=known.random, ranked=by_score(log.state))
        known = complete
    draft = rules.judged(log.state, log.tree, command, actor, known, log.entry if expect is None else expect)
    for record in draft.records:
        log.accept(record)


def by_score(s: Tournament) -> tuple[tuple[Ranked, ...], ...]:
    """The entrants by their points alone: of each division, or of the latest stage."""
    parts = [s.in_division(place) for place in range(1, len(s.divisions) + 1)] or [s.playing]
    return tuple(map(_by_score, parts))


def _by_score(s: Tournament) -> tuple[Ranked, ...]:
    points = {one.id: s.score(one.id) for one in s.numbered}
    order = sorted(points, key=lambda name: -points[name])
    return tuple(Ranked(1 + sum(other > points[name] for other in points.values()), name) for name in order)


def greedy(s: Tournament) -> c.PairingDraft:
    """A pairing that is legal if there is one at hand: by score, without rematches where that works."""
    try:
        number = next_round(s)
    except Refused:
        number = len(s.rounds) + 1
    if not needs_engine(s):
        with suppress(Refused):
            return drafted(s, number)
    byes = without_board(s, number)
    met = {frozenset(board.entrants) for one in s.rounds[: number - 1] for board in one.boards}
    free = [one.id for one in s.numbered if one.id not in byes]
    free.sort(key=lambda name: -s.score(name))
    if len(free) % 2:
        byes[free.pop()] = "pairing_bye"
    boards: list[tuple[str, str, str, str]] = []
    while free:
        first = free.pop(0)
        other = next((name for name in free if frozenset((first, name)) not in met), free[0])
        free.remove(other)
        boards.append((first, other, "", ""))
    digest = hashlib.sha256(TRF.encode()).hexdigest()
    return c.PairingDraft(
        round=number,
        engine=ENGINE,
        version="1",
        rules="2026-02-01",
        input_sha256=digest,
        input=TRF,
        boards=on_both_sides(s.terms, tuple(boards)),
        byes=byes,
    )


def recorded(s: Tournament, round_number: int, board: int, result: str, move: int = 40) -> c.RecordResult:
    """What the house reads of a board's match."""
    one = s.rounds[round_number - 1].boards[board - 1]
    winner = {"1-0": one.w, "0-1": one.b}.get(result, "")
    return c.RecordResult(
        round=round_number,
        board=board,
        match=one.match,
        closed_move=move,
        root="r",
        winner=winner,
        reason="final_scoring",
        drawn=result == "½",
        score={},
        sides={},
        checked=GREEN,
    )


class RandomPlay:
    """Sends random commands.

    Args:
        seed: of the random numbers.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.terms = Terms(
            game="cia_vs_kgb",
            format=self.random.choice(("swiss", "swiss", "round_robin", "knockout", "league", "stages")),
            rounds=9,
            most_entrants=self.random.choice((4, 7, 12)),
            late_rounds=0,
            waiting_list=self.random.random() < 0.7,
        )
        if self.terms.format == "league":
            self.terms = replace(self.terms, league=League((2, 2), 1, 1))
        if self.terms.format == "stages":
            stages = (Stage("round_robin", 3), Stage("knockout", 6, 2, best_of=2))
            self.terms = replace(self.terms, stages=stages)
        if self.terms.format == "swiss":
            self.terms = replace(self.terms, rounds=5, late_rounds=self.random.choice((0, 3)))
        if self.terms.format in ("swiss", "round_robin", "league") and self.random.random() < 0.4:
            self.terms = replace(self.terms, sides=BOTH)
        self.log, self.secret = started(self.terms)
        self.sent = 0
        for actor in PEOPLE[: self.random.randrange(3, 8)]:
            if len(self.log.state.entrants) < self.terms.most_entrants:
                carried_out(self.log, self.secret, c.EnterTournament(), actor)

    def next(self) -> tuple[Struct, Actor, int | None]:
        """A command, who sends it, and what they have seen last."""
        random = self.random
        command = random.choice(self._makers())()
        actor = random.choice([DIRECTOR] * 8 + [ARBITER, ADMIN, THE_HOUSE, random.choice(PEOPLE)])
        if isinstance(command, c.OpenBoard | c.RecordResult | c.Reconvene) and random.random() < 0.9:
            actor = THE_HOUSE
        if isinstance(command, c.OwnCommand) and random.random() < 0.9:
            actor = random.choice(PEOPLE)
        expect = self.log.entry if random.random() < 0.95 else random.randrange(self.log.entry + 2)
        return command, actor, expect

    def send(self) -> str:
        """Send a command; return the kind of the refusal, or ""."""
        command, actor, expect = self.next()
        self.sent += 1
        try:
            carried_out(self.log, self.secret, command, actor, self.sent, expect)
        except Refused as error:
            return error.kind
        return ""

    def _makers(self) -> list[Callable[[], Struct]]:
        s, random = self.log.state, self.random
        forward = self._forward()
        return [
            *[forward] * 14,
            lambda: c.EnterTournament(),
            lambda: c.EnterTournament(),
            lambda: c.EnterTournament(player=f"p{random.randrange(14)}", rating=random.randrange(3000)),
            lambda: c.Invite(places=tuple(c.Place(f"q{random.randrange(9)}") for _ in range(2))),
            lambda: c.Accept(entrant=self._entrant()),
            lambda: c.Admit(entrant=self._entrant()),
            lambda: c.SeedAll(order=tuple(random.sample(sorted(s.entrants), len(s.entrants))) or ("n1",)),
            lambda: c.Withdraw(entrant=self._entrant()),
            lambda: c.Return(entrant=self._entrant()),
            lambda: c.Replace(entrant=self._entrant(), substitute=f"p{random.randrange(14)}", reason="ill"),
            lambda: c.AskBye(entrant=self._entrant(), round=random.randrange(1, 7)),
            lambda: c.ChangeTerms(path=random.choice(("byes", "until", "x")), value="2", reason="r"),
            lambda: c.Appoint(person=random.choice(("pa", "p1", "p2")), office="arbiter"),
            lambda: c.Dismiss(person=random.choice(("pa", "p1", "pd")), office="director", reason="r"),
            lambda: c.CallArbiter(text="please come"),
            lambda: c.AnswerCall(call=random.choice([1, *s.calls]), text="yes"),
            lambda: c.Advance(decided=self._some(), reason=random.choice(("", "lot"))),
            lambda: c.DrawLot(label=f"lot/tie/{random.randrange(6)}", n=4),
            lambda: c.Penalise(entrant=self._entrant(), penalty="points", amount=1, text="late"),
            lambda: c.ReopenRound(round=random.randrange(1, 5), reason="a mistake"),
            lambda: c.Adjourn(
                round=random.randrange(1, 5), until=NOW + random.randrange(2_000), reason="night"
            ),
            lambda: c.Reconvene(round=random.randrange(1, 5), board=random.randrange(1, 4)),
            lambda: c.Extend(
                round=random.randrange(1, 5), until=NOW + random.randrange(2_000), reason="snow"
            ),
            lambda: c.Resume(round=random.randrange(1, 5), reason="day"),
            lambda: c.Publish(final=random.random() < 0.2),
            *[lambda: c.Cancel(reason="storm")] * (random.random() < 0.02),
        ]

    def _forward(self) -> Callable[[], Struct]:
        """What brings the tournament further."""
        s, random = self.log.state, self.random
        one = s.round
        over = one is not None and one.status == "closed" and one.number >= s.last_round
        if over and s.terms.format in ("league", "stages") and random.random() < 0.7:
            return lambda: c.Advance(decided=self._some(), reason="lot")
        if one is None or one.status == "closed":
            return lambda: c.Pair(round=len(s.rounds) + 1, draft=greedy(s))
        if one.status == "paired":
            if random.random() < 0.2:
                return lambda: c.ChangePairing(
                    round=one.number,
                    boards=tuple(c.Pairing(pair[0].b, pair[0].w) for pair in one.pairs),
                    reason="request",
                    text="colours",
                )
            if random.random() < 0.3:
                return lambda: c.Pair(round=one.number, draft=greedy(s))
            return lambda: c.PublishRound(round=one.number, despite_calls=random.choice(("", "late")))
        board = random.choice(one.boards)
        if not board.opened:
            return lambda: c.OpenBoard(round=one.number, board=board.number, match=board.match, root="r")
        if random.random() < 0.6:
            move = random.choice((40, 40, 40, 41))
            result = random.choice(("1-0", "0-1", "½", ""))
            return lambda: recorded(s, one.number, board.number, result, move)
        if random.random() < 0.4:
            return lambda: c.Rule(
                round=one.number,
                board=board.number,
                result=random.choice(RESULTS),
                reason="agreed",
                text="both say so",
            )
        policies = tuple(c.BoardPolicy(known.number, "adjourn") for known in one.boards if not known.stands)
        return lambda: c.CloseRound(round=one.number, boards=policies if random.random() < 0.9 else ())

    def _some(self) -> tuple[str, ...]:
        return tuple(self._entrant() for _ in range(self.random.randrange(3)))

    def _entrant(self) -> str:
        return self.random.choice([*self.log.state.entrants, "n99"])
