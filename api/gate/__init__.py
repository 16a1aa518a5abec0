"""The gate: every command to a match, from whichever side it comes, passes here and is judged once."""

from api.gate.cache import Desk, Glimpsed
from api.gate.commit import Keys
from api.gate.gate import Gate
from api.gate.handler import Accepted, Key
from api.gate.refusals import Denied, Refusal, Refusals

__all__ = ["Accepted", "Denied", "Desk", "Gate", "Glimpsed", "Key", "Keys", "Refusal", "Refusals"]
