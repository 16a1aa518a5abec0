"""Detente and the end of the match (book 004, 6 and victory)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.cia_vs_kgb import GAME
from domain.cia_vs_kgb.components import OBJECTIVES
from domain.cia_vs_kgb.facts.decks import BottomClaimed
from domain.cia_vs_kgb.facts.outcome import (
    AgentTerminated,
    AgentWentOnLeave,
    ObjectiveClaimed,
    TokenPlaced,
    TurnEnded,
)
from domain.cia_vs_kgb.facts.preparation import AgentRevealed, BalanceGiven, PhaseBegan, TurnBegan
from domain.cia_vs_kgb.facts.struggle import EventUsed
from domain.cia_vs_kgb.rules import score
from domain.cia_vs_kgb.state import State
from domain.cia_vs_kgb.steps.detente import Detente
from domain.cia_vs_kgb.steps.outcome import Debrief
from domain.cia_vs_kgb.steps.turn import EndTurn
from domain.kernel import Ended, Fact, fold
from tests.domain.cia_vs_kgb.tables import Groups, contest, fresh, won
from tests.scenario import given

HUNDRED = ("egypt", "vietnam", "czechoslovakia", "iran", "libya", "cuba")  # 20 + 20 + 20 + 15 + 15 + 10
OTHER_95 = (
    "panama",
    "afghanistan",
    "turkey",
    "angola",
    "honduras",
    "greece",
    "congo",
    "chile",
)  # 3 x 15, 5 x 10


def after_turn(cia: Groups, kgb: Groups, **options: int) -> State:
    return fold(fresh(**options), [TurnBegan(1), *won("cia", *cia), *won("kgb", *kgb)])


# ── agents ──


def test_r_leave_living_agents_go_on_leave() -> None:
    s = contest(agents={"cia": "analyst", "kgb": "director"})
    shown: list[Fact[State]] = [AgentRevealed("cia", "analyst", "debriefing")]
    shown += [
        AgentRevealed("kgb", "director", "debriefing"),
        ObjectiveClaimed("cia", "cuba", "token", 10, 10),
    ]
    end = given(s, *shown, do=Detente())
    end.then(
        PhaseBegan("detente"),
        AgentWentOnLeave("cia", "analyst", "detente"),
        AgentWentOnLeave("kgb", "director", "detente"),
    )
    end.has(leave={"cia": ("analyst",), "kgb": ("director",)}, exposed={})


def test_a_dead_agent_goes_nowhere() -> None:
    dead = (AgentRevealed("cia", "analyst", "disorder"), AgentTerminated("cia", "analyst", "disorder"))
    claimed = ObjectiveClaimed("kgb", "cuba", "disorder", 10, 10)
    given(contest(agents={"cia": "analyst"}), *dead, claimed, do=Detente()).then(PhaseBegan("detente"))


# ── score ──


def test_the_score_is_that_of_the_objectives_won_and_counted_once() -> None:
    s = after_turn(["cuba", "egypt"], ["space_race"])
    assert score(s) == GAME.score(s) == {"cia": 30, "kgb": 5}
    assert score(fold(s, [BottomClaimed("cia", "iran", 15, 45)]))["cia"] == 45


def test_the_turn_ends_with_the_score_and_the_next_begins() -> None:
    given(after_turn(["cuba"], []), do=EndTurn()).includes(TurnEnded(1, 10, 0), TurnBegan(2)).asks("chance")


def test_the_end_of_a_turn_closes_its_period_of_open_draws() -> None:
    assert TurnEnded.ends_period


def test_r_victory_at_a_hundred_points() -> None:
    end = given(after_turn(HUNDRED, ["turkey"]), do=EndTurn())
    end.then(TurnEnded(1, 100, 15), Ended("cia", "score_limit", {"cia": 100, "kgb": 15})).asks_nobody()


def test_r_victory_not_below_a_hundred_points() -> None:
    given(after_turn([], OTHER_95), do=EndTurn()).includes(TurnEnded(1, 0, 95), TurnBegan(2))


def test_r_victory_both_over_a_hundred_the_higher_total_wins() -> None:
    s = after_turn(HUNDRED, [*OTHER_95, "korea"])
    given(s, do=EndTurn()).includes(Ended("kgb", "score_limit", {"cia": 100, "kgb": 105}))


def test_r_victory_level_over_a_hundred_is_played_on() -> None:
    level = given(after_turn(HUNDRED, [*OTHER_95, "space_race"]), do=EndTurn())
    level.includes(TurnEnded(1, 100, 100), TurnBegan(2)).asks("chance")


@pytest.mark.parametrize(
    ("cia", "kgb", "winner"), [(["cuba"], [], "cia"), ([], ["cuba"], "kgb"), ([], [], None)]
)
def test_the_last_turn_ends_the_match_by_points(cia: list[str], kgb: list[str], winner: str | None) -> None:
    """A reading of the house (option turn_limit): objectives can go under their deck for ever."""
    s = replace(after_turn(cia, kgb), turn=50)
    given(replace(s, turn=49), do=EndTurn()).includes(TurnBegan(50))
    end = given(s, do=EndTurn()).asks_nobody()
    assert isinstance(ended := end.facts[-1], Ended)
    assert (ended.winner, ended.reason) == (winner, "turn_limit")


def test_r_victory_is_checked_in_detente_after_events_have_been_used() -> None:
    s = after_turn([], [*OTHER_95, "space_race"])
    end = given(s, BalanceGiven("cia", "fewer_points"), do=(Detente(), EndTurn())).asks("kgb")
    end.when("kgb", "event:space_race").then(EventUsed("kgb", "space_race", 5, 95))
    end.when("chance", "iran", "libya", "egypt").when("kgb", "iran", "libya", "egypt")
    end.includes(TurnEnded(1, 0, 95), TurnBegan(2))


def test_r_victory_an_event_that_is_kept_counts() -> None:
    s = after_turn([], [*OTHER_95, "space_race"])
    end = given(s, BalanceGiven("cia", "fewer_points"), do=(Detente(), EndTurn())).when("kgb", "decline")
    end.then(TurnEnded(1, 0, 100), Ended("kgb", "score_limit", {"cia": 0, "kgb": 100}))


def test_r_victory_no_claim_ends_the_match_before_detente() -> None:
    s = fold(after_turn(HUNDRED, []), [TurnBegan(2)])
    assert s.result is None


@pytest.mark.parametrize(("limit", "ends"), [(10, True), (11, False)])
def test_score_limit_option(limit: int, ends: bool) -> None:
    end = given(after_turn(["cuba"], [], score_limit=limit), do=EndTurn())
    assert (end.table.result is not None) is ends


# ── R-DECK-OUT ──


def test_r_deck_out_the_higher_score_wins() -> None:
    rest = [card for card in OBJECTIVES if card not in HUNDRED]
    end = given(after_turn(HUNDRED, rest, score_limit=100_000), do=EndTurn())
    end.then(TurnEnded(1, 100, 135), Ended("kgb", "deck_out", {"cia": 100, "kgb": 135})).asks_nobody()


def test_r_deck_out_after_the_director_took_the_last_objective() -> None:
    """Cuba is contested, Chile alone lies under it: the Director empties the deck."""
    rest = [card for card in OBJECTIVES if card not in ("cuba", "chile", *HUNDRED)]
    agents = {"cia": "director", "kgb": "analyst"}
    more: dict[str, Groups] = {"cia": [card for card in HUNDRED if card != "cuba"], "kgb": rest}
    s = contest("cuba", agents=agents, has=more, score_limit=100_000)
    end = given(s, TokenPlaced("cia", "influence"), do=(Debrief(), EndTurn())).when("chance", "chile")
    end.includes(BottomClaimed("cia", "chile", 10, 100), ObjectiveClaimed("cia", "cuba", "token", 10, 110))
    end.includes(Ended("kgb", "deck_out", {"cia": 110, "kgb": 125})).asks_nobody()


def test_r_deck_out_at_level_scores_is_a_draw() -> None:
    """115 each after one spent event, the only way to level scores with an empty deck."""
    rest = [card for card in OBJECTIVES if card not in (*HUNDRED, "panama", "space_race")]
    s = fold(after_turn([*HUNDRED, "panama"], rest), [*won("cia", "space_race")])
    s = fold(s, [EventUsed("cia", "space_race", 5, 115)])
    given(s, do=EndTurn()).then(TurnEnded(1, 115, 115), Ended(None, "deck_out", {"cia": 115, "kgb": 115}))


def test_r_deck_out_not_before_a_hundred_with_the_usual_limit() -> None:
    """What the cards are worth, less what events can cost, is more than two sides below 100 can hold."""
    points = [objective.points for objective in OBJECTIVES.values()]
    events = [objective.points for objective in OBJECTIVES.values() if objective.kind == "event"]
    assert sum(points) - sum(events) > 95 + 95


def test_with_a_raised_limit_the_last_objective_is_still_fought_over() -> None:
    rest = [card for card in OBJECTIVES if card not in ("cuba", *HUNDRED)]
    s = after_turn(HUNDRED[:-1], rest, score_limit=100_000)
    given(s, do=EndTurn()).asks("chance", "cuba")
