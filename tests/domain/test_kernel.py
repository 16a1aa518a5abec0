"""The kernel: begin, decide, fold, prompt (architecture, section 3)."""

from __future__ import annotations

import typing

import msgspec
import pytest

from domain.kernel import (
    Answer,
    Ended,
    Fact,
    Fault,
    Reason,
    Refused,
    Resolution,
    Result,
    Step,
    begin,
    decide,
    fold,
    prompt,
)
from tests.domain import toy
from tests.scenario import Scenario, given


def start() -> toy.State:
    return toy.table("first", {"rounds": 1})


def bidding() -> Scenario[toy.State]:
    dealt = (toy.Dealt("left", "card-1"), toy.Dealt("right", "card-2"))
    return given(start(), *dealt, do=(toy.Bid(toy.SEATS), toy.Close(1)))


def test_begin_leads_to_the_first_question_and_chance_is_a_seat() -> None:
    given(start(), do=toy.Round(1)).then(toy.RoundBegan(1)).asks("chance", *toy.CARDS)


def test_steps_are_done_in_the_order_in_which_they_were_given() -> None:
    decision = begin(start(), (toy.Deal("left"), toy.Deal("right")))
    assert decision.table.agenda == (toy.Deal("right"), toy.Deal("left"))


def test_two_seats_are_asked_at_once_and_the_second_answer_opens_both() -> None:
    bidding().asks("left").asks("right").when("right", "2").then(toy.BidPlaced("right", 2)).asks("left").when(
        "left", "1"
    ).then(toy.BidPlaced("left", 1), toy.BidsOpened({"left": 1, "right": 2})).asks("right")


def test_a_tie_is_a_new_round_of_the_same_question() -> None:
    scene = bidding().when("left", "2").when("right", "2")
    assert scene.table.agenda[-1] == toy.Bid(toy.SEATS, again=1)


def test_a_seat_without_options_in_a_simultaneous_question_does_not_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Halt(toy.Bid, frozen=True, tag="Halt"):
        def options(self, s: toy.State, seat: str) -> tuple[str, ...]:
            return ("1",) if seat == "right" else ()

        def run(self, s: toy.State, seat: str, picks: tuple[str, ...]) -> Resolution[toy.State]:
            yield toy.BidPlaced(seat, int(picks[0]) if picks else 0)
            if rest := tuple(name for name in self.waiting if name != seat):
                yield Halt(rest)

    given(start(), do=Halt(toy.SEATS)).then(toy.BidPlaced("left", 0)).asks("right", "1")


def test_a_resolution_sees_the_newest_table_and_a_period_closes() -> None:
    given(start(), do=toy.Close(1)).then(
        toy.RoundEnded(1), Ended(None, "points", {"left": 0, "right": 0})
    ).asks_nobody().has(result=Result(None, "points", {"left": 0, "right": 0}), agenda=())


def test_nothing_happens_after_the_end() -> None:
    scene = given(start(), do=(toy.Close(1), toy.Round(2)))
    assert isinstance(scene.facts[-1], Ended)
    assert prompt(scene.table, "left") is None


@pytest.mark.parametrize(
    ("seat", "picks", "detail"),
    [
        ("left", (), "pick 1, not 0"),
        ("left", ("1", "2"), "pick 1, not 2"),
        ("left", ("9",), "'9' is not among the options"),
        ("chance", ("1",), "chance is not asked"),
        ("nobody", ("1",), "nobody is not asked"),
    ],
)
def test_an_illegal_answer_is_refused_and_says_why(seat: str, picks: tuple[str, ...], detail: str) -> None:
    scene = bidding()
    with pytest.raises(Refused, match=detail) as refusal:
        decide(scene.table, Answer(seat, picks))
    assert (refusal.value.legal is not None) == (seat == "left")


def test_a_step_may_say_why_a_pick_is_refused_and_which_rule_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = Reason("too_poor", "book 000, 1.2", {"points": 3})

    def why(self: toy.Bid, s: toy.State, seat: str, pick: str) -> Reason:
        return reason

    monkeypatch.setattr(toy.Bid, "refusal", why)
    with pytest.raises(Refused) as refusal:
        decide(bidding().table, Answer("left", ("9",)))
    assert refusal.value.text("en") == "Bid: '9' is not among the options (too_poor)"
    assert refusal.value.fault == Fault("option", 1, "9", reason)
    assert refusal.value.rule == "book 000, 1.2"


def test_a_step_that_says_nothing_more_names_its_own_rule() -> None:
    class Quiet(toy.Bid, frozen=True, tag="Quiet"):
        rule = "book 000, 3.4"

    with pytest.raises(Refused) as refusal:
        decide(given(start(), do=Quiet(toy.SEATS)).table, Answer("left", ("9",)))
    assert (refusal.value.text("en"), refusal.value.rule) == (
        "Quiet: '9' is not among the options",
        "book 000, 3.4",
    )


def test_fold_needs_no_step() -> None:
    scene = bidding().when("left", "2")
    assert fold(start(), [toy.BidPlaced("left", 2)]).bids == scene.table.bids


def test_only_viewers_who_know_a_hidden_fact_see_it_in_full() -> None:
    fact = toy.Dealt("left", "card-1")
    assert fact.seen_by("left") == fact
    assert fact.seen_by("right") == fact.seen_by(None) == toy.Dealt("left", "?")


class Sealed(Fact[toy.State], frozen=True):
    """Secret parts of each shape, shown to another seat than the fact's own, or to no seat."""

    conceals = ("card", "cards", "marks_of")
    seat: str
    card: str = "c"
    cards: tuple[str, ...] = ("a", "b")
    marks_of: dict[str, str] = msgspec.field(default_factory=lambda: {"x": "secret", "y": "secret"})
    open: int = 3


class Burnt(Sealed, frozen=True):
    def known_to(self) -> tuple[str, ...]:
        return ()


def test_what_is_concealed_keeps_its_number_and_its_places() -> None:
    told = Sealed("left").seen_by("right")
    assert told == Sealed("left", "?", ("?", "?"), {"x": "?", "y": "?"})
    assert Sealed("left").seen_by("left") == Sealed("left")
    assert told.seen_by(None) == told


def test_a_fact_may_be_hidden_from_all_viewers() -> None:
    assert Burnt("left").seen_by("left") == Burnt("left", "?", ("?", "?"), {"x": "?", "y": "?"})


def test_a_known_prompt_saves_asking_again() -> None:
    table = bidding().table
    question = prompt(table, "left")
    assert decide(table, Answer("left", ("1",)), question) == decide(table, Answer("left", ("1",)))


@pytest.mark.parametrize(("base", "union"), [(Step, toy.ToyStep), (Fact, toy.ToyFact)])
def test_the_toy_vocabulary_is_closed(base: type, union: object) -> None:
    own = {kind for kind in typing.get_args(union) if kind is not Ended}
    assert own
    assert all(issubclass(kind, base) for kind in own)
