"""The words of one game in one language, and what a client needs to show any of its scenes.

A scene names ids, seats and fields; here are the names of all of them, so that a client knows no game.  Who
shows a match gives the options of that match: they can bring names of their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import replace

from domain.game import Game, Option, Options, OptionValue
from domain.kernel import HIDDEN, Seat, Table
from replay.boards.drawing import BOARDS
from replay.card_words import CardWords, card_words
from replay.words import Words

HASH = 24  # hexadecimal digits


class SeatWords(Struct, frozen=True):
    """A seat with its name, and one letter that no other seat of the game has."""

    id: Seat
    name: str
    letter: str


class ChoiceWords(Struct, frozen=True):
    """One legal value of an option, and what it means."""

    value: str | bool
    label: str


class OptionWords(Struct, frozen=True):
    """An option in words.

    `choices`: its legal values; `least` and `most`: the range of a number.  `none` says what null means, and
    is null if the option is never null.  `data`: it may also be an object, which the game checks.
    """

    name: str
    about: str
    default: OptionValue
    choices: tuple[ChoiceWords, ...]
    least: int | None
    most: int | None
    none: str | None
    data: bool


class RegionWords(Struct, frozen=True):
    """A region of a board, and the part of the drawing (x, y, width, height) that shows it.

    `about`: what is printed beside its name, in words.
    """

    id: str
    name: str
    view: tuple[int, int, int, int]
    about: str


class SpaceWords(Struct, frozen=True, omit_defaults=True):
    """What the drawing shows of a space by its place.

    `places`: the regions in which it lies, the widest first; `near`: the ids of what it is connected to;
    `routes`: where military routes lead from it.
    """

    places: tuple[str, ...]
    near: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()


class BoardWords(Struct, frozen=True):
    """The size of a board's drawing, its regions in order, and its spaces by id."""

    width: int
    height: int
    regions: tuple[RegionWords, ...]
    spaces: dict[str, SpaceWords]


class GameWords(Struct, frozen=True):
    """A game in one language, for one edition.

    `seats`: in the order of the rulebook.  `names`: of every id.  `cards`: every id that is drawn as a card,
    with what it says.  `fields`: names of the fields, panels and columns that scenes
    can show; of a panel `hands.us` each part has its own name, in `fields` or in `names`.  `counts`: the
    forms of the noun that a field counts, in the order of the plural rules of CLDR (one, few, many; "": of
    cards).  `backstage`: fields of the table that no scene shows; `idle`: those that are shown only if they
    are not 0.  `board`: null if the game is played without one.  `hash`: of everything else.
    """

    game: str
    language: str
    title: str
    edition: str
    editions: dict[str, str]
    seats: tuple[SeatWords, ...]
    names: dict[str, str]
    cards: dict[str, CardWords]
    fields: dict[str, str]
    counts: dict[str, tuple[str, ...]]
    backstage: tuple[str, ...]
    idle: tuple[str, ...]
    options: tuple[OptionWords, ...]
    board: BoardWords | None
    hash: str = ""

    def hashed(self) -> GameWords:
        """Return the same with the hash of everything else."""
        plain = msgspec.json.encode(replace(self, hash=""))
        return replace(self, hash=hashlib.sha256(plain).hexdigest()[:HASH])


def game_words(
    game: Game, language: str, edition: str | None = None, options: Mapping[str, OptionValue] | None = None
) -> GameWords:
    """Return the words of a game, or of one match of it, whose edition and options are given.

    Raises:
        Refused: bad-option; there is no such edition or option.
        ValueError: there are no words in this language.
    """
    edition, settled = game.settle(edition, options or {})
    words = Words.of_game(game, edition, settled, language)
    return GameWords(
        game=game.name,
        language=language,
        title=words.game,
        edition=edition,
        editions={each: words.field(each) for each in game.editions},
        seats=tuple(SeatWords(seat, words.name(seat), words.letters[seat]) for seat in game.seats),
        names={id: words.name(id) for id in (*words.texts.names, HIDDEN)},
        cards=card_words(game, settled, words),
        fields=_fields(game, words),
        counts=words.counts,
        backstage=game.backstage,
        idle=game.idle,
        options=tuple(_option(option, words) for option in game.options),
        board=_board(game, settled, words),
    ).hashed()


def title_of(game: Game, language: str) -> str:
    """Return the title of a game."""
    return game.texts[language].name(game.name)


def _fields(game: Game, words: Words) -> dict[str, str]:
    """The fields that have a name, and those of the table that have none, by their identifiers."""
    shown = (field for field in _fields_of(game.state) if field not in (*game.backstage, "agenda", "options"))
    return {field: words.field(field) for field in shown} | words.fields


def _fields_of(table: type[Table]) -> Iterator[str]:
    """The fields of a table, and of every struct in it."""
    waiting: list[Any] = [inspect.type_info(table)]
    seen = set[type]()
    while waiting:
        kind = waiting.pop(0)
        if isinstance(kind, inspect.StructType) and kind.cls not in seen:
            seen.add(kind.cls)
            yield from (field.name for field in kind.fields)
            waiting += [field.type for field in kind.fields if field.name not in ("agenda", "options")]
        for name in ("type", "types", "item_type", "item_types", "value_type"):
            below = getattr(kind, name, ())
            waiting += below if isinstance(below, tuple) else [below]


def _option(option: Option, words: Words) -> OptionWords:
    texts = words.texts.option(option.name)
    choices = tuple(ChoiceWords(value, _label(value, texts)) for value in option.choices)
    none = texts.get("none", words.shown("nothing")) if option.none else None
    return OptionWords(
        name=option.name,
        about=texts.get("about", words.field(option.name)),
        default=option.default,
        choices=choices,
        least=option.least,
        most=option.most,
        none=none,
        data=option.data is not None,
    )


def _label(value: str | bool, texts: Mapping[str, str]) -> str:
    plain = str(value).lower() if isinstance(value, bool) else value
    return texts.get(plain, plain)


def _board(game: Game, options: Options, words: Words) -> BoardWords | None:
    made = BOARDS.get(game.name)
    if made is None:
        return None
    board = made(options)
    regions = tuple(
        RegionWords(area.id, words.name(area.id), area.view, _printed(board.worth.get(area.id, {}), words))
        for area in board.layout.regions
    )
    spaces = {space.spot.id: SpaceWords(space.places, space.near, space.routes) for space in board.spaces}
    return BoardWords(board.layout.width, board.layout.height, regions, spaces)


def _printed(worth: Mapping[str, int | None], words: Words) -> str:
    """What each state of a region scores."""
    scores = ((words.field(state), words.shown("wins") if n is None else n) for state, n in worth.items())
    return ", ".join(f"{state}: {score}" for state, score in scores)
