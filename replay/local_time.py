"""Times as people write them: of a clock on a wall, in a time zone."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from domain.clocks import SECOND
from domain.kernel import Refused
from domain.refusals import QUOTED


def must_be_zone(name: str) -> None:
    """Check that there is such a time zone.  Raises Refused: terms."""
    try:
        ZoneInfo(name)
    except (ValueError, ZoneInfoNotFoundError, OSError) as error:
        raise Refused("terms", "no-such-zone", {"zone": name[:64]}) from error


def moment(text: str, zone: str) -> int:
    """Return a local time of a time zone ("2026-11-24T20:00") in microseconds UTC.

    Raises:
        Refused: invalid: it is no time, there is no such zone, or the clocks of that zone skip the time.
    """
    try:
        local = datetime.strptime(text, "%Y-%m-%dT%H:%M").replace(tzinfo=ZoneInfo(zone))
    except (ValueError, ZoneInfoNotFoundError, OSError) as error:
        raise Refused("invalid", QUOTED, {"said": str(error)[:200]}) from error
    seconds = int(local.timestamp())
    if datetime.fromtimestamp(seconds, ZoneInfo(zone)).replace(tzinfo=None) != local.replace(tzinfo=None):
        raise Refused("invalid", QUOTED, {"said": f"{text}: {zone}"})
    return seconds * SECOND
