"""What each viewer knows, over one match: never less than the facts showed, and never more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from types import GenericAlias
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.json import Decoder
from msgspec.structs import fields, replace

from domain.game import Game
from domain.kernel import CHANCE, HIDDEN, Answer, Refused, Seat, asked, decide, prompt
from domain.piles import Cards, Pile
from tests.domain.played import NOT_PLACES, Played, pile_ids, piles, placed


def check_views(game: Game, played: Played) -> None:
    """Check that the table which each viewer folds agrees with the real one after every fact."""
    truth: Any = played.start
    truths = [truth := fact.apply(truth) for fact in played.facts]
    for viewer in (*game.seats, None):
        before: tuple[Any, Any] = played.start, played.start
        universe: set[str] = set()
        for fact, *after in zip(played.facts, truths, played.told(viewer), strict=True):
            assert fact.known_to() is None or fact.outside() != fact, f"{fact} is private and hides nothing"
            truth, view = after
            universe |= pile_ids(truth)
            try:
                _agree_changed(before, (truth, view))
                _check_candidates(view, universe)
            except AssertionError as error:
                error.add_note(f"{viewer} after {fact}")
                raise
            before = truth, view


def _agree_changed(before: tuple[Any, Any], after: tuple[Any, Any]) -> None:
    """The fields of truth and view agree; those that a fact left as they were have been looked at."""
    truth, view = after
    assert type(view) is type(truth), f"{view!r} for {truth!r}"
    for name in view.__struct_fields__:
        pair = getattr(truth, name), getattr(view, name)
        same = pair[0] is getattr(before[0], name) and pair[1] is getattr(before[1], name)
        if name != "agenda" and not same:
            agree(*pair, name)


def agree(truth: Any, view: Any, where: str) -> None:
    """Every location is either equal or unknown."""
    if isinstance(view, str) and view == HIDDEN:
        return
    assert type(view) is type(truth), f"{where}: {view!r} for {truth!r}"
    if isinstance(view, Pile):
        _agree_pile(truth, view, where)
    elif isinstance(view, Struct):
        for name in view.__struct_fields__:
            if name != "agenda":
                agree(getattr(truth, name), getattr(view, name), name)
    elif isinstance(view, dict):
        assert view.keys() == truth.keys(), where
        for key in view:
            agree(truth[key], view[key], where)
    elif isinstance(view, tuple):
        _agree_tuple(truth, view, where)
    else:
        assert view == truth, f"{where}: {view!r} for {truth!r}"


def _agree_tuple(truth: tuple[Any, ...], view: tuple[Any, ...], where: str) -> None:
    """Hands are sets: the order of their hidden cards has no meaning."""
    assert len(view) == len(truth), f"{where}: {view!r} for {truth!r}"
    if all(isinstance(item, str) for item in view):
        known = Counter(item for item in view if item != HIDDEN)
        assert known <= Counter(truth), f"{where}: {view!r} for {truth!r}"
        return
    for real, told in zip(truth, view, strict=True):
        agree(real, told, where)


def _agree_pile(truth: Pile, view: Pile, where: str) -> None:
    assert view.size == truth.size, where
    assert truth.loose == len(truth.cards), where
    for ours, theirs in ((truth.top, view.top), (truth.bottom, view.bottom)):
        assert len(ours) == len(theirs), where
        assert all(face in (HIDDEN, real) for real, face in zip(ours, theirs, strict=True)), where
    assert set(truth.cards) <= set(view.cards), f"{where}: {set(truth.cards) - set(view.cards)} not expected"


def _check_candidates(view: Any, universe: set[str]) -> None:
    """The candidates of the piles are exactly the ids that the viewer cannot place."""
    candidates = set[str]().union(*(pile.cards for pile in piles(view)))
    known = set(placed(view, universe))
    assert not candidates & known, f"{candidates & known} are placed, yet expected in a pile"
    lost = universe - known - candidates
    assert not lost, f"{lost} are neither placed nor expected anywhere"


def check_reveals(game: Game, played: Played) -> None:
    """A viewer learns where a card is only by a draw or by a fact that says that it reveals something.

    Without that mark a takeback by agreement could go back behind what was shown.
    """
    for viewer in (*game.seats, None):
        universe: set[str] = set()
        known: set[str] = set()
        for (answer, decision), view in zip(played, played.told_between(viewer), strict=True):
            universe |= pile_ids(decision.table)
            before, known = known, set(placed(view, universe))
            marked = answer.seat == CHANCE or any(fact.reveals for fact in decision.facts)
            assert marked or known <= before, f"{viewer} learns {known - before} from {decision.facts}"


def check_secrets(game: Game, played: Played) -> int:
    """Nothing that a viewer is asked or sees depends on the place of unseen cards.

    At every table two cards of different places that the viewer cannot tell apart change places.  The prompt
    of the viewer must stay the same, and so must what follows from the next answer, up to the first fact that
    shows the viewer the difference.  Returned is how many pairs of worlds were compared.
    """
    rng, compared = Random(len(played)), 0
    views = [(viewer, played.told_between(viewer)) for viewer in (*game.seats, None)]
    for i, (_, decision) in enumerate(played[:-1]):
        table = decision.table
        parts = [set(part) for part in _places(table)]
        for viewer, told in views:
            pair = _parted_pair(told[i], parts, rng)
            if pair is not None:
                other = exchanged(game, table, *pair)
                _check_same_prompt(table, other, viewer, pair)
                _check_same_facts(table, other, viewer, played[i + 1][0], pair)
                compared += 1
    return compared


def _places(value: Any) -> Iterator[Cards]:
    """The cards in each place of a table; in one place they have no order, a fixed card is one by itself."""
    if isinstance(value, Pile):
        yield from (value.cards, *((card,) for card in value.top + value.bottom))
    elif isinstance(value, str):
        yield (value,)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            if name not in NOT_PLACES:
                yield from _places(getattr(value, name))
    elif isinstance(value, tuple) and value and all(isinstance(item, str) for item in value):
        yield value
    elif isinstance(value, (tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _places(item)


def _parted_pair(view: Any, places: list[set[str]], rng: Random) -> tuple[str, str] | None:
    """Two cards that a viewer cannot tell apart, of two places; None if there are none."""
    heaps = [pile.cards for pile in piles(view) if len(pile.cards) > 1]
    for heap in rng.sample(heaps, len(heaps)):
        parts = [part for place in places if (part := place.intersection(heap))]
        if len(parts) > 1:
            one, other = rng.sample(parts, 2)
            if apart := other - one:
                return rng.choice(sorted(one)), rng.choice(sorted(apart))
    return None


def unseen_pair(view: Any, rng: Random) -> tuple[str, str] | None:
    """Two cards that a viewer cannot tell apart."""
    heaps = [pile.cards for pile in piles(view) if len(pile.cards) > 1]
    if not heaps:
        return None
    first, second = rng.sample(rng.choice(heaps), 2)
    return first, second


def exchanged(game: Game, table: Any, first: str, second: str) -> Any:
    """The same table with two ids exchanged wherever they lie."""
    one, other = (f'"{name}"'.encode() for name in (first, second))
    changed: dict[str, Any] = {}
    for name, kind in _kinds(game).items():
        written = msgspec.json.encode(getattr(table, name))
        if one in written or other in written:
            swapped = other.join(part.replace(other, one) for part in written.split(one))
            changed[name] = kind.decode(swapped)
    return replace(table, **changed)


@cache
def _kinds(game: Game) -> dict[str, Decoder[Any]]:
    """How each field of a table is read, but for those that name no card that lies somewhere."""
    public = ("options", "edition", "effects")
    kinds = {field.name: field.type for field in fields(game.state) if field.name not in public}
    kinds["agenda"] = GenericAlias(tuple, (game.steps, ...))
    return {name: Decoder(kind) for name, kind in kinds.items()}


def _check_same_prompt(table: Any, other: Any, viewer: Seat | None, pair: tuple[str, str]) -> None:
    assert asked(table) == asked(other), f"who is asked depends on {pair}"
    if viewer is not None:
        ours, theirs = prompt(table, viewer), prompt(other, viewer)
        assert ours == theirs, f"the prompt of {viewer} depends on {pair}: {ours} or {theirs}"


def _check_same_facts(
    table: Any, other: Any, viewer: Seat | None, answer: Answer, pair: tuple[str, str]
) -> None:
    names = dict(zip(pair, reversed(pair), strict=True))
    if answer.seat == CHANCE:
        otherwise = Answer(CHANCE, tuple(names.get(pick, pick) for pick in answer.picks))
    elif any(word in names for pick in answer.picks for word in pick.split(":")):
        return  # a seat that sees the card names it
    else:
        otherwise = answer
    try:
        told, retold = decide(table, answer).facts, decide(other, otherwise).facts
    except Refused:
        assert answer.seat != viewer, f"whether {viewer} may answer {answer} depends on {pair}"
        return
    for one, two in zip(told, retold, strict=False):
        assert type(one) is type(two), f"what follows depends on {pair}: {one} or {two}"
        if one.seen_by(viewer) != two.seen_by(viewer):
            drawn = answer.seat == CHANCE and one.seen_by(viewer) == one
            assert drawn or type(one).reveals, f"{viewer} is told {one} or {two}: that depends on {pair}"
            return
    assert len(told) == len(retold), f"how much follows depends on {pair}"
