"""What each view of a match was shown, move by move, and how its table looked: for disputes.

Who may be shown a view is decided before; a seat is the one that its player has after the last move shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from domain.kernel import Seat
from domain.match import Match
from replay.audit import Offer
from replay.narration import narrate
from replay.positions import table_at
from replay.scenes.positions import SPECTATOR, scene_at
from replay.scenes.vocabulary import Cards
from replay.terminal import as_text, table_picture
from replay.words import Words

_WIDTH = 58  # characters of a table beside two others


class MoveSaid(Struct, frozen=True):
    """What views were shown with one move: the sentences of each view."""

    move: int
    said: dict[str, tuple[str, ...]]

    @property
    def differs(self) -> bool:
        """Was a view shown something else than another one?"""
        return len(set(self.said.values())) > 1


class Hand(Struct, frozen=True):
    """Cards that lie somewhere, by their names, and how many more lie face down."""

    title: str
    cards: tuple[str, ...]
    hidden: int


class Choice(Struct, frozen=True):
    """An option of a question in words, and whether it was taken."""

    option: str
    taken: bool


def said_with(
    match: Match, words: Words, views: Sequence[str], numbers: range, people: Mapping[str, str]
) -> Iterator[MoveSaid]:
    """Yield what each view was shown with each move.

    Args:
        views: "spectator", or seats after the last of the moves.
        numbers: the moves.
        people: names of players by id.

    Raises:
        NoView: see `replay.positions`.
    """
    chairs = {
        view: None if view == SPECTATOR else match.chair_of(view, numbers[-1] if numbers else None)
        for view in views
    }
    for number in numbers:
        said = {}
        for view, chair in chairs.items():
            seat = match.seat_of(chair, number) if chair else None
            paragraph = narrate(match, number, words, seat, people)
            said[view] = tuple(sentence.text for sentence in paragraph.sentences)
        yield MoveSaid(number, said)


def hands(match: Match, words: Words, move: int, seat: Seat | None) -> list[Hand]:
    """Return the cards that a viewer (None: a spectator) knew to lie somewhere after a move."""
    panels = scene_at(match, move, seat).panels
    return [
        Hand(
            " · ".join(map(words.field, name.split("."))),
            tuple(words.name(card) for card in _in_order(panel)),
            panel.hidden,
        )
        for name, panel in panels.items()
        if isinstance(panel, Cards) and not panel.folded
    ]


def _in_order(panel: Cards) -> list[str]:
    return sorted(panel.cards, key=lambda card: (panel.cards[card], card))


def table_text(match: Match, words: Words, move: int, seat: Seat | None, width: int = _WIDTH) -> str:
    """Return the whole table after a move as a viewer (None: a spectator) saw it, as text."""
    return as_text(table_picture(table_at(match, move, seat), words), width)


def choices(offer: Offer, words: Words) -> list[Choice]:
    """Return the options of a question in words, those that were taken first."""
    taken = set(offer.picks)
    options = sorted(offer.options, key=lambda option: option not in taken)
    return [Choice(words.picks(offer.ask, [option]).text, option in taken) for option in options]
