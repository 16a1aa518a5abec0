"""Refusals in Russian: the sentences that the parts of the server say in English, told again.

What is refused by an id has its sentences in `domain.refusals`.  These tables are for those parts that still
speak one language: the store, the read models, card sets and the verification of match files.  A sentence
without an entry (a library's, say) stays as it is; a test sees to it that none of our own is missing.

What stands in braces is kept, but for some: `within` is a sentence itself, `seat` is told by its name, and a
list, a range or a place may hold a few words that are told (`_WORDS`).
"""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Mapping
from functools import cache

_FILES = ("details.file.ru.toml", "details.ru.toml")  # the widest comes last
_FIELD = re.compile(r"\\{(\w+)\\}")
_WORDS = {
    "legal": ((r"\b(\d+) to (\d+)\b", r"от \1 до \2"), (r"\ban object\b", "объект")),
    "wanted": ((r"\b(\d+) to (\d+)\b", r"от \1 до \2"),),
    "list": ((r" and ", " и "),),
}


def in_russian(detail: str, names: Mapping[str, str] | None = None) -> str:
    """The sentence in Russian, or as it is where the tables do not have it; `names`: of seats, by id.

    Several sentences in a row, such as the lines about a card set, are told one by one.
    """
    several = [_told(one, names or {}) for one in detail.split("; ")]
    if None not in several:
        return "; ".join(filter(None, several))
    return _told(detail, names or {}) or detail


def _told(sentence: str, names: Mapping[str, str]) -> str | None:
    for pattern, russian in _table():
        if found := pattern.fullmatch(sentence):
            given = found.groupdict()
            return russian.format_map({field: _filled(field, given[field], names) for field in given})
    return None


def _filled(field: str, value: str, names: Mapping[str, str]) -> str:
    """What stands in a field."""
    if field == "within":
        return _told(value, names) or value
    if field == "seat":
        return names.get(value, value)
    for english, russian in _WORDS.get(field, ()):
        value = re.sub(english, russian, value)
    return value


@cache
def _table() -> list[tuple[re.Pattern[str], str]]:
    folder = importlib.resources.files("api.http")
    files = [tomllib.loads((folder / name).read_text("utf-8")) for name in _FILES]
    return [(_pattern(entry["en"]), entry["ru"]) for file in files for entry in file["say"]]


def _pattern(english: str) -> re.Pattern[str]:
    return re.compile(_FIELD.sub(r"(?P<\1>.+?)", re.escape(english)), re.DOTALL)
