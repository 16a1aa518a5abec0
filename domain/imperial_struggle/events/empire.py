"""The events of the Empire era (16 to 30)."""

from __future__ import annotations

from domain.imperial_struggle.components import (
    ADVANTAGES,
    BR,
    COUNTRIES,
    DIPLOMATIC,
    ECONOMIC,
    FR,
    MILITARY,
    OTHER,
    WARS,
    Where,
)
from domain.imperial_struggle.facts.board import AdvantageRefreshed
from domain.imperial_struggle.facts.cards import DemandAdded
from domain.imperial_struggle.facts.wars import ByngPlaced
from domain.imperial_struggle.points import Limit
from domain.imperial_struggle.rules.board import (
    available_debt,
    flagged,
    squadrons,
    to_shift,
    to_trouble,
)
from domain.imperial_struggle.rules.registry import (
    CHOICES,
    EMPIRE,
    MORE_AVAILABLE_DEBT,
    MORE_BONUS_TILES,
    MUCH_MORE_AVAILABLE_DEBT,
    choice,
    event,
    keyword,
)
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.choices import Affect, Choose
from domain.imperial_struggle.steps.deeds import (
    begin_effect,
    build_squadron,
    force_debt,
    gain,
    grant,
    reduce_debt,
    treaty,
)
from domain.imperial_struggle.steps.goods import DrawGood
from domain.kernel import Picks, Resolution, Seat

CARIBBEAN_MARKET = Where(kinds=("market",), regions=("caribbean",))
EUROPEAN_POLITICS = Where(kinds=("political",), regions=("europe",))
INDIA = Where(regions=("india",))
INDIAN_ALLIANCE = Where(regions=("india",), local=True)
UNPROTECTED_INDIA = Where(regions=("india",), unprotected=True)
# Points that must be used in a Region buy nothing that lies in none: no cards, war tiles or new Squadrons.
IN_AMERICA = Limit(where=Where(regions=("north_america",)), placed=True)
IN_CARIBBEAN = Limit(where=Where(regions=("caribbean",)), placed=True)
IN_EUROPE = Limit(where=Where(regions=("europe",)), placed=True)
IN_INDIA = Limit(where=INDIA, placed=True)
IN_SPAIN_OR_AUSTRIA = Limit(where=Where(countries=("spain", "austria")), placed=True)


def _ask(s: State, me: Seat, card: str) -> Resolution[State]:
    """The question of a card, if there is a choice; without a choice the effect happens at once."""
    open_options = CHOICES[card].options(s, me)
    if len(open_options) == 1:
        yield from CHOICES[card].then(s, me, open_options)
    else:
        yield Choose(me, card)


# --------------------------------------------------------------------------- 16 Caribbean Slave Unrest

CARIBBEAN_SLAVE_UNREST = event(16, "caribbean_slave_unrest", EMPIRE, bonus_if=MORE_BONUS_TILES)


@CARIBBEAN_SLAVE_UNREST.base()
@CARIBBEAN_SLAVE_UNREST.bonus()
def unrest(s: State, me: Seat) -> Resolution[State]:
    """A Conflict marker on a Caribbean market."""
    yield Affect(me, "caribbean_slave_unrest", "conflict", CARIBBEAN_MARKET)


# --------------------------------------------------------------------------- 17 Pacte de Famille

PACTE_DE_FAMILLE = event(17, "pacte_de_famille", EMPIRE, bonus_if=keyword("style"))


@PACTE_DE_FAMILLE.base(BR)
def bourbon_hapsburg_tension(s: State, me: Seat) -> Resolution[State]:
    """French flags in Spain and Austria cost Britain 1 less in this round."""
    yield from begin_effect(s, BR, "pacte_de_famille")


@PACTE_DE_FAMILLE.bonus(BR)
def bourbon_hapsburg_tension_bonus(s: State, me: Seat) -> Resolution[State]:
    """A diplomatic point."""
    yield from grant(s, BR, "pacte_de_famille", DIPLOMATIC, 1)


@PACTE_DE_FAMILLE.base(FR)
def bourbon_family_ties(s: State, me: Seat) -> Resolution[State]:
    """Up to two Exhausted advantages in Europe are ready again."""
    yield Choose(FR, "pacte_de_famille")


def _exhausted_in_europe(s: State, me: Seat) -> Picks:
    """The card does not say whose: option `european_refresh`."""
    own = s.options.european_refresh == "own"
    return tuple(
        tile
        for tile, face in ADVANTAGES.items()
        if face.region == "europe" and tile in s.exhausted and (not own or s.advantages.get(tile) == me)
    )


@choice("pacte_de_famille", _exhausted_in_europe, least=0, most=2)
def _refresh(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    for tile in picks:
        yield AdvantageRefreshed(tile)


@PACTE_DE_FAMILLE.bonus(FR)
def bourbon_family_ties_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 diplomatic points for Spain and Austria."""
    yield from grant(s, FR, "pacte_de_famille", DIPLOMATIC, 2, IN_SPAIN_OR_AUSTRIA)


# --------------------------------------------------------------------------- 18 Byng's Trial

BYNGS_TRIAL = event(18, "byngs_trial", EMPIRE)


@BYNGS_TRIAL.base(BR)
def others_encouraged(s: State, me: Seat) -> Resolution[State]:
    """The Byng marker goes to a theatre of the next war in which Squadrons count."""
    yield Choose(BR, "byngs_trial")


def _theatres_at_sea(s: State, me: Seat) -> Picks:
    if not s.war:
        return ()
    return tuple(theatre.id for theatre in WARS[s.war].theatres if theatre.squadrons)


@choice("byngs_trial", _theatres_at_sea)
def _place_byng(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    for theatre in picks:
        yield ByngPlaced(theatre)


@BYNGS_TRIAL.base(FR)
def not_encouraged(s: State, me: Seat) -> Resolution[State]:
    """A British Squadron waits for the next peace turn."""
    yield Affect(FR, "byngs_trial", "suspend")


# --------------------------------------------------------------------------- 19 Le Beau Monde

LE_BEAU_MONDE = event(19, "le_beau_monde", EMPIRE, bonus_if=keyword("style"))


@LE_BEAU_MONDE.base(BR)
def huguenot_crafts(s: State, me: Seat) -> Resolution[State]:
    """Britain may bring Furs or Cotton into demand."""
    yield Choose(BR, "le_beau_monde")


def _fashionable_goods(s: State, me: Seat) -> Picks:
    return tuple(good for good in ("furs", "cotton") if good not in s.demand)


@choice("le_beau_monde", _fashionable_goods, least=0)
def _add_good(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    for good in picks:
        yield DemandAdded(good)


@LE_BEAU_MONDE.bonus(BR)
def huguenot_crafts_bonus(s: State, me: Seat) -> Resolution[State]:
    """An economic point."""
    yield from grant(s, BR, "le_beau_monde", ECONOMIC, 1)


@LE_BEAU_MONDE.base(FR)
def dominance_of_fashion(s: State, me: Seat) -> Resolution[State]:
    """A diplomatic point for Europe."""
    yield from grant(s, FR, "le_beau_monde", DIPLOMATIC, 1, IN_EUROPE)


@LE_BEAU_MONDE.bonus(FR)
def dominance_of_fashion_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 more."""
    yield from grant(s, FR, "le_beau_monde", DIPLOMATIC, 2, IN_EUROPE)


# --------------------------------------------------------------------------- 20 Hyder Ali

HYDER_ALI = event(20, "hyder_ali", EMPIRE, bonus_if=keyword("mercantilism"))


@HYDER_ALI.base()
def hyder_ali(s: State, me: Seat) -> Resolution[State]:
    """A Local Alliance of India is taken over, or two unprotected spaces there come into conflict."""
    yield from _ask(s, me, "hyder_ali")


def _indian_plans(s: State, me: Seat) -> Picks:
    alliance = ("alliance",) if to_shift(s, me, INDIAN_ALLIANCE) else ()
    conflicts = ("conflicts",) if to_trouble(s, me, UNPROTECTED_INDIA) else ()
    return (*alliance, *conflicts)


@choice("hyder_ali", _indian_plans)
def _campaign(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    if picks == ("alliance",):
        yield Affect(me, "hyder_ali", "control", INDIAN_ALLIANCE)
    elif picks:
        yield Affect(me, "hyder_ali", "conflict", UNPROTECTED_INDIA, 2)


@HYDER_ALI.bonus()
def hyder_ali_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 economic points for India."""
    yield from grant(s, me, "hyder_ali", ECONOMIC, 2, IN_INDIA)


# --------------------------------------------------------------------------- 21 Co-Hong System

CO_HONG_SYSTEM = event(21, "co_hong_system", EMPIRE, DIPLOMATIC, bonus_if=keyword("scholarship"))


@CO_HONG_SYSTEM.base()
def co_hong_system(s: State, me: Seat) -> Resolution[State]:
    """A good that is not in demand is drawn, and one that is makes room for it."""
    yield DrawGood(me, "co_hong_system")


@CO_HONG_SYSTEM.bonus()
def co_hong_system_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 economic points for India."""
    yield from grant(s, me, "co_hong_system", ECONOMIC, 2, IN_INDIA)


# --------------------------------------------------------------------------- 22 Corsican Crisis

CORSICAN_CRISIS = event(22, "corsican_crisis", EMPIRE, DIPLOMATIC, bonus_if=keyword("governance"))


@CORSICAN_CRISIS.base(BR)
def british_intervene(s: State, me: Seat) -> Resolution[State]:
    """A shift of Sardinia or Savoy."""
    yield Affect(BR, "corsican_crisis", "shift", Where(spaces=("sardinia", "savoy")))


@CORSICAN_CRISIS.bonus(BR)
def british_intervene_bonus(s: State, me: Seat) -> Resolution[State]:
    """1 point, with no French Squadron in Europe."""
    if not squadrons(s, FR, ("europe",)):
        yield from gain(s, BR, 1, "corsican_crisis")


@CORSICAN_CRISIS.base(FR)
def british_vacillate(s: State, me: Seat) -> Resolution[State]:
    """An opposing flag goes from a political space of Europe."""
    yield Affect(FR, "corsican_crisis", "unflag", EUROPEAN_POLITICS)


@CORSICAN_CRISIS.bonus(FR)
def british_vacillate_bonus(s: State, me: Seat) -> Resolution[State]:
    """1 point, with no British flag in Spain, as the board now is."""
    if not flagged(s, BR, COUNTRIES["spain"]):
        yield from gain(s, FR, 1, "corsican_crisis")


# --------------------------------------------------------------------------- 23 European Panic

EUROPEAN_PANIC = event(23, "european_panic", EMPIRE, ECONOMIC, bonus_if=MUCH_MORE_AVAILABLE_DEBT)
MOST_PANIC = 4


@EUROPEAN_PANIC.base()
def european_panic(s: State, me: Seat) -> Resolution[State]:
    """A point for each Debt that the other side has more, at most 4."""
    yield from gain(s, me, min(MOST_PANIC, s.debt[OTHER[me]] - s.debt[me]), "european_panic")


@EUROPEAN_PANIC.bonus()
def european_panic_bonus(s: State, me: Seat) -> Resolution[State]:
    """An opposing flag goes from a political space of Europe."""
    yield Affect(me, "european_panic", "unflag", EUROPEAN_POLITICS)


# --------------------------------------------------------------------------- 24 West African Gold Mining

WEST_AFRICAN_GOLD_MINING = event(24, "west_african_gold_mining", EMPIRE, bonus_if=MORE_AVAILABLE_DEBT)


@WEST_AFRICAN_GOLD_MINING.base()
def west_african_gold_mining(s: State, me: Seat) -> Resolution[State]:
    """An economic point."""
    yield from grant(s, me, "west_african_gold_mining", ECONOMIC, 1)


@WEST_AFRICAN_GOLD_MINING.bonus()
def west_african_gold_mining_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 more for the Caribbean."""
    yield from grant(s, me, "west_african_gold_mining", ECONOMIC, 2, IN_CARIBBEAN)


# --------------------------------------------------------------------------- 25 War of the Quadruple Alliance

WAR_OF_THE_QUADRUPLE_ALLIANCE = event(
    25, "war_of_the_quadruple_alliance", EMPIRE, DIPLOMATIC, bonus_if=keyword("governance")
)


@WAR_OF_THE_QUADRUPLE_ALLIANCE.base(BR)
def naval_prowess(s: State, me: Seat) -> Resolution[State]:
    """2 points for a British Squadron that waits for the next peace turn; without one, nothing."""
    if s.navy[BR] or squadrons(s, BR):
        s = yield from gain(s, BR, 2, "war_of_the_quadruple_alliance")
        yield Affect(BR, "war_of_the_quadruple_alliance", "suspend_own")


@WAR_OF_THE_QUADRUPLE_ALLIANCE.bonus(BR)
def naval_prowess_bonus(s: State, me: Seat) -> Resolution[State]:
    """A new Squadron for 1 Debt or a Treaty Point; where none can be built, nothing is paid either."""
    if s.unbuilt[BR]:
        s = yield from build_squadron(s, BR)
        yield from _ask(s, BR, "war_of_the_quadruple_alliance")


def _squadron_prices(s: State, me: Seat) -> Picks:
    """Who could give a Treaty Point would exceed the Debt Limit by choice, which 6.3 forbids."""
    points = ("treaty_points",) if s.treaty[me] else ()
    debt = ("debt",) if available_debt(s, me) > 0 or not points else ()
    return (*debt, *points)


@choice("war_of_the_quadruple_alliance", _squadron_prices)
def _pay_for_squadron(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    if picks == ("debt",):
        yield from force_debt(s, me, 1, "war_of_the_quadruple_alliance")
    else:
        yield from treaty(s, me, -1, "war_of_the_quadruple_alliance")


@WAR_OF_THE_QUADRUPLE_ALLIANCE.base(FR)
def mediterranean_interests(s: State, me: Seat) -> Resolution[State]:
    """A shift in Spain."""
    yield Affect(FR, "war_of_the_quadruple_alliance", "shift", Where(countries=("spain",)))


@WAR_OF_THE_QUADRUPLE_ALLIANCE.bonus(FR)
def mediterranean_interests_bonus(s: State, me: Seat) -> Resolution[State]:
    """A diplomatic point."""
    yield from grant(s, FR, "war_of_the_quadruple_alliance", DIPLOMATIC, 1)


# --------------------------------------------------------------------------- 26 Salon d'Hercule

SALON_DHERCULE = event(26, "salon_dhercule", EMPIRE, bonus_if=keyword("style"))


@SALON_DHERCULE.base(BR)
def versailles_overruns(s: State, me: Seat) -> Resolution[State]:
    """France has to take 1 Debt."""
    yield from force_debt(s, FR, 1, "salon_dhercule")


@SALON_DHERCULE.bonus(BR)
def versailles_overruns_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 more."""
    yield from force_debt(s, FR, 2, "salon_dhercule")


@SALON_DHERCULE.base(FR)
@SALON_DHERCULE.bonus(FR)
def salon_impresses_envoys(s: State, me: Seat) -> Resolution[State]:
    """2 diplomatic points for Europe."""
    yield from grant(s, FR, "salon_dhercule", DIPLOMATIC, 2, IN_EUROPE)


# --------------------------------------------------------------------------- 27 Bengal Famine

BENGAL_FAMINE = event(27, "bengal_famine", EMPIRE, ECONOMIC)


@BENGAL_FAMINE.base()
def bengal_famine(s: State, me: Seat) -> Resolution[State]:
    """Up to two Conflict markers in India."""
    yield Affect(me, "bengal_famine", "conflict", INDIA, 2, 0)


# --------------------------------------------------------------------------- 28 Father le Loutre

FATHER_LE_LOUTRE = event(28, "father_le_loutre", EMPIRE, MILITARY, bonus_if=keyword("governance"))


@FATHER_LE_LOUTRE.base(BR)
def acadians_expelled(s: State, me: Seat) -> Resolution[State]:
    """A Conflict marker on a Fish market."""
    yield Affect(BR, "father_le_loutre", "conflict", Where(goods=("fish",)))


@FATHER_LE_LOUTRE.bonus(BR)
def acadians_expelled_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 military points for North America."""
    yield from grant(s, BR, "father_le_loutre", MILITARY, 2, IN_AMERICA)


@FATHER_LE_LOUTRE.base(FR)
def raids_on_halifax(s: State, me: Seat) -> Resolution[State]:
    """A Conflict marker on a British market, wherever it lies."""
    yield Affect(FR, "father_le_loutre", "conflict", Where(kinds=("market",), owner=BR))


@FATHER_LE_LOUTRE.bonus(FR)
def raids_on_halifax_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 economic points for North America."""
    yield from grant(s, FR, "father_le_loutre", ECONOMIC, 2, IN_AMERICA)


# --------------------------------------------------------------------------- 29 War of the Polish Succession

WAR_OF_THE_POLISH_SUCCESSION = event(
    29, "war_of_the_polish_succession", EMPIRE, MILITARY, bonus_if=keyword("finance")
)


@WAR_OF_THE_POLISH_SUCCESSION.base(BR)
def ties_with_russia(s: State, me: Seat) -> Resolution[State]:
    """2 Treaty Points."""
    yield from treaty(s, BR, 2, "war_of_the_polish_succession")


@WAR_OF_THE_POLISH_SUCCESSION.bonus(BR)
def ties_with_russia_bonus(s: State, me: Seat) -> Resolution[State]:
    """A shift of Russia."""
    yield Affect(BR, "war_of_the_polish_succession", "shift", Where(spaces=("russia",)))


@WAR_OF_THE_POLISH_SUCCESSION.base(FR)
def lorraine_secured(s: State, me: Seat) -> Resolution[State]:
    """2 points."""
    yield from gain(s, FR, 2, "war_of_the_polish_succession")


@WAR_OF_THE_POLISH_SUCCESSION.bonus(FR)
def lorraine_secured_bonus(s: State, me: Seat) -> Resolution[State]:
    """A shift of Russia or Sweden."""
    yield Affect(FR, "war_of_the_polish_succession", "shift", Where(spaces=("russia", "sweden")))


# --------------------------------------------------------------------------- 30 Jonathan's Coffee-House

JONATHANS_COFFEE_HOUSE = event(30, "jonathans_coffee_house", EMPIRE, ECONOMIC, bonus_if=keyword("finance"))


@JONATHANS_COFFEE_HOUSE.base()
def jonathans_coffee_house(s: State, me: Seat) -> Resolution[State]:
    """2 economic points."""
    yield from grant(s, me, "jonathans_coffee_house", ECONOMIC, 2)


@JONATHANS_COFFEE_HOUSE.bonus()
def jonathans_coffee_house_bonus(s: State, me: Seat) -> Resolution[State]:
    """An economic point more, and 1 Debt less."""
    s = yield from grant(s, me, "jonathans_coffee_house", ECONOMIC, 1)
    yield from reduce_debt(s, me, 1, "jonathans_coffee_house")
