"""What is said of matches that were played elsewhere, and what their players are called here.

The record of such a match tells what was played, but neither the hands nor the draw pile.  So that the rules
can be driven along it, hands that fit are worked out; they stand in the private parts of the log and prove
nothing.  `domain.history` sees to it that nobody is told them.
"""

from __future__ import annotations

import re

IMPORTED = "imported"  # the origin of such a match
UPLOADED = "uploaded"  # that of any other match that came as a file, whatever its log says
MARK = {"en": "imported, unverified", "ru": "импортирована, не проверена"}
REMARK = {
    "en": "This match is imported, unverified: it was played elsewhere. The hands were not recorded, so they"
    " stay hidden; a die that was not recorded is any that fits.",
    "ru": "Эта партия импортирована, не проверена: она сыграна в другом месте. Карты на руках не записаны"
    " и потому скрыты; вместо незаписанного броска стоит любой подходящий.",
}

_PREFIX = "import:"
_ALIAS = re.compile(r"import:[0-9a-f]{12}:Player-([A-Z])")
_LONGEST = 64  # of a name


def alias(match: str, number: int) -> str:
    """The id of the `number`-th person (from 0) of one match whose name is kept back; `match` in hex."""
    return f"{_PREFIX}{match[:12]}:Player-{chr(ord('A') + number)}"


def named(name: str) -> str:
    """The id of somebody who is named."""
    return f"{_PREFIX}{name[:_LONGEST]}"


def name_of(player: str) -> str | None:
    """What a player of an imported match is called; None where this is no id of such a player."""
    if kept_back := _ALIAS.fullmatch(player):
        return f"Player {kept_back[1]}"
    return player.removeprefix(_PREFIX) if player.startswith(_PREFIX) else None
