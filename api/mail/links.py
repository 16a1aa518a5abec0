"""The secret links of mail and feeds: each is an HMAC, so none of them is stored.

The key is derived from the key folder, so all workers of a store make the same links.
"""

from __future__ import annotations

import base64
import hmac

PURPOSE = "mail"  # for which the key is derived
PLACE_LASTS = 14 * 86_400  # seconds in which the code of a place that is kept can be used
_MOST_DIGITS = 12  # of the time until which it can
_BYTES = 18  # 144 bits, which are 24 characters


class Links:
    """Makes and checks codes.

    Args:
        key: 32 bytes, see `PURPOSE`.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def confirm(self, player: str, address: str, asked: int) -> str:
        """Return the code that confirms an address that was given at this time."""
        return self._code("confirm", player, address, str(asked))

    def stop(self, player: str, address: str) -> str:
        """Return the code that ends notifications at an address."""
        return self._code("stop", player, address)

    def feed(self, player: str, feed: str) -> str:
        """Return the secret of a feed; `feed` is `Subscription.feed`."""
        return self._code("feed", player, feed)

    def place(self, tournament: str, entrant: str, person: str, until: int) -> str:
        """Return the code with which any player takes a person's place, until a time in seconds."""
        return f"{until}.{self._code('place', tournament, entrant, person, str(until))}"

    def opens_place(self, code: str, tournament: str, entrant: str, person: str, now: int) -> bool:
        """Is this the code of a place, and does it count still?  `now`: microseconds UTC."""
        until, _, _ = code.partition(".")
        if not until.isascii() or not until.isdecimal() or len(until) > _MOST_DIGITS:
            return False
        fit = fits(code, self.place(tournament, entrant, person, int(until)))
        return fit and now <= int(until) * 1_000_000

    def _code(self, *about: str) -> str:
        text = "\0".join(about).encode()
        return base64.urlsafe_b64encode(hmac.digest(self._key, text, "sha256")[:_BYTES]).decode()


def fits(code: str, expected: str) -> bool:
    """Compare a code with the expected one, in constant time."""
    return hmac.compare_digest(code.encode("utf-8", "replace"), expected.encode())
