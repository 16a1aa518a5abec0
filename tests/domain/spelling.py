"""How the picks of a game are spelt, from what its steps say (`Step.spelling`, `Game.ids`)."""

from __future__ import annotations

import re
from functools import cache

from domain.game import Game
from domain.kernel import AnyStep, Draw, Step

NUMBER = "number"


def asking(game: Game) -> list[type[AnyStep]]:
    """The steps that have options, by name."""
    kinds: tuple[type[AnyStep], ...] = game.steps.__args__
    return sorted(
        (kind for kind in kinds if kind.options is not Step.options), key=lambda kind: kind.__name__
    )


@cache
def pattern(game: Game, kind: type[AnyStep]) -> re.Pattern[str]:
    """What every option of a step matches."""
    return re.compile("|".join(re.sub(r"\{(\w+)\}", lambda m: _any(game, m[1]), it) for it in kind.spelling))


def example(game: Game, form: str) -> str:
    """One pick of this form."""
    return re.sub(r"\{(\w+)\}", lambda m: "1" if m[1] == NUMBER else _ids(game, m[1])[0], form)


def table(game: Game) -> str:
    """The table of a game's page: each question, its forms, and an example of the one that says most."""
    rows = ["| Question | Answered by | Picks | For example |", "|---|---|---|---|"]
    for kind in asking(game):
        by = "chance" if issubclass(kind, Draw) else "a seat"
        forms = ", ".join(f"`{form}`" for form in kind.spelling)
        shown = example(game, max(kind.spelling, key=lambda form: form.count("{")))
        rows.append(f"| `{kind.__name__}` | {by} | {forms} | `{shown}` |")
    return "\n".join(rows) + "\n"


def _ids(game: Game, word: str) -> list[str]:
    return list(game.seats if word == "seat" else game.ids[word])


def _any(game: Game, word: str) -> str:
    return r"\d+" if word == NUMBER else f"(?:{'|'.join(map(re.escape, _ids(game, word)))})"
