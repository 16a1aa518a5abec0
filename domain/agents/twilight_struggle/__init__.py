"""What agents need of Twilight Struggle; other modules use `SPEC` alone."""

from __future__ import annotations

from domain.agents.spec import AgentSpec
from domain.agents.twilight_struggle.actions import actions
from domain.agents.twilight_struggle.deep import DEEP
from domain.agents.twilight_struggle.determinization import determinize
from domain.agents.twilight_struggle.encoding import encoding
from domain.agents.twilight_struggle.evaluation import evaluate, is_quiet
from domain.agents.twilight_struggle.policy import policy
from domain.agents.twilight_struggle.win_probability import win_probability
from domain.twilight_struggle import GAME

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
