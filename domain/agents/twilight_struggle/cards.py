"""Twilight Struggle: what cards are worth to a side, as rules of thumb, and which of them end the world."""

from __future__ import annotations

from domain.kernel import HIDDEN, Seat
from domain.twilight_struggle.components import OTHER, US, USSR
from domain.twilight_struggle.rules.registry import CARDS, barred
from domain.twilight_struggle.rules.scoring import MOST, scored, winner_of_europe
from domain.twilight_struggle.state import State

WON = 1_000.0
USUAL = 1.8  # of an event that is not in the table
WORTH = {  # of events for their owner, in victory points; for neutral ones, for the player
    "abm_treaty": 3.5, "aldrich_ames_2nd": 2.5, "aldrich_ames_remix": 3.0, "alliance_for_progress": 2.5,
    "allende": 1.5, "an_evil_empire": 1.5, "arab_israeli_war": 1.5, "arms_race": 1.5,
    "ask_not_what_your_country": 1.5, "awacs_sale_to_saudis": 2.5, "bear_trap": 3.5, "blockade": 1.2,
    "brezhnev_doctrine": 2.0, "brush_war": 2.6, "camp_david_accords": 2.4, "captured_nazi_scientist": 1.4,
    "che": 2.5, "chernobyl": 1.5, "cia_created": 1.2, "colonial_rear_guards": 3.0, "comecon": 3.2,
    "containment": 2.0, "cuban_missile_crisis": 1.0, "cultural_revolution": 2.0,
    "de_gaulle_leads_france": 2.6, "de_stalinization": 4.0, "decolonization": 3.6, "defectors": 1.2,
    "duck_and_cover": 1.5, "east_european_unrest": 2.6, "fidel": 2.4, "five_year_plan": 1.0,
    "flower_power": 1.5, "formosan_resolution": 0.8, "glasnost": 3.5, "grain_sales_to_soviets": 2.2,
    "how_i_learned_to_stop_worrying": 0.8, "independent_reds": 1.5, "indo_pakistani_war": 1.8,
    "iran_contra_scandal": 0.5, "iran_iraq_war": 1.8, "iranian_hostage_crisis": 3.0,
    "john_paul_ii_elected_pope": 2.0, "junta": 2.4, "kitchen_debates": 1.8, "korean_war": 1.8,
    "latin_american_death_squads": 0.8, "latin_american_debt_crisis": 1.5, "liberation_theology": 2.6,
    "lone_gunman": 1.4, "marine_barracks_bombing": 1.8, "marshall_plan": 3.6, "missile_envy": 1.4,
    "muslim_revolution": 3.6, "nasser": 1.6, "nato": 1.4, "nixon_plays_the_china_card": 1.8, "norad": 1.0,
    "north_sea_oil": 1.4, "nuclear_subs": 0.8, "nuclear_test_ban": 2.4, "oas_founded": 1.6,
    "olympic_games": 1.6, "one_small_step": 2.0, "opec": 2.4, "ortega_elected_in_nicaragua": 1.6,
    "our_man_in_tehran": 1.0, "panama_canal_returned": 1.8, "pershing_ii_deployed": 2.2,
    "portuguese_empire_crumbles": 2.2, "puppet_governments": 2.4, "quagmire": 3.5,
    "reagan_bombs_libya": 1.0, "red_scare_purge": 3.6, "romanian_abdication": 1.2,
    "sadat_expels_soviets": 2.4, "salt_negotiations": 1.2, "shuttle_diplomacy": 1.4,
    "socialist_governments": 2.6, "solidarity": 1.6, "south_african_unrest": 2.2,
    "soviets_shoot_down_kal_007": 3.5, "special_relationship": 1.4, "star_wars": 2.0, "suez_crisis": 2.4,
    "summit": 0.8, "tear_down_this_wall": 2.6, "terrorism": 1.6, "the_cambridge_five": 1.0,
    "the_iron_lady": 1.6, "the_reformer": 2.4, "the_voice_of_america": 2.8, "truman_doctrine": 1.4,
    "u2_incident": 1.4, "un_intervention": 0.2, "us_japan_mutual_defense_pact": 2.2,
    "ussuri_river_skirmish": 2.6, "vietnam_revolts": 2.0, "wargames": 0.5, "warsaw_pact_formed": 2.2,
    "we_will_bury_you": 3.4, "willy_brandt": 1.8, "yuri_and_samantha": 0.8,
}  # fmt: skip
# How likely DEFCON 1 follows, if the event happens at DEFCON 2 in one's own round, by whose round it is.
_ANY = {
    "duck_and_cover": 1.0,
    "we_will_bury_you": 1.0,
    "soviets_shoot_down_kal_007": 1.0,
    "olympic_games": 0.9,  # the other side boycotts
    "summit": 0.5,
    "missile_envy": 0.1,  # the other side gives one of these
}
ENDS_THE_WORLD = {
    USSR: {
        **_ANY,
        "cia_created": 1.0,  # Operations of the other side, which may be a Coup
        "tear_down_this_wall": 0.9,
        "grain_sales_to_soviets": 0.5,
        "star_wars": 0.2,
    },
    US: {**_ANY, "lone_gunman": 1.0, "ortega_elected_in_nicaragua": 0.5},
}
DRAWN = "five_year_plan"  # a random card of the USSR is discarded, and the event of a US card happens


def event_value(s: State, me: Seat, card: str, player: Seat) -> float:
    """What the event of a card, played by `player`, is worth to `me`."""
    face = CARDS[card]
    if face.scores:
        return _scoring(s, me, face.scores)
    if barred(s, card, player if face.side not in (US, USSR) else face.side):
        return 0.0
    if card == "wargames":
        return _wargames(s, player) * (1 if me == player else -1)
    worth = WORTH.get(card, USUAL)
    gains = face.side if face.side in (US, USSR) else player
    return worth if gains == me else -worth


def _scoring(s: State, me: Seat, region: str) -> float:
    """The points of a region as it stands, and the victory that it brings."""
    working = scored(s, region)
    europe = winner_of_europe(working)
    if europe is not None:
        return WON if europe == me else -WON
    points = working.net if me == US else -working.net
    lead = (s.vp if me == US else -s.vp) + points
    return WON if lead >= MOST else -WON if lead <= -MOST else float(points)


def _wargames(s: State, player: Seat) -> float:
    """It ends the match after the other side's 6 points: good for a leader by more than that."""
    lead = s.vp if player == US else -s.vp
    return WON if lead > 6 else 0.0


def risk(s: State, me: Seat, card: str, defcon: int) -> float:
    """How likely the event of a card ends the world in the round, or headline, of `me` at this DEFCON."""
    if defcon > 2:
        return 0.0
    if card == DRAWN and me == USSR:
        others = [held for held in s.hands[me] if held != card]
        us = [
            ENDS_THE_WORLD[me].get(held, 0.0) for held in others if held != HIDDEN and CARDS[held].side == US
        ]
        return sum(us) / max(1, len(others))
    return ENDS_THE_WORLD[me].get(card, 0.0)


def dangerous(s: State, me: Seat) -> list[str]:
    """The other side's cards in a hand that would end the world if they were played at DEFCON 2."""
    return [
        card
        for card in s.hands[me]
        if card != HIDDEN and CARDS[card].side == OTHER[me] and ENDS_THE_WORLD[me].get(card, 0.0) > 0.4
    ]


def happens(how: str, card: str, me: Seat) -> bool:
    """Whether this use of a card lets its event happen."""
    return how in ("event", "event_first") or (
        how in ("influence", "coup", "realign") and CARDS[card].side == OTHER[me]
    )
