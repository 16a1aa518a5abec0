"""Options, the empty table, and how a match begins."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from domain.game import Option, Options
from domain.kernel import Refused, Step
from domain.piles import Pile
from domain.twilight_struggle.components import SETUP, SIDES, US, USSR
from domain.twilight_struggle.rules.periods import cards_of, late_war_deck
from domain.twilight_struggle.state import Readings, State
from domain.twilight_struggle.steps.setup import SetUp

EDITIONS = ("deluxe", "second")
YES_NO = (True, False)

OPTIONS = (
    Option("optional_cards", True, choices=YES_NO),
    Option("chinese_civil_war", False, choices=YES_NO),
    Option("scenario", "standard", choices=("standard", "late_war")),
    Option("tournament", False, choices=YES_NO),
    Option("bid", "none", choices=("none", "victory_points", "influence")),
    Option("handicap", 0, least=-20, most=20),
    Option("realignment_ignores_defcon", False, choices=YES_NO),
    Option("realignment_phasing_player_safe", False, choices=YES_NO),
    Option("realignment_mixed", False, choices=YES_NO),
    Option("space_without_roll", False, choices=YES_NO),
    Option("event_ops_modified", True, choices=YES_NO),
    Option("junta_regions", "either", choices=("either", "one")),
    Option("south_african_unrest", "split", choices=("split", "single")),
    Option("missile_envy", "printed", choices=("printed", "modified")),
    Option("drawn_defectors", "nothing", choices=("nothing", "score")),
    Option("un_intervention_space", True, choices=YES_NO),
    Option("late_war_defcon", "kept", choices=("kept", "improved")),
    Option("finlandization", False, choices=(False,), why="the text of this promotional card is not known"),
)
DELUXE_ONLY = {"optional_cards": True, "chinese_civil_war": True, "scenario": "late_war"}
IN_FORCE_LATE = (
    "us_japan_mutual_defense_pact",
    "marshall_plan",
    "nato",
    "warsaw_pact_formed",
    "de_gaulle_leads_france",
    "flower_power",
)


def adapt(edition: str, given: Mapping[str, object], options: Options) -> Options:
    """The options as an edition changes them.

    Raises:
        Refused: bad-option; the 2nd edition is asked for what only the Deluxe edition has.
    """
    if edition != "second":
        return options
    for name, value in DELUXE_ONLY.items():
        if given.get(name, None) == value:
            about = {"option": name, "value": str(value).lower()}
            raise Refused("bad-option", "deluxe-only", about)
    return {**options, "optional_cards": False}


def table(edition: str, options: Options) -> State:
    """The board with its printed influence; in the deck the cards of the first period, or scenario."""
    readings = msgspec.convert(options, Readings)
    if readings.scenario == "late_war":
        return _late_war(edition, readings)
    return State(
        edition=edition,
        options=readings,
        influence=_influence(edition),
        at_start=_influence(edition),
        china=None if readings.chinese_civil_war else USSR,
        deck=Pile.of(cards_of(edition, "early", optional=readings.optional_cards)),
    )


def _influence(setup: str) -> dict[str, dict[str, int]]:
    return {side: dict(SETUP[setup][side]) for side in SIDES}


def _late_war(edition: str, readings: Readings) -> State:
    """Book 003, the Late War scenario: turn 8, DEFCON 4, 4 points for the USSR."""
    deck, gone = late_war_deck(readings.optional_cards)
    return State(
        edition=edition,
        options=readings,
        influence=_influence("late_war"),
        at_start=_influence("late_war"),
        defcon=4,
        vp=-4,
        space={US: 6, USSR: 4},
        china=USSR,
        deck=Pile.of(deck),
        removed=tuple(card for card in gone if card not in IN_FORCE_LATE),
        beside=IN_FORCE_LATE,
    )


def first(s: State) -> tuple[Step[State], ...]:
    """A match begins with its set-up."""
    return (SetUp(),)
