"""Scoring the regions: Presence, Domination, Control, battlegrounds, superpowers next door (10.1)."""

from __future__ import annotations

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.components import BATTLEGROUNDS, MAP
from domain.twilight_struggle.facts.cards import CardPutAway
from domain.twilight_struggle.facts.tracks import RegionScored, ScoreMoved
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.rules.scoring import scored, status_of
from domain.twilight_struggle.steps.flow import FinalScoring
from domain.twilight_struggle.steps.operations import Coup
from domain.twilight_struggle.steps.play import Event
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given

WORTH = {
    "europe": (3, 7, 0),
    "asia": (3, 7, 9),
    "middle_east": (3, 5, 7),
    "central_america": (1, 3, 5),
    "south_america": (2, 5, 6),
    "africa": (1, 4, 6),
}


def held(*countries: str) -> dict[str, int]:
    """Just enough influence for control of each."""
    return {country: MAP[country].stability for country in countries}


def europe_controlled() -> dict[str, int]:
    """The five battlegrounds of Europe, and Turkey."""
    return held(*BATTLEGROUNDS["europe"], "turkey")


# --------------------------------------------------------------------------- 10.1.1: the three levels


@pytest.mark.parametrize(
    ("us", "ussr", "expected"),
    [
        ((), (), ("none", "none")),
        (("guatemala",), (), ("presence", "none")),
        (("panama",), (), ("presence", "none")),
        (("panama", "mexico"), (), ("presence", "none")),
        (("guatemala", "haiti", "honduras"), (), ("presence", "none")),
        (("panama", "guatemala"), (), ("domination", "none")),
        (("panama", "guatemala"), ("haiti",), ("domination", "presence")),
        (("panama", "guatemala"), ("haiti", "honduras"), ("presence", "presence")),
        (("panama", "guatemala", "honduras"), ("cuba",), ("presence", "presence")),
        (("panama", "mexico", "guatemala"), ("cuba", "haiti"), ("domination", "presence")),
        (("panama", "mexico"), ("guatemala",), ("presence", "presence")),
        (("panama", "mexico", "cuba"), (), ("control", "none")),
        (("panama", "mexico", "cuba"), ("haiti", "honduras"), ("control", "presence")),
        (("panama", "mexico", "cuba"), ("haiti", "honduras", "guatemala"), ("presence", "presence")),
        (
            ("panama", "mexico", "cuba"),
            ("haiti", "honduras", "guatemala", "nicaragua"),
            ("presence", "presence"),
        ),
    ],
)
def test_10_1_1_presence_domination_control(
    us: tuple[str, ...], ussr: tuple[str, ...], expected: tuple[str, str]
) -> None:
    """Domination: more countries, more battlegrounds, and one of each kind.

    Control: all battlegrounds and more countries, for which battlegrounds alone will do.
    """
    s = table(us=held(*us), ussr=held(*ussr))
    assert (status_of(s, "central_america", US), status_of(s, "central_america", USSR)) == expected
    turned = table(us=held(*ussr), ussr=held(*us))
    assert (status_of(turned, "central_america", USSR), status_of(turned, "central_america", US)) == expected


def test_10_1_1_only_control_of_countries_counts() -> None:
    """Influence below the stability, or too little ahead, is nothing."""
    s = table(us={"mexico": 1, "panama": 3, "cuba": 2}, ussr={"panama": 2})
    assert scored(s, "central_america").us.status == "none"


@pytest.mark.parametrize(("region", "worth"), WORTH.items())
def test_10_1_1_what_the_levels_are_worth(region: str, worth: tuple[int, int, int]) -> None:
    """With the battlegrounds that each takes; for Control also those beside the enemy superpower."""
    presence, domination, control = worth
    countries = [country for country in MAP.values() if country.region == region]
    plain = next(space.id for space in countries if not (space.battleground or space.superpower))
    grounds = BATTLEGROUNDS[region]
    ground = next(id for id in grounds if MAP[id].superpower is None)
    next_door = sum(MAP[id].superpower == USSR for id in grounds)
    assert scored(table(us=held(plain)), region).net == presence
    assert scored(table(us=held(plain, ground)), region).net == domination + 1
    everything = scored(table(us=held(plain, *grounds)), region)
    assert everything.us.status == "control"
    assert everything.net == control + len(grounds) + next_door


# --------------------------------------------------------------------------- 10.1.2: what comes on top


@pytest.mark.parametrize(
    ("side", "region", "country", "points"),
    [
        (US, "europe", "finland", 3 + 1),
        (US, "europe", "poland", 3 + 1 + 1),
        (US, "europe", "romania", 3 + 1),
        (US, "asia", "afghanistan", 3 + 1),
        (US, "asia", "north_korea", 3 + 1 + 1),
        (USSR, "europe", "canada", 3 + 1),
        (USSR, "asia", "japan", 3 + 1 + 1),
        (USSR, "central_america", "cuba", 1 + 1 + 1),
        (USSR, "central_america", "mexico", 1 + 1 + 1),
        (US, "central_america", "mexico", 1 + 1),
        (US, "europe", "canada", 3),
        (USSR, "europe", "finland", 3),
    ],
)
def test_10_1_2_presence_with_battlegrounds_and_enemy_superpowers(
    side: str, region: str, country: str, points: int
) -> None:
    """A point for a battleground, a point for a country beside the enemy superpower, none beside the own."""
    working = scored(table(influence={US: {}, USSR: {}, side: held(country)}), region)
    assert (working.us if side == US else working.ussr).points == points


def test_10_1_2_only_the_difference_moves_the_marker() -> None:
    """US: Presence 3, France 1; USSR: Presence 3, two battlegrounds 2: 1 for the USSR."""
    s = table(us=held("france", "turkey"), ussr=held("poland", "east_germany"))
    scoring = given(resolving(s, "europe_scoring", US), do=Event(US, "europe_scoring"))
    scoring.includes(ScoreMoved(USSR, 1, -1, "europe")).has(vp=-1)


def test_10_2_3_equal_points_move_nothing() -> None:
    s = resolving(table(us=held("france"), ussr=held("poland")), "europe_scoring", US)
    scoring = given(s, do=Event(US, "europe_scoring")).has(vp=0, discards=("europe_scoring",))
    assert not any(isinstance(fact, ScoreMoved) for fact in scoring.facts)


def test_10_1_who_plays_the_card_does_not_matter() -> None:
    """A USSR scoring card may bring points to the US."""
    s = resolving(table(us=held("france"), phasing=USSR), "europe_scoring", USSR)
    given(s, do=Event(USSR, "europe_scoring")).has(vp=4)


# --------------------------------------------------------------------------- regions


def test_2_1_1_austria_and_finland_count_once_in_europe() -> None:
    working = scored(table(us=held("austria", "finland")), "europe")
    assert working.us.countries == ("austria", "finland")


def test_2_1_2_asia_includes_southeast_asia() -> None:
    """Presence by Laos/Cambodia; Thailand is a battleground of Asia."""
    assert scored(table(us=held("laos_cambodia")), "asia").us.status == "presence"
    assert scored(table(us=held("thailand")), "asia").us.battlegrounds == ("thailand",)


@pytest.mark.parametrize(
    ("us", "ussr", "net"),
    [
        (("thailand",), (), 2),
        (("burma", "indonesia"), ("vietnam", "thailand"), -1),
        (("burma", "laos_cambodia", "vietnam", "malaysia", "indonesia", "philippines", "thailand"), (), 8),
        (("japan", "australia"), ("india",), 0),
    ],
)
def test_southeast_asia_scores_each_country(us: tuple[str, ...], ussr: tuple[str, ...], net: int) -> None:
    """1 each, Thailand 2; no levels, and nothing for countries elsewhere in Asia."""
    assert scored(table(us=held(*us), ussr=held(*ussr)), "southeast_asia").net == net


def test_7_2_southeast_asia_scoring_alone_is_removed() -> None:
    southeast = resolving(table(turn=4), "southeast_asia_scoring", US)
    given(southeast, do=Event(US, "southeast_asia_scoring")).includes(
        CardPutAway("southeast_asia_scoring", "removed")
    )
    africa = resolving(table(turn=4), "africa_scoring", US)
    given(africa, do=Event(US, "africa_scoring")).includes(CardPutAway("africa_scoring", "discards"))


# --------------------------------------------------------------------------- Control of Europe


@pytest.mark.parametrize(("side", "vp"), [(US, -19), (USSR, 19), (US, 0)])
def test_10_3_1_control_of_europe_wins_at_once(side: str, vp: int) -> None:
    """For the card played by either side, and for any points."""
    s = resolving(
        table(vp=vp, influence={US: {}, USSR: {}, side: europe_controlled()}), "europe_scoring", USSR
    )
    given(s, do=Event(USSR, "europe_scoring")).includes(Ended(side, "europe_controlled", {US: vp, USSR: -vp}))


def test_10_3_1_all_battlegrounds_without_more_countries_are_not_control() -> None:
    """5 to 5: no Control, no Domination; the USSR has Finland and Romania beside no enemy."""
    five = held(*BATTLEGROUNDS["europe"])
    s = table(us=five, ussr=held("finland", "romania", "hungary", "bulgaria", "czechoslovakia"))
    working = scored(s, "europe")
    assert (working.us.status, working.ussr.status) == ("presence", "presence")
    assert working.us.points == 3 + 5 + 1  # five battlegrounds, of which Poland lies beside the USSR


def test_control_of_another_region_is_points_and_no_more() -> None:
    grounds = BATTLEGROUNDS["africa"]
    s = resolving(table(turn=4, us=held(*grounds)), "africa_scoring", US)
    scoring = given(s, do=Event(US, "africa_scoring")).has(vp=6 + len(grounds))
    assert scoring.table.result is None


# --------------------------------------------------------------------------- Formosan Resolution


@pytest.mark.parametrize(
    ("beside", "us", "grounds", "status"),
    [
        ((), ("taiwan", "burma"), (), "presence"),
        (("formosan_resolution",), ("taiwan", "burma"), ("taiwan",), "domination"),
        (("formosan_resolution",), ("taiwan",), ("taiwan",), "presence"),
        (("formosan_resolution",), ("japan", "burma"), ("japan",), "domination"),
    ],
)
def test_formosan_resolution_makes_taiwan_a_battleground_of_asia(
    beside: tuple[str, ...], us: tuple[str, ...], grounds: tuple[str, ...], status: str
) -> None:
    """While the US controls it; as a battleground it is no longer the other country of a Domination."""
    working = scored(table(us=held(*us), beside=beside), "asia")
    assert (working.us.battlegrounds, working.us.status) == (grounds, status)


def test_formosan_resolution_is_nothing_to_the_ussr() -> None:
    """Taiwan under the USSR is an ordinary country."""
    s = table(ussr=held("taiwan"), beside=("formosan_resolution",))
    assert scored(s, "asia").ussr.battlegrounds == ()


def test_formosan_resolution_adds_a_battleground_that_control_of_asia_needs() -> None:
    """The USSR has all six, the US Taiwan: six of seven are no Control."""
    six = held(*BATTLEGROUNDS["asia"])
    assert scored(table(us=held("taiwan"), ussr=six), "asia").ussr.status == "control"
    resolved = table(us=held("taiwan"), ussr=six, beside=("formosan_resolution",))
    assert scored(resolved, "asia").ussr.status == "presence"


def test_formosan_resolution_counts_in_final_scoring_and_not_for_coups() -> None:
    """2 points more at the end; a Coup in Taiwan leaves DEFCON alone."""
    s = table(turn=10, china=None, us=held("taiwan"), beside=("formosan_resolution",))
    given(s, do=FinalScoring()).includes(ScoreMoved(US, 4, 4, "asia"))
    given(s, do=Coup(USSR, Ops("nato", 4))).when(USSR, "taiwan").has(defcon=5)


# --------------------------------------------------------------------------- the order of the working


def test_the_points_come_with_their_working() -> None:
    """A reader can follow who held what."""
    s = table(us=held("venezuela", "colombia"), ussr=held("chile"))
    scoring = given(resolving(s, "south_america_scoring", US), do=Event(US, "south_america_scoring"))
    working = next(fact for fact in scoring.facts if isinstance(fact, RegionScored))
    assert set(working.us.countries) == {"venezuela", "colombia"}
    assert (working.us.points, working.ussr.points, working.net) == (2 + 1, 2 + 1, 0)
