"""What agents need of 13 Minutes; other modules use `SPEC` alone."""

from __future__ import annotations

from domain.agents.spec import AgentSpec
from domain.agents.thirteen_minutes.actions import actions
from domain.agents.thirteen_minutes.deep import DEEP
from domain.agents.thirteen_minutes.determinization import determinize
from domain.agents.thirteen_minutes.encoding import encoding
from domain.agents.thirteen_minutes.evaluation import evaluate, is_quiet
from domain.agents.thirteen_minutes.policy import policy
from domain.agents.thirteen_minutes.win_probability import win_probability
from domain.thirteen_minutes import GAME

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
