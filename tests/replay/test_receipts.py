"""A receipt shows that the server did not choose its secret after it saw the salts."""

from __future__ import annotations

import pytest

from domain.game import Game
from domain.match import Match
from domain.signed_notes import Checkpoint, origin
from replay.report import line
from replay.verify import verify
from tests.matches import Sitting, finished
from tests.replay import stranger
from tests.replay.files import KEY, PINNED, SERVER, STRANGER, file_of, note_over


def receipt_of(match: Match) -> str:
    """What the server gave when the match was opened."""
    return note_over([match.records[0].leaf], match.id)


def test_a_secret_chosen_after_the_salts_is_found_by_who_kept_the_receipt(toy_game: Game) -> None:
    """The server opens the match anew, with a secret that it likes better, and signs all of that."""
    receipt = receipt_of(Sitting(toy_game, 1, name="m1").match)
    chosen = Sitting(toy_game, 2, name="m1").seat_all(salts=True).play_on().match
    assert verify(file_of(chosen), PINNED).ok  # without the receipt this cannot be detected
    report = verify(file_of(chosen), PINNED, receipt=receipt)
    assert (report.check, report.move) == ("log", 1)
    assert "the receipt is over another opening move" in report.reason


@pytest.mark.parametrize("moves", [0, 4, None])
def test_the_receipt_of_an_honest_match_fits_at_every_stage(toy_game: Game, moves: int | None) -> None:
    match = Sitting(toy_game).seat_all(salts=True).play_on(moves).match
    report = verify(file_of(match), PINNED, receipt=receipt_of(match))
    assert report.ok, report
    assert f"; receipt: over this opening move, signed by {KEY.verifying.label}" in line(report)


def test_without_a_key_the_signature_of_a_receipt_is_not_checked(toy_game: Game) -> None:
    match = finished(toy_game).match
    told = line(verify(file_of(match), receipt=receipt_of(match)))
    assert f"; receipt: over this opening move, names {KEY.verifying.label}, not checked" in told


def test_a_receipt_that_proves_nothing_is_refused(toy_game: Game) -> None:
    match, other = finished(toy_game, 1).match, finished(toy_game, 2).match
    first = [match.records[0].leaf]
    two = note_over([record.leaf for record in match.records[:2]], match.id)
    nowhere = KEY.sign(Checkpoint(f"{SERVER}/tree/{match.id}", 1, match.roots[0]).text)
    spoilt = receipt_of(match).replace(f"\n— {SERVER} ", f"\n— {SERVER} A", 1)
    for receipt, words in (
        ("", "not a signed note"),
        ("receipt", "not a signed note"),
        (spoilt, "the receipt: "),
        (two, "covers 2 moves"),
        (receipt_of(other), "not for m1"),
        (nowhere, "not for m1"),
        (note_over(first, match.id, STRANGER), "none of the keys given has signed it"),
        (KEY.sign(Checkpoint(origin(SERVER, match.id), 1, bytes(32)).text), "another opening move"),
    ):
        report = verify(file_of(match), PINNED, receipt=receipt)
        assert report.check == "log", receipt
        assert words in report.reason
    changed = receipt_of(match).replace("games.example/", "games.example/x/", 1)
    assert "does not fit the text" in verify(file_of(match), PINNED, receipt=changed).reason


def test_a_receipt_does_not_hide_what_else_is_wrong(toy_game: Game) -> None:
    match = finished(toy_game).match
    assert not verify(file_of(match, STRANGER), PINNED, receipt=receipt_of(match)).ok


def test_a_stranger_checks_it_like_any_checkpoint(toy_game: Game) -> None:
    match = finished(toy_game, 1).match
    first, vkey = [match.records[0].leaf], KEY.verifying.text
    stranger.check_signature(receipt_of(match), vkey, first, match.id)
    other = [Sitting(toy_game, 2, name=match.id).match.records[0].leaf]
    for leaves in (other, [*first, match.records[1].leaf]):
        with pytest.raises(stranger.Disproved):
            stranger.check_signature(receipt_of(match), vkey, leaves, match.id)
