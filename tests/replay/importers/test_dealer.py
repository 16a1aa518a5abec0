"""Handing out the planned cards while a match is played."""

from __future__ import annotations

from replay.importers.twilight_struggle.deal import Deal, Drawn, Looked, Want
from replay.importers.twilight_struggle.dealer import Dealer
from tests.domain.twilight_struggle.table import table

DECK = ("allende", "che", "fidel", "junta", "nasser", "nato", "opec", "summit")
PLAN = Deal(
    draws=(
        Drawn(1, 9, "ussr", ("fidel",), False),
        Drawn(1, 9, "us", ("nato",), False),
        Drawn(2, 50, "us", ("che",), False),
    ),
    looks=(Looked(2, 60, ("opec", "junta"), ("opec",)), Looked(2, 70, ("summit",), ())),
    problems=(),
    wants=(Want("us", "opec", 3),),
)


def test_one_draw_after_another() -> None:
    dealer, s = Dealer(PLAN), table(deck=DECK)
    assert dealer.deal(s, "ussr", 1, 1) == ("fidel",)
    assert dealer.deal(s, "us", 1, 1) == ("nato",)
    assert dealer.deal(s, "us", 1, 2) == ("che",)


def test_a_draw_that_the_rules_do_not_ask_for_is_passed_over() -> None:
    dealer, s = Dealer(PLAN), table(deck=DECK)
    assert dealer.deal(s, "us", 1, 2) == ("che",)


def test_an_unplanned_draw_leaves_the_plan_as_it_is() -> None:
    dealer, s = Dealer(PLAN), table(deck=DECK)
    assert dealer.deal(s, "ussr", 1, 3) == ("fidel",)  # the draw that comes next is of this side all the same
    assert dealer.deal(s, "ussr", 1, 3) == ("allende",)


def test_looks_come_in_their_order_with_what_the_log_names_on_top() -> None:
    dealer, s = Dealer(PLAN), table(deck=DECK)
    assert dealer.seen(s, 2, ("opec",)) == ("opec", "junta")
    assert dealer.seen(s, 3, ("nato", "glasnost")) == ("nato", "summit", "allende")
