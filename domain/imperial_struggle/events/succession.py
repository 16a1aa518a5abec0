"""The events of the Succession era (1 to 15)."""

from __future__ import annotations

from domain.imperial_struggle.components import (
    ADVANTAGES,
    BOARD,
    BR,
    COUNTRIES,
    DIPLOMATIC,
    ECONOMIC,
    FORTS,
    FR,
    MEMBERS,
    MILITARY,
    OTHER,
    WARS,
    Where,
)
from domain.imperial_struggle.points import FLAG, UNFLAG, Limit
from domain.imperial_struggle.rules.advantages import DECLINE, ready_advantages, to_use
from domain.imperial_struggle.rules.board import flagged, harmless, to_shift, to_unflag
from domain.imperial_struggle.rules.prices import SPECULATION
from domain.imperial_struggle.rules.registry import (
    MORE_AVAILABLE_DEBT,
    SUCCESSION,
    Condition,
    choice,
    event,
    keyword,
)
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.choices import Affect, Choose
from domain.imperial_struggle.steps.deeds import (
    begin_effect,
    change_limit,
    damage,
    force_debt,
    gain,
    grant,
    reduce_debt,
    shift,
)
from domain.imperial_struggle.steps.hidden import GiveUp, ReturnTheirs
from domain.imperial_struggle.steps.rounds import UseAdvantage
from domain.imperial_struggle.steps.scoring import score_good
from domain.imperial_struggle.steps.tiles import DrawBonus
from domain.kernel import Picks, Resolution, Seat

INDIA = Where(regions=("india",))
IN_INDIA = Limit(where=INDIA, placed=True)
CARIBBEAN_MARKET = Where(kinds=("market",), regions=("caribbean",))
COTTON_MARKET = Where(goods=("cotton",))
AMERICAN_ALLIANCE = Where(regions=("north_america",), local=True)
LOCAL_IN_INDIA = tuple(space for space in MEMBERS["india"] if BOARD[space].local)
JACOBITES = "jacobite_rebellion"

# --------------------------------------------------------------------------- 1 Carnatic War

CARNATIC_WAR = event(1, "carnatic_war", SUCCESSION, bonus_if=keyword("mercantilism"))


@CARNATIC_WAR.base()
def carnatic_war(s: State, me: Seat) -> Resolution[State]:
    """A Conflict marker in India for each own Local Alliance there."""
    count = len(flagged(s, me, LOCAL_IN_INDIA))
    if count:
        yield Affect(me, "carnatic_war", "conflict", INDIA, count)


@CARNATIC_WAR.bonus()
def carnatic_war_bonus(s: State, me: Seat) -> Resolution[State]:
    """A Fort is damaged or a Cotton market shifted."""
    yield Choose(me, "carnatic_war")


def _forts_and_cotton(s: State, me: Seat) -> Picks:
    """Option `carnatic_fort`: whether the Fort, too, has to be in India."""
    among = FORTS if s.options.carnatic_fort == "anywhere" else MEMBERS["india"]
    forts = tuple(
        space
        for space in FORTS
        if space in among and s.flags.get(space) == OTHER[me] and space not in s.damaged
    )
    return forts + to_shift(s, me, COTTON_MARKET)


@choice("carnatic_war", _forts_and_cotton)
def fort_or_cotton(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    """What happens depends on what kind of space was picked."""
    for space in picks:
        if space in FORTS:
            s = yield from damage(s, space)
        else:
            s = yield from shift(s, me, space)


# --------------------------------------------------------------------------- 2 Acts of Union


def _more_prestige(s: State, me: Seat) -> bool:
    spaces = ("scotland_prestige", "ireland_prestige")
    return len(flagged(s, me, spaces)) > len(flagged(s, OTHER[me], spaces))


ACTS_OF_UNION = event(
    2,
    "acts_of_union",
    SUCCESSION,
    bonus_if=Condition("more_prestige_of_scotland_and_ireland", _more_prestige),
)


@ACTS_OF_UNION.base(BR)
def unified_parliament(s: State, me: Seat) -> Resolution[State]:
    """A diplomatic point against opposing flags in Europe."""
    removing = Limit(verbs=(UNFLAG,), where=Where(regions=("europe",)))
    yield from grant(s, me, "acts_of_union", DIPLOMATIC, 1, removing)


@ACTS_OF_UNION.bonus(BR)
def unified_parliament_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 victory points."""
    yield from gain(s, me, 2, "acts_of_union")


@ACTS_OF_UNION.base(FR)
def hapsburgs_isolated(s: State, me: Seat) -> Resolution[State]:
    """2 diplomatic points."""
    yield from grant(s, me, "acts_of_union", DIPLOMATIC, 2)


@ACTS_OF_UNION.bonus(FR)
def hapsburgs_isolated_bonus(s: State, me: Seat) -> Resolution[State]:
    """An opposing flag goes from a political space of Europe outside Spain and Austria."""
    where = Where(regions=("europe",), not_countries=("spain", "austria"))
    yield Affect(me, "acts_of_union", "unflag", where)


# --------------------------------------------------------------------------- 3 Tropical Diseases

TROPICAL_DISEASES = event(3, "tropical_diseases", SUCCESSION, bonus_if=keyword("scholarship"))


@TROPICAL_DISEASES.base()
def tropical_diseases(s: State, me: Seat) -> Resolution[State]:
    """An opposing flag goes from a Caribbean market, then one of one's own."""
    yield Affect(me, "tropical_diseases", "unflag", CARIBBEAN_MARKET)
    yield Affect(me, "tropical_diseases", "own_unflag", CARIBBEAN_MARKET)


@TROPICAL_DISEASES.bonus()
def tropical_diseases_bonus(s: State, me: Seat) -> Resolution[State]:
    """One more opposing flag."""
    yield Affect(me, "tropical_diseases", "unflag", CARIBBEAN_MARKET)


# --------------------------------------------------------------------------- 4 South Sea Speculation

SOUTH_SEA_SPECULATION = event(4, SPECULATION, SUCCESSION, bonus_if=keyword("finance"))


@SOUTH_SEA_SPECULATION.base()
def south_sea_speculation(s: State, me: Seat) -> Resolution[State]:
    """An opposing flag goes from a market whose loss isolates no other."""
    market = Where(kinds=("market",))
    found = harmless(s, to_unflag(s, me, market))
    if found:
        yield Affect(me, SPECULATION, "unflag", Where(spaces=found))


@SOUTH_SEA_SPECULATION.bonus()
def south_sea_speculation_bonus(s: State, me: Seat) -> Resolution[State]:
    """One Squadron is 2 points cheaper in this round (see `rules.prices`)."""
    yield from begin_effect(s, me, SPECULATION)


# --------------------------------------------------------------------------- 5 War of Jenkins' Ear

WAR_OF_JENKINS_EAR = event(5, "war_of_jenkins_ear", SUCCESSION, MILITARY, bonus_if=keyword("mercantilism"))


@WAR_OF_JENKINS_EAR.base(BR)
def spanish_gold(s: State, me: Seat) -> Resolution[State]:
    """Britain's Debt falls by 2."""
    yield from reduce_debt(s, BR, 2, "war_of_jenkins_ear")


@WAR_OF_JENKINS_EAR.bonus(BR)
def spanish_gold_bonus(s: State, me: Seat) -> Resolution[State]:
    """France has to take 1 Debt."""
    yield from force_debt(s, FR, 1, "war_of_jenkins_ear")


@WAR_OF_JENKINS_EAR.base(FR)
def cartagena(s: State, me: Seat) -> Resolution[State]:
    """A Conflict marker on a British market of the Caribbean."""
    market = Where(kinds=("market",), regions=("caribbean",), owner=BR)
    yield Affect(me, "war_of_jenkins_ear", "conflict", market)


@WAR_OF_JENKINS_EAR.bonus(FR)
def cartagena_bonus(s: State, me: Seat) -> Resolution[State]:
    """A diplomatic point."""
    yield from grant(s, FR, "war_of_jenkins_ear", DIPLOMATIC, 1)


# --------------------------------------------------------------------------- 6 Native American Alliances

NATIVE_AMERICAN_ALLIANCES = event(
    6, "native_american_alliances", SUCCESSION, DIPLOMATIC, bonus_if=keyword("mercantilism")
)


@NATIVE_AMERICAN_ALLIANCES.base(BR)
def four_mohawk_kings(s: State, me: Seat) -> Resolution[State]:
    """A Local Alliance of North America is shifted."""
    yield Affect(me, "native_american_alliances", "shift", AMERICAN_ALLIANCE)


@NATIVE_AMERICAN_ALLIANCES.bonus(BR)
def four_mohawk_kings_bonus(s: State, me: Seat) -> Resolution[State]:
    """An advantage of North America is used at once, Exhausted or not, even if it came just now."""
    yield Choose(me, "native_american_alliances")


def _american_advantages(s: State, me: Seat) -> Picks:
    tiles = ready_advantages(s, me, at_once=True)
    return to_use(tuple(tile for tile in tiles if ADVANTAGES[tile].region == "north_america"))


@choice("native_american_alliances", _american_advantages)
def advantage_at_once(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    """The advantage asks for its own target; where none works, nothing happens."""
    for tile in picks:
        if tile != DECLINE:
            yield UseAdvantage(me, tile, ignores_exhaustion=True)


@NATIVE_AMERICAN_ALLIANCES.base(FR)
def alliance_with_natives(s: State, me: Seat) -> Resolution[State]:
    """2 economic points for North America."""
    there = Limit(where=Where(regions=("north_america",)), placed=True)
    yield from grant(s, me, "native_american_alliances", ECONOMIC, 2, there)


@NATIVE_AMERICAN_ALLIANCES.bonus(FR)
def alliance_with_natives_bonus(s: State, me: Seat) -> Resolution[State]:
    """A British flag goes from a Local Alliance of North America."""
    yield Affect(me, "native_american_alliances", "unflag", AMERICAN_ALLIANCE)


# --------------------------------------------------------------------------- 7 Austro-Spanish Rivalry

AUSTRO_SPANISH_RIVALRY = event(7, "austro_spanish_rivalry", SUCCESSION, bonus_if=keyword("governance"))


@AUSTRO_SPANISH_RIVALRY.base(BR)
def farnese_clashes(s: State, me: Seat) -> Resolution[State]:
    """A Conflict marker in Spain."""
    yield Affect(me, "austro_spanish_rivalry", "conflict", Where(countries=("spain",)))


@AUSTRO_SPANISH_RIVALRY.bonus(BR)
def farnese_clashes_bonus(s: State, me: Seat) -> Resolution[State]:
    """A French Bonus tile, unseen, goes from the display back to its pool."""
    yield ReturnTheirs(me, "austro_spanish_rivalry")


@AUSTRO_SPANISH_RIVALRY.base(FR)
def charles_vi_in_the_netherlands(s: State, me: Seat) -> Resolution[State]:
    """An opposing flag goes from the Dutch Republic."""
    yield Affect(me, "austro_spanish_rivalry", "unflag", Where(countries=("dutch_republic",)))


@AUSTRO_SPANISH_RIVALRY.bonus(FR)
def charles_vi_in_the_netherlands_bonus(s: State, me: Seat) -> Resolution[State]:
    """2 points, diplomatic or economic."""
    yield Choose(me, "austro_spanish_rivalry")


@choice("austro_spanish_rivalry", lambda s, me: (DIPLOMATIC, ECONOMIC))
def points_in_india(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    """Option `austro_spanish_india`: whether diplomatic points, too, have to be spent in India."""
    bound = picks[0] == ECONOMIC or s.options.austro_spanish_india == "both"
    yield from grant(s, me, "austro_spanish_rivalry", picks[0], 2, IN_INDIA if bound else None)


# --------------------------------------------------------------------------- 8 Tax Reform

TAX_REFORM = event(8, "tax_reform", SUCCESSION, ECONOMIC, bonus_if=keyword("finance"))


@TAX_REFORM.base()
def tax_reform(s: State, me: Seat) -> Resolution[State]:
    """Debt falls by 2, or there are points instead."""
    yield from _reform(s, me, 2)


@TAX_REFORM.bonus()
def tax_reform_bonus(s: State, me: Seat) -> Resolution[State]:
    """1 more."""
    yield from _reform(s, me, 1)


def _reform(s: State, me: Seat, by: int) -> Resolution[State]:
    """A side need not spend the points, so it is not asked whether it takes them."""
    missing = by - min(by, s.debt[me])
    s = yield from reduce_debt(s, me, by, "tax_reform")
    yield from grant(s, me, "tax_reform", ECONOMIC, missing)


# --------------------------------------------------------------------------- 9 Great Northern War

GREAT_NORTHERN_WAR = event(9, "great_northern_war", SUCCESSION, MILITARY, bonus_if=keyword("style"))


@GREAT_NORTHERN_WAR.base(BR)
def hanover(s: State, me: Seat) -> Resolution[State]:
    """A shift in the German States, and points for having both."""
    yield Choose(me, "great_northern_war")


@choice("great_northern_war", lambda s, me: to_shift(s, me, Where(countries=("german_states",))))
def german_states(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    """With both British before, there is nothing to shift, and the points come all the same."""
    for space in picks:
        s = yield from shift(s, me, space)
    if len(flagged(s, me, COUNTRIES["german_states"])) == len(COUNTRIES["german_states"]):
        yield from gain(s, me, 2, "great_northern_war")


@GREAT_NORTHERN_WAR.base(FR)
def france_brokers_treaty(s: State, me: Seat) -> Resolution[State]:
    """Points for a French Russia, otherwise a shift there."""
    if flagged(s, me, ("russia",)):
        yield from gain(s, me, 2, "great_northern_war")
    else:
        yield Affect(me, "great_northern_war", "shift", Where(spaces=("russia",)))


@GREAT_NORTHERN_WAR.bonus()
def great_northern_war_bonus(s: State, me: Seat) -> Resolution[State]:
    """A diplomatic point."""
    yield from grant(s, me, "great_northern_war", DIPLOMATIC, 1)


# --------------------------------------------------------------------------- 10 Vatican Politics

VATICAN_POLITICS = event(10, "vatican_politics", SUCCESSION, bonus_if=keyword("style"))


@VATICAN_POLITICS.base(BR)
def protestant_states_wary(s: State, me: Seat) -> Resolution[State]:
    """2 diplomatic points for three countries."""
    protestant = Where(countries=("german_states", "prussia", "dutch_republic"))
    yield from grant(s, me, "vatican_politics", DIPLOMATIC, 2, Limit(where=protestant, placed=True))


@VATICAN_POLITICS.bonus(BR)
def protestant_states_wary_bonus(s: State, me: Seat) -> Resolution[State]:
    """A diplomatic point for Europe."""
    europe = Limit(where=Where(regions=("europe",)), placed=True)
    yield from grant(s, me, "vatican_politics", DIPLOMATIC, 1, europe)


@VATICAN_POLITICS.base(FR)
def catholic_unity(s: State, me: Seat) -> Resolution[State]:
    """A shift in Spain or Austria."""
    yield Affect(me, "vatican_politics", "shift", Where(countries=("spain", "austria")))


@VATICAN_POLITICS.bonus(FR)
def catholic_unity_bonus(s: State, me: Seat) -> Resolution[State]:
    """Points where Britain has nothing in either country."""
    if not flagged(s, BR, (*COUNTRIES["spain"], *COUNTRIES["austria"])):
        yield from gain(s, me, 2, "vatican_politics")


# --------------------------------------------------------------------------- 11 Calico Acts

CALICO_ACTS = event(11, "calico_acts", SUCCESSION, ECONOMIC, bonus_if=keyword("mercantilism"))


@CALICO_ACTS.base(BR)
def stimulates_industry(s: State, me: Seat) -> Resolution[State]:
    """2 economic points against opposing flags on markets."""
    removing = Limit(verbs=(UNFLAG,), where=Where(kinds=("market",)))
    yield from grant(s, me, "calico_acts", ECONOMIC, 2, removing)


@CALICO_ACTS.bonus(BR)
def stimulates_industry_bonus(s: State, me: Seat) -> Resolution[State]:
    """Cotton may be scored."""
    yield Choose(me, "calico_acts", told=True)


@choice("calico_acts", lambda s, me: ("score", "decline"))
def cotton_now(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    """The side that leads in Cotton is rewarded, even if that is France."""
    if picks[0] == "score":
        yield from score_good(s, "cotton", demanded=False)


@CALICO_ACTS.base(FR)
def enriches_smugglers(s: State, me: Seat) -> Resolution[State]:
    """An opposing flag goes from a Cotton market."""
    yield Affect(me, "calico_acts", "unflag", COTTON_MARKET)


@CALICO_ACTS.bonus(FR)
def enriches_smugglers_bonus(s: State, me: Seat) -> Resolution[State]:
    """A British Squadron returns to the Navy Box."""
    yield Affect(me, "calico_acts", "send_home")


# --------------------------------------------------------------------------- 12 Military Spending Overruns

MILITARY_SPENDING_OVERRUNS = event(
    12, "military_spending_overruns", SUCCESSION, MILITARY, bonus_if=MORE_AVAILABLE_DEBT
)


@MILITARY_SPENDING_OVERRUNS.base()
@MILITARY_SPENDING_OVERRUNS.bonus()
def military_spending_overruns(s: State, me: Seat) -> Resolution[State]:
    """The opponent gives up a Fort, a Squadron or a Bonus tile; with the bonus, twice."""
    yield GiveUp(OTHER[me], "military_spending_overruns")


# --------------------------------------------------------------------------- 13 Alberoni's Ambition

ALBERONIS_AMBITION = event(13, "alberonis_ambition", SUCCESSION, bonus_if=keyword("governance"))
NEIGHBOURS = Limit(verbs=(FLAG,), where=Where(kinds=("market",), near_own=True))


@ALBERONIS_AMBITION.base(BR)
def not_one_englishman(s: State, me: Seat) -> Resolution[State]:
    """2 economic points for empty markets beside British ones."""
    yield from grant(s, me, "alberonis_ambition", ECONOMIC, 2, NEIGHBOURS)


@ALBERONIS_AMBITION.bonus(BR)
def not_one_englishman_bonus(s: State, me: Seat) -> Resolution[State]:
    """1 more."""
    yield from grant(s, me, "alberonis_ambition", ECONOMIC, 1, NEIGHBOURS)


@ALBERONIS_AMBITION.base(FR)
def fleurys_masterpiece(s: State, me: Seat) -> Resolution[State]:
    """A shift of an Alliance in three countries."""
    alliances = Where(countries=("austria", "dutch_republic", "spain"), alliance=True)
    yield Affect(me, "alberonis_ambition", "shift", alliances)


@ALBERONIS_AMBITION.bonus(FR)
def fleurys_masterpiece_bonus(s: State, me: Seat) -> Resolution[State]:
    """Points for having both Savoy and Sardinia."""
    if len(flagged(s, me, ("savoy", "sardinia"))) == 2:
        yield from gain(s, me, 3, "alberonis_ambition")


# --------------------------------------------------------------------------- 14 Famine in Ireland

FAMINE_IN_IRELAND = event(14, "famine_in_ireland", SUCCESSION, ECONOMIC)


@FAMINE_IN_IRELAND.base(BR)
def weakens_jacobites(s: State, me: Seat) -> Resolution[State]:
    """A French flag goes from Ireland or Scotland."""
    yield Affect(me, "famine_in_ireland", "unflag", Where(countries=("ireland", "scotland")))


@FAMINE_IN_IRELAND.base(FR)
def grain_shipments(s: State, me: Seat) -> Resolution[State]:
    """A Bonus tile for the Jacobites from each space of Ireland, where the next war knows them."""
    if s.war and any(theatre.id == JACOBITES for theatre in WARS[s.war].theatres):
        for _ in flagged(s, me, COUNTRIES["ireland"]):
            yield DrawBonus(me, theatre=JACOBITES)


# --------------------------------------------------------------------------- 15 Interest Payments

INTEREST_PAYMENTS = event(15, "interest_payments", SUCCESSION, ECONOMIC, bonus_if=MORE_AVAILABLE_DEBT)


@INTEREST_PAYMENTS.base()
def interest_payments(s: State, me: Seat) -> Resolution[State]:
    """The opponent's Debt Limit falls; Debt that had reached it falls too, and brings a point."""
    them = OTHER[me]
    reached = s.debt[them] == s.limit[them]
    s = yield from change_limit(s, them, -1, "interest_payments")
    if reached:
        s = yield from reduce_debt(s, them, 1, "interest_payments")
        yield from gain(s, me, 1, "interest_payments")


@INTEREST_PAYMENTS.bonus()
def interest_payments_bonus(s: State, me: Seat) -> Resolution[State]:
    """Debt falls by 2."""
    yield from reduce_debt(s, me, 2, "interest_payments")
