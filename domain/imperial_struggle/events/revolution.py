"""The events of the Revolution era (31 to 41)."""

from __future__ import annotations

from collections.abc import Generator

from domain.imperial_struggle.components import (
    ADVANTAGES,
    BOARD,
    BR,
    COUNTRIES,
    DIPLOMATIC,
    ECONOMIC,
    FR,
    MEMBERS,
    MILITARY,
    OTHER,
    Where,
)
from domain.imperial_struggle.facts.board import AdvantageExhausted
from domain.imperial_struggle.facts.flow import SidesCounted
from domain.imperial_struggle.points import UNFLAG, Limit
from domain.imperial_struggle.rules.advantages import DECLINE, ready_advantages, to_use
from domain.imperial_struggle.rules.board import available_debt, flagged, held, keywords, squadrons
from domain.imperial_struggle.rules.registry import (
    MORE_AVAILABLE_DEBT,
    MORE_BONUS_TILES,
    MUCH_MORE_AVAILABLE_DEBT,
    REVOLUTION,
    Condition,
    choice,
    event,
    keyword,
)
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.choices import Affect, Choose
from domain.imperial_struggle.steps.deeds import (
    build_squadron,
    gain,
    grant,
    reduce_debt,
    unflag,
)
from domain.imperial_struggle.steps.rounds import UseAdvantage
from domain.imperial_struggle.steps.tiles import DrawBonus
from domain.kernel import Fact, Picks, Resolution, Seat

COLONIES = Where(subregions=("northern_colonies",))
SPAIN = Where(countries=("spain",))
SUGAR_MARKET = Where(kinds=("market",), goods=("sugar",))
CARIBBEAN_SUGAR = Where(kinds=("market",), regions=("caribbean",), goods=("sugar",))
IN_CARIBBEAN = Limit(where=Where(regions=("caribbean",)), placed=True)


def _count(
    s: State, card: str, spaces: tuple[str, ...]
) -> Generator[Fact[State], State, tuple[State, Seat | None]]:
    """Who has more of these spaces, as Regions are counted: without those in conflict (3.8)."""
    br, fr = len(held(s, BR, spaces)), len(held(s, FR, spaces))
    winner = None if br == fr else BR if br > fr else FR
    s = yield SidesCounted(card, br, fr, winner)
    return s, winner


# --------------------------------------------------------------------------- 31 Nootka Incident

NOOTKA_INCIDENT = event(31, "nootka_incident", REVOLUTION, MILITARY, bonus_if=keyword("mercantilism"))


@NOOTKA_INCIDENT.base(BR)
def crisis_resolved(s: State, me: Seat) -> Resolution[State]:
    """2 diplomatic or 2 economic points."""
    yield Choose(BR, "nootka_incident")


def _kinds_of_points(s: State, me: Seat) -> Picks:
    return (DIPLOMATIC, ECONOMIC)


@choice("nootka_incident", _kinds_of_points)
def _take_points(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    yield from grant(s, me, "nootka_incident", picks[0], 2)


@NOOTKA_INCIDENT.bonus(BR)
def crisis_resolved_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 points for each British Alliance space of Spain, and these flags have to go."""
    found = tuple(space for space in flagged(s, BR, COUNTRIES["spain"]) if BOARD[space].alliance)
    s = yield from gain(s, BR, 2 * len(found), "nootka_incident")
    for space in found:
        s = yield from unflag(s, space)


@NOOTKA_INCIDENT.base(FR)
def dispute_with_spain(s: State, me: Seat) -> Resolution[State]:
    """A British Squadron returns to the Navy Box."""
    yield Affect(FR, "nootka_incident", "send_home")


@NOOTKA_INCIDENT.bonus(FR)
def dispute_with_spain_bonus(s: State, me: Seat) -> Resolution[State]:
    """A new Squadron."""
    yield from build_squadron(s, FR)


# --------------------------------------------------------------------------- 32 Haitian Revolution

HAITIAN_REVOLUTION = event(32, "haitian_revolution", REVOLUTION, bonus_if=MORE_BONUS_TILES)


@HAITIAN_REVOLUTION.base()
def haitian_revolution(s: State, me: Seat) -> Resolution[State]:
    """A Conflict marker, of the lasting kind, on a Sugar market of the Caribbean."""
    yield Affect(me, "haitian_revolution", "lasting_conflict", CARIBBEAN_SUGAR)


@HAITIAN_REVOLUTION.bonus()
def haitian_revolution_bonus(s: State, me: Seat) -> Resolution[State]:
    """Two more."""
    yield Affect(me, "haitian_revolution", "lasting_conflict", CARIBBEAN_SUGAR, 2)


# --------------------------------------------------------------------------- 33 Loge des Neuf Soeurs

LOGE_DES_NEUF_SOEURS = event(33, "loge_des_neuf_soeurs", REVOLUTION, bonus_if=keyword("style"))


@LOGE_DES_NEUF_SOEURS.base(BR)
def debate_societies(s: State, me: Seat) -> Resolution[State]:
    """A Conflict marker in the Northern Colonies."""
    yield Affect(BR, "loge_des_neuf_soeurs", "conflict", COLONIES)


@LOGE_DES_NEUF_SOEURS.bonus(BR)
def debate_societies_bonus(s: State, me: Seat) -> Resolution[State]:
    """3 points, with more flags than France in North America; they count as they do for the award."""
    s, winner = yield from _count(s, "loge_des_neuf_soeurs", MEMBERS["north_america"])
    if winner == BR:
        yield from gain(s, BR, 3, "loge_des_neuf_soeurs")


@LOGE_DES_NEUF_SOEURS.base(FR)
def loges_energize(s: State, me: Seat) -> Resolution[State]:
    """An advantage outside Europe is used, Exhausted or not."""
    yield Choose(FR, "loge_des_neuf_soeurs")


def _overseas(s: State, me: Seat) -> Picks:
    """One taken in this round stays barred: unlike event 6, this one does not say "at once"."""
    tiles = tuple(tile for tile in ready_advantages(s, me) if ADVANTAGES[tile].region != "europe")
    return to_use(tiles)


@choice("loge_des_neuf_soeurs", _overseas)
def _energize(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    for tile in picks:
        if tile != DECLINE:
            yield UseAdvantage(me, tile, ignores_exhaustion=True)


@LOGE_DES_NEUF_SOEURS.bonus(FR)
def loges_energize_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 diplomatic points."""
    yield from grant(s, FR, "loge_des_neuf_soeurs", DIPLOMATIC, 2)


# --------------------------------------------------------------------------- 34 La Gabelle

LA_GABELLE = event(34, "la_gabelle", REVOLUTION, DIPLOMATIC, bonus_if=MORE_AVAILABLE_DEBT)


@LA_GABELLE.base(BR)
def salt_tax_unrest(s: State, me: Seat) -> Resolution[State]:
    """Up to two advantages, of either side, become Exhausted without being used."""
    yield Choose(BR, "la_gabelle")


def _ready(s: State, me: Seat) -> Picks:
    return tuple(tile for tile in ADVANTAGES if tile not in s.exhausted)


@choice("la_gabelle", _ready, least=0, most=2)
def _exhaust(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    for tile in picks:
        yield AdvantageExhausted(tile)


@LA_GABELLE.bonus(BR)
@LA_GABELLE.base(FR)
def salt_money(s: State, me: Seat) -> Resolution[State]:
    """2 economic points."""
    yield from grant(s, me, "la_gabelle", ECONOMIC, 2)


@LA_GABELLE.bonus(FR)
def salt_tax_reformed_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 points, or 3 with Governance."""
    yield from gain(s, FR, 3 if keywords(s, FR, "governance") else 2, "la_gabelle")


# --------------------------------------------------------------------------- 35 Jesuit Abolition

JESUIT_ABOLITION = event(35, "jesuit_abolition", REVOLUTION, bonus_if=keyword("governance"))


@JESUIT_ABOLITION.base(BR)
def haciendas_dissolve(s: State, me: Seat) -> Resolution[State]:
    """An opposing flag goes from a Sugar market."""
    yield Affect(BR, "jesuit_abolition", "unflag", SUGAR_MARKET)


@JESUIT_ABOLITION.bonus(BR)
def haciendas_dissolve_bonus(s: State, me: Seat) -> Resolution[State]:
    """3 economic points for the Caribbean."""
    yield from grant(s, BR, "jesuit_abolition", ECONOMIC, 3, IN_CARIBBEAN)


@JESUIT_ABOLITION.base(FR)
def liabilities_made_good(s: State, me: Seat) -> Resolution[State]:
    """French Debt falls by 2."""
    yield from reduce_debt(s, FR, 2, "jesuit_abolition")


@JESUIT_ABOLITION.bonus(FR)
def liabilities_made_good_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 points."""
    yield from gain(s, FR, 2, "jesuit_abolition")


# --------------------------------------------------------------------------- 36 Wealth of Nations

WEALTH_OF_NATIONS = event(36, "wealth_of_nations", REVOLUTION, bonus_if=keyword("scholarship"))


@WEALTH_OF_NATIONS.base()
def wealth_of_nations(s: State, me: Seat) -> Resolution[State]:
    """Own Debt falls by 2."""
    yield from reduce_debt(s, me, 2, "wealth_of_nations")


@WEALTH_OF_NATIONS.bonus()
def wealth_of_nations_bonus(s: State, me: Seat) -> Resolution[State]:
    """3 economic points."""
    yield from grant(s, me, "wealth_of_nations", ECONOMIC, 3)


# --------------------------------------------------------------------------- 37 Debt Crisis

DEBT_CRISIS = event(37, "debt_crisis", REVOLUTION, ECONOMIC, bonus_if=MUCH_MORE_AVAILABLE_DEBT)
MARKET_FLAGS = Limit(verbs=(UNFLAG,), where=Where(kinds=("market",)))


@DEBT_CRISIS.base()
def debt_crisis(s: State, me: Seat) -> Resolution[State]:
    """With more Available Debt, 3 economic points against opposing markets."""
    if available_debt(s, me) > available_debt(s, OTHER[me]):
        yield from grant(s, me, "debt_crisis", ECONOMIC, 3, MARKET_FLAGS)


@DEBT_CRISIS.bonus()
def debt_crisis_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 points."""
    yield from gain(s, me, 2, "debt_crisis")


# --------------------------------------------------------------------------- 38 East Asia Piracy

EAST_ASIA_PIRACY = event(38, "east_asia_piracy", REVOLUTION, MILITARY)
INDIAN_POWER = tuple(
    space for space in MEMBERS["india"] if BOARD[space].local or BOARD[space].kind in ("naval", "fort")
)


@EAST_ASIA_PIRACY.base()
def east_asia_piracy(s: State, me: Seat) -> Resolution[State]:
    """3 points, with more Squadrons, Forts and Local Alliances in India; a damaged Fort counts."""
    s, winner = yield from _count(s, "east_asia_piracy", INDIAN_POWER)
    if winner == me:
        yield from gain(s, me, 3, "east_asia_piracy")


# --------------------------------------------------------------------------- 39 Stamp Act

STAMP_ACT = event(39, "stamp_act", REVOLUTION, bonus_if=keyword("mercantilism"))


@STAMP_ACT.base(BR)
def deters_smuggling(s: State, me: Seat) -> Resolution[State]:
    """British Debt falls by 2."""
    yield from reduce_debt(s, BR, 2, "stamp_act")


@STAMP_ACT.bonus(BR)
def deters_smuggling_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 economic points."""
    yield from grant(s, BR, "stamp_act", ECONOMIC, 2)


@STAMP_ACT.base(FR)
def enrages_colonists(s: State, me: Seat) -> Resolution[State]:
    """A Conflict marker in the Northern Colonies."""
    yield Affect(FR, "stamp_act", "conflict", COLONIES)


@STAMP_ACT.bonus(FR)
def enrages_colonists_bonus(s: State, me: Seat) -> Resolution[State]:
    """Two more, which makes three."""
    yield Affect(FR, "stamp_act", "conflict", COLONIES, 2)


# --------------------------------------------------------------------------- 40 Falklands Crisis

INTRIGUE = "mediterranean_intrigue"


def _intrigues(s: State, me: Seat) -> bool:
    """Holding the advantage is enough, Exhausted or not; option `conflicted_flags` reads 3.8 for it."""
    if s.advantages.get(INTRIGUE) != me:
        return False
    spaces = ADVANTAGES[INTRIGUE].spaces
    return flagged(s, me, spaces) == spaces


FALKLANDS_CRISIS = event(
    40, "falklands_crisis", REVOLUTION, DIPLOMATIC, bonus_if=Condition(f"holds_{INTRIGUE}", _intrigues)
)


@FALKLANDS_CRISIS.base(BR)
def spain_concedes_egmont(s: State, me: Seat) -> Resolution[State]:
    """1 point, with a British flag in Spain."""
    if flagged(s, BR, COUNTRIES["spain"]):
        yield from gain(s, BR, 1, "falklands_crisis")


@FALKLANDS_CRISIS.bonus(BR)
def spain_concedes_egmont_bonus(s: State, me: Seat) -> Resolution[State]:
    """An opposing flag goes from Spain."""
    yield Affect(BR, "falklands_crisis", "unflag", SPAIN)


@FALKLANDS_CRISIS.base(FR)
def france_tips_balance(s: State, me: Seat) -> Resolution[State]:
    """A military point for each French flag in Spain."""
    yield from grant(s, FR, "falklands_crisis", MILITARY, len(flagged(s, FR, COUNTRIES["spain"])))


@FALKLANDS_CRISIS.bonus(FR)
def france_tips_balance_bonus(s: State, me: Seat) -> Resolution[State]:
    """A British Squadron leaves the game."""
    yield Affect(FR, "falklands_crisis", "destroy")


# --------------------------------------------------------------------------- 41 Cook and Bougainville

COOK_AND_BOUGAINVILLE = event(41, "cook_and_bougainville", REVOLUTION, bonus_if=keyword("mercantilism"))


@COOK_AND_BOUGAINVILLE.base(BR)
def cook(s: State, me: Seat) -> Resolution[State]:
    """An economic point for every two Squadrons on the map and in the Navy Box."""
    fleet = len(squadrons(s, BR)) + s.navy[BR]
    yield from grant(s, BR, "cook_and_bougainville", ECONOMIC, fleet // 2)


@COOK_AND_BOUGAINVILLE.bonus(BR)
def cook_bonus(s: State, me: Seat) -> Resolution[State]:
    """A Bonus War tile, which counts among those bought no more than it is bought."""
    yield DrawBonus(BR)


@COOK_AND_BOUGAINVILLE.base(FR)
def bougainville(s: State, me: Seat) -> Resolution[State]:
    """A new Squadron."""
    yield from build_squadron(s, FR)


@COOK_AND_BOUGAINVILLE.bonus(FR)
def bougainville_bonus(s: State, me: Seat) -> Resolution[State]:
    """French Debt falls by 2."""
    yield from reduce_debt(s, FR, 2, "cook_and_bougainville")
