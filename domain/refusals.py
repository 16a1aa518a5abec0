"""The sentences that say why something is refused (`domain.kernel.Refused`), in each language, by id.

They are in `refusals.<language>.toml` beside this module.  To add a refusal, add one id there, with its
sentence in each language.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from msgspec import Struct

QUOTED = "quoted"  # its value `said` is a sentence by its id, or a library's message, which stays English
SEATS = ("seat", "seats")  # values that are ids of seats: their names replace them if the caller gives names


class Sentence(Struct, frozen=True):
    """A sentence by its id, with its values; it may be a value of another one."""

    id: str
    values: Mapping[str, Value] = {}

    def __str__(self) -> str:
        return text("en", self.id, self.values)


Value = str | int | Sentence | Sequence[str | Sentence]


class _Filling(Formatter):
    """Fills in a sentence: a list is joined by the text after its colon (`{roles: or }`), or by commas."""

    def __init__(self, language: str, names: Mapping[str, str]) -> None:
        self._language, self._names = language, names

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        value, key = super().get_field(field_name, args, kwargs)
        if field_name not in SEATS:
            return value, key
        if isinstance(value, str):
            return self._names.get(value, value), key
        return [self._names.get(seat, seat) for seat in value], key

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Sentence):
            return text(self._language, value.id, value.values, self._names)
        if isinstance(value, list | tuple):
            return (format_spec or ", ").join([self.format_field(one, "") for one in value])
        return str(value)


def text(language: str, id: str, values: Mapping[str, Value], names: Mapping[str, str] | None = None) -> str:
    """The sentence of this id in a language, filled in; `names` are those of seats, by id."""
    return _Filling(language, names or {}).vformat(sentences(language)[id], (), values)


@cache
def sentences(language: str) -> dict[str, str]:
    """The sentences in a language, by id."""
    path = Path(__file__).with_name(f"refusals.{language}.toml")
    return tomllib.loads(path.read_text("utf-8"))
