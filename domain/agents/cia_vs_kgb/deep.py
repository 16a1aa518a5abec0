"""CIA vs. KGB for searches that look ahead: what they use."""

from __future__ import annotations

from domain.agents.cia_vs_kgb.evaluation import evaluate, is_quiet
from domain.agents.cia_vs_kgb.policy import policy
from domain.agents.lookahead import every_option
from domain.agents.spec import Deep

DECISIVE = 30.0  # points: more than an objective brings

DEEP = Deep(policy=policy, evaluate=evaluate, is_quiet=is_quiet, narrow=every_option, scale=DECISIVE)
