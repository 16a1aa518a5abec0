"""What `verify` says of salts by commit and reveal: it finds what a server could do that plays false."""

from __future__ import annotations

from typing import Any

import pytest

from domain.events import SaltOpened, Seated
from domain.game import Game
from domain.games import GAMES
from domain.match import Match
from replay.report import Report, line
from replay.verify import verify
from tests.matches import Sitting
from tests.replay.files import PINNED, file_of, rewritten
from tests.salts import committed, hashed, open_salt, salt_of, sit


def verified(match: Match) -> Report:
    return verify(file_of(match), PINNED)


def cheated(sitting: Sitting, kind: type[Any], *, begins: bool, **fields: Any) -> Sitting:
    """The server writes an entry that the match would refuse."""
    sitting.accept(sitting.match._with_salt(sitting.context, kind, fields, None, begins=begins))
    return sitting


def closed(sitting: Sitting, by: str, unopened: tuple[str, ...]) -> Match:
    """The server closes a match as it likes."""
    draft = sitting.match._drafting(sitting.context)
    draft.close(by, None, unopened)
    sitting.accept(draft.done())
    return sitting.match


def refused(match: Match, check: str, move: int, words: str) -> None:
    report = verified(match)
    assert (report.check, report.move) == (check, move), report
    assert words in report.reason


def test_matches_with_committed_salts_verify_at_every_stage(toy_game: Game) -> None:
    sitting = committed(Sitting(toy_game), opened=False)
    assert "; waiting: nothing here shows whether it went on after move 3; " in line(verified(sitting.match))
    open_salt(sitting, "right")
    assert verified(sitting.match).ok
    open_salt(sitting, "left")
    assert "; running: nothing here shows" in line(verified(sitting.match))
    sitting.play_on()
    report = verified(sitting.match)
    assert report.ok, report
    assert "recomputed, salts: left committed, right committed;" in line(report)


@pytest.mark.parametrize("name", GAMES)
def test_whole_matches_of_every_game_verify_with_committed_salts(name: str) -> None:
    sitting = committed(Sitting(GAMES[name], 5))
    report = verified(sitting.play_on().match)
    assert report.ok, report


def test_the_chance_line_names_each_seat(toy_game: Game) -> None:
    sitting = Sitting(toy_game)
    sit(sitting, "right", "clear")
    sit(sitting, "left", "none")
    assert "salts: left none, right in clear;" in line(verified(sitting.match))
    assert "house-seeded (no seat gave a salt)" in line(verified(Sitting(toy_game).seat_all().match))


def test_a_match_that_never_began_verifies(toy_game: Game) -> None:
    sitting = committed(Sitting(toy_game), opened=False)
    open_salt(sitting, "left")
    sitting.accept(sitting.match.close_unopened(sitting.context))
    report = verified(sitting.match)
    assert "over, without a result: the salt of right was not opened" in line(report)
    ruled = committed(Sitting(toy_game), opened=False)
    ruled.accept(ruled.match.rule(ruled.context, "judge", "nobody came", void=True))
    assert verified(ruled.match).ok


def test_play_before_a_hash_is_open_is_found(toy_game: Game) -> None:
    sitting = Sitting(toy_game)
    sit(sitting, "left", "committed")
    salt = {"player": "p", "salt": "x", "bot": ""}
    cheated(sitting, Seated, begins=True, seat="right", **salt)
    refused(sitting.match, "fold", 3, "before the game begins")


def test_a_salt_that_does_not_fit_its_hash_is_found(toy_game: Game) -> None:
    for salt in (salt_of("right"), "another-salt-of-23-signs"):
        sitting = committed(Sitting(toy_game), opened=False)
        open_salt(sitting, "right")
        cheated(sitting, SaltOpened, begins=True, seat="left", salt=salt)
        refused(sitting.match, "chance", 5, "not the one whose hash left brought")


def test_a_salt_that_is_too_short_is_found(toy_game: Game) -> None:
    sitting = Sitting(toy_game)
    short = hashed(sitting.id, "left", "short")
    sitting.accept(
        sitting.match.sit(sitting.context, "left", "p", salt=None, bot="", source=None, hashed=short)
    )
    sit(sitting, "right", "none")
    cheated(sitting, SaltOpened, begins=True, seat="left", salt="short")
    refused(sitting.match, "fold", 4, "22 to 64")


def test_a_salt_opened_before_every_seat_is_taken_is_found(toy_game: Game) -> None:
    sitting = Sitting(toy_game)
    sit(sitting, "left", "committed")
    cheated(sitting, SaltOpened, begins=False, seat="left", salt=salt_of("left"))
    sit(sitting, "right", "none")
    refused(sitting.match, "fold", 3, "before every seat is taken")


@pytest.mark.parametrize("seat", ["left", "right", "middle"])
def test_a_salt_opened_twice_or_by_a_bot_or_by_no_player_is_found(toy_game: Game, seat: str) -> None:
    sitting = Sitting(toy_game)
    sit(sitting, "left", "committed")
    sit(sitting, "right", "house")
    open_salt(sitting, "left")
    cheated(sitting, SaltOpened, begins=False, seat=seat, salt=salt_of(seat))
    refused(sitting.match, "fold", 5, f"{seat!r} has no salt to open")


@pytest.mark.parametrize("more", [{"bot": "random", "salt": None}, {"bot": "", "salt": "clear"}])
def test_a_hash_of_a_bot_or_beside_a_salt_is_found(toy_game: Game, more: dict[str, Any]) -> None:
    sitting = Sitting(toy_game)
    cheated(
        sitting, Seated, begins=False, seat="left", player="p", salt_hash=hashed(sitting.id, "left"), **more
    )
    refused(sitting.match, "fold", 2, "a hash of a salt")


def test_the_version_of_an_agent_where_no_bot_plays_is_found(toy_game: Game) -> None:
    sitting = Sitting(toy_game)
    cheated(
        sitting, Seated, begins=False, seat="left", player="p", salt=None, bot="", agent="0123456789abcdef"
    )
    refused(sitting.match, "fold", 2, "where no bot plays")


@pytest.mark.parametrize("hash", ["", "AAAA", "not base64", "A" * 100_000])
def test_a_hash_that_is_none_is_found(toy_game: Game, hash: str) -> None:
    sitting = Sitting(toy_game)
    cheated(sitting, Seated, begins=False, seat="left", player="p", salt=None, bot="", salt_hash=hash)
    assert (verified(sitting.match).check, verified(sitting.match).move) == ("chance", 2)


def test_a_forged_end_for_a_salt_is_found(toy_game: Game) -> None:
    refused(closed(committed(Sitting(toy_game)), "salt", ("left",)), "fold", 6, "nothing before it leads to")
    one_opened = committed(Sitting(toy_game), opened=False)
    open_salt(one_opened, "left")
    for unopened, words in (
        ((), "not of right"),
        (("left",), "not of right"),
        (("left", "right"), "not of right"),
    ):
        sitting = committed(Sitting(toy_game), opened=False)
        open_salt(sitting, "left")
        refused(closed(sitting, "salt", unopened), "fold", 6, words)
    for by in ("record", "play", "resignation"):
        refused(closed(committed(Sitting(toy_game), opened=False), by, ()), "fold", 5, "nothing of the kind")
    named = closed(committed(Sitting(toy_game), opened=False), "ruling", ("left", "right"))
    refused(named, "fold", 5, "yet it names salts")
    free = Sitting(toy_game)
    sit(free, "left", "committed")
    refused(closed(free, "salt", ("left",)), "fold", 3, "nothing before it leads to")


def test_a_ruling_cannot_pass_for_a_salt_that_was_not_opened(toy_game: Game) -> None:
    sitting = committed(Sitting(toy_game), opened=False)
    sitting.accept(sitting.match.rule(sitting.context, "judge", "nobody came", void=True))
    match = sitting.match
    forged = rewritten(match, match.move, b'"by":"ruling"', b'"by":"salt"')
    assert verify(forged, PINNED).check == "fold"


def test_a_changed_hash_or_salt_is_found(toy_game: Game) -> None:
    match = committed(Sitting(toy_game)).play_on().match
    for move, old in ((2, hashed(match.id, "left")), (4, salt_of("left"))):
        new = ("b" if old[0] == "a" else "a") + old[1:]
        report = verify(rewritten(match, move, old.encode(), new.encode()), PINNED)
        assert not report.ok
        assert "chance" in {failure.check for failure in report.failures}
