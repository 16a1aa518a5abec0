"""What every store tells that is one log and has no replica; whoever is otherwise says it otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from api.store.seam import Lag, Lately, Log


class Undivided(Log):
    """One log, whose name is empty: see `api.store.seam.Store`."""

    def named(self, match: str) -> str:
        """See `Store.named`: it stays as it is."""
        return match

    @property
    def logs(self) -> Mapping[str, Log]:
        """See `Store.logs`: this one."""
        return {"": self}

    def log_of(self, match: str) -> str:
        """See `Store.log_of`: there is one."""
        return ""

    def lately(self, match: str, move: int) -> Lately | None:
        """See `Store.lately`."""
        return None

    def lag(self) -> Lag | None:
        """See `Store.lag`."""
        return None
