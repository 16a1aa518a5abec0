"""The notice on matches that were played elsewhere, and the ids of their players.

The record of such a match says what was played, but neither the hands nor the draw pile.  To let the rules
follow the record, the importer works out hands that fit; they stand in the private parts of the log and prove
nothing.  `domain.match_base` shows them to no viewer.
"""

from __future__ import annotations

import re

IMPORTED = "imported"  # the origin of such a match
UPLOADED = "uploaded"  # the origin of any other match that came as a file, whatever its log says
MARK = {"en": "imported, unverified", "ru": "импортирована, не проверена"}
REMARK = {
    "en": "This match is imported, unverified: it was played elsewhere. The hands were not recorded, so they"
    " stay hidden; a die that was not recorded is any that fits.",
    "ru": "Эта партия импортирована, не проверена: она сыграна в другом месте. Карты на руках не записаны"
    " и потому скрыты; вместо незаписанного броска стоит любой подходящий.",
}

_PREFIX = "import:"
_ALIAS = re.compile(r"import:[0-9a-f]{12}:Player-([A-Z])")
_LONGEST = 64  # characters of a name


def alias(match: str, number: int) -> str:
    """The id of the `number`-th person (from 0) of a match whose names are withheld; `match` is in hex."""
    return f"{_PREFIX}{match[:12]}:Player-{chr(ord('A') + number)}"


def named(name: str) -> str:
    """The id of a person whose name is shown."""
    return f"{_PREFIX}{name[:_LONGEST]}"


def name_of(player: str) -> str | None:
    """The name of a player of an imported match; None if this is not the id of such a player."""
    if kept_back := _ALIAS.fullmatch(player):
        return f"Player {kept_back[1]}"
    return player.removeprefix(_PREFIX) if player.startswith(_PREFIX) else None
