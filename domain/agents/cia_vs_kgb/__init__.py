"""What agents need of CIA vs. KGB; other modules use `SPEC` alone."""

from __future__ import annotations

from domain.agents.cia_vs_kgb.actions import actions
from domain.agents.cia_vs_kgb.deep import DEEP
from domain.agents.cia_vs_kgb.determinization import determinize
from domain.agents.cia_vs_kgb.encoding import encoding
from domain.agents.cia_vs_kgb.evaluation import evaluate, is_quiet
from domain.agents.cia_vs_kgb.policy import policy
from domain.agents.cia_vs_kgb.win_probability import win_probability
from domain.agents.spec import AgentSpec
from domain.cia_vs_kgb import GAME

SPEC = AgentSpec(
    GAME,
    determinize=determinize,
    policy=policy,
    evaluate=evaluate,
    is_quiet=is_quiet,
    actions=actions,
    encoding=encoding,
    deep=DEEP,
    win_probability=win_probability,
)
