"""`glasnost verify`: checks match files, or all matches of a store, by four questions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from api.cli.common import (
    FOUND_WRONG,
    NOT_DONE,
    STORE,
    Advance,
    CannotBeDone,
    file_argument,
    json_option,
    key_options,
    named_store,
    opened_store,
    print_json,
    progress,
    read_bytes,
    store_option,
)

if TYPE_CHECKING:
    from api.store.keys import KeyRing
    from api.store.open import Location
    from api.store.sql import SqlStore
    from domain.match import Match
    from domain.signed_notes import VerifyingKey
    from replay.report import Failure, Report
    from replay.transparency.policy import Policy

# ── `glasnost verify --store`: is the store complete, are the keys its own, does every match verify? ──

KEYS = "keys"  # what is checked besides the four questions to each match


def proved(location: Location, trusted: Sequence[VerifyingKey]) -> Iterator[tuple[str, Report]]:
    """Yield a report for each match of a store, also while it is served, and one for each fault of the store.

    The hidden parts of a running match are checked, too, if the store's keys are available.

    Raises:
        CannotBeDone: the store cannot be opened.
    """
    from api.store.backup import lacking
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
        for name in store.tournaments():
            yield name, _tournament_report(store, name, ring)


def _ring(store: SqlStore, location: Location) -> tuple[KeyRing | None, str]:
    """The store's keys, if available; and what is wrong with keys that are named or in their place."""
    from api.store.interface import StoreError

    try:
        return store.own_keys(), ""
    except StoreError as error:
        return None, str(error) if _are_named(location) else ""


def _are_named(location: Location) -> bool:
    """Is a key folder named, or is there one in the default place of the store?"""
    from api.store.open import key_folder

    folder = key_folder(location)
    return folder is not None and (bool(os.environ.get("GLASNOST_KEYS")) or folder.exists())


def _report(store: SqlStore, match: Match, trusted: Sequence[VerifyingKey], ring: KeyRing | None) -> Report:
    """The report of a match; with the store's keys, its secret and signer are checked, too.

    A match from elsewhere need not be signed by this server.
    """
    import msgspec

    from replay.verify import verify_records

    note = store.note(match.id) or ""
    secret, failures = _secret(store, match.id) if ring else (None, ())
    if match.uploaded or match.imported:
        trusted = ()
    elif ring and note:
        failures += _unknown_signer(note, ring, store.key_folder)
    failures += _kinds(store, match)
    known = ring.known if ring else ()
    report = verify_records(match.records, note, trusted, secret, known, _stored_parent(store))
    return msgspec.structs.replace(report, failures=(*failures, *report.failures))


def _tournament_report(store: SqlStore, name: str, ring: KeyRing | None) -> Report:
    """The report of a tournament: its chain; with the store's keys, its private parts and the commitment."""
    from domain.chance import Secret
    from domain.log import Damaged
    from replay.report import LOG, Failure, Report, Wrong
    from replay.tournaments.chain import check_records

    secret, failures = _secret(store, name) if ring else (None, ())
    try:
        records = store.since(name, 0)
        check_records(records, Secret(secret, name) if secret else None)
    except Wrong as wrong:
        failures = (*failures, wrong.failure)
    except Damaged as error:
        failures = (*failures, Failure(LOG, None, str(error)))
    return Report(name, "tournament", len(records) if not failures else 0, failures=failures)


def _stored_parent(store: SqlStore) -> Callable[[str], Match | None]:
    """Finds the match from which a branch goes on, if the store has it and can read it."""
    from domain.log import Damaged

    def find(match: str) -> Match | None:
        try:
            return store.match(match)
        except Damaged:  # the report of that match says so
            return None

    return find


def _kinds(store: SqlStore, match: Match) -> tuple[Failure, ...]:
    """The failures of the column `kind`, by which the store finds moves: it must be the kind of the move."""
    from replay.report import LOG, Failure

    query = "SELECT kind FROM stored_events WHERE originator_id = ? ORDER BY originator_version LIMIT ?"
    kinds = [row[0] for row in store.rows(query, (match.id, match.move))]
    return tuple(
        Failure(LOG, record.move, f"the store lists it as {kind!r}, and it is {record.kind!r}")
        for record, kind in zip(match.records, kinds, strict=True)
        if kind != record.kind
    )


def _secret(store: SqlStore, match: str) -> tuple[bytes | None, tuple[Failure, ...]]:
    from api.store.interface import StoreError
    from replay.report import CHANCE, Failure

    try:
        return store.secret(match), ()
    except StoreError as error:
        return None, (Failure(CHANCE, None, str(error)),)


def _unknown_signer(note: str, ring: KeyRing, folder: Path) -> tuple[Failure, ...]:
    """Was a match of this store signed by a key that is not in its ring?"""
    from domain.log import Damaged
    from domain.signed_notes import Note
    from replay.report import Failure

    try:
        parsed = Note.parse(note)
    except Damaged:  # the report of the match says so
        return ()
    if any(line.label in ring.labels for line in parsed.signatures):
        return ()
    wrong = f"names {parsed.names}, which is not in {folder}: put the latest copy of the keys there"
    return (Failure(KEYS, None, wrong),)


# Text from a URL: only over HTTP, only from the named host, with limits on bytes and time.

SECONDS = 10.0  # for the whole request, redirects included
MOST = 1 << 16  # bytes


def fetched(address: str) -> str:
    """Fetch the text at a URL.

    Raises:
        CannotBeDone: see `replay.fetching.fetched`; or the answer is not text.
    """
    from replay import fetching

    try:
        return fetching.fetched(address, most=MOST, seconds=SECONDS).decode()
    except OSError as error:
        raise CannotBeDone(str(error)) from error
    except UnicodeDecodeError as error:
        raise CannotBeDone(f"{address}: {error}") from error


# ── `glasnost verify` ──


MOST_KEYS = 1 << 20  # bytes of a trust file
MOST_RECEIPT = 1 << 16


@click.command()
@file_argument(many=True, required=False)
@store_option(required=False, help="Verify every match of this store.")
@key_options("A key whose signature counts")
@click.option(
    "--against",
    metavar="NOTE_OR_URL",
    help="Compare the one FILE with another checkpoint of its match: a file, or its URL at a server.",
)
@click.option(
    "--receipt",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The receipt that the server gave when the one match was opened.",
)
@click.option(
    "--parent",
    "parents",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="The file of a match from which a branch goes on; repeatable.",
)
@click.option(
    "--policy",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Who must have cosigned: the files must hold a proof that they are in the server's log.",
)
@json_option
def verify(
    files: Sequence[Path],
    store: Location | None,
    keys: Sequence[str],
    trust: Path | None,
    against: str | None,
    receipt: Path | None,
    parents: Sequence[Path],
    policy: Path | None,
    as_json: bool,
) -> int:
    """Check match FILEs, or all matches of a store: log, chance, fold and rules.

    For a store, the command also reports missing moves and matches.  If the key folder of the store is
    available (GLASNOST_KEYS), it also checks that the keys are the store's own and that every match can go on
    with them.

    A signature that names a given key, or a key of the available key folder, must be valid.  If a signature
    names an unknown key, the report says "names KEY, not checked".

    A file does not show whether its match went on.  A later checkpoint, given with --against, does: the
    report says how many moves are signed and, if it comes from a server, whether they begin with those of the
    file.  An earlier checkpoint must be of the same log.

    A branch begins with facts of another match, its parent.  With the file of that match, given with
    --parent, the command checks that they are those; without it the report says that this was not compared.
    In a store the command finds parents by itself.

    A server that keeps a transparency log writes into its files the proof that the match is in it.  With
    --policy, the proof must be there, and its checkpoint must be signed by a log of the policy and cosigned
    by enough of its witnesses (a file as C2SP tlog-policy has it).

    The command prints for each match "ok: N moves ...", or what is wrong: the check, the move and the reason.
     It exits with 1 if anything is wrong.  A receipt, kept from before a salt was sent, also proves that the
     server
    had fixed its secret by then.  `glasnost keys` prints keys (NAME+ID+KEY), and /v1/keys serves them.

    \b
    Example:
      glasnost verify match.glasnost
      glasnost verify *.glasnost --trust keys.txt
      glasnost verify --store games
      glasnost verify match.glasnost --trust keys.txt --receipt receipt
      glasnost verify match.glasnost --policy club.policy
      glasnost verify match.glasnost --against http://localhost:8000/v1/matches/m7ct2/checkpoint
    """
    if (against is not None or receipt is not None) and (len(files) != 1 or store is not None):
        raise click.UsageError("--against and --receipt are for one match: name its file, and no other")
    if policy is not None and (store is not None or not files):
        raise click.UsageError("--policy is for match files: name them")
    if not files and store is None:
        store = named_store()
        if store is None:
            raise click.UsageError("name match files, or a store with --store DIR")
    trusted, known, kept = trusted_keys(keys, trust), _known(store), _kept(receipt)
    found, rules = _parents(parents), read_policy(policy) if policy else None
    with progress("verify", len(files) or None) as advance:
        printer = _Printer(advance, named=len(files) > 1 or store is not None, as_json=as_json)
        for name, report in _reports(files, store, (trusted, known), kept, found, rules, printer):
            if against is not None and report.ok:
                report = _compared(report, files[0], against, (trusted, known))
            printer.add(name, report)
            advance(1, name)
    return printer.done()


def trusted_keys(texts: Sequence[str], trust: Path | None, option: str = "--key") -> list[VerifyingKey]:
    from domain.log import Damaged
    from domain.signed_notes import VerifyingKey

    lines = [(option, text) for text in texts]
    if trust is not None:
        content = read_bytes(trust, limit=MOST_KEYS, what="trust file").decode(errors="replace")
        kept = (
            (number, line.partition("#")[0].strip()) for number, line in enumerate(content.split("\n"), 1)
        )
        lines += [(f"{trust}, line {number}", line) for number, line in kept if line]
    found: list[VerifyingKey] = []
    for where, text in lines:
        try:
            found.append(VerifyingKey.parse(text))
        except Damaged as error:
            raise CannotBeDone(f"{where}: {error}") from error
    if trust is not None and not found:
        raise CannotBeDone(f"{trust}: it holds no key")
    return found


def read_policy(path: Path) -> Policy:
    """Return the policy in a file.

    Raises:
        CannotBeDone: it cannot be read, or is none; the text names the line.
    """
    from domain.log import Damaged
    from replay.transparency.policy import MOST_BYTES, Policy

    try:
        return Policy.parse(read_bytes(path, limit=MOST_BYTES, what="policy"))
    except Damaged as error:
        raise CannotBeDone(f"{path}: {error}") from error


def _known(store: Location | None) -> Sequence[VerifyingKey]:
    """The keys in the folder that GLASNOST_KEYS names, or those of the named store, if any."""
    named = os.environ.get("GLASNOST_KEYS")
    if not named and store is None and not os.environ.get(STORE):
        return ()
    from api.store.interface import StoreError
    from api.store.keys import KeyRing
    from api.store.open import key_folder

    try:
        location = None if named else store or named_store()
        folder = Path(named) if named else location and key_folder(location)
        return KeyRing.open(folder).known if folder else ()
    except (StoreError, CannotBeDone):  # `proved` reports it for a store
        return ()


def _kept(receipt: Path | None) -> str | None:
    if receipt is None:
        return None
    return read_bytes(receipt, limit=MOST_RECEIPT, what="receipt").decode(errors="replace")


def _parents(files: Sequence[Path]) -> dict[str, Match]:
    """The matches of these files, by id.

    Raises:
        CannotBeDone: a file cannot be read, or does not verify.
    """
    from replay import matchfile
    from replay.verify import verify as verified

    found: dict[str, Match] = {}
    for file in files:
        try:
            content = file.read_bytes() if file.stat().st_size <= matchfile.MOST_WHOLE else b""
        except OSError as error:
            raise CannotBeDone(f"{file}: {error.strerror or error}") from error
        report = verified(content)
        if not report.ok:
            raise CannotBeDone(f"{file}: the file of a parent must verify: {report.failures[0]}")
        match = matchfile.read(content).match()
        found[match.id] = match
    return found


def _reports(
    files: Sequence[Path],
    store: Location | None,
    keys: tuple[Sequence[VerifyingKey], Sequence[VerifyingKey]],
    receipt: str | None,
    parents: dict[str, Match],
    policy: Policy | None,
    printer: _Printer,
) -> Iterator[tuple[str, Report]]:
    from replay.verify import verify as verified

    for file in files:
        try:
            if file.is_dir():
                raise CannotBeDone(f"{file} is a directory; name the match files in it, or use --store")
            yield str(file), verified(file, *keys, receipt, parents.get, policy)
        except OSError as error:
            printer.failed(f"{file}: {error.strerror or error}")
        except CannotBeDone as error:
            printer.failed(error.message)
    if store is not None:
        yield from proved(store, keys[0])


def _compared(
    report: Report, file: Path, against: str, keys: tuple[Sequence[VerifyingKey], Sequence[VerifyingKey]]
) -> Report:
    """The report of a file, compared with another checkpoint."""
    from replay import matchfile
    from replay.against import compared
    from replay.fetching import is_address

    if not is_address(against):
        note = read_bytes(Path(against), limit=MOST, what="checkpoint").decode(errors="replace")
        return compared(report, matchfile.read(file), note, *keys)

    def over(moves: int) -> str:
        """Return the checkpoint over the first moves from the same server; "" if it gives none."""
        address = urlsplit(against)
        try:
            return fetched(address._replace(query=f"move={moves}", fragment="").geturl())
        except CannotBeDone:
            return ""

    return compared(report, matchfile.read(file), fetched(against), *keys, over=over)


class _Printer:
    """Prints reports as they come, or all of them at the end as JSON; computes the exit code."""

    def __init__(self, bar: Advance, *, named: bool, as_json: bool) -> None:
        self._bar = bar
        self._named, self._as_json = named, as_json
        self._found: list[dict[str, Any]] = []
        self._code = 0

    def add(self, name: str, report: Report) -> None:
        """Print one report."""
        from replay.report import line
        from replay.sanitize import one_line

        if not report.ok:
            self._code = FOUND_WRONG
        shown = {"name": name, "ok": report.ok, "match": report.match, "moves": report.moves}
        self._found.append(shown | {"check": report.check, "move": report.move, "reason": report.reason})
        if not self._as_json:
            with self._bar.hidden():
                click.echo(line(report) + (f" [{one_line(name)}]" if self._named else ""))

    def failed(self, reason: str) -> None:
        """Print that a file could not be read: exit code 2, unless something was found wrong (1)."""
        from replay.sanitize import one_line

        self._code = self._code or NOT_DONE
        with self._bar.hidden():
            click.echo(f"glasnost: {one_line(reason)}", err=True)

    def done(self) -> int:
        """Print the reports as JSON, if asked; return the exit code."""
        if self._as_json:
            print_json({"ok": self._code == 0, "matches": self._found})
        return self._code
