"""Options, the empty table, and how a match begins."""

from __future__ import annotations

import msgspec

from domain.cia_vs_kgb.components import AGENTS, GROUPS, OBJECTIVES
from domain.cia_vs_kgb.rules import SEATS
from domain.cia_vs_kgb.state import Readings, State
from domain.cia_vs_kgb.steps.turn import Turn
from domain.game import Option, Options
from domain.kernel import Step
from domain.piles import Pile

EDITIONS = ("standard",)

OPTIONS = (
    Option("disorder_claim", "immediate", choices=("immediate", "at_debriefing")),  # R-DISORDER-ONE
    Option("tie_break", "faction_sum", choices=("faction_sum", "highest_group")),  # R-TIE
    Option("double_analyst", "token_owner", choices=("token_owner", "other_side")),
    Option("complete_tie", "under_deck", choices=("under_deck", "non_balance_player")),  # R-TIE-COMPLETE
    Option("idle_activation", "forbidden", choices=("forbidden", "allowed")),  # R-NO-TARGET
    Option("political_ban", "gifts", choices=("gifts", "every_use")),  # R-POLITICAL-STEAL-OVER
    Option("first_balance", "guess", choices=("guess", "draw")),
    Option("double_agent_target", "any", choices=("any", "not_deputy_director")),  # R-DA-TARGET
    Option("score_limit", 100, least=5, most=100_000),  # R-VICTORY
    # Our own reading: objectives can go back under their deck, so without a limit a match might never end.
    Option("turn_limit", 50, least=1, most=1_000),
)


def table(edition: str, options: Options) -> State:
    """Both decks shuffled, six agents in each headquarters, nothing won yet."""
    return State(
        options=msgspec.convert(options, Readings),
        objectives=Pile.of(OBJECTIVES),
        groups=Pile.of(GROUPS),
        headquarters={seat: tuple(AGENTS) for seat in SEATS},
    )


def first(s: State) -> tuple[Step[State], ...]:
    """A match is a series of turns, which begins with the first one."""
    return (Turn(),)
