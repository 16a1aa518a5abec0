"""Terms that change before the first pairing, and what must hold when it is made."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.fold import folded
from domain.tournaments.rounds import must_have_opponents
from domain.tournaments.terms import Knockout, Stage, Terms, settled
from tests.domain.tournaments.hall import Hall
from tests.domain.tournaments.random_play import greedy

SWISS = Terms(game="cia_vs_kgb", format="swiss", rounds=3)
BID = {"bid": "victory_points"}
STAGES = [{"format": "swiss", "rounds": 3}, {"format": "knockout", "rounds": 9, "entrants": 4}]


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


def terms_after(hall: Hall) -> Terms:
    """The terms as the log gives them."""
    entries = [record.entry for record in hall.log.records]
    found = folded(None, entries)
    assert found is not None
    return found.terms


CHANGES: dict[str, tuple[Terms, dict[str, object]]] = {
    "bids": (Terms(game="twilight_struggle", format="swiss", rounds=3), {"sides": "bid", "options": BID}),
    "a league": (SWISS, {"format": "league", "league": {"divisions": [2, 2], "up": 1, "down": 1}}),
    "stages": (SWISS, {"format": "stages", "rounds": 12, "stages": STAGES}),
    "another game": (SWISS, {"game": "twilight_struggle", "edition": "deluxe", "options": {}}),
    "no knock-out any more": (replace(SWISS, format="knockout", knockout=Knockout(2)), {"format": "swiss"}),
    "one that is named": (replace(SWISS, format="knockout"), {"format": "swiss", "knockout": None}),
    "a handicap": (Terms(game="twilight_struggle", format="swiss", rounds=3), {"sides": "handicap:+2"}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_terms_that_need_one_another_change_with_one_command(name: str) -> None:
    # given terms of which no field can change alone
    terms, values = CHANGES[name]
    hall = Hall(terms, 4)
    before = hall.s.entry
    (path, first), *others = [(path, msgspec.json.encode(value).decode()) for path, value in values.items()]
    also = tuple(c.ChangedTerm(*one) for one in others)

    # when they change together
    hall.do(c.ChangeTerms(path=path, value=first, also=also, reason="by a vote"))

    # then the log alone gives terms that hold, an entry for each field, and they hold as they would anew
    found = terms_after(hall)
    assert found == hall.s.terms == settled(found, None)
    changed = [record.entry.path for record in hall.log.records[before:]]
    assert set(changed) >= {path for path in values if values[path] is not None}
    assert len(set(changed)) == len(changed)
    assert found.format == values.get("format", terms.format)
    assert found.sides == values.get("sides", terms.sides)
    assert found.game == values.get("game", terms.game)


@pytest.mark.parametrize(
    ("also", "refused"),
    [
        ((("rounds", "2"),), "term-twice"),
        ((("byes", "1"), ("byes", "2")), "term-twice"),
        ((("no_such", "1"),), "no-such-term"),
        ((("byes", "[" * 9_000),), "term-value"),
        ((("game", "null"),), "term-value"),
        ((("sides", '"bid"'),), "sides-and-bid"),
    ],
)
def test_all_terms_of_a_command_change_or_none(also: tuple[tuple[str, str], ...], refused: str) -> None:
    hall = Hall(SWISS, 4)
    before = hall.log.root
    more = tuple(c.ChangedTerm(*one) for one in also)
    assert hall.refused(c.ChangeTerms(path="rounds", value="2", also=more, reason="x")) == refused
    assert hall.log.root == before


def test_after_the_first_pairing_only_what_is_free_changes_and_what_stays_may_be_named() -> None:
    hall = Hall(SWISS, 4)
    hall.do(c.Pair(round=1, draft=greedy(hall.s)))
    free, same, other = (
        c.ChangedTerm("tie_breaks", '["BH"]'),
        c.ChangedTerm("rounds", "3"),
        c.ChangedTerm("rounds", "2"),
    )
    assert (
        hall.refused(c.ChangeTerms(path="byes", value="1", also=(free, other), reason="x")) == "term-stands"
    )
    hall.do(c.ChangeTerms(path="byes", value="1", also=(free, same), reason="x"))
    assert hall.s.changes == (hall.s.entry,)
    assert hall.s.terms == replace(hall.s.terms, rounds=3, byes=1, tie_breaks=("BH",))
