"""The form that the engine gets is the one that its own reader makes of the same table's TRF."""

from __future__ import annotations

from typing import Any

import pytest
from gacrux import trf2json
from msgspec.structs import replace

from domain.tournaments.crosstable import Acceleration, Crosstable, Forbidden, Line, Points
from replay.tournaments.gacrux_form import gacrux_form
from replay.tournaments.simulation import SimulatedRound
from replay.tournaments.trf import TrfFile, written


def games(form: dict[str, Any]) -> list[tuple[object, ...]]:
    """All games, in one order, by what the engine reads of them."""
    found = [
        (one["round"], one["white"], one["black"], one["played"], one["rated"]) for one in form["gameList"]
    ]
    return sorted(found, key=str)


def worth(form: dict[str, Any]) -> dict[str, object]:
    """What each result is worth, after all letters were followed."""
    scheme = form["scoreSystem"]["game"]

    def followed(letter: str) -> object:
        return followed(scheme[letter]) if isinstance(scheme[letter], str) else scheme[letter]

    return {letter: followed(letter) for letter in scheme}


def competitors(form: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {key: one.get(key) for key in ("cid", "present", "gamePoints", "rank", "rating", "adjust")}
        for one in form["competitors"]
    ]


@pytest.mark.parametrize("points", [Points(), Points(6, 2, 0, 6), Points(6, 2, 1, 2)], ids=str)
def test_the_form_is_that_of_the_engines_own_reader(points: Points, small: list[SimulatedRound]) -> None:
    for one in small:
        table = replace(
            one.after,
            points=points,
            lines=(replace(one.after.lines[0], penalty=1), *one.after.lines[1:]),
            forbidden=(Forbidden(1, 5, (2, 3)),),
            accelerations=(Acceleration(2, 1, 2, 1, 8),),
        )
        reader = trf2json.trf2json()
        reader.parse_file(written(TrfFile(table)), 0)
        theirs, ours = reader.get_tournament(1), gacrux_form(table)
        assert games(ours) == games(theirs)
        assert worth(ours) == worth(theirs)
        assert competitors(ours) == competitors(theirs)
        for key in ("numRounds", "currentRound", "topColor", "accelerated", "prohibited"):
            assert ours[key] == theirs[key]


def test_a_table_that_contradicts_itself_has_no_form() -> None:
    with pytest.raises(ValueError, match="numbers"):
        gacrux_form(Crosstable(1, (Line("n1", 2),)))
