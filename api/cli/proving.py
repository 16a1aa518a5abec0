"""What `glasnost verify --store` proves: that all is there, that its keys are its own, and every match."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from api.cli.common import opened_store

if TYPE_CHECKING:
    from pathlib import Path

    from api.store.base import SqlStore
    from api.store.keys import KeyRing
    from api.store.location import Location
    from domain.match import Match
    from domain.notes import VerifyingKey
    from replay.report import Failure, Report

KEYS = "keys"  # what is checked besides the four questions to each match


def proved(location: Location, trusted: Sequence[VerifyingKey]) -> Iterator[tuple[str, Report]]:
    """A report for each match of a store, also while it is served, and for what is wrong with it as a whole.

    Of a running match the hidden parts are looked at, too, where the store's keys are at hand.

    Raises:
        CannotBeDone: the store cannot be opened.
    """
    from api.store.whole import lacking
    from domain.log import Damaged
    from replay.report import LOG, Failure, Report

    with opened_store(location, write=False) as store:
        if missing := lacking(store.rows):
            yield "the store", Report(failures=(Failure(LOG, None, missing),))
        ring, wrong = _ring(store, location)
        if wrong:
            yield "the keys", Report(failures=(Failure(KEYS, None, wrong),))
        for name in store.matches():
            try:
                match = store.match(name)
            except Damaged as error:
                yield name, Report(name, failures=(Failure(LOG, None, str(error)),))
                continue
            if match is not None:
                yield name, _report(store, match, trusted, ring)


def _ring(store: SqlStore, location: Location) -> tuple[KeyRing | None, str]:
    """The store's keys, where they are at hand; and what is wrong with those that are named, or lie there."""
    from api.store.seam import StoreError

    try:
        return store.own_keys(), ""
    except StoreError as error:
        return None, str(error) if _are_named(location) else ""


def _are_named(location: Location) -> bool:
    """Is there a key folder that somebody names, or that lies where the store's keys lie?"""
    from api.store.opening import key_folder

    folder = key_folder(location)
    return folder is not None and (bool(os.environ.get("GLASNOST_KEYS")) or folder.exists())


def _report(store: SqlStore, match: Match, trusted: Sequence[VerifyingKey], ring: KeyRing | None) -> Report:
    """A match; its secret, and who signed it, where the store's keys are at hand.

    Nobody here is asked to have signed what came from elsewhere.
    """
    import msgspec

    from replay.verify import verify_records

    note = store.note(match.id) or ""
    secret, failures = _secret(store, match.id) if ring else (None, ())
    if match.uploaded or match.imported:
        trusted = ()
    elif ring and note:
        failures += _unknown_signer(note, ring, store.key_folder)
    report = verify_records(match.records, note, trusted, secret, ring.known if ring else ())
    return msgspec.structs.replace(report, failures=(*failures, *report.failures))


def _secret(store: SqlStore, match: str) -> tuple[bytes | None, tuple[Failure, ...]]:
    from api.store.seam import StoreError
    from replay.report import CHANCE, Failure

    try:
        return store.secret(match), ()
    except StoreError as error:
        return None, (Failure(CHANCE, None, str(error)),)


def _unknown_signer(note: str, ring: KeyRing, folder: Path) -> tuple[Failure, ...]:
    """Was a match of this store signed by a key that is not in its ring?"""
    from domain.log import Damaged
    from domain.notes import Note
    from replay.report import Failure

    try:
        parsed = Note.parse(note)
    except Damaged:  # which is told of the match itself
        return ()
    if any(line.label in ring.labels for line in parsed.signatures):
        return ()
    wrong = f"names {parsed.names}, which is not in {folder}: put the latest copy of the keys there"
    return (Failure(KEYS, None, wrong),)
