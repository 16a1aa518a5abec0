"""The log of a tournament, checked: is every entry as it was written, chained to all before it?

In this order: the leaves; the private parts that are at hand; the lots, whose keys stand in the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from domain.chance import Secret, drawn, link
from domain.log import Damaged, Record, b64, said_of, seal, unb64
from domain.refusals import Sentence
from domain.tournaments.events import OFFICIALS, PARTY, Announced, AnyEntry, LotDrawn
from domain.tournaments.log import TournamentCodec, codec
from domain.tournaments.terms import digest
from replay.chain import continued, must_be_canonical, must_be_hashes
from replay.report import CHANCE, LOG, Wrong


class TournamentChain(Struct, frozen=True):
    """A log with an unbroken chain: the tournament, its entries, and the root over them."""

    tournament: str
    entries: list[AnyEntry]
    root: bytes


def tournament_chained(leaves: Sequence[bytes], stated: bytes | None = None) -> TournamentChain:
    """Return the entries of a tournament's leaves.

    Args:
        stated: the root that a checkpoint states over all of them; None if there is none.

    Raises:
        Wrong: a leaf is damaged, or the chain breaks; the first bad entry is named.
    """
    if not leaves:
        raise Wrong(LOG, 1, Sentence("announced-once"))
    entries, root = continued(leaves, stated, tournament_entry)
    if stated is not None and root != stated:
        raise Wrong(LOG, len(leaves), Sentence("leaf-not-covered"))
    first = entries[0]
    assert isinstance(first, Announced), "the first entry was checked"
    return TournamentChain(first.tournament, entries, root)


def tournament_entry(leaf: bytes, number: int) -> AnyEntry:
    """Return the entry of a leaf, which must be this one of its log.

    Raises:
        Damaged: it is no entry, or another one.
    """
    must_be_canonical(leaf)
    try:
        entry = codec().entry(leaf)
    except msgspec.DecodeError as error:
        raise Damaged(Sentence("not-an-entry", {"within": said_of(error)})) from error
    if entry.entry != number:
        raise Damaged(Sentence("leaf-of-another-entry", {"entry": entry.entry}))
    if isinstance(entry, Announced) != (number == 1):
        raise Damaged(Sentence("announced-once"))
    if isinstance(entry, Announced) and digest(entry.terms) != entry.terms_sha256:
        raise Damaged(Sentence("terms-hash"))
    parties = [name for name in entry.sealed if name != OFFICIALS]
    if (
        OFFICIALS not in entry.sealed
        or len(parties) > 1
        or not all(name.startswith(PARTY) for name in parties)
    ):
        about = {"given": ", ".join(entry.sealed)[:80], "wanted": OFFICIALS}
        raise Damaged(Sentence("party-in-public", about))
    must_be_hashes((entry.prev, *entry.sealed.values()))
    return entry


def check_records(
    records: Sequence[Record], secret: Secret | None, stated: bytes | None = None
) -> TournamentChain:
    """Check the records of a store: the chain; with the secret, every private part, and the commitment.

    Raises:
        Wrong: the first bad entry is named.
    """
    found = tournament_chained([record.leaf for record in records], stated)
    if records and found.tournament != records[0].match:
        about = {"given": repr(found.tournament[:40]), "wanted": records[0].match}
        raise Wrong(LOG, 1, Sentence("another-tournament", about))
    check_lots(found)
    if secret is None:
        return found
    first = found.entries[0]
    assert isinstance(first, Announced), "the chain was checked"
    if (first.commitment, first.anchor) != (b64(secret.commitment), b64(secret.anchor(0))):
        raise Wrong(CHANCE, 1, Sentence("another-commitment"))
    for record, entry in zip(records, found.entries, strict=True):
        _check_parts(record, entry, secret)
    return found


def _check_parts(record: Record, entry: AnyEntry, secret: Secret) -> None:
    read: TournamentCodec = codec()
    parts: Mapping[str, bytes] = record.sealed
    for audience, part in parts.items():
        if entry.sealed.get(audience) != b64(seal(secret.salt(entry.entry, audience), part)):
            raise Wrong(LOG, entry.entry, Sentence("part-not-sealed", {"audience": audience}))
    try:
        read.parts(dict(parts))
    except msgspec.DecodeError as error:
        raise Wrong(LOG, entry.entry, Sentence("not-an-entry", {"within": said_of(error)})) from error


def check_lots(found: TournamentChain) -> None:
    """Check each lot with the key that stands in its entry.

    Raises:
        Wrong: a key is not the next one of the chain, or gives another lot.
    """
    first = found.entries[0]
    assert isinstance(first, Announced), "the chain was checked"
    before, period = unb64(first.anchor), 0
    for entry in found.entries:
        if not isinstance(entry, LotDrawn):
            continue
        period, key = period + 1, unb64(entry.key.key)
        fits = entry.key.period == period and link(key) == before and 1 <= entry.n <= 2**63
        if not fits or drawn(key, "", entry.label, 0, entry.n) != entry.result:
            raise Wrong(CHANCE, entry.entry, Sentence("lot-not-drawn", {"label": entry.label[:80]}))
        before = key
