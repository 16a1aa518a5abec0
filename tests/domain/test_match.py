"""A match as an aggregate (architecture, section 2): its commands, and what each entry of its log does."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import asdict

from domain.chance import Forced, Secret
from domain.drafts import Context
from domain.events import Asked
from domain.game import Game
from domain.kernel import Refused, Result
from domain.log import HOUSE, Damaged, b64, codec
from domain.match import Match
from domain.match_base import ALL
from tests.matches import PRODUCT, Sitting, finished

KINDS_AT_THE_END = ["Played", "SecretOpened", "Closed"]


def kinds(match: Match) -> list[str]:
    return [type(record.entry).__name__ for record in match.records]


def to_turn(game: Game) -> Sitting:
    """Both sit, left bids 3 and right 1: left may wave, play or stop."""
    sitting = Sitting(game).seat_all()
    sitting.answer("left", "3")
    sitting.answer("right", "1")
    return sitting


def refused(kind: str) -> pytest.RaisesExc[Refused]:
    return pytest.RaisesExc(Refused, check=lambda error: error.kind == kind)


def test_every_stored_event_is_a_numbered_move_without_gap(toy_game: Game) -> None:
    match = finished(toy_game).match
    assert [record.move for record in match.records] == list(range(1, match.move + 1))
    assert kinds(match)[:3] == ["Opened", "Seated", "Seated"]
    assert kinds(match)[-3:] == KINDS_AT_THE_END


def test_play_starts_when_the_last_seat_is_taken(toy_game: Game) -> None:
    sitting = Sitting(toy_game)
    assert sitting.match.status == "open"
    with refused("not-running"):
        sitting.match.play(sitting.context, "left", [("1",)])
    sitting.seat_all()
    assert sitting.match.status == "running"
    assert sitting.match.asked == Asked("Bid", {"left": 3, "right": 3})


def test_a_seat_is_taken_once_and_must_exist(toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all()
    for seat, kind in (("left", "seat-taken"), ("middle", "unknown-seat")):
        with refused(kind):
            sitting.match.sit(sitting.context, seat, "p", salt=None, bot="", source=None)


def test_a_log_read_again_gives_the_same_match(toy_game: Game) -> None:
    match = finished(toy_game).match
    read = codec(toy_game).read
    again = Match.project(None, [read(match.id, record.stored) for record in match.records])
    assert again is not None
    assert [position.table for position in again.positions] == [p.table for p in match.positions]
    assert (again.roots, again.result, again.status) == (match.roots, match.result, "over")


def test_the_agenda_survives_storage_at_every_move(toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all()
    while sitting.match.status == "running":
        assert sitting.match.table_with_agenda(sitting.match.move) == sitting.match.live
        sitting.random_answer()


def test_neither_of_two_secret_answers_makes_the_other_stale(toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all()
    sitting.accept(sitting.match.play(sitting.context, "right", [("2",)], expect=3))
    sitting.accept(sitting.match.play(sitting.context, "left", [("1",)], expect=3))
    assert sitting.match.asked == Asked("Turn", {"right": 5})


def test_a_tied_bid_is_a_new_question_with_a_new_number(toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all()
    sitting.answer("right", "2")
    sitting.answer("left", "2")
    assert sitting.match.asked == Asked("Bid", {"left": 5, "right": 5})
    with refused("stale"):
        sitting.match.play(sitting.context, "left", [("1",)], expect=3)


def test_only_its_seat_sees_a_secret_answer(toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all()
    (record,) = sitting.answer("left", "3").records
    assert record.entry.picks is None
    assert record.picks == ("3",)
    assert record.parts["left"].picks == ("3",)
    assert b'"3"' not in record.leaf
    assert record.parts["right"].picks is None


def test_every_part_is_sealed_whether_it_holds_something_or_not(toy_game: Game) -> None:
    for record in finished(toy_game).match.records:
        assert set(record.entry.sealed) == {"left", "right", HOUSE}
        assert len({len(seal) for seal in record.entry.sealed.values()}) == 1


@pytest.mark.parametrize("batches", [[3], [1, 2], [2, 1], [1, 1, 1]])
def test_the_same_answers_give_the_same_moves_however_they_were_batched(
    toy_game: Game, batches: list[int]
) -> None:
    single = to_turn(toy_game)
    for _ in range(3):
        single.answer("left", "wave")
    single.answer("left", "stop")
    batched = to_turn(toy_game)
    for size in batches:
        batched.accept(batched.match.play(batched.context, "left", [("wave",)] * size))
    batched.answer("left", "stop")
    assert kinds(batched.match) == kinds(single.match)
    told = [[r.entry.facts, r.entry.asked] for r in single.match.records[3:]]
    assert [[r.entry.facts, r.entry.asked] for r in batched.match.records[3:]] == told


def test_a_batch_is_refused_as_a_whole_before_anything_is_drawn(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    card = sitting.match.live.hands["left"][0]
    for rest in ([("stop",)], [("wave",), ("stop",)]):
        with refused("batch"):
            sitting.match.play(sitting.context, "left", [("wave",), (card,), *rest])
    assert sitting.match.move == 5


def test_a_batch_with_one_illegal_answer_is_refused_as_a_whole(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    with pytest.raises(Refused, match="answer 2"):
        sitting.match.play(sitting.context, "left", [("wave",), ("jump",)])


def test_a_refused_command_changes_nothing(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    before = (sitting.match.move, sitting.match.tree.root, sitting.match.live)
    for seat, picks, kind in (("right", "stop", "not-asked"), ("left", "fly", "illegal")):
        with refused(kind):
            sitting.match.play(sitting.context, seat, [(picks,)])
    assert (sitting.match.move, sitting.match.tree.root, sitting.match.live) == before


def test_a_draft_is_no_part_of_the_match_before_it_is_accepted(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    first = sitting.match.play(sitting.context, "left", [("wave",)])
    assert sitting.match.move == 5
    sitting.clock -= 1_000_000
    assert sitting.match.play(sitting.context, "left", [("wave",)]).records[0].leaf == first.records[0].leaf


def test_a_move_out_of_order_is_damage(toy_game: Game) -> None:
    match = finished(toy_game).match
    with pytest.raises(Damaged, match="move 3 follows move 1"):
        Match.project(None, [match.records[0], match.records[2]])


# ── takebacks, rulings, endings ──


def test_an_agreed_takeback_restores_the_table_and_puts_the_question_anew(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    sitting.answer("left", "wave")
    sitting.accept(sitting.match.ask_takeback(sitting.context, "left"))
    sitting.accept(sitting.match.answer_takeback(sitting.context, "right", 7, agree=True))
    match = sitting.match
    assert kinds(match)[-3:] == ["TakebackAsked", "TakebackAnswered", "TakenBack"]
    assert match.asked == Asked("Turn", {"left": 9})
    assert match.table_at(9, None) == match.table_at(5, None)
    assert match.live == match.table_with_agenda(5)
    assert list(match.line())[:2] == [9, 5]


def test_a_takeback_behind_a_draw_needs_a_ruling(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    card = sitting.match.live.hands["left"][0]
    sitting.answer("left", card)
    with pytest.raises(Refused, match="needs an organizer's ruling"):
        sitting.match.ask_takeback(sitting.context, "left")
    sitting.accept(sitting.match.rule(sitting.context, "p9", "mis-click", back_to=5))
    assert sitting.match.table_at(sitting.match.move, ALL) == sitting.match.table_at(5, ALL)


def test_a_takeback_behind_an_opened_bid_needs_a_ruling(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    with pytest.raises(Refused, match="move 5 showed"):
        sitting.match.ask_takeback(sitting.context, "left", to=3)


def test_a_request_lapses_with_the_next_move(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    sitting.answer("left", "wave")
    sitting.accept(sitting.match.ask_takeback(sitting.context, "left"))
    sitting.answer("left", "wave")
    with pytest.raises(Refused, match="lapses"):
        sitting.match.answer_takeback(sitting.context, "right", 7, agree=True)


def test_a_request_is_answered_by_the_other_seat_and_may_be_declined(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    sitting.answer("left", "wave")
    sitting.accept(sitting.match.ask_takeback(sitting.context, "left"))
    with pytest.raises(Refused, match="the other seat"):
        sitting.match.answer_takeback(sitting.context, "left", 7, agree=True)
    with pytest.raises(Refused, match="waits for an answer"):
        sitting.match.ask_takeback(sitting.context, "left")
    sitting.accept(sitting.match.answer_takeback(sitting.context, "right", 7, agree=False))
    assert sitting.match.request is None
    assert sitting.match.asked == Asked("Turn", {"left": 6})


@pytest.mark.parametrize("to", [0, 1, 2, 6, 99, -1])
def test_a_takeback_goes_back_to_a_table_of_the_running_game(toy_game: Game, to: int) -> None:
    sitting = to_turn(toy_game)
    sitting.answer("left", "wave")
    with refused("takeback"):
        sitting.match.ask_takeback(sitting.context, "left", to=to)


def test_within_an_unopened_period_the_same_label_gives_the_same_draw(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    card = sitting.match.live.hands["left"][0]
    first = sitting.answer("left", card).records[0].entry.draws
    sitting.accept(sitting.match.rule(sitting.context, "p9", "mis-click", back_to=5))
    assert sitting.answer("left", card).records[0].entry.draws == first


def test_behind_an_opened_key_play_goes_on_with_the_next_unopened_key(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    card = sitting.match.live.hands["left"][0]
    (first,) = sitting.answer("left", card).records[0].entry.draws
    closing = sitting.answer("left", "stop").records[0].entry
    assert [key.period for key in closing.keys] == [1]
    sitting.accept(sitting.match.rule(sitting.context, "p9", "an error of the house", back_to=5))
    (again,) = sitting.answer("left", card).records[0].entry.draws
    assert (first.period, again.period) == (1, 2)
    assert again.counter == 0


def test_a_ruling_has_a_reason_and_exactly_one_of_three_outcomes(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    match, context = sitting.match, sitting.context
    result = Result("left", "ruling", {"left": 1, "right": 0})
    with pytest.raises(Refused, match="reason"):
        match.rule(context, "p9", "  ", void=True)
    outcomes: list[dict[str, Any]] = [{}, {"void": True, "result": result}, {"void": True, "back_to": 4}]
    for more in outcomes:
        with pytest.raises(Refused, match="exactly one"):
            match.rule(context, "p9", "because", **more)
    with pytest.raises(Refused, match="no seat 'middle'"):
        match.rule(context, "p9", "because", result=Result("middle", "ruling"))


def test_a_ruling_on_a_table_that_its_organizer_has_not_seen_is_refused(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    match, context = sitting.match, sitting.context
    with pytest.raises(Refused, match=f"its latest move is {match.move}, not {match.move - 1}"):
        match.rule(context, "p9", "because", expect=match.move - 1, void=True)
    sitting.accept(match.rule(context, "p9", "because", expect=match.move, void=True))
    assert sitting.match.status == "over"


@pytest.mark.parametrize("void", [True, False])
def test_an_organizer_ends_an_abandoned_match_which_opens_its_secret_too(toy_game: Game, void: bool) -> None:
    sitting = Sitting(toy_game)
    result = None if void else Result("right", "ruling", {})
    sitting.accept(sitting.match.rule(sitting.context, "p9", "nobody came", void=void, result=result))
    assert kinds(sitting.match) == ["Opened", "Ruled", "SecretOpened", "Closed"]
    assert sitting.match.status == "over"
    assert sitting.match.result == result


def test_resigning_gives_the_other_seat_the_match(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    draft = sitting.accept(sitting.match.resign(sitting.context, "left"))
    assert [type(record.entry).__name__ for record in draft.records] == ["Resigned", *KINDS_AT_THE_END[1:]]
    assert sitting.match.result == Result("right", "resignation", {"left": 0, "right": 0})


def test_nothing_may_be_said_to_a_finished_match(toy_game: Game) -> None:
    sitting = finished(toy_game)
    match, context = sitting.match, sitting.context
    commands: list[Callable[[], object]] = [
        lambda: match.play(context, "left", [("1",)]),
        lambda: match.resign(context, "left"),
        lambda: match.ask_takeback(context, "left"),
        lambda: match.rule(context, "p9", "late", void=True),
        lambda: match.sit(context, "left", "p", salt=None, bot="", source=None),
    ]
    for command in commands:
        with refused("over"):
            command()


# ── chance ──


def test_the_seats_salts_enter_every_draw(toy_game: Game) -> None:
    plain, salted = Sitting(toy_game).seat_all(), Sitting(toy_game).seat_all(salts=True)
    assert plain.match.house_seeded
    assert not salted.match.house_seeded
    assert salted.match.salts == "left=left-salt,right=right-salt"
    draws = [sitting.match.records[2].parts[HOUSE].draws for sitting in (plain, salted)]
    assert [draw.label for draw in draws[0]] == [draw.label for draw in draws[1]]


def test_a_finished_match_opens_the_secret_that_it_committed_to(toy_game: Game) -> None:
    sitting = finished(toy_game)
    opened = sitting.match.records[-2].entry
    assert opened.secret == b64(sitting.secret.bytes)
    assert sitting.match.opened.chance.commitment == b64(sitting.secret.commitment)


def test_a_recorded_match_takes_its_draws_from_the_record(toy_game: Game) -> None:
    sitting = Sitting(toy_game, recorded=True)
    deals = Forced(iter([("card-5",), ("card-2",)]))
    sitting.seat_all(source=deals)
    assert sitting.match.live.hands == {"left": ("card-5",), "right": ("card-2",)}
    assert all(draw.forced for draw in sitting.match.records[-1].parts[HOUSE].draws)
    assert not sitting.match.provable


def test_a_record_that_does_not_fit_is_refused_with_the_place(toy_game: Game) -> None:
    for answers, detail in (
        ([], "deal/r1/left: the record ends"),
        ([("card-9",)], "'card-9' is not among"),
        ([("card-1", "card-2")], "1 to be drawn, the record has 2"),
    ):
        sitting = Sitting(toy_game, recorded=True)
        with pytest.raises(Refused, match=detail) as refusal:
            sitting.seat_all(source=Forced(iter(answers)))
        assert refusal.value.kind == "record"


def test_a_record_that_stops_closes_the_match_with_what_it_says(toy_game: Game) -> None:
    sitting = Sitting(toy_game, recorded=True)
    sitting.accept(sitting.match.close_record(sitting.context, None))
    assert (sitting.match.status, sitting.match.result) == ("over", None)


# ── views ──


def test_each_viewer_folds_what_they_may_see(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    match = sitting.match
    truth = match.live.hands
    assert match.table_at(5, "left").hands == {"left": truth["left"], "right": ("?",)}
    assert match.table_at(5, None).hands == {"left": ("?",), "right": ("?",)}
    assert match.table_at(5, ALL).hands == truth


def test_a_view_of_an_earlier_move_shows_that_move(toy_game: Game) -> None:
    match = finished(toy_game).match
    assert match.table_at(3, None).bids == {}


def test_a_move_decided_under_other_rules_says_so(toy_game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = to_turn(toy_game)
    monkeypatch.setattr(toy_game, "rules", "new-rules")
    first, second = sitting.answer("left", "wave"), sitting.answer("left", "wave")
    assert first.records[0].entry.rules == "new-rules"
    assert second.records[0].entry.rules == ""


def test_a_match_of_an_unknown_game_is_damage(toy_game: Game) -> None:
    opened = finished(toy_game).match.opened
    with pytest.raises(Damaged, match="unknown game 'chess'"):
        Match(type(opened)(**{**asdict(opened), "game": "chess"}))


def test_the_time_may_be_unknown(toy_game: Game) -> None:
    sitting = to_turn(toy_game)
    context = Context(Secret(sitting.secret.bytes, sitting.id), None, PRODUCT)
    (record,) = sitting.match.play(context, "left", [("wave",)]).records
    assert record.entry.at is None


def test_what_stands_is_what_the_line_holds_however_often_it_went_back(toy_game: Game) -> None:
    sitting, luck = to_turn(toy_game), random.Random(3)
    match = sitting.match
    for _ in range(40):
        sitting.answer("left", "wave")
        tables = [move for move in range(5, match.move) if match.positions[move - 1].asked]
        sitting.accept(match.rule(sitting.context, "o", "again", back_to=luck.choice(tables)))
    stands = set(match.line())
    assert [move for move in range(1, match.move + 1) if match.stands(move)] == sorted(stands)
    assert len(stands) < match.move


def test_a_match_that_holds_bytes_only_goes_on_like_any_other(toy_game: Game) -> None:
    sitting, other = Sitting(toy_game).seat_all(), Sitting(toy_game).seat_all()
    sitting.match.rest()
    for one in (sitting, other):
        one.answer("left", "3")
        one.answer("right", "1")
        one.accept(one.match.rule(one.context, "o", "again", back_to=4))
        one.play_on()
    assert sitting.match.roots == other.match.roots
    for viewer in (None, "left", "right", ALL):
        for move in range(1, other.match.move + 1):
            assert sitting.match.table_at(move, viewer) == other.match.table_at(move, viewer)
