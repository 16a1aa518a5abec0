"""OA2: no illegal command changes anything, the log gives the state, and the invariants always hold."""

from __future__ import annotations

from collections import Counter

import pytest

from api.http.problems import KINDS
from domain.log import Record, unb64
from domain.tournaments.crosstable import problem
from domain.tournaments.crosstables import crosstable
from domain.tournaments.events import Paired
from domain.tournaments.history import TournamentLog
from domain.tournaments.log import codec
from domain.tournaments.state import Tournament
from domain.tournaments.terms import BOTH
from tests.domain.tournaments.random_play import RandomPlay


def check(s: Tournament) -> None:
    """The invariants of section 3."""
    players = [one.player for one in s.entrants.values()]
    assert len(players) == len(set(players)), "one entrant per player"
    for one in s.rounds:
        named = [name for pair in one.pairs for name in pair[0].entrants] + list(one.byes)
        assert len(named) == len(set(named)), "an entrant has one opponent or one bye in a round"
        assert {len(pair) for pair in one.pairs} == {2 if s.terms.sides == BOTH else 1}
        assert [board.number for board in one.boards] == list(range(1, len(one.boards) + 1))
        assert len({board.match for board in one.boards}) == len(one.boards)
    assert all(one.status == "closed" for one in s.rounds[:-1])
    assert all(type(s.score(name)) is int for name in s.entrants)
    assert sum(one.takes_part for one in s.entrants.values()) <= s.terms.most_entrants
    assert problem(crosstable(s)) is None


def reread(log: TournamentLog) -> TournamentLog:
    """The tournament of the stored bytes alone."""
    fresh: list[Record] = [codec().read(log.id, record.move, record.stored) for record in log.records]
    found = TournamentLog.project(fresh)
    assert found is not None
    return found


def run(seed: int, commands: int) -> tuple[Counter[str], TournamentLog]:
    """Send so many commands to one tournament; count the refusals by kind ("": carried out)."""
    play, found = RandomPlay(seed), Counter[str]()
    for _ in range(commands):
        before = play.log.root, play.log.state
        kind = play.send()
        found[kind] += 1
        if kind:
            assert kind in KINDS
            assert (play.log.root, play.log.state) == before
        else:
            check(play.log.state)
            fresh = reread(play.log).state
            assert fresh == play.log.state
            assert crosstable(fresh) == crosstable(play.log.state)
    return found, play.log


def test_random_commands_keep_the_invariants() -> None:
    found, rounds = Counter[str](), 0
    for seed in range(3):
        counted, log = run(seed, 200)
        found += counted
        rounds = max(rounds, len(log.state.rounds))
    assert found[""] > 100
    assert rounds >= 2
    assert {"stale", "forbidden", "late", "not-entered", "entered"} <= found.keys()


@pytest.mark.long
def test_ten_thousand_random_commands_keep_the_invariants() -> None:
    found, ended = Counter[str](), Counter[str]()
    for seed in range(100, 140):
        counted, log = run(seed, 250)
        found += counted
        ended[log.state.status] += 1
    assert sum(found.values()) == 10_000
    refused = {"stale", "terms", "not-entered", "entered", "no-place", "late", "unfinished"}
    assert {*refused, "forbidden", "boards", "not-found", "invalid"} <= found.keys()
    assert ended["published"] > 0


def test_a_stored_log_gives_every_earlier_state_again() -> None:
    play = RandomPlay(7)
    states = [play.log.state]
    while len(states) < 60 and play.sent < 400:
        if not play.send() and play.log.entry > states[-1].entry:
            states.append(play.log.state)
    fresh = reread(play.log)
    for state in states:
        assert fresh.state_at(state.entry) == state


def test_an_unknown_random_part_hides_the_ids_of_matches() -> None:
    play = RandomPlay(3)
    while not play.log.state.rounds and play.sent < 300:
        play.send()
    paired = next(record.entry for record in play.log.records if isinstance(record.entry, Paired))
    assert len(unb64(paired.random)) == 16
    assert not any(play.log.state.rounds[0].boards[0].match.encode() in r.leaf for r in play.log.records)
