"""The gate: every command to a match, from whichever side it comes, passes here and is judged once."""

from api.gate.commits import Keys
from api.gate.desks import Desk
from api.gate.gate import Gate
from api.gate.glimpsing import Glimpsed
from api.gate.orders import Accepted, Key
from api.gate.refusals import Denied, Refusal, Refusals

__all__ = ["Accepted", "Denied", "Desk", "Gate", "Glimpsed", "Key", "Keys", "Refusal", "Refusals"]
