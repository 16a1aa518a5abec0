"""Imperial Struggle for searches that look ahead: what they use."""

from __future__ import annotations

from domain.agents.imperial_struggle.evaluation import evaluate, is_quiet
from domain.agents.imperial_struggle.policy import policy
from domain.agents.lookahead import every_option
from domain.agents.spec import Deep

DECISIVE = 12.0  # points: more than an action round brings

DEEP = Deep(policy=policy, evaluate=evaluate, is_quiet=is_quiet, narrow=every_option, scale=DECISIVE)
