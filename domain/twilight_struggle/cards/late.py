"""The cards of the Late War."""

from __future__ import annotations

from domain.kernel import Ended, Picks, Resolution, Seat
from domain.twilight_struggle.components import MAP, OTHER, REGIONS, US, USSR
from domain.twilight_struggle.facts.cards import CardRevived, HandOrdered, HandShown
from domain.twilight_struggle.rules.board import Where, controls, in_force, influence
from domain.twilight_struggle.rules.hand import discardable, owner
from domain.twilight_struggle.rules.operations import COUP, INFLUENCE, REALIGN, grant
from domain.twilight_struggle.rules.registry import CARDS, NEUTRAL, card, choice
from domain.twilight_struggle.rules.scoring import leader, score
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import Choose, Double, Drain, OrderHand, RemoveEach, Spread
from domain.twilight_struggle.steps.deeds import (
    add,
    begin_effect,
    charge_war,
    check_victory,
    clear,
    degrade,
    discard,
    end_marker,
    finish,
    gain,
    improve,
)
from domain.twilight_struggle.steps.hands import LoseCard
from domain.twilight_struggle.steps.operations import Operate
from domain.twilight_struggle.steps.play import Event
from domain.twilight_struggle.steps.wars import FightWar

LATE = "late"
DECLINE = "decline"
EUROPE, WESTERN = Where(regions=("europe",)), Where(regions=("western_europe",))
MIDDLE_EAST, SOUTH_AMERICA = Where(regions=("middle_east",)), Where(regions=("south_america",))
NEAR_NICARAGUA = Where(countries=MAP["nicaragua"].neighbours)


@card(82, USSR, 3, LATE, starred=True, lasting=True)
def iranian_hostage_crisis(s: State, me: Seat) -> Resolution[State]:
    """The US leaves Iran, where the USSR gains 2; from now on Terrorism costs the US two cards."""
    s = yield from clear(s, US, "iran")
    yield from add(s, USSR, "iran", 2)


@card(83, US, 3, LATE, starred=True, lasting=True)
def the_iron_lady(s: State, me: Seat) -> Resolution[State]:
    """1 USSR influence in Argentina, none in the United Kingdom; 1 point for the US."""
    s = yield from add(s, USSR, "argentina", 1)
    s = yield from clear(s, USSR, "united_kingdom")
    yield from gain(s, US, 1, "the_iron_lady")


@card(84, US, 2, LATE, starred=True)
def reagan_bombs_libya(s: State, me: Seat) -> Resolution[State]:
    """The US gains a point for every 2 USSR influence in Libya."""
    yield from gain(s, US, influence(s, USSR, "libya") // 2, "reagan_bombs_libya")


def _us_leads_in_space(s: State, player: Seat) -> bool:
    return s.space[US] > s.space[USSR]


@card(85, US, 2, LATE, starred=True, needs=("needs_space_lead", _us_leads_in_space))
def star_wars(s: State, me: Seat) -> Resolution[State]:
    """The US, ahead in space, lets the event of a discarded card happen, as if it had played the card."""
    yield Choose(US, "star_wars")


def _revivable(s: State, me: Seat) -> Picks:
    return tuple(card for card in s.discards if not CARDS[card].scores)


@choice("star_wars", _revivable)
def _revive(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    for revived in picks:
        s = yield CardRevived(US, revived)
        s = yield from charge_war(s, US, revived)
        yield Event(owner(revived, US), revived)


@card(86, US, 3, LATE, starred=True, lasting=True)
def north_sea_oil(s: State, me: Seat) -> Resolution[State]:
    """OPEC is barred from now on; this turn the US may play an eighth action round (see `has_eighth`)."""
    yield from begin_effect(s, "north_sea_oil", US)


@card(87, USSR, 3, LATE, starred=True, lasting=True)
def the_reformer(s: State, me: Seat) -> Resolution[State]:
    """4 USSR influence in Europe, 6 if the USSR leads, at most 2 in one country; no more Coups there."""
    count = 6 if leader(s.vp) == USSR else 4
    yield Spread(USSR, "the_reformer", USSR, EUROPE, count, count, 2)


@card(88, USSR, 2, LATE, starred=True)
def marine_barracks_bombing(s: State, me: Seat) -> Resolution[State]:
    """The US leaves Lebanon, and loses 2 influence elsewhere in the Middle East."""
    yield from clear(s, US, "lebanon")
    yield Drain(USSR, "marine_barracks_bombing", US, MIDDLE_EAST, 2, 2, 2)


@card(89, US, 4, LATE, starred=True)
def soviets_shoot_down_kal_007(s: State, me: Seat) -> Resolution[State]:
    """DEFCON falls, the US gains 2; with South Korea it places influence or makes realignments."""
    s = yield from degrade(s)
    s = yield from gain(s, US, 2, "soviets_shoot_down_kal_007")
    if controls(s, US, "south_korea"):
        yield Operate(US, grant(s, "soviets_shoot_down_kal_007", 4), (INFLUENCE, REALIGN))


@card(90, USSR, 4, LATE, starred=True)
def glasnost(s: State, me: Seat) -> Resolution[State]:
    """The USSR gains 2, DEFCON rises; after The Reformer it places influence or makes realignments."""
    s = yield from gain(s, USSR, 2, "glasnost")
    s = yield from improve(s)
    if in_force(s, "the_reformer"):
        yield Operate(USSR, grant(s, "glasnost", 4), (INFLUENCE, REALIGN))


@card(91, USSR, 2, LATE, starred=True)
def ortega_elected_in_nicaragua(s: State, me: Seat) -> Resolution[State]:
    """The US leaves Nicaragua; the USSR may make a free Coup next to it."""
    s = yield from clear(s, US, "nicaragua")
    ops = grant(s, "ortega_elected_in_nicaragua", 2, free=True, where=NEAR_NICARAGUA)
    yield Operate(USSR, ops, (COUP,))


@card(92, NEUTRAL, 2, LATE)
def terrorism(s: State, me: Seat) -> Resolution[State]:
    """The opponent discards a random card; the US two after the Iranian Hostage Crisis."""
    yield LoseCard(OTHER[me], "terrorism")
    if me == USSR and in_force(s, "iranian_hostage_crisis"):
        yield LoseCard(US, "terrorism")


@card(93, USSR, 2, LATE, starred=True)
def iran_contra_scandal(s: State, me: Seat) -> Resolution[State]:
    """This turn 1 is taken off every realignment roll of the US."""
    yield from begin_effect(s, "iran_contra_scandal", US)


@card(94, US, 3, LATE, starred=True)
def chernobyl(s: State, me: Seat) -> Resolution[State]:
    """The US names a region where the USSR places no influence with Operations this turn."""
    yield Choose(US, "chernobyl")


def _six_regions(s: State, me: Seat) -> Picks:
    return tuple(REGIONS)


@choice("chernobyl", _six_regions)
def _contaminate(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    yield from begin_effect(s, "chernobyl", USSR, picks[0])


@card(95, USSR, 2, LATE)
def latin_american_debt_crisis(s: State, me: Seat) -> Resolution[State]:
    """The US discards a card worth 3, or the USSR doubles its influence in two South American countries."""
    yield Choose(US, "latin_american_debt_crisis")


def _worth_three(s: State, me: Seat) -> Picks:
    return (*discardable(s, US, 3), DECLINE)


@choice("latin_american_debt_crisis", _worth_three)
def _settle_debts(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    if picks[0] == DECLINE:
        yield Double(USSR, "latin_american_debt_crisis", USSR, SOUTH_AMERICA, 2)
    else:
        yield from discard(s, US, picks[0], "latin_american_debt_crisis")


@card(96, US, 3, LATE, starred=True, lasting=True)
def tear_down_this_wall(s: State, me: Seat) -> Resolution[State]:
    """Willy Brandt ends; 3 US influence in East Germany, then a free Coup or realignments in Europe."""
    s = yield from end_marker(s, "willy_brandt")
    s = yield from add(s, US, "east_germany", 3)
    yield Operate(US, grant(s, "tear_down_this_wall", 3, free=True, where=EUROPE), (COUP, REALIGN))


@card(97, US, 3, LATE, starred=True, lasting=True)
def an_evil_empire(s: State, me: Seat) -> Resolution[State]:
    """1 point for the US; Flower Power ends."""
    s = yield from gain(s, US, 1, "an_evil_empire")
    yield from end_marker(s, "flower_power")


@card(98, USSR, 3, LATE, starred=True, editions=("deluxe",))
def aldrich_ames_remix(s: State, me: Seat) -> Resolution[State]:
    """The US hand lies open for this turn, and the USSR discards a card of it."""
    s = yield HandShown(US, s.hands[US], "aldrich_ames_remix")
    yield from begin_effect(s, "aldrich_ames_remix", US)
    yield Choose(USSR, "aldrich_ames_remix")


def _us_hand(s: State, me: Seat) -> Picks:
    return s.hands[US]


@choice("aldrich_ames_remix", _us_hand)
def _betray(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    for betrayed in picks:
        s = yield from discard(s, US, betrayed, "aldrich_ames_remix")


@card(98, USSR, 4, LATE, starred=True, editions=("second",))
def aldrich_ames_2nd(s: State, me: Seat) -> Resolution[State]:
    """The US plays its hand this turn in the order of the USSR, and not the China Card (see `plays`)."""
    s = yield HandShown(US, s.hands[US], "aldrich_ames_2nd")
    yield from begin_effect(s, "aldrich_ames_2nd", US)
    yield OrderHand(USSR, "aldrich_ames_2nd")


@choice("aldrich_ames_2nd", _us_hand)
def _put_in_order(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    if picks:
        yield HandOrdered(picks)


@card(99, USSR, 3, LATE, starred=True)
def pershing_ii_deployed(s: State, me: Seat) -> Resolution[State]:
    """1 point for the USSR; the US loses 1 influence in each of three countries of Western Europe."""
    yield from gain(s, USSR, 1, "pershing_ii_deployed")
    yield RemoveEach(USSR, "pershing_ii_deployed", US, WESTERN, 3)


def _defcon_two(s: State, player: Seat) -> bool:
    return s.defcon == 2


@card(100, NEUTRAL, 4, LATE, starred=True, needs=("needs_defcon_two", _defcon_two))
def wargames(s: State, me: Seat) -> Resolution[State]:
    """At DEFCON 2 the player may give the opponent 6 points and end the game at once."""
    yield Choose(me, "wargames", told=True)


def _end_or_go_on(s: State, me: Seat) -> Picks:
    return ("end", "go_on")


@choice("wargames", _end_or_go_on)
def _end_game(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    if picks[0] == "go_on":
        return
    s = yield from gain(s, OTHER[me], 6, "wargames")
    s = yield from check_victory(s)
    if me == US:
        yield from finish(s, "wargames")
    else:  # the 20 points of the Late War scenario are asked for only when the US ends the game so
        yield Ended(leader(s.vp), "wargames", score(s))


def _pope_elected(s: State, player: Seat) -> bool:
    return in_force(s, "john_paul_ii_elected_pope")


@card(101, US, 2, LATE, number_2nd=81, starred=True, needs=("needs_pope", _pope_elected))
def solidarity(s: State, me: Seat) -> Resolution[State]:
    """3 US influence in Poland."""
    yield from add(s, US, "poland", 3)


@card(102, NEUTRAL, 2, LATE, starred=True, war=True)
def iran_iraq_war(s: State, me: Seat) -> Resolution[State]:
    """Iran and Iraq: the player says who is attacked."""
    yield Choose(me, "iran_iraq_war")


def _iran_or_iraq(s: State, me: Seat) -> Picks:
    return ("iran", "iraq")


@choice("iran_iraq_war", _iran_or_iraq)
def _attack_on_the_gulf(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    yield FightWar(me, "iran_iraq_war", picks[0])


@card(109, USSR, 2, LATE, starred=True)
def yuri_and_samantha(s: State, me: Seat) -> Resolution[State]:
    """This turn every Coup of the US brings the USSR a point (see `Coup`)."""
    yield from begin_effect(s, "yuri_and_samantha", USSR)


@card(110, US, 3, LATE, starred=True, lasting=True)
def awacs_sale_to_saudis(s: State, me: Seat) -> Resolution[State]:
    """2 US influence in Saudi Arabia; Muslim Revolution is barred from now on."""
    yield from add(s, US, "saudi_arabia", 2)
