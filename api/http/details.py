"""Refusals in Russian: the sentences that the parts of the server say in English, told again.

The domain and the gate speak one language; this table at the edge knows the other.  A sentence without an
entry (a library's, say) stays as it is; a test sees to it that none of our own is missing.
"""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from functools import cache

_FIELD = re.compile(r"\\{(\w+)\\}")


def in_russian(detail: str) -> str:
    """The sentence in Russian, or as it is where the table does not have it.

    Several sentences in a row, such as the lines about a card set, are told one by one.
    """
    several = [_told(one) for one in detail.split("; ")]
    if None not in several:
        return "; ".join(filter(None, several))
    return _told(detail) or detail


def _told(sentence: str) -> str | None:
    for pattern, russian in _table():
        if found := pattern.fullmatch(sentence):
            return russian.format_map(found.groupdict())
    return None


@cache
def _table() -> list[tuple[re.Pattern[str], str]]:
    file = importlib.resources.files("api.http") / "details.ru.toml"
    entries = tomllib.loads(file.read_text("utf-8"))["say"]
    return [(_pattern(entry["en"]), entry["ru"]) for entry in entries]


def _pattern(english: str) -> re.Pattern[str]:
    return re.compile(_FIELD.sub(r"(?P<\1>.+?)", re.escape(english)), re.DOTALL)
