"""Matches whose players commit to their salts, for tests."""

from __future__ import annotations

from domain.chance import salt_hash
from domain.drafts import Draft
from domain.log import b64
from tests.matches import Sitting

HOUR = 3_600_000_000  # microseconds


def salt_of(seat: str) -> str:
    """The salt that a player of these tests commits to."""
    return f"{seat}-salt-of-22-characters"


def hashed(match: str, seat: str, salt: str | None = None) -> str:
    """The hash that commits to it."""
    return b64(salt_hash(match, seat, salt_of(seat) if salt is None else salt))


def sit(sitting: Sitting, seat: str, how: str) -> Draft:
    """A seat is taken, with the hash of a salt ("committed"), one in "clear", "none"; or by the "house"."""
    bot = "random" if how == "house" else ""
    draft = sitting.match.sit(
        sitting.context,
        seat,
        f"p-{seat}",
        salt=salt_of(seat) if how == "clear" else None,
        bot=bot,
        source=None,
        hashed=hashed(sitting.id, seat) if how == "committed" else None,
    )
    return sitting.accept(draft)


def open_salt(sitting: Sitting, seat: str, salt: str | None = None) -> Draft:
    """A seat opens its salt."""
    draft = sitting.match.open_salt(sitting.context, seat, salt_of(seat) if salt is None else salt)
    return sitting.accept(draft)


def committed(sitting: Sitting, *, opened: bool = True) -> Sitting:
    """Every seat is taken by a player who commits to a salt; all of them are opened, or none."""
    for seat in sitting.match.game.seats:
        sit(sitting, seat, "committed")
    for seat in sitting.match.game.seats if opened else ():
        open_salt(sitting, seat)
    return sitting
