"""The bus: what several workers on one store share through Redis, and none of them ever waits for.

Redis holds nothing that cannot be lost.  News of commits say where to look, never what was played; limits and
tickets fall back on what each worker knows.  So a Redis that is killed, stalled or emptied costs no move
anything, and whoever can write to it cannot make anybody see a move that is not stored, or a hand that is not
his.
"""

from api.bus.bus import Bus
from api.bus.link import VARIABLE, Address

__all__ = ["VARIABLE", "Address", "Bus"]
