"""The gate: every command to a match, from whichever side it comes, passes here and is judged once."""

from api.gate.cache import CachedMatch, UncachedMatch
from api.gate.commit import Keys
from api.gate.gate import Gate
from api.gate.handler import CommandResult, Key
from api.gate.refusals import Denied, Refusal, Refusals

__all__ = [
    "CachedMatch",
    "CommandResult",
    "Denied",
    "Gate",
    "Key",
    "Keys",
    "Refusal",
    "Refusals",
    "UncachedMatch",
]
