"""What agents need of each game: specs by game.

Rules never import agents, and agents of different games never import one another.

`AGENTS` is the table that other packages use; a game's own package offers one `SPEC`.
"""

from __future__ import annotations

from typing import Any

from domain.agents import cia_vs_kgb, imperial_struggle, thirteen_minutes, twilight_struggle
from domain.agents.spec import AgentSpec

AGENTS: dict[str, AgentSpec[Any]] = {
    spec.game.name: spec
    for spec in (thirteen_minutes.SPEC, cia_vs_kgb.SPEC, twilight_struggle.SPEC, imperial_struggle.SPEC)
}
