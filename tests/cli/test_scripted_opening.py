"""A scripted opening of Imperial Struggle in which every draw is forced: cards, tiles, awards, demand.

One turn has nearly every kind of draw; what it takes besides is a bid that ties (below) and later eras.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from domain.chance import Drawn
from domain.log import HOUSE
from replay import matchfile
from replay.verify import verify
from tests.cli.program import Program

TILES = (
    *("m2_e2_1", "d4_e2_1", "e3_d2_1", "e4_d2_1", "d3_e2_1", "m4_d2_1", "e2_d2_1", "d2_e2_1", "m3_e2_1"),
)
SET_UP = (
    ("chance", "wss_ultima_ratio_regum"),
    ("chance", "br_two_1", "br_debt_1", "br_one_1", "br_unflag_1"),
    ("chance", "fr_one_1", "fr_strike_1", "fr_two_1", "fr_debt_1"),
)
TURN = (
    ("chance", "award_3", "award_2", "award_1a", "award_0t_a"),
    ("chance", "furs", "sugar", "cotton"),
    ("chance", *TILES),
    ("chance", "austro_spanish_rivalry", "carnatic_war", "great_northern_war"),
    ("chance", "calico_acts", "tropical_diseases", "vatican_politics"),
    ("br", "robert_walpole", "bank_of_england"),
    ("fr", "court_of_the_sun_king", "john_law"),
    ("fr", "fr"),
)
ROUNDS = (
    # France: a Bonus War tile for Spain, and the military upgrade there
    ("fr", "m2_e2_1"),
    ("fr", "buy"),
    ("chance", "wss_de_villars"),
    ("fr", "spain"),
    ("fr", "upgrade"),
    ("fr", "spain"),
    ("chance", "fr_two_2"),
    ("fr", "fr_two_2:remove"),
    ("fr", "end"),
    # Britain: an event with its bonus, which takes that tile back, and Walpole
    ("br", "reveal:robert_walpole"),
    ("br", "d2_e2_1"),
    ("br", "event:austro_spanish_rivalry"),
    ("br", "spain_alliance_upper"),
    ("br", "spain"),
    ("chance", "wss_de_villars"),
    ("br", "ability:robert_walpole"),
    ("chance", "interest_payments"),
    ("br", "great_northern_war"),
    ("br", "end"),
    # France: a card for diplomatic points
    ("fr", "d3_e2_1"),
    ("fr", "draw"),
    ("chance", "tax_reform"),
)


def played(glasnost: Program, *answers: tuple[str, ...], **options: Any) -> dict[str, Any]:
    """The last table of a script, as a match file `m` keeps it."""
    lines = [{"seat": seat, "picks": picks} for seat, *picks in answers]
    script = {"game": "imperial_struggle", "options": options, "answers": lines}
    Path("opening.json").write_text(json.dumps(script), "utf-8")
    done = glasnost("script", "opening.json", "--json", "--out", "m").ok()
    table: dict[str, Any] = json.loads(done.out.splitlines()[-2])["table"]
    return table


def labels() -> list[str]:
    """The draws of the match file, open and secret; every one of them was forced."""
    records = matchfile.read(Path("m")).records()
    draws: list[Drawn] = []
    for record in records:
        house = record.parts.get(HOUSE)
        draws += [*getattr(record.entry, "draws", ()), *(house.draws if house else ())]
    assert all(draw.forced for draw in draws)
    assert verify(Path("m")).ok
    return [draw.label for draw in draws]


def test_every_draw_of_a_turn_can_be_forced(glasnost: Program) -> None:
    table = played(glasnost, *SET_UP, *TURN, *ROUNDS)
    assert table["laid"] == {
        "north_america": "award_3",
        "europe": "award_2",
        "caribbean": "award_1a",
        "india": "award_0t_a",
    }
    assert table["demand"] == ["furs", "sugar", "cotton"]
    assert table["shown"] == list(TILES)
    assert table["picked"] == {"br": ["d2_e2_1"], "fr": ["m2_e2_1", "d3_e2_1"]}
    assert table["hands"] == {
        "br": ["carnatic_war", "interest_payments"],
        "fr": ["calico_acts", "tax_reform", "tropical_diseases", "vatican_politics"],
    }
    assert (table["discards"], table["removed"]) == (["great_northern_war"], ["austro_spanish_rivalry"])
    assert table["front"]["fr"]["spain"] == "fr_two_2"
    assert table["front"]["br"]["jacobite_rebellion"] == "br_unflag_1"
    assert table["gone"] == ["fr_strike_1"]
    assert table["reinforcements"]["fr"] == {"central_europe": ["wss_ultima_ratio_regum"], "spain": []}
    assert table["conflicts"] == {"spain_alliance_upper": 0}
    assert set(labels()) == {
        *("bonus/t0/wss/fr", "basics/wss/br", "basics/wss/fr"),
        *("awards/t1", "demand/t1", "investments/t1", "deal/t1/br", "deal/t1/fr"),
        *("bonus/t1/r1/wss/fr", "upgrade/t1/r1/fr", "returned/t1/r2/spain/fr"),
        *("deal/t1/r2/br", "deal/t1/r3/fr"),
    }


def test_a_tie_of_the_bids_can_be_forced(glasnost: Program) -> None:
    """Both bid 3 for France; chance gives it to the player who sat down as Britain, so they change places."""
    bids = (("br", "3"), ("fr", "3"), ("chance", "br"))
    table = played(glasnost, *bids, *SET_UP, *TURN, bid="fr")
    assert (table["exchanged"], table["treaty"]) == (True, {"br": 3, "fr": 0})
    assert "bid/tie" in labels()
