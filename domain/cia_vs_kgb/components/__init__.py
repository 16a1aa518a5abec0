"""The cards of Cold War: CIA vs. KGB: 21 objectives, 24 groups in four factions, six agents for each side.

The data stands in the JSON files beside this module and is checked once, when it is read.  Names and
sentences stand in `texts.<language>.toml`; what a card says, in our words, stands with its data.
"""

from __future__ import annotations

import importlib.resources
from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeVar

import msgspec
from msgspec import Struct

FactionId = Literal["military", "economic", "political", "media"]
FACTION_IDS: tuple[FactionId, ...] = ("military", "economic", "political", "media")


class BadData(ValueError):
    """A data file that does not fit the game; the text says where."""


class Said(Struct, frozen=True, forbid_unknown_fields=True):
    """What a card says, in our own words, by language."""

    en: str
    ru: str


class Event(Struct, frozen=True, forbid_unknown_fields=True):
    """The power of an event card, and the phase in which its owner may use it."""

    phase: Literal["influence_struggle", "cease_fire", "detente"]
    text: Said


class Objective(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a turn is fought over.

    `stability` is the influence that no side may exceed, `population` the greatest number of groups that a
    player may have; `icons` are the factions that break a tie, the largest icon first.
    """

    id: str
    kind: Literal["nation", "event"]
    stability: int
    population: int
    points: int
    icons: tuple[FactionId, FactionId, FactionId, FactionId]
    event: Event | None = None


class Group(Struct, frozen=True, forbid_unknown_fields=True):
    """A group that a player may recruit."""

    id: str
    faction: FactionId
    influence: int


class Agent(Struct, frozen=True, forbid_unknown_fields=True):
    """An agent; both sides have the same six.  They act in the order of their initiative."""

    id: str
    initiative: int
    text: Said


class Faction(Struct, frozen=True, forbid_unknown_fields=True):
    """The power that all groups of a faction share."""

    id: FactionId
    text: Said


class Card(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """The stable id."""


C = TypeVar("C", bound=Card)


def read_objectives(raw: bytes) -> dict[str, Objective]:
    """The objectives by id.

    Raises:
        BadData: malformed, a repeated id, an incomplete tie order, a nation with an event, or an event card
            without one.
    """
    cards = _by_id(raw, list[Objective])
    for card in cards.values():
        if len(set(card.icons)) != len(FACTION_IDS):
            raise BadData(f"{card.id}: every faction stands once in the tie order")
        if (card.event is not None) != (card.kind == "event"):
            raise BadData(f"{card.id}: events, and no others, have a power")
    return cards


def read_groups(raw: bytes) -> dict[str, Group]:
    """The groups by id.

    Raises:
        BadData: malformed, a repeated id, or a faction without each influence from 1 to 6 once.
    """
    cards = _by_id(raw, list[Group])
    found = Counter((card.faction, card.influence) for card in cards.values())
    if found != Counter((faction, influence) for faction in FACTION_IDS for influence in range(1, 7)):
        raise BadData("every faction has the influences 1 to 6 once")
    return cards


def read_agents(raw: bytes) -> dict[str, Agent]:
    """The agents by id, in the order of their initiative.

    Raises:
        BadData: malformed, a repeated id, or initiatives that are not 1 to 6 in this order.
    """
    cards = _by_id(raw, list[Agent])
    if [card.initiative for card in cards.values()] != [1, 2, 3, 4, 5, 6]:
        raise BadData("the initiatives are 1 to 6, in this order")
    return cards


def read_factions(raw: bytes) -> dict[str, Faction]:
    """The factions by id.

    Raises:
        BadData: malformed, or not the four factions.
    """
    cards = _by_id(raw, list[Faction])
    if set(cards) != set(FACTION_IDS):
        raise BadData(f"the factions are {', '.join(FACTION_IDS)}")
    return cards


def _by_id(raw: bytes, kind: type[list[C]]) -> dict[str, C]:
    try:
        cards = msgspec.json.decode(raw, type=kind)
    except msgspec.DecodeError as error:
        raise BadData(str(error)) from error
    by_id = {card.id: card for card in cards}
    if len(by_id) != len(cards):
        raise BadData("two cards have the same id")
    return by_id


def _file(name: str) -> bytes:
    return (importlib.resources.files(__name__) / name).read_bytes()


OBJECTIVES = read_objectives(_file("objectives.json"))
GROUPS = read_groups(_file("groups.json"))
AGENTS = read_agents(_file("agents.json"))
FACTIONS = read_factions(_file("factions.json"))


def describe_components() -> Mapping[str, Any]:
    """Every card as plain data, for clients."""
    kinds: dict[str, Mapping[str, Struct]] = {
        "objectives": OBJECTIVES,
        "groups": GROUPS,
        "factions": FACTIONS,
        "agents": AGENTS,
    }
    return {kind: msgspec.to_builtins(list(cards.values())) for kind, cards in kinds.items()}
