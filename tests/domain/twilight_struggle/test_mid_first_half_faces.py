"""The faces of the Mid War cards 36 to 58, and the scoring cards among them."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.facts.cards import CardPutAway
from domain.twilight_struggle.facts.flow import EventBegan
from domain.twilight_struggle.facts.tracks import RegionScored, ScoreMoved, Tally
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.steps.play import Event
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given

NEUTRAL, SCORING = "neutral", "scoring"
LASTING = ("quagmire", "bear_trap", "willy_brandt")


@pytest.mark.parametrize(
    ("card", "number", "side", "ops", "starred"),
    [
        ("brush_war", 36, NEUTRAL, 3, False),
        ("central_america_scoring", 37, SCORING, 0, False),
        ("southeast_asia_scoring", 38, SCORING, 0, True),
        ("arms_race", 39, NEUTRAL, 3, False),
        ("cuban_missile_crisis", 40, NEUTRAL, 3, True),
        ("nuclear_subs", 41, US, 2, True),
        ("quagmire", 42, USSR, 3, True),
        ("salt_negotiations", 43, NEUTRAL, 3, True),
        ("bear_trap", 44, US, 3, True),
        ("summit", 45, NEUTRAL, 1, False),
        ("how_i_learned_to_stop_worrying", 46, NEUTRAL, 2, True),
        ("junta", 47, NEUTRAL, 2, False),
        ("kitchen_debates", 48, US, 1, True),
        ("missile_envy", 49, NEUTRAL, 2, False),
        ("we_will_bury_you", 50, USSR, 4, True),
        ("brezhnev_doctrine", 51, USSR, 3, True),
        ("portuguese_empire_crumbles", 52, USSR, 2, True),
        ("south_african_unrest", 53, USSR, 2, False),
        ("allende", 54, USSR, 1, True),
        ("willy_brandt", 55, USSR, 2, True),
        ("muslim_revolution", 56, USSR, 4, False),
        ("abm_treaty", 57, NEUTRAL, 4, False),
        ("cultural_revolution", 58, USSR, 3, True),
    ],
)
def test_face(card: str, number: int, side: str, ops: int, starred: bool) -> None:
    """What is printed on each card; both editions have all of them, under the same number."""
    face = CARDS[card]
    assert (face.number, face.number_2nd, face.side, face.ops, face.starred) == (
        number,
        number,
        side,
        ops,
        starred,
    )
    assert (face.period, face.lasting, face.war) == ("mid", card in LASTING, card == "brush_war")
    assert face.editions == ("second", "deluxe")
    assert not face.optional


def test_central_america_scoring_counts_battlegrounds_and_the_enemy_superpower() -> None:
    """Central America Scoring: Domination 3, Cuba and Mexico 2, both next to the US 2; Presence 1."""
    s = table(us={"haiti": 1}, ussr={"cuba": 3, "mexico": 2, "nicaragua": 1})
    ussr = Tally("domination", 7, ("mexico", "nicaragua", "cuba"), ("mexico", "cuba"), ("mexico", "cuba"))
    given(resolving(s, "central_america_scoring", US), do=Event(US, "central_america_scoring")).then(
        EventBegan("central_america_scoring", US),
        RegionScored("central_america", Tally("presence", 1, ("haiti",)), ussr, -6),
        ScoreMoved(USSR, 6, -6, "central_america"),
        CardPutAway("central_america_scoring", "discards"),
    )


def test_southeast_asia_scoring_counts_countries_and_leaves_the_game() -> None:
    """Southeast Asia Scoring: Thailand is worth 2, the others 1."""
    s = table(us={"thailand": 2, "malaysia": 2}, ussr={"vietnam": 1, "burma": 1})
    given(resolving(s, "southeast_asia_scoring", US), do=Event(US, "southeast_asia_scoring")).then(
        EventBegan("southeast_asia_scoring", US),
        RegionScored(
            "southeast_asia", Tally("none", 3, ("malaysia", "thailand")), Tally("none", 1, ("vietnam",)), 2
        ),
        ScoreMoved(US, 2, 2, "southeast_asia"),
        CardPutAway("southeast_asia_scoring", "removed"),
    )


def test_southeast_asia_scoring_ignores_levels_and_superpowers() -> None:
    """Southeast Asia Scoring, ruling: no Presence, no Control: all seven countries bring 8 and no more."""
    countries = {"burma": 2, "laos_cambodia": 1, "vietnam": 1, "malaysia": 2, "indonesia": 1}
    s = table(ussr={**countries, "philippines": 2, "thailand": 2})
    given(resolving(s, "southeast_asia_scoring", US), do=Event(US, "southeast_asia_scoring")).includes(
        ScoreMoved(USSR, 8, -8, "southeast_asia")
    )


def test_southeast_asia_scoring_leaves_shuttle_diplomacy_alone() -> None:
    """Southeast Asia Scoring, ruling: Shuttle Diplomacy waits for Asia or the Middle East."""
    s = table(ussr={"thailand": 2}, beside=("shuttle_diplomacy",))
    given(resolving(s, "southeast_asia_scoring", US), do=Event(US, "southeast_asia_scoring")).includes(
        ScoreMoved(USSR, 2, -2, "southeast_asia")
    ).has(beside=("shuttle_diplomacy",))
