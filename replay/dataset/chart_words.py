"""The words of charts, English and Russian: `plots.toml`, and the names of the games."""

from __future__ import annotations

import importlib.resources
import tomllib
from functools import cache
from typing import Any

from domain.games import GAMES
from domain.kernel import Refused
from replay.dataset.reading import DataSet, OneMatch

LANGUAGES = ("en", "ru")


class Words:
    """The words of a chart in one language, and the names of its game."""

    def __init__(self, language: str, game: str) -> None:
        if language not in LANGUAGES:
            legal = ", ".join(LANGUAGES)
            raise Refused(
                "invalid", "query-value", {"parameter": "lang", "value": repr(language[:40]), "legal": legal}
            )
        self._said: dict[str, Any] = _said()[language]
        self._texts = GAMES[game].texts[language]

    def __call__(self, key: str, **values: object) -> str:
        said: Any = self._said
        for part in key.split("."):
            said = said[part]
        return str(said).format(**values)

    def name(self, id: str | None) -> str:
        """The name of a seat, a country, a card or a reason; of None: neither side."""
        return self("neither") if id is None else self._texts.name(id)


@cache
def _said() -> dict[str, dict[str, Any]]:
    text = importlib.resources.files(__package__).joinpath("plots.toml").read_text("utf-8")
    return tomllib.loads(text)


def percent(rate: float | None) -> str:
    return "" if rate is None else f"{100 * rate:.0f}"


def about_match(words: Words, match: OneMatch) -> str:
    """What match it is, and how it ended."""
    row = match.row
    reason = words.name(row.reason) if row.reason else "-"
    if row.winner:
        result = words("result", winner=words.name(row.winner), reason=reason)
    else:
        result = words("no_winner", reason=reason)
    about = words("of_match", match=row.match, edition=words.name(row.edition), pool=row.pool)
    return f"{about}; {result}"


def source(words: Words, data: DataSet, pool: str, n: int) -> str:
    return words("source", pool=pool, n=n, snapshot=data.snapshot[:19])
