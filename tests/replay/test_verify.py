"""`verify` on sound matches of every kind: what it says, and whose signature counts."""

from __future__ import annotations

import pytest

from domain.game import Game
from domain.games import GAMES
from domain.kernel import Resolution
from domain.log import HOUSE, b64
from domain.match import Match
from replay import matchfile
from replay.report import line
from replay.verify import verify, verify_records
from tests.domain import toy
from tests.matches import Sitting, finished
from tests.replay.files import (
    KEY,
    PINNED,
    SERVER,
    STRANGER,
    file_of,
    note_of,
    recorded_match,
    short_match,
    with_everything,
)


@pytest.mark.parametrize("name", GAMES)
def test_whole_matches_verify(name: str) -> None:
    for seed in range(8):
        sitting = Sitting(GAMES[name], seed).seat_all(salts=seed % 2 == 0).play_on()
        report = verify(file_of(sitting.match), PINNED)
        assert report.ok, line(report)
        assert (report.moves, report.game, report.match) == (sitting.match.move, name, sitting.id)


@pytest.mark.parametrize("name", GAMES)
def test_a_running_match_verifies_after_every_move(name: str) -> None:
    sitting = Sitting(GAMES[name], 3)
    assert verify(file_of(sitting.match), PINNED).ok
    sitting.seat_all()
    while sitting.match.status == "running" and sitting.match.move < 60:
        report = verify(file_of(sitting.match), PINNED)
        assert report.ok, line(report)
        sitting.random_answer()


def test_takebacks_rulings_and_a_resignation_verify(toy_game: Game) -> None:
    match = with_everything(toy_game)
    kinds = {type(record.entry).__name__ for record in match.records}
    assert {"TakebackAsked", "TakebackAnswered", "TakenBack", "Ruled", "Resigned"} <= kinds
    report = verify(file_of(match), PINNED)
    assert report.ok, line(report)
    assert "over: " in line(report)


def test_within_a_period_the_same_label_gives_the_same_draw_again(toy_game: Game) -> None:
    match = with_everything(toy_game)
    draws = [
        (draw.label, draw.counter, draw.period, draw.pick)
        for record in match.records
        for draw in getattr(record.entry, "draws", ())
    ]
    assert len(draws) > len(set(draws)) > 0
    assert verify(file_of(match), PINNED).ok


def test_the_line_names_moves_signer_and_result(toy_game: Game) -> None:
    match = finished(toy_game).match
    first = f"ok: {match.move} moves of toy {match.id}"
    for report in (verify(file_of(match), PINNED), verify(file_of(match), known=PINNED)):
        assert line(report).startswith(f"{first}, signed by {KEY.verifying.label}; over: ")
    unpinned = line(verify(file_of(match)))
    assert unpinned.startswith(f"{first}, names {KEY.verifying.label}, not checked; over: ")
    assert "house-seeded" in unpinned


def test_a_signature_that_names_a_known_key_must_fit(toy_game: Game) -> None:
    match = finished(toy_game).match
    nonsense = f"— {SERVER} {b64(bytes.fromhex(KEY.verifying.id) + bytes(64))}\n"
    forged = note_of(match.records, STRANGER)
    for note in (forged + nonsense, forged.partition("— ")[0] + nonsense):
        file = matchfile.write(match.records, note)
        for keys, known in ((PINNED, ()), ((), PINNED), ((STRANGER.verifying,), PINNED)):
            report = verify(file, keys, known)
            assert (report.check, report.move) == ("log", None)
            assert f"the signature by {KEY.verifying.label} does not fit" in report.reason
        assert f"names {KEY.verifying.label}, not checked" in line(verify(file))


def test_without_a_fitting_key_the_signature_does_not_count(toy_game: Game) -> None:
    data = file_of(finished(toy_game).match, STRANGER)
    report = verify(data, PINNED)
    assert (report.ok, report.check, report.move) == (False, "log", None)
    assert f"names {STRANGER.verifying.label}; none of the keys given has signed it" in report.reason
    assert verify(data, (*PINNED, STRANGER.verifying)).signed.by == (STRANGER.verifying.label,)


def test_a_recorded_match_is_not_provable(toy_game: Game) -> None:
    report = verify(file_of(recorded_match(toy_game)), PINNED)
    assert report.ok, line(report)
    assert "chance: recorded, not provable" in report.notes


def test_a_match_without_any_play_verifies(toy_game: Game) -> None:
    report = verify(file_of(short_match(toy_game)), PINNED)
    assert report.ok, line(report)
    assert report.moves == 5


def test_a_running_match_says_what_waits() -> None:
    sitting = Sitting(GAMES["cia_vs_kgb"], 4).seat_all().play_on(10)
    notes = " ".join(verify(file_of(sitting.match)).notes)
    assert "wait for the key of their period" in notes
    assert "secret draws and parts stay sealed until the end" in notes
    assert "rules: checked when the match is over" in notes


def test_secret_draws_wait_for_no_key() -> None:
    match = Sitting(GAMES["thirteen_minutes"], 4).seat_all().play_on(5).match
    assert any(record.parts[HOUSE].draws for record in match.records)
    notes = verify_records(match.records).notes
    assert notes == verify(file_of(match)).notes
    assert "wait for the key" not in " ".join(notes)


# ── stores ──


def test_records_of_a_store_verify(toy_game: Game) -> None:
    match = with_everything(toy_game)
    report = verify_records(match.records, note_of(match.records), PINNED)
    assert report.ok, line(report)
    assert (report.pinned, report.moves) == (True, match.move)


def test_a_running_match_of_a_store_is_checked_in_full_with_its_secret(toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all().play_on(3)
    records, secret = sitting.match.records, sitting.secret.bytes
    full = verify_records(records, secret=secret)
    assert full.ok, line(full)
    assert "rules: today's give the same" in full.notes
    assert "not signed" in line(full)
    other = verify_records(records, secret=bytes(32))
    assert (other.check, other.move) == ("chance", 1)


def test_a_changed_private_part_in_a_store_is_found(toy_game: Game) -> None:
    match = finished(toy_game).match
    record = match.records[2]
    record.stored = record.stored.replace(b"deal/", b"dial/")
    report = verify_records(match.records)
    assert (report.ok, report.check, report.move) == (False, "chance", 3)


def test_no_records_are_no_match() -> None:
    assert verify_records([]).reason == "it holds no move"


# ── rules ──


def test_other_rules_that_give_the_same_are_reported(toy_game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    data = file_of(finished(toy_game).match)
    monkeypatch.setattr(toy_game, "rules", "next year's")
    report = verify(data, PINNED)
    assert report.ok
    expected = "rules: decided under toy-rules, today's are next year's and give the same"
    assert expected in report.notes


def _dearer_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every die counts double from now on."""

    def run(self: toy.Roll, s: toy.State, seat: str, picks: tuple[str, ...]) -> Resolution[toy.State]:
        yield toy.Rolled(self.seat, int(picks[0]), s.points[self.seat] + 2 * int(picks[0]))

    monkeypatch.setattr(toy.Roll, "run", run)


def first_die(match: Match) -> int:
    return next(record.move for record in match.records if getattr(record.entry, "draws", ()))


def test_an_effect_that_changed_under_the_same_rules_is_an_error_at_its_first_use(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = finished(toy_game).match
    data = file_of(match)
    _dearer_dice(monkeypatch)
    report = verify(data, PINNED)
    assert (report.ok, report.check, report.move) == (False, "rules", first_die(match))
    assert "fact 2: today's rules give Rolled(" in report.reason


def test_an_effect_that_changed_with_the_rules_is_reported(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = finished(toy_game).match
    data = file_of(match)
    _dearer_dice(monkeypatch)
    monkeypatch.setattr(toy_game, "rules", "next year's")
    report = verify(data, PINNED)
    assert report.ok, line(report)
    assert f"first at move {first_die(match)}" in report.notes[-1]
