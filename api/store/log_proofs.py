"""Proofs from the transparency log of a store: that a match, or each entry of a tournament, is in it."""

from __future__ import annotations

from api.store.sql import SqlStore
from api.store.transparency import SignedSize
from domain.kernel import Refused
from replay.transparency import evidence
from replay.transparency.evidence import Evidence


def evidence_of(store: SqlStore, topic: str, leaves: int = evidence.MOST_LEAVES) -> Evidence | None:
    """Return the proof for a match or tournament; None if the signed log does not have it yet.

    The checkpoint is the one with the most cosignatures, if it covers what the newest one covers of these
    leaves; else the newest.
    """
    log = store.transparency
    found, newest, best = log.of(topic)[:leaves], log.latest(), log.best()
    if newest is None or best is None:
        return None
    covered = [one for one in found if one[0] < newest.size]
    if not covered:
        return None
    under = best if covered[-1][0] < best.size else newest
    return evidence.make(under.text, under.size, covered, log.hashes())


class TournamentProofs:
    """The proofs for the first entries of a tournament and for its matches, all under one checkpoint.

    It is the one with the most cosignatures, if it covers the last of these entries; else the newest.  The
    result of a match is an entry after the end of the match, so the checkpoint covers the matches, too.

    Args:
        store: whose log holds the proofs.
        tournament: its id.
        entries: how many.
    """

    def __init__(self, store: SqlStore, tournament: str, entries: int) -> None:
        self._log, self._tournament, self._count = store.transparency, tournament, entries
        last, best = self._log.leaf_of(tournament, entries), self._log.best()
        covers = last is not None and best is not None and last[0] < best.size
        self._under: SignedSize | None = best if covers else self._log.latest()
        self._hashes = self._log.hashes()

    @property
    def checkpoint(self) -> str:
        """The checkpoint with its cosignatures; "" if the log was never signed."""
        return self._under.text if self._under else ""

    def of_entries(self) -> Evidence | None:
        """Return the proof for the entries that the checkpoint covers; None if it covers none.

        Raises:
            Refused: no-place: they are more than one file can prove.
        """
        if self._count > evidence.MOST_ENTRIES:
            raise Refused("no-place", "log-proof-too-large", {"most": evidence.MOST_ENTRIES})
        return self._made(self._log.first(self._tournament, self._count))

    def of_match(self, match: str) -> Evidence | None:
        """Return the proof for a match that is over; None if the checkpoint does not cover it."""
        return self._made(self._log.of(match))

    def _made(self, leaves: list[tuple[int, bytes]]) -> Evidence | None:
        under = self._under
        covered = [one for one in leaves if under is not None and one[0] < under.size]
        if under is None or not covered:
            return None
        return evidence.make(under.text, under.size, covered, self._hashes)
