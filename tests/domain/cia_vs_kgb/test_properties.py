"""What must hold in every match of CIA vs. KGB, with any players and any readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from domain.cia_vs_kgb import GAME
from domain.cia_vs_kgb.components import AGENTS, GROUPS, OBJECTIVES
from domain.cia_vs_kgb.facts.decks import (
    BottomClaimed,
    GroupRecruited,
    GroupsArranged,
    GroupsSeen,
    ObjectivesArranged,
    ObjectivesSeen,
    ObjectiveTurnedUp,
    TopDiscarded,
)
from domain.cia_vs_kgb.facts.outcome import AgentRevived, ObjectiveClaimed, TurnEnded
from domain.cia_vs_kgb.facts.preparation import AgentRevealed, HandsOpened
from domain.cia_vs_kgb.facts.struggle import DiscardRecruited, EventUsed
from domain.cia_vs_kgb.rules import OTHER, SEATS, score
from domain.cia_vs_kgb.state import State
from domain.kernel import HIDDEN, Draw, Fact, Seat, asked, decide, fold, prompt
from tests.domain import properties

READINGS: tuple[dict[str, Any], ...] = (
    {},
    {"disorder_claim": "at_debriefing", "first_balance": "draw", "score_limit": 100_000},
    {"tie_break": "highest_group", "double_analyst": "other_side", "score_limit": 30},
    {"complete_tie": "non_balance_player", "idle_activation": "allowed", "political_ban": "every_use"},
)


def places(s: State) -> list[str]:
    """Where every group and objective lies; `mobilized` is how a group lies, not where."""
    groups = [*s.groups.cards, *s.groups.top, *s.groups.bottom, *s.discards]
    objectives = [*s.objectives.cards, *s.objectives.top, *s.objectives.bottom, *s.spent]
    in_front = [card for seat in SEATS for card in s.recruited[seat] + s.won[seat]]
    return [*groups, *objectives, *in_front, *([s.objective] if s.objective else [])]


@pytest.mark.parametrize("options", READINGS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 4))])
def test_any_match(seed: int, options: dict[str, Any]) -> None:
    properties.check_all(GAME, properties.random_match(GAME, Random(seed), options=options), places)


@pytest.mark.parametrize("seed", range(10))
def test_every_card_and_agent_lies_in_one_place(seed: int) -> None:
    table: Any = (played := properties.random_match(GAME, Random(100 + seed))).start
    for fact in played.facts:
        table = fold(table, (fact,))
        assert sorted(places(table)) == sorted([*GROUPS, *OBJECTIVES]), fact
        for seat in SEATS:
            agents = table.headquarters[seat] + table.leave[seat] + table.fallen[seat]
            exposed = (table.exposed[seat],) if seat in table.exposed else ()
            assert sorted(agents + exposed) == sorted(AGENTS), fact
            assert seat not in table.sent or table.sent[seat] in table.headquarters[seat], fact
            assert set(table.mobilized) <= set(table.recruited["cia"] + table.recruited["kgb"]), fact


@pytest.mark.parametrize("seed", range(10))
def test_no_side_ever_exceeds_the_population(seed: int) -> None:
    for _, decision in properties.random_match(GAME, Random(200 + seed)):
        s = decision.table
        if s.objective is not None and s.phase == "influence_struggle":
            for seat in SEATS:
                assert len(s.recruited[seat]) <= OBJECTIVES[s.objective].population


@pytest.mark.parametrize("seed", range(10))
def test_numbers_in_facts_are_those_of_the_table(seed: int) -> None:
    table: Any = (played := properties.random_match(GAME, Random(300 + seed))).start
    for fact in played.facts:
        table = fold(table, (fact,))
        if isinstance(fact, (ObjectiveClaimed, BottomClaimed, EventUsed)):
            assert score(table)[fact.seat] == fact.total, fact
        if isinstance(fact, TurnEnded):
            assert score(table) == {"cia": fact.cia, "kgb": fact.kgb}


def test_open_draws_have_public_possibilities() -> None:
    """Each draw that is called open has candidates that every spectator can list, and no others."""
    for seed in range(40):
        played = properties.random_match(GAME, Random(400 + seed))
        view: Any = played.start
        for _, decision in played:
            view = fold(view, [fact.seen_by(None) for fact in decision.facts])
            step = decision.table.agenda[-1] if decision.table.agenda else None
            if isinstance(step, Draw) and step.face_up(decision.table):
                seat = asked(decision.table)[0]
                assert step.options(view, seat) == step.options(decision.table, seat), step


def test_labels_are_plain_coordinates() -> None:
    labels = set()
    for _, decision in properties.random_match(GAME, Random(3), options={"first_balance": "draw"}):
        step = decision.table.agenda[-1] if decision.table.agenda else None
        if isinstance(step, Draw) and asked(decision.table):
            labels.add(step.label(decision.table))
    assert {"balance", "objective/t1", "group/t1/cia"} <= labels
    assert all(label.replace("/", "").replace("_", "").isalnum() and label.islower() for label in labels)


def test_random_matches_reach_the_rare_facts() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        facts = properties.random_match(GAME, Random(500 + seed)).facts
        seen.update(type(fact).__name__ for fact in facts)
    rare = (AgentRevived, BottomClaimed, DiscardRecruited, EventUsed, GroupsArranged, ObjectivesArranged)
    assert all(seen[kind.__name__] for kind in rare), seen


def test_only_one_seat_sees_what_was_looked_at() -> None:
    for fact in (
        GroupsSeen("cia", ("mafia",), "media"),
        GroupsArranged("cia", ("mafia",)),
        ObjectivesSeen("cia", ("cuba",)),
        ObjectivesArranged("cia", ("cuba",)),
    ):
        assert fact.seen_by("cia") == fact
        for viewer in ("kgb", None):
            told: Any = fact.seen_by(viewer)
            assert (HIDDEN,) in (getattr(told, "groups", None), getattr(told, "objectives", None))


def test_whatever_shows_something_hidden_says_so() -> None:
    """Architecture 2: behind such a fact no takeback goes by agreement, and a batch ends there."""
    agents = {AgentRevealed, HandsOpened}
    groups = {GroupsSeen, GroupRecruited, TopDiscarded}
    objectives = {ObjectiveTurnedUp, ObjectivesSeen, BottomClaimed}
    assert {fact for fact in get_args(GAME.facts) if fact.reveals} == agents | groups | objectives


@pytest.mark.parametrize("seed", range(10))
def test_until_agent_x_is_revealed_no_public_fact_depends_on_who_it_is(seed: int) -> None:
    """Notes B6: with another agent face down, the other side and a spectator are asked and see the same."""
    rng = Random(600 + seed)
    played = properties.random_match(GAME, rng)
    compared = 0
    for (_, before), (answer, after) in pairwise(played):
        for seat in before.table.sent:
            viewer = rng.choice((OTHER[seat], None))
            other: State = _with_another_agent(before.table, seat, rng)
            assert asked(other) == asked(before.table)
            assert viewer is None or prompt(other, viewer) == prompt(before.table, viewer)
            told = list(_until_he_is_seen(after.facts, seat, viewer))
            assert list(_until_he_is_seen(decide(other, answer).facts, seat, viewer)) == told
            compared += 1
    assert compared


def _with_another_agent(table: State, seat: Seat, rng: Random) -> State:
    rest = [agent for agent in table.headquarters[seat] if agent != table.sent[seat]]
    return replace(table, sent={**table.sent, seat: rng.choice(rest or [table.sent[seat]])})


def _until_he_is_seen(facts: list[Fact[State]], seat: Seat, viewer: Seat | None) -> Iterator[Fact[State]]:
    for fact in facts:
        if isinstance(fact, AgentRevealed) and fact.seat == seat:
            return
        yield fact.seen_by(viewer)


RULINGS = (
    "analyst",
    "assassin_no_target",
    "balance",
    "da_target",
    "deck_out",
    "director_last_card",
    "disorder_both",
    "disorder_one",
    "economic",
    "empty_group_deck",
    "equal_stability",
    "event_use",
    "face",
    "leave",
    "media",
    "military",
    "ms_vs_assassin",
    "ms_vs_director",
    "must_recruit",
    "no_agent",
    "no_target",
    "pass",
    "political",
    "political_self",
    "political_steal_over",
    "pop",
    "tie",
    "tie_complete",
    "victory",
)


@pytest.mark.parametrize("ruling", RULINGS)
def test_every_ruling_has_a_test_named_after_it(ruling: str) -> None:
    """The rulings R-* of the facts, one by one."""
    tests = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert f"\ndef test_r_{ruling}_" in tests


def test_unions_are_complete() -> None:
    properties.check_unions(GAME)


def test_texts_are_complete() -> None:
    properties.check_texts_complete(GAME)
