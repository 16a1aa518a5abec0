"""What a client shows of each card or tile of a game: a number, a side, kinds, and what it does.

They come from the components of the game, whose parts differ from game to game: here is one small function
for each game.  Of another game every component with an id is a card, with the number that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from domain.game import Game, Options
from domain.kernel import Seat
from replay.words import Words

Components = Mapping[str, Any]
_NUMBERS = ("value", "points", "ops", "vp")


class CardWords(Struct, frozen=True, omit_defaults=True):
    """A card or a tile as it is shown.

    `value` stands in its corner; `seat` is the side that it belongs to; `kinds` are ids that have a name;
    `text` says what it does.
    """

    value: int | None = None
    seat: Seat = ""
    kinds: tuple[str, ...] = ()
    text: str = ""


Shown = Iterator[tuple[str, CardWords]]


def card_words(game: Game, options: Options, words: Words) -> dict[str, CardWords]:
    """Return every card of a game, or of a match with these options, by its id."""
    components: Components = game.components()
    made = _CARDS.get(game.name)
    shown = made(components, options, words) if made else _any(components, game.seats, words)
    return dict(shown)


def _any(components: Components, seats: tuple[Seat, ...], words: Words) -> Shown:
    for part in components.values():
        for card in part if isinstance(part, (list, tuple)) else ():
            if not isinstance(card, Mapping) or card.get("id") not in words.texts.names:
                continue
            value = next((card[name] for name in _NUMBERS if type(card.get(name)) is int), None)
            seat = card.get("side", "")
            text = words.texts.card(card["id"]) or ""
            yield card["id"], CardWords(value, seat if seat in seats else "", (), text)


def _twilight_struggle(components: Components, options: Options, words: Words) -> Shown:
    for card in components["cards"]:
        side = card["side"]
        scoring = side == "scoring"
        marks = tuple(mark for mark in ("war", "starred", "lasting") if card[mark])
        kinds = (*(("scoring",) if scoring else ()), card["period"], *marks)
        seat = side if side in words.seats else ""
        text = words.texts.card(card["id"]) or ""
        yield card["id"], CardWords(None if scoring else card["ops"], seat, kinds, text)


def _imperial_struggle(components: Components, options: Options, words: Words) -> Shown:
    def text(id: str) -> str:
        return words.texts.card(id) or ""

    for card in components["events"]:
        yield card["id"], CardWords(kinds=(card["era"],), text=text(card["id"]))
    for card in components["ministries"]:
        kinds = (*card["keywords"], *card["eras"])
        yield card["id"], CardWords(None, card["side"], kinds, text(card["id"]))
    for tile in components["investments"]:
        marks = tuple(mark for mark in ("event", "upgrade") if tile.get(mark))
        yield tile["id"], CardWords(tile["points"], "", (tile["major"], tile["minor"], *marks))
    for tile in components["awards"]:
        yield tile["id"], CardWords(tile["vp"], text=text(tile["id"]))
    for tile in components["war_tiles"]:
        yield tile["id"], CardWords(tile["value"], tile["side"])
    for tile in components["advantages"]:
        yield tile["id"], CardWords(kinds=(tile["region"],), text=text(tile["id"]))


def _thirteen_minutes(components: Components, options: Options, words: Words) -> Shown:
    own = options.get("card_set")
    card_set = own if isinstance(own, dict) else components["card_set"]
    for card in card_set["cards"]:
        side = card["alignment"]
        seat = side if side in words.seats else ""
        kinds = (card["defcon"],) if seat else (side, card["defcon"])
        text = words.texts.names.get(f"{card['id']}.event", "")
        yield card["id"], CardWords(card["command"], seat, kinds, text)


def _cia_vs_kgb(components: Components, options: Options, words: Words) -> Shown:
    does = {faction["id"]: faction["text"][words.language] for faction in components["factions"]}
    for group in components["groups"]:
        kind = group["faction"]
        yield group["id"], CardWords(group["influence"], "", (kind,), does[kind])
    for objective in components["objectives"]:
        text = objective["event"]["text"][words.language] if "event" in objective else ""
        yield objective["id"], CardWords(objective["stability"], "", tuple(objective["icons"]), text)
    for agent in components["agents"]:
        yield agent["id"], CardWords(agent["initiative"], "", (), agent["text"][words.language])


_CARDS: dict[str, Callable[[Components, Options, Words], Shown]] = {
    "twilight_struggle": _twilight_struggle,
    "imperial_struggle": _imperial_struggle,
    "thirteen_minutes": _thirteen_minutes,
    "cia_vs_kgb": _cia_vs_kgb,
}
