"""The cards of the Mid War, 36 to 58."""

from __future__ import annotations

from domain.kernel import Picks, Resolution, Seat
from domain.twilight_struggle.components import OTHER, REGIONS, US, USSR
from domain.twilight_struggle.facts.cards import CardKept, CardPlayed, CardRetrieved
from domain.twilight_struggle.facts.flow import BurialBegan
from domain.twilight_struggle.facts.tracks import ArmsCompared
from domain.twilight_struggle.rules.board import Where, controlled_battlegrounds, matching
from domain.twilight_struggle.rules.hand import ops_of, owner, worth
from domain.twilight_struggle.rules.operations import COUP, REALIGN, grant, under_nato
from domain.twilight_struggle.rules.registry import CARDS, NEUTRAL, SCORING, card, choice, contest
from domain.twilight_struggle.rules.scoring import status_of
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import NONE, AddEach, Choose, RemoveEach, Spread, score_region
from domain.twilight_struggle.steps.deeds import (
    add,
    begin_effect,
    charge_war,
    degrade,
    end_marker,
    gain,
    improve,
    military,
    record_contest,
    set_defcon,
    take_china,
)
from domain.twilight_struggle.steps.hands import Contest
from domain.twilight_struggle.steps.operations import Operate
from domain.twilight_struggle.steps.play import EndPlay, Event
from domain.twilight_struggle.steps.wars import FightWar

MID = "mid"
AMERICAS = Where(regions=("central_america", "south_america"))
MUSLIM = Where(countries=("sudan", "iran", "iraq", "egypt", "libya", "saudi_arabia", "syria", "jordan"))
SOUTH_AFRICA, NEIGHBOURS = "south_africa", "neighbours"
NEXT_TO_SOUTH_AFRICA = Where(countries=("angola", "botswana"))
UNSTABLE = Where(stability=2)
IMPROVE, DEGRADE, LEAVE = "improve", "degrade", "leave"


@card(36, NEUTRAL, 3, MID, war=True)
def brush_war(s: State, me: Seat) -> Resolution[State]:
    """The player attacks any country of stability 1 or 2; NATO shields US-controlled Europe."""
    yield Choose(me, "brush_war")


def _unstable(s: State, me: Seat) -> Picks:
    return tuple(country for country in matching(s, UNSTABLE) if not under_nato(s, country))


@choice("brush_war", _unstable)
def _start_brush_war(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    yield FightWar(me, "brush_war", picks[0])


@card(37, SCORING, 0, MID, scores="central_america")
def central_america_scoring(s: State, me: Seat) -> Resolution[State]:
    """Central America scores."""
    yield from score_region(s, "central_america")


@card(38, SCORING, 0, MID, starred=True, scores="southeast_asia")
def southeast_asia_scoring(s: State, me: Seat) -> Resolution[State]:
    """Southeast Asia scores country by country, once in a match."""
    yield from score_region(s, "southeast_asia")


@card(39, NEUTRAL, 3, MID)
def arms_race(s: State, me: Seat) -> Resolution[State]:
    """More Military Operations than the opponent bring 1 point; 3 if they also meet the requirement."""
    s = yield ArmsCompared(me, s.military, s.defcon)
    if s.military[me] > s.military[OTHER[me]]:
        yield from gain(s, me, 3 if s.military[me] >= s.defcon else 1, "arms_race")


@card(40, NEUTRAL, 3, MID, starred=True)
def cuban_missile_crisis(s: State, me: Seat) -> Resolution[State]:
    """DEFCON is 2; a Coup of the opponent this turn loses the match, unless bought off (see `ransoms`)."""
    s = yield from set_defcon(s, 2)
    yield from begin_effect(s, "cuban_missile_crisis", OTHER[me])


@card(41, US, 2, MID, starred=True)
def nuclear_subs(s: State, me: Seat) -> Resolution[State]:
    """This turn Coups of the US do not lower DEFCON (see `lowers_defcon`)."""
    yield from begin_effect(s, "nuclear_subs", US)


@card(42, USSR, 3, MID, starred=True, lasting=True)
def quagmire(s: State, me: Seat) -> Resolution[State]:
    """From its next round on the US discards and rolls until it escapes (see `RollTrap`); NORAD ends."""
    yield from end_marker(s, "norad")


@card(43, NEUTRAL, 3, MID, starred=True)
def salt_negotiations(s: State, me: Seat) -> Resolution[State]:
    """DEFCON rises by 2, this turn every Coup rolls 1 lower, and the player may take back a discard."""
    s = yield from improve(s, 2)
    yield from begin_effect(s, "salt_negotiations", me)
    yield Choose(me, "salt_negotiations")


def _discards_worth_taking(s: State, me: Seat) -> Picks:
    found = tuple(card for card in s.discards if not CARDS[card].scores)
    return (*found, NONE) if found else ()


@choice("salt_negotiations", _discards_worth_taking)
def _take_back(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    if picks and picks[0] != NONE:
        yield CardRetrieved(me, picks[0])


@card(44, US, 3, MID, starred=True, lasting=True)
def bear_trap(s: State, me: Seat) -> Resolution[State]:
    """From its next round on the USSR discards and rolls until it escapes (see `RollTrap`)."""
    yield from ()


@card(45, NEUTRAL, 1, MID)
def summit(s: State, me: Seat) -> Resolution[State]:
    """Both roll, each with 1 more for every region that it Dominates or Controls."""
    yield Contest(me, "summit")


def _regions_led(s: State, side: Seat) -> int:
    return sum(status_of(s, region, side) in ("domination", "control") for region in REGIONS)


@contest("summit")
def _negotiate(s: State, me: Seat, rolls: dict[Seat, int]) -> Resolution[State]:
    winner: Seat | None
    s, winner = yield from record_contest(s, "summit", rolls, {side: _regions_led(s, side) for side in rolls})
    if winner is not None:
        yield from gain(s, winner, 2, "summit")
        yield Choose(winner, "summit")


def _directions(s: State, me: Seat) -> Picks:
    return (IMPROVE, DEGRADE, LEAVE) if s.defcon < 5 else (DEGRADE, LEAVE)


@choice("summit", _directions)
def _move_defcon(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    if picks[0] == IMPROVE:
        yield from improve(s)
    elif picks[0] == DEGRADE:
        yield from degrade(s)


@card(46, NEUTRAL, 2, MID, starred=True)
def how_i_learned_to_stop_worrying(s: State, me: Seat) -> Resolution[State]:
    """The player sets DEFCON to any level, and has 5 Military Operations."""
    yield Choose(me, "how_i_learned_to_stop_worrying")


def _levels(s: State, me: Seat) -> Picks:
    return ("1", "2", "3", "4", "5")


@choice("how_i_learned_to_stop_worrying", _levels)
def _love_the_bomb(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    s = yield from set_defcon(s, int(picks[0]))
    yield from military(s, me, 5)


@card(47, NEUTRAL, 2, MID)
def junta(s: State, me: Seat) -> Resolution[State]:
    """2 influence in one country of Central or South America; then a free Coup or realignments there."""
    yield AddEach(me, "junta", me, AMERICAS, 1, 2)
    yield Operate(me, grant(s, "junta", 2, free=True, where=AMERICAS), (COUP, REALIGN))


def _more_battlegrounds(s: State, player: Seat) -> bool:
    return controlled_battlegrounds(s, US) > controlled_battlegrounds(s, USSR)


@card(48, US, 1, MID, starred=True, needs=("needs_more_battlegrounds", _more_battlegrounds))
def kitchen_debates(s: State, me: Seat) -> Resolution[State]:
    """With more battlegrounds than the USSR, the US gains 2 points."""
    yield from gain(s, US, 2, "kitchen_debates")


@card(49, NEUTRAL, 2, MID)
def missile_envy(s: State, me: Seat) -> Resolution[State]:
    """The opponent gives their best card for this one, and must use it in their next round (see `plays`)."""
    yield Choose(OTHER[me], "missile_envy")


def _envied(s: State, giver: Seat) -> Picks:
    """The cards of the highest value; "none" without any, so that the question does not show the hand."""
    modified = s.options.missile_envy == "modified"
    values = {card: worth(s, giver, card) if modified else CARDS[card].ops for card in s.hands[giver]}
    highest = max(values.values(), default=0)
    return tuple(card for card, points in values.items() if points == highest > 0) or (NONE,)


@choice("missile_envy", _envied)
def _hand_over(s: State, giver: Seat, picks: Picks) -> Resolution[State]:
    given, me = picks[0], OTHER[giver]
    if given == NONE:
        return
    s = yield CardPlayed(me, given, "given", giver)
    s = yield CardKept("missile_envy", giver)
    yield from charge_war(s, me, given)
    if CARDS[given].side == giver:
        yield Operate(me, ops_of(given))
        yield EndPlay(given)
    else:
        yield Event(owner(given, me), given)


@card(50, USSR, 4, MID, starred=True)
def we_will_bury_you(s: State, me: Seat) -> Resolution[State]:
    """DEFCON falls by 1; the US answers in its next round (see `answer_burial`)."""
    yield from degrade(s)
    yield BurialBegan()


@card(51, USSR, 3, MID, starred=True)
def brezhnev_doctrine(s: State, me: Seat) -> Resolution[State]:
    """This turn USSR cards are worth 1 more, at most 4."""
    yield from begin_effect(s, "brezhnev_doctrine", USSR)


@card(52, USSR, 2, MID, starred=True)
def portuguese_empire_crumbles(s: State, me: Seat) -> Resolution[State]:
    """2 USSR influence in Angola and in the Southeast African States."""
    s = yield from add(s, USSR, "angola", 2)
    yield from add(s, USSR, "se_african_states", 2)


@card(53, USSR, 2, MID)
def south_african_unrest(s: State, me: Seat) -> Resolution[State]:
    """2 USSR influence in South Africa, or 1 there and 2 next to it."""
    yield Choose(USSR, "south_african_unrest")


def _unrest(s: State, me: Seat) -> Picks:
    return (SOUTH_AFRICA, NEIGHBOURS)


@choice("south_african_unrest", _unrest)
def _riot(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    if picks[0] == SOUTH_AFRICA:
        yield from add(s, USSR, "south_africa", 2)
        return
    yield from add(s, USSR, "south_africa", 1)
    if s.options.south_african_unrest == "single":
        yield AddEach(USSR, "south_african_unrest", USSR, NEXT_TO_SOUTH_AFRICA, 1, 2)
    else:
        yield Spread(USSR, "south_african_unrest", USSR, NEXT_TO_SOUTH_AFRICA, 2, 2, 2)


@card(54, USSR, 1, MID, starred=True)
def allende(s: State, me: Seat) -> Resolution[State]:
    """2 USSR influence in Chile."""
    yield from add(s, USSR, "chile", 2)


@card(55, USSR, 2, MID, starred=True, lasting=True, barred_by=("tear_down_this_wall",))
def willy_brandt(s: State, me: Seat) -> Resolution[State]:
    """1 point and 1 influence in West Germany for the USSR; NATO no longer protects it."""
    s = yield from gain(s, USSR, 1, "willy_brandt")
    yield from add(s, USSR, "west_germany", 1)


@card(56, USSR, 4, MID, barred_by=("awacs_sale_to_saudis",))
def muslim_revolution(s: State, me: Seat) -> Resolution[State]:
    """The US loses all its influence in two of eight countries."""
    yield RemoveEach(USSR, "muslim_revolution", US, MUSLIM, 2, 0)


@card(57, NEUTRAL, 4, MID)
def abm_treaty(s: State, me: Seat) -> Resolution[State]:
    """DEFCON rises by 1; then the player conducts Operations with this card's value."""
    s = yield from improve(s)
    yield Operate(me, grant(s, "abm_treaty", 4))


@card(58, USSR, 3, MID, starred=True)
def cultural_revolution(s: State, me: Seat) -> Resolution[State]:
    """The China Card comes to the USSR face up; 1 point if the USSR has it already."""
    if s.china == US:
        yield from take_china(s, USSR, ready=True)
    else:
        yield from gain(s, USSR, 1, "cultural_revolution")
