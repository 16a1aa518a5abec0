"""The cards of the Mid War, 59 to 81, and the two that the Deluxe edition added, 107 and 108."""

from __future__ import annotations

from domain.kernel import Picks, Resolution, Seat
from domain.twilight_struggle.components import BATTLEGROUNDS, MEMBERS, OTHER, US, USSR
from domain.twilight_struggle.facts.cards import DeckShuffled, HandShown, TopDiscarded
from domain.twilight_struggle.facts.tracks import CountryLeftOut
from domain.twilight_struggle.rules.board import Where, controlled, controlled_battlegrounds
from domain.twilight_struggle.rules.operations import COUP, civil_war, grant
from domain.twilight_struggle.rules.registry import EVERY, NEUTRAL, SCORING, card, choice
from domain.twilight_struggle.rules.scoring import scored
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import AddEach, Choose, Drain, Spread, score_region
from domain.twilight_struggle.steps.deeds import (
    add,
    advance,
    begin_effect,
    clear,
    discard,
    end_marker,
    gain,
    record,
    remove,
    take_china,
)
from domain.twilight_struggle.steps.hands import LookAtTop, Replenish, Reshuffle, TakeCard
from domain.twilight_struggle.steps.operations import Operate

MID = "mid"
AMERICAS = ("central_america", "south_america")
OIL = ("egypt", "iran", "libya", "saudi_arabia", "iraq", "gulf_states", "venezuela")
LOOKED_AT = 5


@card(59, USSR, 4, MID, starred=True, lasting=True, barred_by=("an_evil_empire",))
def flower_power(s: State, me: Seat) -> Resolution[State]:
    """From now on each war card that the US plays brings the USSR 2 points (see `charge_war`)."""
    yield from ()


@card(60, USSR, 3, MID, starred=True)
def u2_incident(s: State, me: Seat) -> Resolution[State]:
    """1 point for the USSR; this turn UN Intervention as an event brings one more (see `cancel`)."""
    s = yield from gain(s, USSR, 1, "u2_incident")
    yield from begin_effect(s, "u2_incident", USSR)


@card(61, USSR, 3, MID, barred_by=("north_sea_oil",))
def opec(s: State, me: Seat) -> Resolution[State]:
    """1 point for each oil country that the USSR controls."""
    yield from gain(s, USSR, len(controlled(s, USSR, OIL)), "opec")


@card(62, USSR, 1, MID, starred=True)
def lone_gunman(s: State, me: Seat) -> Resolution[State]:
    """The US shows its hand; then the USSR conducts Operations with this card's value."""
    yield HandShown(US, s.hands[US], "lone_gunman")
    yield Operate(USSR, grant(s, "lone_gunman", 1))


@card(63, US, 2, MID)
def colonial_rear_guards(s: State, me: Seat) -> Resolution[State]:
    """1 US influence in each of four countries of Africa and Southeast Asia."""
    yield AddEach(US, "colonial_rear_guards", US, Where(regions=("africa", "southeast_asia")), 4)


@card(64, US, 1, MID, starred=True)
def panama_canal_returned(s: State, me: Seat) -> Resolution[State]:
    """1 US influence in Panama, Costa Rica and Venezuela."""
    for country in ("panama", "costa_rica", "venezuela"):
        s = yield from add(s, US, country, 1)


@card(65, US, 2, MID, starred=True, lasting=True)
def camp_david_accords(s: State, me: Seat) -> Resolution[State]:
    """1 point, and 1 US influence in Israel, Jordan and Egypt; no Arab-Israeli War any more."""
    s = yield from gain(s, US, 1, "camp_david_accords")
    for country in ("israel", "jordan", "egypt"):
        s = yield from add(s, US, country, 1)


@card(66, US, 2, MID, starred=True)
def puppet_governments(s: State, me: Seat) -> Resolution[State]:
    """1 US influence in each of up to three countries where neither side has any."""
    yield AddEach(US, "puppet_governments", US, Where(empty=True), 3, least=0)


@card(67, US, 2, MID)
def grain_sales_to_soviets(s: State, me: Seat) -> Resolution[State]:
    """The US plays a random USSR card, or gives it back and conducts Operations with this card's value."""
    if s.hands[USSR]:
        yield TakeCard(USSR, "grain_sales_to_soviets")
    else:
        yield Operate(US, grant(s, "grain_sales_to_soviets", 2))


@card(68, US, 2, MID, starred=True, lasting=True)
def john_paul_ii_elected_pope(s: State, me: Seat) -> Resolution[State]:
    """In Poland the USSR loses 2 influence and the US gains 1; Solidarity becomes possible."""
    s = yield from remove(s, USSR, "poland", 2)
    yield from add(s, US, "poland", 1)


@card(69, NEUTRAL, 2, MID)
def latin_american_death_squads(s: State, me: Seat) -> Resolution[State]:
    """This turn the player's Coups in Central and South America roll 1 higher, the opponent's 1 lower."""
    yield from begin_effect(s, "latin_american_death_squads", me)


@card(70, US, 1, MID, starred=True)
def oas_founded(s: State, me: Seat) -> Resolution[State]:
    """2 US influence in Central and South America."""
    yield Spread(US, "oas_founded", US, Where(regions=AMERICAS), 2, 2, 2)


def _us_holds_china(s: State) -> bool:
    """In the variant the US counts as holder until the Chinese Civil War is complete (book 003, 12.4.1)."""
    return s.china == US or civil_war(s)


@card(71, US, 2, MID, starred=True)
def nixon_plays_the_china_card(s: State, me: Seat) -> Resolution[State]:
    """The China Card comes to the US face down; 2 points if the US has it already."""
    if _us_holds_china(s):
        yield from gain(s, US, 2, "nixon_plays_the_china_card")
    else:
        yield from take_china(s, US, ready=False)


@card(72, US, 1, MID, starred=True)
def sadat_expels_soviets(s: State, me: Seat) -> Resolution[State]:
    """The USSR loses Egypt; the US gains 1 there."""
    s = yield from clear(s, USSR, "egypt")
    yield from add(s, US, "egypt", 1)


@card(73, US, 3, MID, lasting=True)
def shuttle_diplomacy(s: State, me: Seat) -> Resolution[State]:
    """Waits for the next scoring of Asia or the Middle East (see `score_region`)."""
    yield from ()


def _soviet_battlegrounds_of_asia(s: State, me: Seat) -> Picks:
    return controlled(s, USSR, BATTLEGROUNDS["asia"])


@choice("shuttle_diplomacy.asia", _soviet_battlegrounds_of_asia)
def _shuttle_to_asia(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    yield from _score_without(s, "asia", picks)


def _soviet_battlegrounds_of_the_middle_east(s: State, me: Seat) -> Picks:
    return controlled(s, USSR, BATTLEGROUNDS["middle_east"])


@choice("shuttle_diplomacy.middle_east", _soviet_battlegrounds_of_the_middle_east)
def _shuttle_to_the_middle_east(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    yield from _score_without(s, "middle_east", picks)


def _score_without(s: State, region: str, picks: Picks) -> Resolution[State]:
    """The card is used up even if the USSR controls no battleground."""
    country = picks[0] if picks else ""
    s = yield CountryLeftOut(country)
    s = yield from record(s, scored(s, region, country))
    yield from end_marker(s, "shuttle_diplomacy")


@card(74, US, 2, MID)
def the_voice_of_america(s: State, me: Seat) -> Resolution[State]:
    """The USSR loses 4 influence outside Europe, at most 2 in one country."""
    yield Drain(US, "the_voice_of_america", USSR, Where(outside="europe"), 4, 4, 2)


@card(75, USSR, 2, MID)
def liberation_theology(s: State, me: Seat) -> Resolution[State]:
    """3 USSR influence in Central America, at most 2 in one country."""
    yield Spread(USSR, "liberation_theology", USSR, Where(regions=("central_america",)), 3, 3, 2)


@card(76, US, 3, MID, starred=True)
def ussuri_river_skirmish(s: State, me: Seat) -> Resolution[State]:
    """The China Card comes to the US face up; 4 influence in Asia if the US has it already."""
    if _us_holds_china(s):
        yield Spread(US, "ussuri_river_skirmish", US, Where(regions=("asia",)), 4, 4, 2)
    else:
        yield from take_china(s, US, ready=True)


@card(77, US, 3, MID, starred=True)
def ask_not_what_your_country(s: State, me: Seat) -> Resolution[State]:
    """The US discards as many cards as it likes, and draws as many."""
    yield Choose(US, "ask_not_what_your_country")


def _whole_hand(s: State, me: Seat) -> Picks:
    return s.hands[US]


@choice("ask_not_what_your_country", _whole_hand, least=0, most=EVERY)
def _exchange(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    for picked in picks:
        s = yield from discard(s, US, picked, "ask_not_what_your_country")
    yield Replenish(US, len(picks))


@card(78, US, 3, MID, starred=True)
def alliance_for_progress(s: State, me: Seat) -> Resolution[State]:
    """1 point for each battleground of Central and South America that the US controls."""
    grounds = sum(controlled_battlegrounds(s, US, region) for region in AMERICAS)
    yield from gain(s, US, grounds, "alliance_for_progress")


@card(79, SCORING, 0, MID, scores="africa")
def africa_scoring(s: State, me: Seat) -> Resolution[State]:
    """Africa scores."""
    yield from score_region(s, "africa")


def _behind_in_space(s: State, player: Seat) -> bool:
    return s.space[player] < s.space[OTHER[player]]


@card(80, NEUTRAL, 2, MID, needs=("needs_behind_in_space", _behind_in_space))
def one_small_step(s: State, me: Seat) -> Resolution[State]:
    """The player, behind in the Space Race, moves two boxes; only the last one scores."""
    yield from advance(s, me, 2, "one_small_step")


@card(81, SCORING, 0, MID, number_2nd=35, scores="south_america")
def south_america_scoring(s: State, me: Seat) -> Resolution[State]:
    """South America scores."""
    yield from score_region(s, "south_america")


@card(107, USSR, 3, MID)
def che(s: State, me: Seat) -> Resolution[State]:
    """A Coup outside the battlegrounds of Africa and Latin America, and maybe another (see `RollCoup`)."""
    where = Where(regions=("africa", *AMERICAS), peripheral=True)
    yield Operate(USSR, grant(s, "che", 3, where=where), (COUP,))


def _foothold(s: State, player: Seat) -> bool:
    return bool(controlled(s, US, MEMBERS["middle_east"]))


@card(108, US, 2, MID, starred=True, needs=("needs_middle_east", _foothold))
def our_man_in_tehran(s: State, me: Seat) -> Resolution[State]:
    """The US looks at five cards of the deck and discards as many as it likes; then the deck is shuffled."""
    if s.deck.size < LOOKED_AT and s.discards:
        yield Reshuffle()
    yield LookAtTop(US, "our_man_in_tehran", LOOKED_AT)


def _cards_looked_at(s: State, me: Seat) -> Picks:
    return s.deck.top


@choice("our_man_in_tehran", _cards_looked_at, least=0, most=EVERY)
def _weed_out(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    for picked in picks:
        yield TopDiscarded(US, picked)
    yield DeckShuffled()
