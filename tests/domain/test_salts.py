"""Salts by commit and reveal: no draw depends on a salt that could be seen before all hashes were given."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from pathlib import Path

import pytest

from domain.chance import Provable, joined
from domain.draws import draws
from domain.events import SaltOpened
from domain.game import Game
from domain.log import canonical, codec
from domain.match import Match
from replay.verify import verify_records
from tests.domain.test_match import kinds, refused
from tests.domain.test_partial_match import check
from tests.matches import Sitting
from tests.salts import committed, hashed, open_salt, salt_of, sit

STORED = Path(__file__).parents[1] / "stored" / "toy_salts.records"
"""Two matches as they were stored when salts were first committed to; the file is never written anew."""

ROOTS = {  # by match: where its records stand in the file, and the root over them
    "mstored1": (0, 11, "c7fdceae04c7774e0657b6401c0fa5731ad9a6b2009ca89b6948710b3ad13649"),
    "mstored2": (11, 17, "e40a6a3fa01752d98a6fb1d2d158e84b2952bc8463a9bf0e14ae90f17af8cb92"),
}
LINES = 4  # a record: the leaf, a part for each seat, and the house's
SEATS = ("left", "right")
WAYS = ("committed", "clear", "none", "house")


def begun(
    game: Game, ways: dict[str, str], sitting_order: tuple[str, ...], opening: tuple[str, ...]
) -> Match:
    """A match that began with its seats taken, and its salts opened, in these orders."""
    sitting = Sitting(game)
    for seat in sitting_order:
        sit(sitting, seat, ways[seat])
    for seat in opening:
        if ways[seat] == "committed":
            open_salt(sitting, seat)
    return sitting.match


@pytest.mark.parametrize(
    "ways", [dict(zip(SEATS, ways, strict=True)) for ways in product(WAYS, repeat=2)], ids=str
)
def test_no_draw_comes_before_every_hash_stands_and_every_salt_is_open(
    toy_game: Game, ways: dict[str, str]
) -> None:
    for sitting_order, opening in product(permutations(SEATS), repeat=2):
        match = begun(toy_game, ways, sitting_order, opening)
        salts = {seat: salt_of(seat) if ways[seat] in ("committed", "clear") else None for seat in SEATS}
        assert match.status == "running"
        assert match.salts == joined(salts)
        drawing = [record.move for record in match.records if draws(record)]
        assert drawing == [match.begun] == [match.move]
        for seat in (seat for seat in SEATS if ways[seat] == "committed"):
            told = [record.move for record in match.records if salt_of(seat).encode() in record.stored]
            last_seat = max(seated.move for seated in match.seats.values() if seated)
            assert told == [
                r.move for r in match.records if isinstance(r.entry, SaltOpened) and r.entry.seat == seat
            ]
            assert min(told) > last_seat  # all hashes, and all salts in clear, stand before it is seen
        assert match.salt_marks == {seat: "none" if how == "house" else how for seat, how in ways.items()}
        assert match.house_seeded == (not any(salts.values()))


def test_the_draws_are_those_of_the_salts_that_were_opened(toy_game: Game) -> None:
    sitting = committed(Sitting(toy_game))
    dealt = sitting.match.live.hands
    plain = Sitting(toy_game).seat_all()
    salts = joined({seat: salt_of(seat) for seat in SEATS})
    again = [
        Provable(sitting.secret, salts).draw(
            draw.label, False, tuple(f"card-{n}" for n in range(draw.n)), 1, ledger
        )
        for draw in draws(sitting.match.records[-1])
        for ledger in [type(sitting.match.ledger)()]
    ]
    assert [one[0].result for one in again] == [draw.result for draw in draws(sitting.match.records[-1])]
    assert dealt != plain.match.live.hands


def test_a_conspirator_who_sits_down_last_can_try_no_salts(toy_game: Game) -> None:
    """A player who knows the secret must still give a salt hash before seeing the other's salt."""
    sitting = Sitting(toy_game)
    sit(sitting, "left", "committed")
    for attempt in range(20):
        draft = sitting.match.sit(
            sitting.context, "right", "p-right", salt=f"attempt-{attempt}", bot="", source=None
        )
        (record,) = draft.records
        assert not draws(record)
        assert salt_of("left").encode() not in record.stored


def test_a_hash_that_was_copied_cannot_be_opened(toy_game: Game) -> None:
    sitting = Sitting(toy_game)
    sit(sitting, "left", "committed")
    copied = hashed(sitting.id, "left")
    sitting.accept(
        sitting.match.sit(sitting.context, "right", "p", salt=None, bot="", source=None, hashed=copied)
    )
    open_salt(sitting, "left")
    with refused("salt"):
        open_salt(sitting, "right", salt_of("left"))
    assert hashed("another", "left") != copied
    assert sitting.match.status == "waiting"


def test_a_salt_is_opened_once_by_its_seat_as_it_was_hashed_when_all_sit(toy_game: Game) -> None:
    sitting = Sitting(toy_game)
    sit(sitting, "left", "committed")
    with refused("salt"):  # a seat is free
        open_salt(sitting, "left")
    sit(sitting, "right", "committed")
    for seat, salt in (("left", salt_of("right")), ("left", salt_of("left") + "x"), ("right", "")):
        with refused("salt"):
            open_salt(sitting, seat, salt)
    with refused("unknown-seat"):
        open_salt(sitting, "middle")
    open_salt(sitting, "left")
    with refused("salt"):  # it is open
        open_salt(sitting, "left")
    open_salt(sitting, "right")
    with refused("salt"):
        open_salt(sitting, "right")
    assert kinds(sitting.match) == ["Opened", "Seated", "Seated", "SaltOpened", "SaltOpened"]


@pytest.mark.parametrize("way", ["clear", "none", "house"])
def test_who_brought_no_hash_opens_nothing(toy_game: Game, way: str) -> None:
    sitting = Sitting(toy_game)
    sit(sitting, "left", "committed")
    sit(sitting, "right", way)
    with refused("salt"):
        open_salt(sitting, "right")


@pytest.mark.parametrize(
    "salt", ["short", "x" * 21, "x" * 65, "a,right=b-and-twenty-more", "ä" * 30, "x" * 30 + "\n"]
)
def test_a_salt_that_could_be_guessed_or_misread_is_not_opened(toy_game: Game, salt: str) -> None:
    sitting = Sitting(toy_game)
    mine = hashed(sitting.id, "left", salt)
    sitting.accept(
        sitting.match.sit(sitting.context, "left", "p", salt=None, bot="", source=None, hashed=mine)
    )
    sit(sitting, "right", "none")
    with refused("salt"):
        open_salt(sitting, "left", salt)


def test_nothing_is_played_while_a_salt_is_not_open(toy_game: Game) -> None:
    sitting = committed(Sitting(toy_game), opened=False)
    match = sitting.match
    open_salt(sitting, "left")
    assert (match.status, match.asked, match.unopened, match.prompt("left")) == (
        "waiting",
        None,
        ("right",),
        None,
    )
    commands: list[Callable[[], object]] = [
        lambda: match.play(sitting.context, "left", [("1",)]),
        lambda: match.resign(sitting.context, "left"),
        lambda: match.ask_takeback(sitting.context, "left"),
    ]
    for command in commands:
        with refused("not-running") as error:
            command()
        assert "waits for the salt of right" in error.value.text("en")


def test_a_match_that_waits_is_the_same_when_it_is_read_again(toy_game: Game) -> None:
    sitting = committed(Sitting(toy_game), opened=False)
    open_salt(sitting, "right")
    read = codec(toy_game).read
    again = Match.project(None, [read(sitting.id, record.stored) for record in sitting.match.records])
    assert again is not None
    sitting.match = again
    open_salt(sitting, "left")
    sitting.play_on()
    check(sitting.match)
    assert sitting.match.status == "over"


def test_a_salt_that_is_never_opened_closes_the_match_without_a_result(toy_game: Game) -> None:
    sitting = committed(Sitting(toy_game), opened=False)
    open_salt(sitting, "left")
    sitting.accept(sitting.match.close_unopened(sitting.context))
    closed = sitting.match.closed
    assert closed is not None
    assert (closed.by, closed.result, closed.unopened) == ("salt", None, ("right",))
    assert kinds(sitting.match)[-2:] == ["SecretOpened", "Closed"]
    with refused("over"):
        open_salt(sitting, "right")


def test_only_a_match_that_waits_is_closed_so(toy_game: Game) -> None:
    free, running = Sitting(toy_game), committed(Sitting(toy_game))
    sit(free, "left", "committed")
    for sitting in (free, running):
        with refused("salt"):
            sitting.match.close_unopened(sitting.context)
    assert free.match.full_since is None
    assert running.match.full_since == running.match.records[2].entry.at


def test_a_ruling_may_end_a_match_that_waits(toy_game: Game) -> None:
    sitting = committed(Sitting(toy_game), opened=False)
    sitting.accept(sitting.match.rule(sitting.context, "judge", "nobody came", void=True))
    assert (sitting.match.status, sitting.match.result) == ("over", None)


def test_stored_bytes_of_committed_salts_are_read_for_ever(toy_game: Game) -> None:
    """One match was played and given up; of the other one salt was never opened."""
    lines, read = STORED.read_bytes().removesuffix(b"\n").split(b"\n"), codec(toy_game).read
    stored = [b"\n".join(lines[start : start + LINES]) for start in range(0, len(lines), LINES)]
    unopened = list[tuple[str, ...]]()
    for name, (first, last, root) in ROOTS.items():
        match = Match.project(None, [read(name, record) for record in stored[first:last]])
        assert match is not None
        assert match.closed is not None
        unopened.append(match.closed.unopened)
        assert (match.id, match.roots[-1].hex(), match.status) == (name, root, "over")
        assert verify_records(match.records).ok
        assert [canonical(record.entry) for record in match.records] == [r.leaf for r in match.records]
        assert match.salt_marks == {"left": "committed", "right": "committed"}
    assert unopened == [(), ("left",)]
