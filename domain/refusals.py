"""What is refused, and why: one exception, and its sentences in each language, by id.

A refusal is an id with its values.  The sentences stand in `refusals.<language>.toml` beside this module; to
add a refusal is to add one id there, with its sentence in each language.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from domain.kernel import Reason

Value = str | int | Reason | Sequence[str]

QUOTED = "quoted"  # its value `said` is a sentence of a part of the program that has no ids yet


class Refused(Exception):
    """A request that is refused; nothing has changed.

    `kind` is a stable name, to which a protocol assigns a status; `id` and `values` are of the sentence that
    says why.  A value may be a list, or a sentence itself.  `headers` are what HTTP sends besides.
    """

    def __init__(
        self,
        kind: str,
        id: str,
        values: Mapping[str, Value] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.kind, self.id, self.values = kind, id, dict(values or {})
        self.headers = dict(headers or {})
        super().__init__(self.text("en"))

    def text(self, language: str) -> str:
        """Why, in a sentence."""
        return text(language, self.id, self.values)


class _Sentence(Formatter):
    """Fills in a sentence: a list is joined by what is behind its colon (`{roles: or }`), or by commas."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Reason):
            return text(self._language, value.id, value.values)
        if isinstance(value, list | tuple):
            return (format_spec or ", ").join(value)
        return str(value)


def text(language: str, id: str, values: Mapping[str, Value]) -> str:
    """The sentence of this id in a language, filled in."""
    return _Sentence(language).vformat(sentences(language)[id], (), values)


@cache
def sentences(language: str) -> dict[str, str]:
    """The sentences in a language, by id."""
    path = Path(__file__).with_name(f"refusals.{language}.toml")
    return tomllib.loads(path.read_text("utf-8"))
