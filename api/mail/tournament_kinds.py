"""What the entries of a tournament tell by mail, and to whom; the sentences are in `texts.*.toml`.

As in `api.mail.kinds` an item names an entry and nothing of its content: in `match` the tournament, in `move`
the entry, in `seat` the entrant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from api.store.interface import Item
from domain.tournaments import events as e
from domain.tournaments.history import TournamentLog
from domain.tournaments.state import Tournament

Found = Iterable[str]  # entrants


def _of_round(s: Tournament, entry: e.RoundPublished) -> Found:
    one = s.rounds[entry.round - 1]
    return [name for pair in one.pairs for name in pair[0].entrants] + [
        name for name, why in one.byes.items() if why == "pairing_bye"
    ]


def _of_board(s: Tournament, entry: e.ResultRecorded | e.Ruled) -> Found:
    return s.rounds[entry.round - 1].boards[entry.board - 1].entrants


KINDS: dict[type[e.Entry], tuple[str, Callable[[Tournament, Any], Found]]] = {
    e.Invited: ("invited", lambda s, entry: [entry.entrant]),
    e.RoundPublished: ("paired", _of_round),
    e.ResultRecorded: ("result", _of_board),
    e.Ruled: ("ruling", _of_board),
    e.ArbiterAnswered: ("call-answered", lambda s, entry: [s.calls[entry.call].entrant]),
    e.Published: ("published", lambda s, entry: [one.id for one in s.numbered]),
}
"""The kind of each entry that is told, and which entrants it concerns."""
NAMES = frozenset(name for name, _ in KINDS.values())


def items(log: TournamentLog, entries: range) -> Iterator[tuple[str, Item]]:
    """Yield players, and what some entries of a tournament tell them."""
    for number in entries:
        entry = log.records[number - 1].entry
        name, concerned = KINDS.get(type(entry), ("", None))
        if concerned is None:
            continue
        state = log.state_at(number)
        for entrant in concerned(state, entry):
            yield state.entrants[entrant].player, Item(name, log.id, entrant, number)


def still_stands(item: Item, s: Tournament, player: str) -> bool:
    """Does a player still have the place that an item is for?  An invitation lasts until it is accepted."""
    if item.kind == "invited":
        return is_kept(s, item.seat, player)
    one = s.entrants.get(item.seat)
    return one is not None and one.player == player


def is_kept(s: Tournament, entrant: str, player: str) -> bool:
    """Is a place kept for a player who has not taken it yet?"""
    one = s.entrants.get(entrant)
    return one is not None and one.player == player and one.status == "invited"
