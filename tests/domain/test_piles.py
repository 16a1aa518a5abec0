"""Hidden cards: the same functions serve the truth and a viewer's fold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain.kernel import HIDDEN
from domain.piles import Pile, sorted_cards, without

IDS = tuple("abcdefgh")


def test_a_viewer_keeps_candidates_where_the_truth_loses_a_card() -> None:
    truth, viewer = Pile.of(IDS).drawn(("c",)), Pile.of(IDS).drawn((HIDDEN,))
    assert truth.size == viewer.size == 7
    assert "c" not in truth.cards
    assert "c" in viewer.cards
    assert viewer.located("c").cards == truth.cards


def test_a_fixed_top_card_is_no_candidate_for_who_knows_it() -> None:
    known, unknown = (
        Pile.of(IDS).drawn(("c",)).put_on_top(("c",)),
        Pile.of(IDS).drawn((HIDDEN,)).put_on_top((HIDDEN,)),
    )
    assert (known.loose, unknown.loose) == (7, 7)
    assert "c" not in known.cards
    assert known.without_top("c").cards == unknown.without_top("c").cards


def test_a_card_put_under_the_pile_leaves_it_from_below() -> None:
    pile = Pile.of(IDS[:3]).put_under(("x",)).put_under(("y",))
    assert pile.bottom == ("x", "y")
    assert pile.without_bottom("y").bottom == ("x",)


def test_cards_shuffled_in_are_candidates_only_where_their_faces_are_known() -> None:
    pile = Pile.of(IDS[:3])
    known, unknown = pile.shuffled_in(("x", "a")), pile.shuffled_in((HIDDEN, HIDDEN))
    assert known == Pile(("a", "b", "c", "x"), 5)
    assert unknown == Pile(("a", "b", "c"), 5)


def test_reshuffling_frees_every_position() -> None:
    assert Pile.of(IDS).drawn(("c",)).put_on_top(("c",)).loosened() == Pile.of(IDS)
    unknown = Pile.of(IDS).drawn((HIDDEN,)).put_on_top((HIDDEN,)).loosened()
    assert unknown == Pile.of(IDS)


def test_an_unknown_face_leaves_a_hand_in_the_place_of_the_card() -> None:
    assert without(("a", "b"), "b") == ("a",)
    assert without((HIDDEN, HIDDEN), "b") == (HIDDEN,)


def test_cards_of_a_hidden_place_stand_in_the_order_of_their_ids() -> None:
    assert sorted_cards(("c", "a"), ("b",)) == sorted_cards(("b",), ("a", "c")) == ("a", "b", "c")
    assert sorted_cards((HIDDEN, "b"), ("a", HIDDEN)) == (HIDDEN, HIDDEN, "a", "b")


@given(st.permutations(IDS), st.integers(0, 8))
def test_truth_and_view_agree_on_sizes_and_candidates(order: list[str], drawn: int) -> None:
    truth, viewer = Pile.of(IDS), Pile.of(IDS)
    for card in order[:drawn]:
        truth, viewer = truth.drawn((card,)), viewer.drawn((HIDDEN,))
    assert truth.loose == len(truth.cards) == viewer.loose == 8 - drawn
    assert set(truth.cards) <= set(viewer.cards)
