"""The gate: every command to a match passes here and is judged once, wherever it comes from."""

from api.gate.command_handler import CommandResult, Key, Refusal, Refusals
from api.gate.commit import UNTOLD
from api.gate.gate import Gate
from api.gate.match_cache import CachedMatch, UncachedMatch
from api.store.keys import Keys

__all__ = [
    "UNTOLD",
    "CachedMatch",
    "CommandResult",
    "Gate",
    "Key",
    "Keys",
    "Refusal",
    "Refusals",
    "UncachedMatch",
]
