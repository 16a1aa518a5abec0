"""The cards of the Early War."""

from __future__ import annotations

from domain.kernel import Picks, Resolution, Seat
from domain.twilight_struggle.components import MAP, OTHER, US, USSR
from domain.twilight_struggle.facts.cards import CardsShown, HandShown
from domain.twilight_struggle.rules.board import Where, controls, in_force, influence
from domain.twilight_struggle.rules.hand import discardable, scoring
from domain.twilight_struggle.rules.operations import grant
from domain.twilight_struggle.rules.registry import CARDS, NEUTRAL, SCORING, card, choice, contest
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import (
    AddEach,
    Choose,
    Drain,
    Relocate,
    RemoveEach,
    Spread,
    score_region,
)
from domain.twilight_struggle.steps.deeds import (
    add,
    advance,
    begin_effect,
    cancel_headline,
    clear,
    degrade,
    discard,
    gain,
    improve,
    record_contest,
    remove,
    take_control,
)
from domain.twilight_struggle.steps.hands import Contest, LosePlanned
from domain.twilight_struggle.steps.operations import Operate
from domain.twilight_struggle.steps.wars import FightWar

EARLY = "early"
EASTERN, WESTERN = "eastern_europe", "western_europe"
DECLINE = "decline"
NEAR_BRITAIN = MAP["united_kingdom"].neighbours


@card(1, SCORING, 0, EARLY, scores="asia")
def asia_scoring(s: State, me: Seat) -> Resolution[State]:
    """Asia scores, Southeast Asia included."""
    yield from score_region(s, "asia")


@card(2, SCORING, 0, EARLY, scores="europe")
def europe_scoring(s: State, me: Seat) -> Resolution[State]:
    """Europe scores; Control of it wins."""
    yield from score_region(s, "europe")


@card(3, SCORING, 0, EARLY, scores="middle_east")
def middle_east_scoring(s: State, me: Seat) -> Resolution[State]:
    """The Middle East scores."""
    yield from score_region(s, "middle_east")


@card(4, US, 3, EARLY)
def duck_and_cover(s: State, me: Seat) -> Resolution[State]:
    """DEFCON falls by 1; the US gains 5 less the new level."""
    s = yield from degrade(s)
    yield from gain(s, US, 5 - s.defcon, "duck_and_cover")


@card(5, US, 3, EARLY)
def five_year_plan(s: State, me: Seat) -> Resolution[State]:
    """The USSR loses a random card; a US event on it happens."""
    if s.hands[USSR]:
        yield LosePlanned(USSR, "five_year_plan")


@card(6, NEUTRAL, 4, EARLY)
def china_card(s: State, me: Seat) -> Resolution[State]:
    """No event: it is played for Operations only, and never lies in a hand."""
    yield from ()


@card(7, USSR, 3, EARLY, barred_by=("the_iron_lady",))
def socialist_governments(s: State, me: Seat) -> Resolution[State]:
    """The US loses 3 influence in Western Europe, at most 2 in one country."""
    yield Drain(USSR, "socialist_governments", US, Where(regions=(WESTERN,)), 3, 3, 2)


@card(8, USSR, 2, EARLY, starred=True)
def fidel(s: State, me: Seat) -> Resolution[State]:
    """The US loses Cuba; the USSR gets what control of it needs."""
    s = yield from clear(s, US, "cuba")
    yield from take_control(s, USSR, "cuba")


@card(9, USSR, 2, EARLY, starred=True)
def vietnam_revolts(s: State, me: Seat) -> Resolution[State]:
    """2 USSR influence in Vietnam; this turn +1 for Operations that stay in Southeast Asia."""
    s = yield from add(s, USSR, "vietnam", 2)
    yield from begin_effect(s, "vietnam_revolts", USSR)


@card(10, USSR, 1, EARLY, starred=True)
def blockade(s: State, me: Seat) -> Resolution[State]:
    """The US discards a card worth 3, or loses West Germany."""
    yield Choose(US, "blockade")


def _worth_three(s: State, me: Seat) -> Picks:
    return (*discardable(s, US, 3), DECLINE)


@choice("blockade", _worth_three)
def _break_blockade(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    if picks[0] == DECLINE:
        yield from clear(s, US, "west_germany")
    else:
        yield from discard(s, US, picks[0], "blockade")


@card(11, USSR, 2, EARLY, starred=True, war=True)
def korean_war(s: State, me: Seat) -> Resolution[State]:
    """North Korea attacks South Korea."""
    yield FightWar(USSR, "korean_war", "south_korea")


@card(12, USSR, 1, EARLY, starred=True)
def romanian_abdication(s: State, me: Seat) -> Resolution[State]:
    """The US loses Romania; the USSR gets what control of it needs."""
    s = yield from clear(s, US, "romania")
    yield from take_control(s, USSR, "romania")


@card(13, USSR, 2, EARLY, war=True, barred_by=("camp_david_accords",))
def arab_israeli_war(s: State, me: Seat) -> Resolution[State]:
    """A coalition attacks Israel."""
    yield FightWar(USSR, "arab_israeli_war", "israel")


@card(14, USSR, 3, EARLY, starred=True)
def comecon(s: State, me: Seat) -> Resolution[State]:
    """1 USSR influence in each of four countries of Eastern Europe that the US does not control."""
    yield AddEach(USSR, "comecon", USSR, Where(regions=(EASTERN,), not_controlled_by=US), 4)


@card(15, USSR, 1, EARLY, starred=True)
def nasser(s: State, me: Seat) -> Resolution[State]:
    """2 USSR influence in Egypt; the US loses half of its own there, rounded up."""
    s = yield from add(s, USSR, "egypt", 2)
    yield from remove(s, US, "egypt", (influence(s, US, "egypt") + 1) // 2)


@card(16, USSR, 3, EARLY, starred=True, lasting=True)
def warsaw_pact_formed(s: State, me: Seat) -> Resolution[State]:
    """The US leaves four countries of Eastern Europe, or 5 USSR influence go there, at most 2 in each."""
    yield Choose(USSR, "warsaw_pact_formed", told=True)


def _pact(s: State, me: Seat) -> Picks:
    return ("remove", "add")


@choice("warsaw_pact_formed", _pact)
def _form_pact(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    eastern = Where(regions=(EASTERN,))
    if picks[0] == "remove":
        yield RemoveEach(USSR, "warsaw_pact_formed", US, eastern, 4, 0)
    else:
        yield Spread(USSR, "warsaw_pact_formed", USSR, eastern, 5, 5, 2)


@card(17, USSR, 3, EARLY, starred=True, lasting=True)
def de_gaulle_leads_france(s: State, me: Seat) -> Resolution[State]:
    """The US loses 2 in France, the USSR gains 1; NATO no longer protects it."""
    s = yield from remove(s, US, "france", 2)
    yield from add(s, USSR, "france", 1)


@card(18, NEUTRAL, 1, EARLY, starred=True)
def captured_nazi_scientist(s: State, me: Seat) -> Resolution[State]:
    """The player advances one box on the Space Race, without a roll and without using up an attempt."""
    yield from advance(s, me, 1, "captured_nazi_scientist")


@card(19, US, 1, EARLY, starred=True)
def truman_doctrine(s: State, me: Seat) -> Resolution[State]:
    """The USSR loses all its influence in one country of Europe that neither side controls."""
    yield RemoveEach(US, "truman_doctrine", USSR, Where(regions=("europe",), neither=True), 1, 0)


@card(20, NEUTRAL, 2, EARLY)
def olympic_games(s: State, me: Seat) -> Resolution[State]:
    """The opponent takes part, and both roll; or boycotts, and the player conducts Operations."""
    yield Choose(OTHER[me], "olympic_games", told=True)


def _invited(s: State, me: Seat) -> Picks:
    return ("participate", "boycott")


@choice("olympic_games", _invited)
def _answer_invitation(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    sponsor = OTHER[me]
    if picks[0] == "participate":
        yield Contest(sponsor, "olympic_games")
    else:
        s = yield from degrade(s)
        yield Operate(sponsor, grant(s, "olympic_games", 4, own_value=False))


@contest("olympic_games")
def _compete(s: State, me: Seat, rolls: dict[Seat, int]) -> Resolution[State]:
    winner: Seat | None
    s, winner = yield from record_contest(s, "olympic_games", rolls, {me: 2, OTHER[me]: 0})
    if winner is None:  # ties are rolled again
        yield Contest(me, "olympic_games")
    else:
        yield from gain(s, winner, 2, "olympic_games")


def _alliances(s: State, player: Seat) -> bool:
    return in_force(s, "marshall_plan") or in_force(s, "warsaw_pact_formed")


@card(21, US, 4, EARLY, starred=True, lasting=True, needs=("needs_alliance", _alliances))
def nato(s: State, me: Seat) -> Resolution[State]:
    """From now on US-controlled countries of Europe are protected (see `under_nato`)."""
    yield from ()


@card(22, US, 2, EARLY, starred=True)
def independent_reds(s: State, me: Seat) -> Resolution[State]:
    """US influence in one of five countries is raised to that of the USSR."""
    yield Choose(US, "independent_reds")


def _reds(s: State, me: Seat) -> Picks:
    return ("yugoslavia", "romania", "bulgaria", "hungary", "czechoslovakia")


@choice("independent_reds", _reds)
def _become_independent(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    missing = influence(s, USSR, picks[0]) - influence(s, US, picks[0])
    yield from add(s, US, picks[0], missing)


@card(23, US, 4, EARLY, starred=True, lasting=True)
def marshall_plan(s: State, me: Seat) -> Resolution[State]:
    """1 US influence in each of seven countries of Western Europe that the USSR does not control."""
    yield AddEach(US, "marshall_plan", US, Where(regions=(WESTERN,), not_controlled_by=USSR), 7)


@card(24, NEUTRAL, 2, EARLY, war=True)
def indo_pakistani_war(s: State, me: Seat) -> Resolution[State]:
    """India and Pakistan: the player says who is attacked."""
    yield Choose(me, "indo_pakistani_war")


def _india_or_pakistan(s: State, me: Seat) -> Picks:
    return ("india", "pakistan")


@choice("indo_pakistani_war", _india_or_pakistan)
def _attack_on_subcontinent(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    yield FightWar(me, "indo_pakistani_war", picks[0])


@card(25, US, 3, EARLY, starred=True)
def containment(s: State, me: Seat) -> Resolution[State]:
    """This turn US cards are worth 1 more, at most 4."""
    yield from begin_effect(s, "containment", US)


@card(26, US, 1, EARLY, starred=True)
def cia_created(s: State, me: Seat) -> Resolution[State]:
    """The USSR shows its hand; then the US conducts Operations with this card's value."""
    yield HandShown(USSR, s.hands[USSR], "cia_created")
    yield Operate(US, grant(s, "cia_created", 1))


@card(27, US, 4, EARLY, starred=True, lasting=True)
def us_japan_mutual_defense_pact(s: State, me: Seat) -> Resolution[State]:
    """The US takes control of Japan, which is protected from now on."""
    yield from take_control(s, US, "japan")


@card(28, USSR, 3, EARLY, starred=True)
def suez_crisis(s: State, me: Seat) -> Resolution[State]:
    """The US loses 4 influence in France, the United Kingdom and Israel, at most 2 in each."""
    countries = ("france", "united_kingdom", "israel")
    yield Drain(USSR, "suez_crisis", US, Where(countries=countries), 4, 4, 2)


@card(29, US, 3, EARLY)
def east_european_unrest(s: State, me: Seat) -> Resolution[State]:
    """The USSR loses 1 influence in each of three countries of Eastern Europe; 2 in the Late War."""
    each = 2 if s.turn >= 8 else 1
    yield RemoveEach(US, "east_european_unrest", USSR, Where(regions=(EASTERN,)), 3, each)


@card(30, USSR, 2, EARLY)
def decolonization(s: State, me: Seat) -> Resolution[State]:
    """1 USSR influence in each of four countries of Africa and Southeast Asia."""
    yield AddEach(USSR, "decolonization", USSR, Where(regions=("africa", "southeast_asia")), 4)


@card(31, NEUTRAL, 4, EARLY)
def red_scare_purge(s: State, me: Seat) -> Resolution[State]:
    """This turn the opponent's cards are worth 1 less, at least 1."""
    yield from begin_effect(s, "red_scare_purge", OTHER[me])


@card(32, NEUTRAL, 1, EARLY)
def un_intervention(s: State, me: Seat) -> Resolution[State]:
    """Nothing of its own: it is played together with the card whose event it cancels."""
    yield from ()


@card(33, USSR, 3, EARLY, starred=True)
def de_stalinization(s: State, me: Seat) -> Resolution[State]:
    """Up to 4 USSR influence move to countries that the US does not control, at most 2 into each."""
    yield Relocate(USSR, "de_stalinization", USSR, Where(not_controlled_by=US), 4, 2)


@card(34, NEUTRAL, 4, EARLY)
def nuclear_test_ban(s: State, me: Seat) -> Resolution[State]:
    """The player gains DEFCON less 2; then DEFCON rises by 2."""
    s = yield from gain(s, me, s.defcon - 2, "nuclear_test_ban")
    yield from improve(s, 2)


@card(35, US, 2, EARLY, number_2nd=101, starred=True, lasting=True)
def formosan_resolution(s: State, me: Seat) -> Resolution[State]:
    """Taiwan counts as a battleground for scoring while the US controls it (see `taiwan_counts`)."""
    yield from ()


@card(103, US, 2, EARLY)
def defectors(s: State, me: Seat) -> Resolution[State]:
    """Cancels a USSR headline that is still to come; played by the USSR in its round: 1 point for the US."""
    if s.phase == "headline" and USSR in s.headlines:
        yield from cancel_headline(s, USSR)
    elif s.phase == "rounds" and s.phasing == USSR and _counts_as_soviet_play(s):
        yield from gain(s, US, 1, "defectors")


def _counts_as_soviet_play(s: State) -> bool:
    """FAQ 4.2: not if Five-Year Plan drew it; in the licensed digital edition that scores, too."""
    if s.options.drawn_defectors == "score" and any(item.card == "five_year_plan" for item in s.playing):
        return True
    return s.playing[-1].seat == USSR


def _before_late_war(s: State, player: Seat) -> bool:
    return s.turn <= 7


@card(104, USSR, 2, EARLY, needs=("needs_earlier_turn", _before_late_war))
def the_cambridge_five(s: State, me: Seat) -> Resolution[State]:
    """The US shows its scoring cards; the USSR may add 1 influence in a region of one of them."""
    shown = tuple(sorted(scoring(s.hands[US])))
    yield CardsShown(US, shown, "the_cambridge_five")
    regions = tuple(CARDS[card].scores for card in shown)
    if regions:
        yield AddEach(USSR, "the_cambridge_five", USSR, Where(regions=regions), 1, least=0)


def _special(s: State, player: Seat) -> bool:
    return controls(s, US, "united_kingdom")


@card(105, US, 2, EARLY, needs=("needs_united_kingdom", _special))
def special_relationship(s: State, me: Seat) -> Resolution[State]:
    """With NATO 2 influence in Western Europe and 2 points; without it 1 next to the United Kingdom."""
    if in_force(s, "nato"):
        s = yield from gain(s, US, 2, "special_relationship")
        yield AddEach(US, "special_relationship", US, Where(regions=(WESTERN,)), 1, 2)
    else:
        yield AddEach(US, "special_relationship", US, Where(countries=NEAR_BRITAIN), 1)


@card(106, US, 3, EARLY, starred=True, lasting=True)
def norad(s: State, me: Seat) -> Resolution[State]:
    """From now on DEFCON 2 brings the US influence (see `EndRound`)."""
    yield from ()
