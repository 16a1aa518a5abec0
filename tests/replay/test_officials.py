"""What verifiers say of officials: they find time that no opponent gave, and moves in a frozen match."""

from __future__ import annotations

from typing import Any

import pytest

from domain.clocks import SECOND, Bank, Clock, Until
from domain.events import ClockPaused, ClockResumed, ClockSet, Frozen, Played, Released, Resigned
from domain.game import Game
from domain.games import GAMES
from replay.narration import narrated
from replay.verify import verify
from replay.words import Words
from tests.domain.test_clocks import QUICK, T0, answer, begun
from tests.domain.test_officials import accept, player
from tests.matches import Sitting
from tests.replay import stranger
from tests.replay.files import PINNED, file_of, rewritten
from tests.replay.test_clocks import VKEY, disproved, forged

LATER = T0 + 3_600 * SECOND


def officiated(game: Game, terms: Any = QUICK) -> Sitting:
    """Move 4 gives left time, 5 sets that of right, 6 pauses, 7 freezes, 8 releases, 9 resumes."""
    sitting = begun(game, terms)
    accept(sitting, 13, "set_clock", "left", player(sitting, "right"), more=900 * SECOND)
    accept(sitting, 23, "set_clock", "right", "judge", "the bell rang", left=45 * SECOND)
    accept(sitting, 33, "pause_clock", "judge", "lunch", paused=True)
    accept(sitting, 43, "freeze", "judge", "a dispute", frozen=True)
    accept(sitting, 53, "freeze", "judge", "settled", frozen=False)
    accept(sitting, 63, "pause_clock", "judge", "after lunch", paused=False)
    return sitting


def test_a_match_with_officials_verifies(toy_game: Game) -> None:
    sitting = officiated(toy_game)
    answer(sitting, 73, "left", "2")
    sitting.accept(sitting.match.time_out(sitting.context)) if sitting.match.run_out(sitting.clock) else None
    data = file_of(sitting.match)
    assert verify(data, PINNED).ok
    assert stranger.verify(data, VKEY) >= 0


@pytest.mark.parametrize(
    ("move", "old", "new"),
    [
        (4, b'"by":"p-right"', b'"by":"p-left"'),
        (4, b'"by":"p-right"', b'"by":"judge"'),
        (4, b'"left":950000000', b'"left":50000000'),  # nothing more than it has
        (4, b'"left":950000000', b'"left":31536000000001'),
        (4, b'"seat":"left"', b'"seat":"right"'),
        (4, b'"seat":"left"', b'"seat":"nobody"'),
        (5, b'"left":45000000', b'"left":0'),
        (5, b',"why":"the bell rang"', b""),  # then it is no gift: the giver is no player
        (6, b'"kind":"clock_paused"', b'"kind":"clock_resumed"'),
        (6, b'"why":"lunch"', b'"why":" "'),
        (7, b'"kind":"frozen"', b'"kind":"released"'),
        (7, b'"reason":"a dispute"', b'"reason":""'),
        (8, b'"kind":"released"', b'"kind":"frozen"'),
        (9, b'"kind":"clock_resumed"', b'"kind":"clock_paused"'),
    ],
)
def test_a_forged_entry_of_officials_is_found(toy_game: Game, move: int, old: bytes, new: bytes) -> None:
    disproved(rewritten(officiated(toy_game).match, move, old, new), move)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"until":%d' % LATER, b'"until":%d' % (LATER + 1)),  # then `left` is another one
        (b'"until":%d' % LATER, b'"until":%d' % T0),
        (b'"until":%d' % LATER, b'"until":-%d' % LATER),
        (b'"until":%d' % LATER, b'"until":%d' % (2**53 - 1)),
        (b'"left":%d' % (LATER - T0 - 13 * SECOND), b'"left":%d' % (LATER - T0)),
        (b'"why":"a storm"', b'"why":" "'),
    ],
)
def test_a_forged_date_is_found(toy_game: Game, old: bytes, new: bytes) -> None:
    sitting = begun(toy_game, (Bank(main=9_000), Until(until=T0 + 1_800 * SECOND)))
    accept(sitting, 13, "set_clock", "left", "judge", "a storm", until=LATER)
    data = file_of(sitting.match)
    assert verify(data, PINNED).ok
    assert stranger.verify(data, VKEY) >= 0
    disproved(rewritten(sitting.match, 4, old, new), 4)


@pytest.mark.parametrize("terms", [QUICK, ()], ids=["bank", "none"])
def test_a_date_in_a_match_that_has_none_is_found(toy_game: Game, terms: Clock) -> None:
    entry = {"seat": "left", "left": 60 * SECOND, "by": "judge", "why": "a storm", "until": T0 + 80 * SECOND}
    disproved(file_of(forged(Sitting(toy_game, terms=terms).seat_all(), ClockSet, 20, **entry)), 4)


@pytest.mark.parametrize("until", [b'"x"', b"1.5", b"[]", b"9" * 400])
def test_a_date_that_is_no_number_is_damage(toy_game: Game, until: bytes) -> None:
    sitting = begun(toy_game, (Until(until=T0 + 1_800 * SECOND),))
    accept(sitting, 13, "set_clock", "left", "judge", "a storm", until=LATER)
    assert not verify(rewritten(sitting.match, 4, b":%d" % LATER, b":" + until), PINNED).ok


def test_time_that_was_up_gets_no_more(toy_game: Game) -> None:
    entry = {"seat": "left", "left": 60 * SECOND, "by": "judge", "why": "too late"}
    disproved(file_of(forged(begun(toy_game), ClockSet, 63, **entry)), 4, "was up")
    for kind, words in ((ClockPaused, {"why": "lunch"}), (Frozen, {"reason": "a dispute"})):
        disproved(file_of(forged(begun(toy_game), kind, 63, by="judge", **words)), 4, "was up")


def test_an_answer_after_a_freeze_is_found(toy_game: Game) -> None:
    for terms in (QUICK, ()):
        frozen = Sitting(toy_game, terms=terms).seat_all()
        frozen.accept(frozen.match.freeze(frozen.context, "judge", "a dispute", frozen=True))
        answers: dict[str, Any] = {"seat": "left", "ask": "Bid", "picks": ("1",)}
        disproved(file_of(forged(frozen, Played, 20, **answers)), 5, "frozen")
        resigned = Sitting(toy_game, terms=terms).seat_all()
        resigned.accept(resigned.match.freeze(resigned.context, "judge", "a dispute", frozen=True))
        disproved(file_of(forged(resigned, Resigned, 20, seat="left")), 5, "frozen")


def test_officials_in_a_match_that_has_no_clock_or_no_play_is_found(toy_game: Game) -> None:
    for kind, fields in (
        (ClockSet, {"seat": "left", "left": SECOND, "why": "a gift"}),
        (ClockPaused, {"why": "lunch"}),
        (ClockResumed, {"why": "after lunch"}),
    ):
        disproved(
            file_of(forged(Sitting(toy_game).seat_all(), kind, 20, by="judge", **fields)), 4, "no clock"
        )
    for change in (Frozen, Released):
        early = forged(Sitting(toy_game), change, 20, by="judge", reason="a dispute")
        report = verify(file_of(early), PINNED)
        assert (report.check, report.move) == ("fold", 2)


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "en",
            [
                "p-ussr gives time: US has 0:15:50 now.",
                "The organizer sets the clock of USSR to 1 d 0:00:00. Reason: the bell rang",
                "The organizer pauses the clocks. Reason: lunch",
                "The organizer freezes the match; its clocks stand. Reason: a dispute",
                "The organizer releases the match. Reason: settled",
                "The organizer lets the clocks run again. Reason: after lunch",
                "The organizer moves the date of US to {until}. Reason: a storm",
            ],
        ),
        (
            "ru",
            [
                "p-ussr даёт сопернику время: США, осталось 0:15:50.",
                "Организатор устанавливает часы: СССР, осталось 1 д 0:00:00. Причина: the bell rang",
                "Организатор останавливает часы. Причина: lunch",
                "Организатор замораживает партию, часы стоят. Причина: a dispute",
                "Организатор размораживает партию. Причина: settled",
                "Организатор снова пускает часы. Причина: after lunch",
                "Организатор переносит срок: США, теперь до {until}. Причина: a storm",
            ],
        ),
    ],
)
def test_officials_are_told(language: str, sentences: list[str]) -> None:
    terms = (*QUICK, Until(until=T0 + 1_800 * SECOND))
    sitting = Sitting(GAMES["thirteen_minutes"], terms=terms).seat_all()
    accept(sitting, 13, "set_clock", "us", player(sitting, "ussr"), more=900 * SECOND)
    accept(sitting, 23, "set_clock", "ussr", "judge", "the bell rang", left=86_400 * SECOND)
    accept(sitting, 33, "pause_clock", "judge", "lunch", paused=True)
    accept(sitting, 43, "freeze", "judge", "a dispute", frozen=True)
    accept(sitting, 53, "freeze", "judge", "settled", frozen=False)
    accept(sitting, 63, "pause_clock", "judge", "after lunch", paused=False)
    accept(sitting, 73, "set_clock", "us", "judge", "a storm", until=LATER)
    words = Words(sitting.match, language)
    told = [one.done for one in narrated(sitting.match, words)]
    assert told[3:] == [sentence.replace("{until}", words.moment(LATER)) for sentence in sentences]
