"""Wars on random boards, with random tiles, readings and answers, come to their end."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from msgspec import json
from msgspec.structs import replace

from domain.imperial_struggle.components import (
    BOARD,
    BR,
    FR,
    MARKETS,
    NAVAL,
    OTHER,
    POLITICAL,
    SIDES,
    SPAIN,
    WAR_TILES,
    WARS,
)
from domain.imperial_struggle.facts.board import SquadronMoved
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.wars import War
from domain.kernel import HIDDEN, Answer, Fact, asked, begin, decide, fold, prompt
from domain.piles import Pile
from tests.domain.imperial_struggle.battles import war_table

CUBA = ("havana", "santiago", "puerto_principe")


def random_table(luck: random.Random, war: str) -> State:
    """A board full of flags, markers, damage and Squadrons, with tiles and readings at random."""
    flags = {space: luck.choice(SIDES) for space in BOARD if luck.random() < 0.6 and space not in NAVAL}
    for country in ("usa_prestige_2", "usa_prestige_3"):
        flags.pop(country, None)
    spanish = luck.random() < 0.5
    flags |= dict.fromkeys(CUBA, SPAIN) if spanish else {}
    sea = {space: luck.choice(SIDES) for space in luck.sample(NAVAL, 5)}
    options = {
        "spanish_empire": spanish,
        "tougher_forts": luck.random() < 0.5,
        "planned_layout": luck.random() < 0.5,
        "usa_isolation": luck.choice(("optional", "automatic")),
        "conquered_damage": luck.choice(("kept", "repaired")),
    }
    tiles: dict[str, dict[str, tuple[str, ...]]] = {}
    for side in SIDES:
        own = [tile.id for tile in WAR_TILES.values() if tile.side == side and not tile.war]
        extra = [tile.id for tile in WAR_TILES.values() if tile.side == side and tile.war == war]
        luck.shuffle(own)
        luck.shuffle(extra)
        tiles[side] = {
            face.id: (own.pop(), *(extra.pop() for _ in range(luck.randrange(3))))
            for face in WARS[war].theatres
        }
    return war_table(
        war,
        tiles,
        flags={**flags, **sea},
        conflicts={space: luck.randrange(2) for space in luck.sample(MARKETS + POLITICAL, 12)},
        damaged=tuple(space for space in ("arcot", "halifax", "louisbourg") if space in flags),
        huguenots={space: True for space in ("acadia", "louisiana") if flags.get(space) == FR},
        navy={BR: 2, FR: 1},
        unbuilt={side: 8 - 3 - list(sea.values()).count(side) for side in SIDES},
        vp=luck.randrange(10, 21),
        debt={BR: luck.randrange(7), FR: luck.randrange(7)},
        byng=luck.choice(("", WARS[war].theatres[0].id)),
        options=options,
    )


def answered(s: State, seat: str, luck: random.Random) -> Answer:
    found = prompt(s, seat)
    assert found is not None
    assert found.most <= len(found.options)
    return Answer(seat, tuple(luck.sample(found.options, luck.randint(found.least, found.most))))


def squadrons_of(s: State, side: str) -> int:
    return s.navy[side] + s.unbuilt[side] + sum(s.flags.get(space) == side for space in NAVAL)


def before(s: State, viewer: str | None) -> State:
    """The table as a viewer knows it: what lies face down is hidden, and may be any tile of its pool."""
    for side in SIDES if viewer is None else (OTHER[viewer],):
        basics, bonuses = (
            s.front[side].values(),
            [tile for laid in s.reinforcements[side].values() for tile in laid],
        )
        hidden = {name: (HIDDEN,) * len(laid) for name, laid in s.reinforcements[side].items()}
        s = replace(
            s,
            front={**s.front, side: dict.fromkeys(s.front[side], HIDDEN)},
            reinforcements={**s.reinforcements, side: hidden},
            basics={**s.basics, side: maybe(s.basics[side], basics)},
            bonuses={**s.bonuses, side: maybe(s.bonuses[side], bonuses)},
        )
    return s


def maybe(pile: Pile, tiles: Iterable[str]) -> Pile:
    """These tiles may lie in the pile, for all that a viewer knows."""
    return replace(pile, cards=tuple(sorted((*pile.cards, *tiles))))


@pytest.mark.parametrize("war", WARS)
def test_random_wars_come_to_their_end(war: str) -> None:
    luck, answers = random.Random(f"wars/{war}"), 0
    for _ in range(100):
        start = random_table(luck, war)
        decision = begin(start, (War(war),))
        facts, s = list(decision.facts), decision.table
        while seats := asked(s):
            decision = decide(s, answered(s, luck.choice(seats), luck))
            facts, s, answers = facts + decision.facts, decision.table, answers + 1
        assert_sound(start, s, facts)
    assert answers > 600


def assert_sound(start: State, s: State, facts: list[Fact[State]]) -> None:
    """The war is over, nothing got lost, and every viewer can follow it."""
    assert s.result is not None or s.phase == start.war
    assert s == json.decode(json.encode(s), type=State)
    assert fold(start, facts) == s
    for side in SIDES:
        gone = sum(
            isinstance(fact, SquadronMoved) and (fact.side, fact.to) == (side, "removed") for fact in facts
        )
        assert squadrons_of(s, side) + gone == squadrons_of(start, side)
        assert min(s.navy[side], s.unbuilt[side], s.treaty[side], s.refused[side]) >= 0
        assert s.refused[side] <= 2
    assert all(space in s.flags for space in s.damaged)
    assert all(s.owed[side] == 0 for side in SIDES)
    for viewer in (BR, FR, None):
        seen = fold(before(start, viewer), [fact.seen_by(viewer) for fact in facts])
        assert (seen.flags, seen.vp, seen.fought, seen.gone) == (s.flags, s.vp, s.fought, s.gone)
        for side in SIDES:
            assert seen.basics[side].size == s.basics[side].size
            assert set(seen.basics[side].cards) >= set(s.basics[side].cards)
            assert seen.front[side].keys() == s.front[side].keys()
        if not s.war:
            assert (seen.basics, seen.bonuses) == (s.basics, s.bonuses)
