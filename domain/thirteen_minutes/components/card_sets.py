"""The check of an owner's card set: it names every wrong field, all of them at once.

The file has the form of reconstruction.json, with a title for every card and, optionally, the text of its
event; both are one text, or a text for each language:

    {"label": "my box", "cards": [{"id": "us-1", "title": {"en": "...", "ru": "..."}, "alignment": "us",
      "command": 3, "defcon": "military", "event": {"text": "...", "steps": [{"op": "place", ...}]}}, ...]}

A check is a function of a value, its place ("cards[3].command") and the list of problems; it returns the
value completed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from domain.kernel import CHANCE, Refused
from domain.refusals import Sentence
from domain.texts import LANGUAGES
from domain.thirteen_minutes.board import ALIGNMENTS, CARDS, COLOURS, CUBA, CUBES, SPHERE, UN, US, USSR, ZONES

Check = Callable[[Any, str, list[Sentence]], Any]

REQUIRED = object()  # as a default: the field must be given
LEFT_OUT = object()  # as a default: a field that is not given stays out of the result
STRONGEST_COMMAND = 3
USUAL = {US: 5, USSR: 5, UN: 3}
ID = re.compile(r"[a-z][a-z0-9_-]{0,39}")
RESERVED = frozenset(
    {*ALIGNMENTS, *ZONES, *SPHERE.values(), *COLOURS, CUBA, CHANCE}
    | {
        "event",
        "command",
        "place",
        "remove",
        "both",
        "own",
        "reconstruction",
        "standard",
        "thirteen_minutes",
        "turn",
    }
    | {"more_points", "equal_points", "nuclear_war", "nuclear_war_both"}
    | {"campaign_points", "campaign_equal", "campaign_over"}
)


class Field(Struct, frozen=True):
    """One field of an object: its check, and the value if it is not given."""

    check: Check
    default: Any = REQUIRED


def checked(data: Mapping[str, Any]) -> dict[str, Any]:
    """The card set with everything written out, as it is recorded in the log.

    Raises:
        Refused: bad-option, with one line for each wrong field, joined by "; ".
    """
    problems: list[Sentence] = []
    card_set = _CARD_SET(data, "", problems)
    if problems:
        raise Refused("bad-option", "card-set", {"problems": problems})
    completed: dict[str, Any] = {**card_set, "warnings": _warnings(card_set["cards"])}
    return completed


def _warnings(cards: list[dict[str, Any]]) -> list[str]:
    """What differs from the published cards is not an error, because only one source describes those."""
    found = Counter(card["alignment"] for card in cards)
    if found == USUAL:
        return []
    counts = ", ".join(f"{found[alignment]} {alignment}" for alignment in ALIGNMENTS)
    usual = ", ".join(f"{count} {alignment}" for alignment, count in USUAL.items())
    return [f"this set has {counts}; the published cards are said to be {usual}"]


# --------------------------------------------------------------------------- checks of single values


def _wrong(problems: list[Sentence], place: str, expected: str | Sentence, value: Any) -> None:
    got = json.dumps(value, ensure_ascii=False, default=str)
    given = got if len(got) <= 60 else got[:57] + "..."
    problems.append(Sentence("card-set-value", {"where": place, "wanted": expected, "given": given}))


def _integer(least: int, most: int) -> Check:
    def check(value: Any, place: str, problems: list[Sentence]) -> Any:
        if type(value) is not int or not least <= value <= most:
            _wrong(problems, place, Sentence("range", {"least": least, "most": most}), value)
        return value

    return check


def _one_of(*words: str | bool) -> Check:
    def check(value: Any, place: str, problems: list[Sentence]) -> Any:
        if not any(type(value) is type(word) and value == word for word in words):
            _wrong(problems, place, " or ".join(json.dumps(word) for word in words), value)
        return value

    return check


def _list_of(item: Check) -> Check:
    def check(value: Any, place: str, problems: list[Sentence]) -> Any:
        if not isinstance(value, list):
            _wrong(problems, place, "a list", value)
            return []
        return [item(entry, f"{place}[{i}]", problems) for i, entry in enumerate(value)]

    return check


def _text(value: Any, place: str, problems: list[Sentence]) -> Any:
    if not isinstance(value, str) or not value.strip():
        _wrong(problems, place, "a text", value)
    return value


def _words(value: Any, place: str, problems: list[Sentence]) -> Any:
    """One text for all languages, or a text for each."""
    if isinstance(value, str):
        return dict.fromkeys(LANGUAGES, _text(value, place, problems))
    return _object(dict.fromkeys(LANGUAGES, Field(_text)))(value, place, problems)


def _id(value: Any, place: str, problems: list[Sentence]) -> Any:
    if not isinstance(value, str) or not ID.fullmatch(value):
        _wrong(problems, place, "small letters, digits, - and _, a letter first", value)
    elif value in RESERVED:
        _wrong(problems, place, "an id that the game does not use itself", value)
    return value


def _object(fields: Mapping[str, Field], ignored: tuple[str, ...] = ()) -> Check:
    def check(value: Any, place: str, problems: list[Sentence]) -> Any:
        if not isinstance(value, dict):
            _wrong(problems, place, "an object", value)
            return {}
        problems.extend(
            Sentence("card-set-field", {"where": _at(place, name), "known": list(fields)})
            for name in value
            if name not in fields and name not in ignored
        )
        return {
            name: _member(value, name, field, place, problems)
            for name, field in fields.items()
            if name in value or field.default is not LEFT_OUT
        }

    return check


def _member(value: dict[str, Any], name: str, field: Field, place: str, problems: list[Sentence]) -> Any:
    if name in value:
        return field.check(value[name], _at(place, name), problems)
    if field.default is REQUIRED:
        problems.append(Sentence("card-set-missing", {"where": _at(place, name)}))
    return field.default


def _at(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


# --------------------------------------------------------------------------- cards


_FILTER = _object(
    {
        "colour": Field(_list_of(_one_of(*COLOURS)), LEFT_OUT),
        "zone": Field(_list_of(_one_of("neutral", "executor", "opponent")), LEFT_OUT),
        "cuba": Field(_one_of(True, False), LEFT_OUT),
        "has_opponent_cubes": Field(_one_of(True), LEFT_OUT),
    }
)
_CUBES = Field(_integer(1, CUBES))
_TERRITORIES = Field(_integer(1, CARDS))
_OWN = Field(_one_of("executor"), "executor")
_WHERE = Field(_FILTER, {})
_DIRECTION = Field(_one_of("either", "toward_executor", "toward_opponent", "toward_neutral"))
_OPS: dict[str, dict[str, Field]] = {
    "place": {"cubes_of": _OWN, "per_territory": _CUBES, "territories": _TERRITORIES, "filter": _WHERE},
    "remove": {
        "cubes_of": Field(_one_of("executor", "opponent")),
        "per_territory": _CUBES,
        "territories": _TERRITORIES,
        "filter": _WHERE,
    },
    "transfer": {"cubes_of": _OWN, "up_to": _CUBES, "filter": _WHERE},
    "shift": {"territories": _TERRITORIES, "direction": _DIRECTION, "filter": _WHERE},
    "command": {"cubes": _CUBES, "filter": _WHERE},
    "peek_cuba": {},
    "peek_hand": {},
    "swap_with_deck_top": {},
}
_OP = Field(_one_of(*_OPS))


def _step(value: Any, place: str, problems: list[Sentence]) -> Any:
    op = value.get("op") if isinstance(value, dict) else None
    fields = _OPS.get(op) if isinstance(op, str) else None
    if fields is None:  # only the op says which other fields belong here
        return _object({"op": _OP}, ignored=tuple(value) if isinstance(value, dict) else ())(
            value, place, problems
        )
    return _object({"op": _OP, **fields})(value, place, problems)


_EVENT = _object(
    {"steps": Field(_list_of(_step)), "text": Field(_words, LEFT_OUT), "optional": Field(_one_of(True), True)}
)


def _event(value: Any, place: str, problems: list[Sentence]) -> Any:
    """`optional` may be given, and must be true: every step may be declined."""
    event = _EVENT(value, place, problems)
    return {name: event[name] for name in ("steps", "text") if name in event}


_CARD = _object(
    {
        "id": Field(_id),
        "title": Field(_words),
        "alignment": Field(_one_of(*ALIGNMENTS)),
        "command": Field(_integer(1, STRONGEST_COMMAND)),
        "defcon": Field(_one_of(*COLOURS)),
        "event": Field(_event),
    },
    ignored=("status",),
)


def _cards(value: Any, place: str, problems: list[Sentence]) -> Any:
    cards = _list_of(_CARD)(value, place, problems)
    if isinstance(value, list) and len(value) != CARDS:
        about = {"where": place, "wanted": f"{CARDS} cards", "given": str(len(value))}
        problems.append(Sentence("card-set-value", about))
    first: dict[Any, int] = {}
    for i, card in enumerate(cards):
        if isinstance(card.get("id"), str) and first.setdefault(card["id"], i) != i:
            twice = {"id": repr(card["id"]), "other": f"{place}[{first[card['id']]}]"}
            problems.append(Sentence("card-set-id", {"where": f"{place}[{i}].id", **twice}))
    return cards


_CARD_SET = _object({"label": Field(_text, LEFT_OUT), "cards": Field(_cards)}, ignored=("warnings",))
