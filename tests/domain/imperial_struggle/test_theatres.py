"""The theatres of the four wars: what counts there, what every row brings, and to whom (7.1, 7.2).

The numbers of these tables are typed from the displays of the wars, not read from the components.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from domain.imperial_struggle.components import BOARD, BR, FR, OTHER, WARS
from domain.imperial_struggle.facts.board import FlagRemoved, SquadronMoved
from domain.imperial_struggle.facts.cards import JacobitesDefeated, JacobiteVictory, UprisingsAllowed
from domain.imperial_struggle.facts.tracks import ScoreMoved, TreatySet
from domain.imperial_struggle.facts.wars import ConquestDeclined, DominanceWon, TheatreFought
from domain.imperial_struggle.rules.wars import outcome
from domain.kernel import AnyFact, asked
from tests.domain.imperial_struggle.battles import battle, question, war_table

# Spaces that give no strength: markets, which conquest and spoils may take, and prestige spaces.
BRITISH = ("massachusetts_bay", "st_lucia", "kanchipuram", "dutch_republic_prestige")
FRENCH = ("cataraqui", "martinique", "karaikal", "austria_prestige_lower")


class Row(NamedTuple):
    """A row of the spoils: for whom, from and to which margin, and what it brings to both."""

    war: str
    theatre: str
    winners: str
    margins: tuple[int, int]
    vp: int
    cp: int
    unflag: str  # kind and Region of the flag that the winner removes
    treaty: int
    special: str = ""


BOTH = "br fr"
ROWS = (
    Row("wss", "central_europe", BOTH, (1, 2), 2, 0, "", 1),
    Row("wss", "central_europe", BOTH, (3, 4), 2, 1, "", 2),
    Row("wss", "central_europe", BOTH, (5, 6), 3, 2, "", 3),
    Row("wss", "spain", BOTH, (1, 1), 1, 0, "", 1),
    Row("wss", "spain", BOTH, (2, 3), 1, 1, "", 2),
    Row("wss", "spain", BOTH, (4, 6), 1, 2, "", 2),
    Row("wss", "queen_annes_war", BOTH, (1, 2), 1, 0, "", 0),
    Row("wss", "queen_annes_war", BOTH, (3, 3), 1, 1, "", 1),
    Row("wss", "queen_annes_war", BOTH, (4, 6), 1, 1, "market north_america", 2),
    Row("wss", "jacobite_rebellion", BOTH, (1, 2), 1, 0, "", 0),
    Row("wss", "jacobite_rebellion", "br", (3, 4), 2, 0, "", 1),
    Row("wss", "jacobite_rebellion", "br", (5, 6), 4, 0, "", 2),
    Row("wss", "jacobite_rebellion", "fr", (3, 4), 2, 0, "", 1, "victory"),
    Row("wss", "jacobite_rebellion", "fr", (5, 6), 4, 0, "", 2, "victory"),
    Row("was", "central_europe", BOTH, (1, 2), 1, 0, "", 0),
    Row("was", "central_europe", BOTH, (3, 6), 1, 1, "", 1),
    Row("was", "king_georges_war", BOTH, (1, 2), 0, 1, "", 0),
    Row("was", "king_georges_war", BOTH, (3, 6), 0, 1, "market north_america", 1),
    Row("was", "first_carnatic_war", BOTH, (1, 2), 0, 1, "", 0),
    Row("was", "first_carnatic_war", BOTH, (3, 3), 0, 2, "", 1),
    Row("was", "first_carnatic_war", BOTH, (4, 6), 0, 2, "market india", 2),
    Row("was", "jacobite_rebellion", "fr", (1, 1), 2, 0, "", 1, "victory uprisings"),
    Row("was", "jacobite_rebellion", "fr", (2, 3), 3, 0, "political europe", 2, "victory uprisings"),
    Row("was", "jacobite_rebellion", "fr", (4, 6), 5, 0, "political europe", 3, "victory uprisings"),
    Row("was", "jacobite_rebellion", "br", (1, 1), 1, 0, "", 0),
    Row("was", "jacobite_rebellion", "br", (2, 2), 2, 0, "political europe", 1, "defeat"),
    Row("was", "jacobite_rebellion", "br", (3, 6), 3, 0, "political europe", 2, "defeat"),
    Row("syw", "atlantic_dominance", BOTH, (1, 1), 0, 0, "", 0),
    Row("syw", "atlantic_dominance", BOTH, (2, 2), 0, 0, "", 0, "dominance"),
    Row("syw", "atlantic_dominance", BOTH, (3, 4), 0, 0, "", 0, "dominance unbuilt1"),
    Row("syw", "atlantic_dominance", BOTH, (5, 6), 0, 0, "", 0, "dominance unbuilt2"),
    Row("syw", "third_carnatic_war", BOTH, (1, 2), 0, 1, "", 1),
    Row("syw", "third_carnatic_war", BOTH, (3, 4), 0, 1, "market india", 2),
    Row("syw", "third_carnatic_war", BOTH, (5, 6), 0, 2, "market india", 3),
    Row("syw", "french_and_indian_war", BOTH, (1, 2), 0, 1, "market north_america", 1),
    Row("syw", "french_and_indian_war", BOTH, (3, 4), 1, 2, "", 3),
    Row("syw", "french_and_indian_war", BOTH, (5, 6), 2, 3, "", 4),
    Row("syw", "prussias_wars", BOTH, (1, 2), 2, 0, "", 0),
    Row("syw", "prussias_wars", BOTH, (3, 4), 3, 0, "", 0),
    Row("syw", "prussias_wars", BOTH, (5, 6), 4, 0, "", 1),
    Row("awi", "american_revolution", "fr", (1, 2), 2, 0, "", 2, "usa"),
    Row("awi", "american_revolution", "fr", (3, 4), 3, 0, "", 2, "usa"),
    Row("awi", "american_revolution", "fr", (5, 6), 4, 0, "", 3, "usa canada"),
    Row("awi", "american_revolution", "br", (1, 1), 2, 0, "", 0),
    Row("awi", "american_revolution", "br", (2, 3), 3, 1, "", 1),
    Row("awi", "american_revolution", "br", (4, 6), 4, 2, "", 2),
    Row("awi", "mysore_war", BOTH, (1, 2), 0, 1, "", 1),
    Row("awi", "mysore_war", BOTH, (3, 6), 0, 2, "", 3),
    Row("awi", "antilles_war", BOTH, (1, 1), 0, 1, "", 0, "removed1"),
    Row("awi", "antilles_war", BOTH, (2, 3), 0, 1, "market caribbean", 1, "removed2"),
    Row("awi", "antilles_war", BOTH, (4, 6), 0, 2, "market caribbean", 2, "removed2"),
)
CASES = [
    (row, winner, margin) for row in ROWS for winner in row.winners.split() for margin in set(row.margins)
]


def named(case: object) -> str | None:
    return f"{case.war}-{case.theatre}" if isinstance(case, Row) else None


def play_on(row: Row, winner: str, margin: int) -> tuple[list[AnyFact], list[str]]:
    """The facts of the theatre, and the awards that France is offered, when no side takes anything."""
    game = battle(row.war, row.theatre, winner, margin, br=BRITISH, fr=FRENCH, navy={BR: 2, FR: 2})
    facts, offered = list(game.facts), []
    while seats := asked(game.table):
        found = question(game, seats[0])
        if found.ask == "PlaceUsaFlags":
            offered.append(str(found.why["award"]))
        game.when(seats[0], *(() if not found.least else found.options[-1:]))
        facts += game.facts
    return facts, offered


def special(facts: list[AnyFact], offered: list[str], loser: str) -> str:
    """The special awards among the facts, in the words of `Row`."""
    words = {
        "dominance": any(isinstance(fact, DominanceWon) and fact.side == OTHER[loser] for fact in facts),
        "victory": JacobiteVictory(1) in facts,
        "uprisings": UprisingsAllowed() in facts,
        "defeat": any(isinstance(fact, JacobitesDefeated) for fact in facts),
        "usa": "usa" in offered,
        "canada": "canada" in offered,
    }
    for to in ("unbuilt", "removed"):
        words[f"{to}{facts.count(SquadronMoved(loser, 'navy_box', to))}"] = any(
            isinstance(fact, SquadronMoved) and fact.to == to for fact in facts
        )
    return " ".join(word for word, so in words.items() if so)


@pytest.mark.parametrize(("row", "winner", "margin"), CASES, ids=named)
def test_7_2_each_row_of_each_theatre_brings_what_the_display_says(
    row: Row, winner: str, margin: int
) -> None:
    facts, offered = play_on(row, winner, margin)
    fought = next(fact for fact in facts if isinstance(fact, TheatreFought))
    assert (fought.winner, fought.margin) == (winner, margin)
    assert (
        sum(fact.points for fact in facts if isinstance(fact, ScoreMoved) and fact.side == winner) == row.vp
    )
    loser = OTHER[winner]
    assert sum(fact.by for fact in facts if isinstance(fact, TreatySet) and fact.side == loser) == row.treaty
    assert sum(fact.points for fact in facts if isinstance(fact, ConquestDeclined)) == row.cp
    lost = [BOARD[fact.space] for fact in facts if isinstance(fact, FlagRemoved) and fact.side == loser]
    assert [f"{space.kind} {space.region}" for space in lost] == [row.unflag][: bool(row.unflag)]
    assert special(facts, offered, loser) == row.special


@pytest.mark.parametrize(
    ("war", "theatre"), [(war.id, face.id) for war in WARS.values() for face in war.theatres]
)
def test_7_1_4_a_tie_brings_no_side_anything(war: str, theatre: str) -> None:
    game = battle(war, theatre, br=BRITISH, fr=FRENCH).asks_nobody()
    assert [type(fact).__name__ for fact in game.facts] == ["TilesRevealed", "TheatreFought"]
    assert game.table.fought == {theatre: ""}


# ── strength ──

COUNTED = (  # with every space of the board, then with a Conflict marker on one space of each Region
    ("wss", "central_europe", {"alliances": 8}, 0),
    ("wss", "spain", {"alliances": 3, "keywords": 2, "squadrons": 2}, 0),
    ("wss", "queen_annes_war", {"squadrons": 3, "forts": 4}, 1),
    ("wss", "jacobite_rebellion", {"alliances": 3, "keywords": 1}, 1),
    ("was", "central_europe", {"alliances": 10}, 0),
    ("was", "king_georges_war", {"squadrons": 3, "forts": 4}, 1),
    ("was", "first_carnatic_war", {"squadrons": 2, "forts": 2}, 1),
    ("was", "jacobite_rebellion", {"alliances": 2, "keywords": 1}, 1),
    ("syw", "atlantic_dominance", {"squadrons": 9}, 0),
    ("syw", "third_carnatic_war", {"squadrons": 2, "forts": 2}, 1),
    ("syw", "french_and_indian_war", {"alliances": 2, "squadrons": 7, "forts": 4}, 2),
    ("syw", "prussias_wars", {"alliances": 11}, 0),
    ("awi", "american_revolution", {"alliances": 5, "squadrons": 3, "forts": 4}, 1),
    ("awi", "mysore_war", {"squadrons": 2, "forts": 2}, 1),
    ("awi", "antilles_war", {"alliances": 2, "squadrons": 4}, 1),
)
OPEN_MINISTRIES = ("robert_walpole", "edmund_burke", "jonathan_swift", "the_cardinal_ministers")
TROUBLED = {"york_factory": 0, "antigua": 1, "kurpa": 0, "ireland_prestige": 0}


@pytest.mark.parametrize(("war", "theatre", "expected", "_conflicts"), COUNTED)
def test_7_1_3_what_counts_in_each_theatre(
    war: str, theatre: str, expected: dict[str, int], _conflicts: int
) -> None:
    s = war_table(war, br=tuple(BOARD), revealed=OPEN_MINISTRIES)
    assert outcome(s, theatre).working[BR] == {"tiles": 1, **expected}
    french = war_table(war, fr=tuple(BOARD), damaged=("arcot", "halifax"))
    forts = expected.get("forts", 0)
    whole = {4: 3, 2: 1, 0: 0}[forts]
    assert outcome(french, theatre).working[FR].get("forts", 0) == whole


@pytest.mark.parametrize(("war", "theatre", "_expected", "conflicts"), COUNTED)
def test_7_1_3_conflict_markers_strengthen_the_opponent_of_the_flag(
    war: str, theatre: str, _expected: dict[str, int], conflicts: int
) -> None:
    s = war_table(war, br=tuple(TROUBLED), conflicts={**TROUBLED, "mangalore": 0, "oswego": 0})
    assert outcome(s, theatre).working[FR].get("conflicts", 0) == conflicts
    assert "conflicts" not in outcome(s, theatre).working[BR]


def test_3_8_an_alliance_space_under_a_conflict_marker_gives_nothing_whatever_the_reading_of_events() -> None:
    for reading in ("ignored", "counted"):
        options = {"conflicted_flags": reading}
        s = war_table("wss", fr=("bavaria", "savoy"), conflicts={"bavaria": 0}, options=options)
        assert outcome(s, "central_europe").working == {BR: {"tiles": 1}, FR: {"tiles": 1, "alliances": 1}}


def test_7_1_3_prestige_spaces_and_face_down_ministries_give_no_strength() -> None:
    s = war_table("wss", br=("spain_prestige_2",), ministries={BR: ("robert_walpole",), FR: ()})
    assert outcome(s, "spain").working[BR] == {"tiles": 1}


def test_byng_counts_2_for_britain_in_one_theatre_alone() -> None:
    s = war_table("syw", byng="third_carnatic_war")
    assert outcome(s, "third_carnatic_war").working == {BR: {"tiles": 1, "byng": 2}, FR: {"tiles": 1}}
    assert outcome(s, "atlantic_dominance").working[BR] == {"tiles": 1}


def test_atlantic_dominance_counts_2_for_its_holder_in_the_french_and_indian_war_alone() -> None:
    s = war_table("syw", dominance=FR)
    assert outcome(s, "french_and_indian_war").working == {BR: {"tiles": 1}, FR: {"tiles": 1, "dominance": 2}}
    assert outcome(s, "prussias_wars").working[FR] == {"tiles": 1}


def test_12_1_a_conflict_marker_under_a_spanish_flag_strengthens_no_side() -> None:
    s = war_table("awi", flags={"havana": "spain"}, conflicts={"havana": 0})
    assert outcome(s, "antilles_war").working == {BR: {"tiles": 1}, FR: {"tiles": 1}}
