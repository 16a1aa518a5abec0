"""OA1: any flipped byte of a tournament's log is found, and names its entry."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from domain.tournaments import commands as c
from domain.tournaments.events import LotDrawn
from domain.tournaments.history import TournamentLog
from replay.report import CHANCE, LOG, Wrong
from replay.tournaments.chain import check_lots, check_records, tournament_chained
from tests.domain.tournaments.random_play import DIRECTOR, PEOPLE, RandomPlay, carried_out


def a_log() -> tuple[TournamentLog, RandomPlay]:
    """A log with a call, a lot and rounds."""
    play = RandomPlay(5)
    while len(play.log.state.rounds) < 2:
        play.send()
    entrant = next(iter(play.log.state.entrants.values()))
    caller = next(actor for actor in PEOPLE if actor.person == entrant.player)
    carried_out(play.log, play.secret, c.CallArbiter(text="look at this"), caller)
    carried_out(play.log, play.secret, c.DrawLot(label="lot/tie/n1", n=7), DIRECTOR)
    return play.log, play


def test_the_log_as_written_is_sound() -> None:
    log, play = a_log()
    found = check_records(log.records, play.secret, log.root)
    assert (found.tournament, found.root, len(found.entries)) == (log.id, log.root, log.entry)


@pytest.mark.parametrize("flips", [150, pytest.param(0, marks=pytest.mark.long)])
def test_any_flipped_byte_is_found_and_its_entry_named(flips: int) -> None:
    log, _ = a_log()
    leaves = [record.leaf for record in log.records]
    places = [(number, place) for number, leaf in enumerate(leaves) for place in range(len(leaf))]
    for number, place in Random(1).sample(places, flips) if flips else places:
        leaf = bytearray(leaves[number])
        leaf[place] ^= 1 << (place % 7)
        spoilt = [*leaves[:number], bytes(leaf), *leaves[number + 1 :]]
        with pytest.raises(Wrong) as wrong:
            tournament_chained(spoilt, log.root)
        assert wrong.value.failure.move == number + 1, (number, place)


def test_a_dropped_entry_and_one_too_many_are_found() -> None:
    log, _ = a_log()
    leaves = [record.leaf for record in log.records]
    for spoilt in ([], leaves[1:], leaves[:3] + leaves[4:], [*leaves, leaves[-1]], leaves[:2] + leaves[1:]):
        with pytest.raises(Wrong) as wrong:
            tournament_chained(spoilt, log.root)
        assert wrong.value.failure.check == LOG


def test_a_spoilt_private_part_is_found() -> None:
    log, play = a_log()
    number, record = next((n, one) for n, one in enumerate(log.records) if len(one.audiences) > 1)
    record.stored = record.stored.replace(b"look at", b"look to")
    with pytest.raises(Wrong) as wrong:
        check_records(log.records, play.secret)
    assert wrong.value.failure.move == number + 1


def test_a_lot_that_the_key_does_not_give_is_found() -> None:
    log, _ = a_log()
    found = tournament_chained([record.leaf for record in log.records])
    last = found.entries[-1]
    assert isinstance(last, LotDrawn)
    found.entries[-1] = msgspec.structs.replace(last, result=(last.result + 1) % 7)
    with pytest.raises(Wrong) as wrong:
        check_lots(found)
    assert wrong.value.failure.check == CHANCE
