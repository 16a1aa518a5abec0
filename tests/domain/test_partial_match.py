"""A position read by itself is the position in the whole match, byte for byte."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.game import Game
from domain.games import GAMES
from domain.imported import IMPORTED
from domain.log import Damaged
from domain.match import Match
from domain.match_base import ALL
from domain.partial_match import PartialMatch
from replay.positions import position
from tests.domain.swap import DARK, LIGHT
from tests.matches import Sitting, finished
from tests.partial_matches import Reader
from tests.replay.files import with_everything
from tests.wild import wild

OPTIONS = {"twilight_struggle": {"bid": "influence"}, "imperial_struggle": {"bid": "fr"}}


def stored(match: Match) -> list[bytes]:
    """What a store holds of a match."""
    return [record.stored for record in match.records]


def reader(match: Match) -> Reader:
    return Reader(match.game, match.id, stored(match))


def told(match: Match | PartialMatch, at: int) -> list[Any]:
    """Everything that can be asked of a match about one of its moves, and of its latest one."""
    viewers = (None, *match.game.seats, *((ALL,) if match.closed else ()))
    return [
        *(msgspec.json.encode(position(match, at, viewer)) for viewer in viewers),
        *(match.table_at(at, viewer) for viewer in viewers),
        (match.id, match.move, match.status, match.result, match.asked, match.asked_at(at)),
        (match.root_at(at), match.entry_at(at), match.stands(at), match.request),
        (match.seats, match.players, [match.player_of(seat, at) for seat in match.game.seats]),
        (match.provable, match.imported, match.house_seeded, match.salts, match.audiences),
    ]


def check(match: Match, every: int = 1) -> None:
    """Each so manieth earlier move of a match, read by itself, against the whole match."""
    alone = reader(match)
    whole = Match.project(None, alone.records(range(1, match.move + 1)))
    assert whole is not None
    for at in range(1 + match.move % every, match.move, every):
        assert told(alone.partial_match(at), at) == told(whole, at), f"move {at} of {match.move}"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_move_of_a_wild_match_is_the_same_by_itself(name: str, seed: int) -> None:
    check(wild(GAMES[name], seed, 120, options=OPTIONS.get(name, {})).match, every=5)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_move_of_many_wild_matches(name: str, seed: int) -> None:
    check(wild(GAMES[name], seed, 100 + 10 * seed, options=OPTIONS.get(name, {}) if seed % 2 else {}).match)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_match_that_is_over_is_shown_in_full_to_every_viewer(name: str) -> None:
    check(finished(GAMES[name], 2).match, every=9)


@pytest.mark.parametrize("seed", range(6))
def test_short_matches_at_every_move(toy_game: Game, swap_game: Game, seed: int) -> None:
    check(wild(toy_game, seed, 60, options={"rounds": 3}).match)
    check(wild(swap_game, seed, 40, options={"lots": bool(seed % 2)}).match)
    check(with_everything(toy_game))


def test_a_match_whose_seats_are_not_all_taken(toy_game: Game) -> None:
    sitting = Sitting(toy_game)
    sitting.accept(sitting.match.sit(sitting.context, "left", "p1", salt=None, bot="", source=None))
    check(sitting.match)


def test_an_exchange_counts_from_its_move_on_until_it_is_taken_back(swap_game: Game) -> None:
    sitting = Sitting(swap_game).seat_all()
    sitting.answer(DARK, LIGHT)
    sitting.answer(LIGHT, DARK)
    check(sitting.match)
    glimpse = reader(sitting.match).partial_match(4)
    assert [glimpse.chair_of(DARK, 4), glimpse.chair_of(DARK)] == [DARK, LIGHT]
    sitting.accept(sitting.match.rule(sitting.context, "judge", "misheard", back_to=4))
    check(sitting.match)
    assert reader(sitting.match).partial_match(4).chair_of(DARK) == DARK


def test_an_imported_match_is_shown_to_every_viewer_as_to_a_spectator(toy_game: Game) -> None:
    check(Sitting(toy_game, 3, origin=IMPORTED).seat_all().play_on(4).match)


def test_no_more_is_read_than_led_to_the_move(toy_game: Game) -> None:
    sitting = Sitting(toy_game, 4, options={"rounds": 3}).seat_all()
    first = sitting.match.move
    for _ in range(20):
        sitting.play_on(3)
        sitting.accept(sitting.match.rule(sitting.context, "judge", "once more", back_to=first))
    sitting.play_on(3)
    alone = reader(sitting.match)
    alone.partial_match(sitting.match.move - 1)
    assert alone.read == 3


def harmed(match: Match, at: int, state: bytes) -> Reader:
    states = stored(match)
    states[at - 1] = state
    return Reader(match.game, match.id, states)


def test_damage_on_the_way_is_found(toy_game: Game) -> None:
    match = Sitting(toy_game).seat_all().play_on(5).match
    whole = match.records[5].stored
    for state in (b"", whole[:-40], whole.replace(b'"fact":', b'"fakt":'), match.records[6].stored):
        with pytest.raises(Damaged):
            harmed(match, 6, state).partial_match(7).table_at(7, None)


def test_a_milestone_in_another_place_is_damage(toy_game: Game) -> None:
    match = Sitting(toy_game).seat_all().play_on(3).match
    for state in (b"{}", match.records[0].stored):
        with pytest.raises(Damaged):
            harmed(match, 2, state).partial_match(5).table_at(5, None)


def test_a_move_that_is_missing_is_damage(toy_game: Game) -> None:
    match = Sitting(toy_game).seat_all().play_on(5).match
    alone = reader(match)
    milestones = alone.records([1, 2, 3])
    with pytest.raises(Damaged, match="move 5 is missing"):
        PartialMatch(
            milestones, match.move, 6, lambda ranges: [r for r in alone.ranges(ranges) if r.move != 5]
        )


def test_a_part_that_is_missing_is_damage(toy_game: Game) -> None:
    """Else a seat would see what belongs to another one."""
    match = finished(toy_game).match
    states = stored(match)
    leaf, _, rest = states[5].split(b"\n", 2)
    states[5] = leaf + b"\n" + rest
    with pytest.raises(Damaged, match="move 6 has not all its private parts"):
        Reader(match.game, match.id, states).partial_match(8)
