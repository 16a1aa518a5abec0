"""What agents need of Imperial Struggle; other modules use `SPEC` alone."""

from __future__ import annotations

from domain.agents.imperial_struggle.actions import actions
from domain.agents.imperial_struggle.deep import DEEP
from domain.agents.imperial_struggle.determinization import determinize
from domain.agents.imperial_struggle.encoding import encoding
from domain.agents.imperial_struggle.evaluation import evaluate, is_quiet
from domain.agents.imperial_struggle.policy import policy
from domain.agents.imperial_struggle.win_probability import win_probability
from domain.agents.spec import AgentSpec
from domain.imperial_struggle import GAME

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
