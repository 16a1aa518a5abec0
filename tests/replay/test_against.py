"""A log whose tail was dropped: what shows it, and what the file alone does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from domain.game import Game
from domain.log import b64
from domain.match import Match
from domain.signed_notes import SigningKey
from replay import matchfile
from replay.against import compared
from replay.report import Report
from replay.verify import verify
from tests.matches import Sitting, finished
from tests.replay.files import KEY, PINNED, STRANGER, note_of


@pytest.fixture
def resigned(toy_game: Game) -> Match:
    """A match that one seat gave up."""
    sitting = Sitting(toy_game, 3).seat_all().play_on(4)
    sitting.accept(sitting.match.resign(sitting.context, "left"))
    return sitting.match


def cut(match: Match, moves: int) -> bytes:
    """The file of the first moves, with the checkpoint that a server signed over them while it ran."""
    return matchfile.write(match.records[:moves], note_over(match, moves))


def note_over(match: Match, moves: int, key: SigningKey = KEY) -> str:
    return note_of(match.records[:moves], key)


def held_against(data: bytes, note: str, **more: Any) -> Report:
    asked: dict[str, Any] = {"keys": PINNED, **more}
    return compared(verify(data, PINNED), matchfile.read(data), note, **asked)


def test_a_log_that_does_not_end_says_that_nothing_shows_whether_it_went_on(resigned: Match) -> None:
    for moves, status in ((2, "open"), (6, "running")):
        report = verify(cut(resigned, moves), PINNED)
        assert report.ok
        assert f"{status}: nothing here shows whether it went on after move {moves}" in report.notes
    whole = verify(matchfile.write(resigned.records, note_of(resigned.records)), PINNED)
    assert not any("went on" in note for note in whole.notes)


def test_a_later_checkpoint_shows_that_a_tail_was_dropped(resigned: Match) -> None:
    moves, note = resigned.move, note_of(resigned.records)
    asked = list[int]()

    def over(size: int) -> str:
        asked.append(size)
        return note_over(resigned, size)

    unknown = "whether they begin with these, only a checkpoint over 6 moves shows"
    ways: tuple[tuple[Callable[[int], str] | None, str], ...] = (
        (None, unknown),
        (lambda size: "", unknown),
        (over, "they begin with these"),
    )
    for way, said in ways:
        report = held_against(cut(resigned, 6), note, over=way)
        went_on = f"the match went on: {moves} moves are signed, this file holds 6"
        assert (report.ok, report.check, report.move) == (False, "against", None)
        assert report.reason == f"{went_on} (signed by {KEY.verifying.label}); {said}"
    assert asked == [6]


def test_an_earlier_checkpoint_must_be_of_the_same_log(resigned: Match) -> None:
    data = cut(resigned, 6)
    for moves in (1, 4, 6):
        report = held_against(data, note_over(resigned, moves))
        assert report.ok
        assert f"is one of this log, signed by {KEY.verifying.label}" in report.notes[-1]
    other = Sitting(resigned.game, 3).seat_all().play_on(2)
    other.accept(other.match.resign(other.context, "left"))
    note = note_of(other.match.records)
    file = matchfile.write(resigned.records, note_of(resigned.records))
    report = held_against(file, note)
    assert (report.ok, report.check) == (False, "against")
    assert "is another one than that of this file" in report.reason


def test_two_different_logs_of_one_match_are_reported_also_if_one_is_longer(resigned: Match) -> None:
    other = Sitting(resigned.game, 3).seat_all().play_on(2)
    other.accept(other.match.resign(other.context, "right"))
    file = cut(other.match, other.match.move)
    assert other.match.move < resigned.move
    report = held_against(file, note_of(resigned.records), over=lambda size: note_over(resigned, size))
    assert "is another one than that of this file" in report.reason
    wrong = held_against(file, note_of(resigned.records), over=lambda size: note_over(resigned, 2))
    assert "the server gave a checkpoint over 2" in wrong.reason


def test_a_checkpoint_names_its_signer_or_is_refused(resigned: Match, toy_game: Game) -> None:
    data, foreign = cut(resigned, 6), note_over(resigned, 4, STRANGER)
    assert "none of the keys given has signed it" in held_against(data, foreign).reason
    report = held_against(data, foreign, keys=())
    assert report.notes[-1].endswith(
        f"names {STRANGER.verifying.label}, not checked, and the file names {KEY.verifying.label}"
    )
    same = held_against(data, note_over(resigned, 4), keys=())
    assert same.notes[-1].endswith(f"names {KEY.verifying.label}, not checked")
    nonsense = note_over(resigned, 4, STRANGER).partition("— ")[0]
    nonsense += f"— {KEY.verifying.name} {b64(bytes.fromhex(KEY.verifying.id) + bytes(64))}\n"
    for keys, known in ((PINNED, ()), ((), PINNED)):
        assert "does not fit the text" in held_against(data, nonsense, keys=keys, known=known).reason
    elsewhere = note_of(finished(toy_game, 9).match.records)
    assert "is for games.example/match/m9, not m3" in held_against(data, elsewhere).reason


@pytest.mark.parametrize("note", ["", "text\n", "— x", f"a/match/m3\n{'9' * 5000}\nAAAA\n\n— a AAAAAAAA\n"])
def test_what_is_no_checkpoint_is_refused(resigned: Match, note: str) -> None:
    assert held_against(cut(resigned, 6), note).check == "against"
