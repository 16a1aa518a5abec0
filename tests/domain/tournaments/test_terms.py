"""Terms that change before the first pairing, and what must hold when it is made."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.rounds import must_have_opponents
from domain.tournaments.terms import Stage, Terms, settled
from tests.domain.tournaments.hall import Hall
from tests.domain.tournaments.random_play import greedy

SWISS = Terms(game="cia_vs_kgb", format="swiss", rounds=3)


@pytest.mark.parametrize("entrants", [2, 3, 7])
def test_no_round_is_paired_if_there_are_fewer_opponents_than_rounds(entrants: int) -> None:
    # given a Swiss tournament with as many rounds as entrants
    hall = Hall(SWISS, entrants)
    hall.do(c.ChangeTerms(path="rounds", value=str(entrants), reason="more play"))
    pair = c.Pair(round=1, draft=greedy(hall.s))

    # then neither an engine is asked nor a pairing taken
    with pytest.raises(Refused, match=f"opponents for {entrants - 1} rounds"):
        must_have_opponents(hall.s)
    assert hall.refused(pair) == "more-rounds-than-opponents"

    # when the director takes one round away, then it is paired
    hall.do(c.ChangeTerms(path="rounds", value=str(entrants - 1), reason="there is no opponent"))
    hall.do(pair)
    assert len(hall.s.rounds) == 1


def test_the_swiss_stage_of_all_entrants_has_no_more_rounds_than_opponents_and_a_table_needs_no_check() -> (
    None
):
    stages = (Stage("swiss", 4), Stage("round_robin", 3, 2))
    hall = Hall(Terms(game="cia_vs_kgb", format="stages", rounds=7, stages=stages), 4)
    with pytest.raises(Refused, match="opponents for 3 rounds"):
        must_have_opponents(hall.s)
    with pytest.raises(Refused, match="opponents for 3 rounds"):
        settled(replace(hall.s.terms, stages=(Stage("round_robin", 3), Stage("swiss", 4, 4))), None)
    must_have_opponents(Hall(Terms(game="cia_vs_kgb", format="round_robin", rounds=9), 4).s)
