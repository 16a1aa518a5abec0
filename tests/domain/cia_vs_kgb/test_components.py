"""The cards: their numbers, the checks on the data files, what clients get."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from domain.cia_vs_kgb import GAME
from domain.cia_vs_kgb.components import (
    AGENTS,
    FACTION_IDS,
    FACTIONS,
    GROUPS,
    OBJECTIVES,
    BadData,
    describe_components,
    read_agents,
    read_factions,
    read_groups,
    read_objectives,
)

EVENTS = {
    "nobel_peace_prize": "cease_fire",
    "live_benefit": "influence_struggle",
    "nuclear_escalation": "influence_struggle",
    "summit_meeting": "influence_struggle",
    "space_race": "detente",
    "olympic_games": "detente",
}


def test_counts_of_cards() -> None:
    assert (len(OBJECTIVES), len(GROUPS), len(AGENTS), len(FACTIONS)) == (21, 24, 6, 4)
    assert Counter(card.kind for card in OBJECTIVES.values()) == {"nation": 15, "event": 6}
    assert Counter(group.faction for group in GROUPS.values()) == dict.fromkeys(FACTION_IDS, 6)


def test_points_total_235() -> None:
    assert Counter(card.points for card in OBJECTIVES.values()) == {20: 3, 15: 5, 10: 7, 5: 6}
    assert sum(card.points for card in OBJECTIVES.values()) == 235


def test_stability_and_population_come_in_pairs() -> None:
    pairs = Counter((card.stability, card.population) for card in OBJECTIVES.values())
    assert set(pairs) == {(13, 3), (11, 4), (9, 5), (6, 1)}
    assert pairs[6, 1] == 6


def test_all_tie_orders_differ_and_events_begin_with_media() -> None:
    assert len({card.icons for card in OBJECTIVES.values()}) == 21
    assert all((card.icons[0] == "media") == (card.kind == "event") for card in OBJECTIVES.values())


def test_every_event_has_its_phase() -> None:
    found = {card.id: card.event.phase for card in OBJECTIVES.values() if card.event is not None}
    assert found == EVENTS


def test_agents_in_the_order_of_their_initiative() -> None:
    assert tuple(AGENTS) == (
        "master_spy",
        "deputy_director",
        "double_agent",
        "analyst",
        "assassin",
        "director",
    )


def test_clients_get_every_card_with_texts_in_both_languages() -> None:
    data: dict[str, Any] = json.loads(json.dumps(describe_components()))
    assert {kind: len(cards) for kind, cards in data.items()} == {
        "objectives": 21,
        "groups": 24,
        "factions": 4,
        "agents": 6,
    }
    for card in data["agents"] + data["factions"]:
        assert set(card["text"]) == {"en", "ru"}


@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_card_has_a_name(language: str) -> None:
    names = GAME.texts[language].names
    for card in (*OBJECTIVES, *GROUPS, *AGENTS, *FACTIONS):
        assert names[card]


def _changed(kind: str, change: Callable[[list[dict[str, Any]]], None]) -> bytes:
    cards = json.loads(json.dumps(describe_components()))[kind]
    change(cards)
    return json.dumps(cards).encode()


def test_unchanged_data_is_read() -> None:
    assert read_objectives(_changed("objectives", lambda cards: None)) == OBJECTIVES
    assert read_groups(_changed("groups", lambda cards: None)) == GROUPS


@pytest.mark.parametrize(
    ("kind", "read", "change", "says"),
    [
        ("objectives", read_objectives, lambda cards: cards[0].pop("points"), "points"),
        ("objectives", read_objectives, lambda cards: cards[0].update(colour=1), "colour"),
        ("objectives", read_objectives, lambda cards: cards.append(cards[0]), "same id"),
        ("objectives", read_objectives, lambda cards: cards[0].update(icons=["media"] * 4), "tie order"),
        ("objectives", read_objectives, lambda cards: cards[0].pop("event"), "have a power"),
        ("groups", read_groups, lambda cards: cards[0].update(influence=2), "1 to 6"),
        ("groups", read_groups, lambda cards: cards[0].update(faction="clergy"), "clergy"),
        ("agents", read_agents, lambda cards: cards.reverse(), "initiatives"),
        ("factions", read_factions, lambda cards: cards.pop(), "factions are"),
    ],
)
def test_bad_data_is_refused(kind: str, read: Any, change: Any, says: str) -> None:
    with pytest.raises(BadData, match=says):
        read(_changed(kind, change))
