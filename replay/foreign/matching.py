"""Cards into draws: each card into one of the draws that may hold it, no draw beyond its size.

The cards come in the order of their importance: a card that once has its place keeps a place, whatever comes
after it, though it may be moved to another draw (the method of augmenting paths).  So the cards without a
place are the least important ones, and the answer depends on nothing but the question.
"""

from __future__ import annotations

from collections.abc import Sequence


def match(
    options: Sequence[Sequence[int]], room: Sequence[int], start: Sequence[int | None] = ()
) -> list[int | None]:
    """For each card the number of its draw, or None.

    `options`: the draws for each card, the best first; `room`: how many cards each draw takes.  `start`: the
    places from an earlier answer, which a card may have to exchange for another but never loses.
    """
    held: list[list[int]] = [[] for _ in room]
    for card, draw in enumerate(start):
        if draw is not None:
            held[draw].append(card)
    for card in range(len(options)):
        if card >= len(start) or start[card] is None:
            _place(card, options, room, held, set())
    places: list[int | None] = [None] * len(options)
    for draw, cards in enumerate(held):
        for card in cards:
            places[card] = draw
    return places


def _place(
    card: int,
    options: Sequence[Sequence[int]],
    room: Sequence[int],
    held: list[list[int]],
    tried: set[int],
) -> bool:
    """Finds a place for a card, moving others where they can go elsewhere."""
    for draw in options[card]:
        if draw in tried:
            continue
        tried.add(draw)
        if len(held[draw]) < room[draw]:
            held[draw].append(card)
            return True
        for other in held[draw]:
            if _place(other, options, room, held, tried):
                held[draw].remove(other)
                held[draw].append(card)
                return True
    return False
