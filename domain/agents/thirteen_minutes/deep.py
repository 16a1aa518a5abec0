"""13 Minutes for searches that look ahead: what they use."""

from __future__ import annotations

from domain.agents.lookahead import every_option
from domain.agents.spec import Deep
from domain.agents.thirteen_minutes.evaluation import WON, evaluate, is_quiet
from domain.agents.thirteen_minutes.policy import policy

DECISIVE = 1.5 * WON  # points: a match that is won, and what it is won by

DEEP = Deep(policy=policy, evaluate=evaluate, is_quiet=is_quiet, narrow=every_option, scale=DECISIVE)
