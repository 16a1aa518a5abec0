"""In which order cards of a hidden place are shown and kept: never in one that tells how they came there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.game import Game
from domain.kernel import HIDDEN, AnyFact, fold
from tests.domain.played import NOT_PLACES, Played, pile_ids, walk

Path = tuple[str, ...]
Places = dict[Path, tuple[str, ...]]

# Lists whose order is itself what happened: the first so many (None: all) of a list stand where they stand.
POSITIONS: dict[tuple[str, str], int | None] = {
    ("GroupsSeen", "groups"): None,  # from the top of the deck down
    ("GroupsArranged", "groups"): None,
    ("ObjectivesSeen", "objectives"): None,
    ("ObjectivesArranged", "objectives"): None,
    ("HandOrdered", "cards"): None,  # the order that the opponent, who sees the hand, gave it
    ("TilesRevealed", "br"): 1,  # the Basic tile, then the Bonus tiles
    ("TilesRevealed", "fr"): 1,
}
NAMED_BY_RULES = {"jacobite_uprisings"}  # facts move it without naming it, so it cannot pass for another
LOOKS = 12  # at so many tables of a match


def check_orders(played: Played) -> None:
    """Check that every list of cards that a fact hides or shows is in the order of their ids."""
    for fact, universe in _with_ids(played):
        for name, fixed, cards in _lists(fact, universe):
            loose = cards[fixed:]
            assert list(loose) == sorted(loose), f"{name} of {fact} tells an order"


def _with_ids(played: Played) -> Iterator[tuple[AnyFact, set[str]]]:
    """Each fact, and all ids that have lain in piles until then."""
    table: Any = played.start
    universe = {*pile_ids(table)}
    for fact in played.facts:
        table = fact.apply(table)
        universe |= pile_ids(table)
        yield fact, universe


def _lists(fact: AnyFact, universe: set[str]) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """The lists of hidden, or of revealed, cards in a fact: field, how many have a position, cards."""
    if fact.known_to() is None and not fact.reveals:
        return
    for name in fact.__struct_fields__:
        value = getattr(fact, name)
        fixed = POSITIONS.get((type(fact).__name__, name), 0)
        for cards in value.values() if isinstance(value, dict) else (value,):
            if fixed is None or not isinstance(cards, tuple):
                continue
            if name in fact.conceals or universe.issuperset(cards):
                yield name, fixed, cards


def check_histories(game: Game, played: Played) -> None:
    """How the cards of a hidden place came there leaves no trace on the table.

    Two cards of it change places in all that happened before: the table must not show any difference there,
    so nothing can that is told or asked later.  The same holds for facts of old logs, which told their cards
    in the order in which they were drawn or picked.
    """
    rng = Random(len(played))
    facts = played.facts
    old = [_reversed(fact, universe) for fact, universe in _with_ids(played)]
    for length in sorted(rng.sample(range(1, len(facts)), min(LOOKS, len(facts) - 1))):
        table: Any = fold(played.start, facts[:length])
        hidden = _hidden(game, played.start, facts[:length], table)
        if not hidden:
            continue
        _check_same(hidden, fold(played.start, old[:length]), "in an old log the cards stand otherwise")
        often = Counter(item for item in walk(table, NOT_PLACES) if isinstance(item, str))
        for cards in hidden.values():
            free = [card for card in cards if often[card] == 1 and card not in NAMED_BY_RULES]
            if len(free) > 1:
                first, second = rng.sample(free, 2)
                otherwise = fold(played.start, _renamed(facts[:length], first, second))
                _check_same(hidden, otherwise, f"the table tells which of {first} and {second} came first")


def _check_same(hidden: Places, table: Any, wrong: str) -> None:
    found = _tuples(table)
    for path, cards in hidden.items():
        assert found.get(path) == cards, f"{wrong}: {path} is {cards} or {found.get(path)}"


def _hidden(game: Game, start: Any, facts: list[AnyFact], truth: Any) -> Places:
    """The places with several cards of which some viewer does not know one."""
    views = [fold(start, [fact.seen_by(viewer) for fact in facts]) for viewer in (*game.seats, None)]
    unknown = {path for view in views for path, cards in _tuples(view).items() if HIDDEN in cards}
    return {path: cards for path, cards in _tuples(truth).items() if path in unknown and len(cards) > 1}


def _tuples(value: Any, path: Path = ()) -> Places:
    """Every tuple of texts on a table, by the path of names that leads to it."""
    if isinstance(value, tuple) and value and all(isinstance(item, str) for item in value):
        return {path: value}
    found: Places = {}
    if isinstance(value, Struct):
        for name in value.__struct_fields__:
            if name not in NOT_PLACES:
                found |= _tuples(getattr(value, name), (*path, name))
    elif isinstance(value, dict):
        for key, item in value.items():
            found |= _tuples(item, (*path, key))
    return found


def _reversed(fact: AnyFact, universe: set[str]) -> AnyFact:
    """The fact with its lists of cards the other way round."""
    changed: dict[str, Any] = {}
    for name, fixed, cards in _lists(fact, universe):
        if isinstance(getattr(fact, name), tuple):
            changed[name] = (*cards[:fixed], *reversed(cards[fixed:]))
    return replace(fact, **changed)


def _renamed(facts: list[AnyFact], first: str, second: str) -> list[AnyFact]:
    """The same facts with two cards exchanged."""
    names = {first: second, second: first}

    def swap(value: Any) -> Any:
        if isinstance(value, str):
            return names.get(value, value)
        if isinstance(value, (list, tuple)):
            return [swap(item) for item in value]
        if isinstance(value, dict):
            return {key: swap(item) for key, item in value.items()}
        return value

    named = [any(item in names for item in walk(fact)) for fact in facts]
    return [
        msgspec.convert(swap(msgspec.to_builtins(fact)), type(fact)) if hit else fact
        for fact, hit in zip(facts, named, strict=True)
    ]
