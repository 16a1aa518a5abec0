"""`glasnost migrate`: copies everything in a store into an empty store of the same or another kind."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click

from api.cli.common import (
    FOUND_WRONG,
    CannotBeDone,
    FoundWrong,
    StoreType,
    json_option,
    must_hold_a_store,
    opened_one,
    print_json,
    progress,
)

if TYPE_CHECKING:
    from api.store.open import Location, Place
    from api.store.sql import SqlStore

_KEYS = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option("--from", "source", metavar="STORE", type=StoreType(), required=True, help="The store to copy.")
@click.option(
    "--to", "target", metavar="STORE", type=StoreType(), required=True, help="An empty store, or a new one."
)
@click.option("--from-keys", metavar="DIR", type=_KEYS, help="The key folder of --from, if not the default.")
@click.option("--to-keys", metavar="DIR", type=_KEYS, help="The key folder of --to.")
@json_option
def migrate(
    source: Location, target: Location, from_keys: Path | None, to_keys: Path | None, as_json: bool
) -> int:
    """Copy a store into an empty one, of the same or another kind, and verify the copy.

    A STORE is DIR or postgresql://...; --from also takes shards:FILE, the map of a store that an older
    version divided.  No server may write to either store meanwhile.  Matches, people, tokens, notes, answered
    requests and secrets are copied in one transaction, then compared row by row, and every match is verified.
    If the target has no keys yet, it gets those of the source, so that it signs as the same server.
    Invitations of administrators that `admin-token` made and that are not used yet are copied, too.

    \b
    Example:
      glasnost migrate --from games --to postgresql://me@localhost/games --to-keys /srv/glasnost.keys
      GLASNOST_KEYS=/srv/glasnost.keys glasnost serve --store postgresql://me@localhost/games
    """
    places, other = _places(source), _place(target)
    ours = from_keys or _keys_of(next(iter(places.values())))
    theirs = to_keys or _keys_of(other, ours)
    if other in places.values():
        raise CannotBeDone("--from and --to name the same store")
    if isinstance(other, Path) and theirs.absolute().is_relative_to(other.absolute()):
        raise CannotBeDone(f"--to-keys: the keys must lie outside the store: {theirs} is inside {other}")
    with ExitStack() as kept:
        full = _opened(source, places, ours, kept)
        _hand_keys_over(ours, theirs)
        with opened_one(other, keys=theirs) as empty:
            _copy(full, empty)
            wrong = list(_wrong(full, empty))
            matches, moves = len(list(empty.matches())), empty.last()
        letters = 0 if wrong else _hand_letters_over(ours, theirs)
    return _report(wrong, matches, moves, letters, theirs, as_json)


def _place(location: Location) -> Place:
    """Return the place of one store.

    Raises:
        CannotBeDone: the location names shards.
    """
    from api.store.open import ShardsFile

    if isinstance(location, ShardsFile):
        raise CannotBeDone("--to: stores are not divided into shards any more: name one store")
    return location


def _places(location: Location) -> dict[str, Place]:
    """Return the place of a store or, if an older version divided it, the places of its shards by name.

    Raises:
        CannotBeDone: the map of the shards cannot be read.
    """
    from api.store.interface import StoreError
    from api.store.open import ShardsFile, read_map

    if not isinstance(location, ShardsFile):
        return {"": location}
    try:
        return read_map(location.path)
    except StoreError as error:
        raise CannotBeDone(str(error)) from error


def _opened(location: Location, places: Mapping[str, Place], keys: Path, kept: ExitStack) -> list[SqlStore]:
    """Open the store that is copied, or all its shards; `kept` closes them.

    Raises:
        CannotBeDone: a store cannot be opened, or the shards are not those of one store.
        FoundWrong: a store is damaged.
    """
    from api.store.interface import StoreError
    from api.store.open import ShardsFile, must_be_the_shards, must_stand_alone

    for place in places.values():
        must_hold_a_store(place)
    stores = {name: kept.enter_context(opened_one(place, keys=keys)) for name, place in places.items()}
    try:
        if isinstance(location, ShardsFile):
            must_be_the_shards(location.path, stores)
        else:
            must_stand_alone(stores[""], "--from")
    except StoreError as error:
        raise CannotBeDone(str(error)) from error
    for store in stores.values():
        _must_be_whole(store)
    return list(stores.values())


def _keys_of(location: Place, other: Path | None = None) -> Path:
    """Return the default key folder of a store."""
    named = os.environ.get("GLASNOST_KEYS")
    if isinstance(location, Path):
        beside = location.absolute().with_name(f"{location.absolute().name}.keys")
        return beside if beside.is_dir() or not named else Path(named)
    if named or other:
        return Path(named) if named else other or Path()
    raise CannotBeDone("the keys of a database are not in it: name their folder, or set GLASNOST_KEYS")


def _hand_keys_over(source: Path, target: Path) -> None:
    """Copy the source's keys to the target, if it has none."""
    from api.store.interface import StoreError
    from api.store.keys import copy_keys

    try:
        copy_keys(source, target)
    except StoreError as error:
        raise CannotBeDone(str(error)) from error


def _hand_letters_over(source: Path, target: Path) -> int:
    """Copy the unused invitations of administrators to the target; return how many there are."""
    from api.store import accounts
    from api.store.interface import StoreError

    try:
        return accounts.copy(source, target)
    except StoreError as error:
        raise CannotBeDone(str(error)) from error


def _must_be_whole(source: SqlStore) -> None:
    from api.store.backup import lacking

    if missing := lacking(source.rows):
        raise FoundWrong(
            f"--from is damaged: {missing}; nothing was copied: restore a backup (verify --store tells more)"
        )


def _copy(source: Sequence[SqlStore], target: SqlStore) -> None:
    from api.store.backup import copy, must_be_empty, size

    must_be_empty(target)
    given_up = Event()
    with progress("copy", size(source)) as bar:

        def advance(rows: int) -> None:
            if given_up.is_set():
                raise InterruptedError("given up")
            bar(rows)

        try:
            copy(source, target, advance)
        except BaseException:
            given_up.set()
            click.echo("nothing was written to the target: the command can be run again", err=True)
            raise


def _wrong(source: Sequence[SqlStore], target: SqlStore) -> Iterator[str]:
    """Yield what is wrong with the copy."""
    from api.store.backup import differences, size

    with progress("compare", size(source)) as bar:
        for found in differences(source, target, bar):
            yield f"{found.table}: {found.key} is not the same in both"
    origin = {name: store for store in source for name in store.matches()}
    with progress("verify", len(origin)) as bar:
        for name in target.matches():
            reason = _reason(origin[name], target, name)
            if reason:
                yield f"match {name}: {reason}"
            bar(1, name)
    if size(source) != size([target]):
        yield "--from was written to meanwhile: stop the server, and copy it into another empty store"


def _reason(source: SqlStore, target: SqlStore, name: str) -> str:
    """The reason why a match of the target does not verify; "" if it does."""
    from domain.log import Damaged
    from replay.verify import verify_records

    try:
        one, other = source.match(name), target.match(name)
    except Damaged as error:
        return str(error)
    if one is None or other is None or one.roots != other.roots:
        return "its roots are not the same in both"
    report = verify_records(other.records, target.note(name) or "", [], target.secret(name))
    return "" if report.ok else f"it does not verify ({report.check}, move {report.move}): {report.reason}"


def _report(wrong: list[str], matches: int, moves: int, letters: int, keys: Path, as_json: bool) -> int:
    from replay.sanitize import amount

    if as_json:
        held = {"matches": matches, "moves": moves, "letters": letters}
        print_json({"ok": not wrong, **held, "keys": str(keys), "wrong": wrong})
    for line in wrong:
        click.echo(f"glasnost: {line}", err=True)
    if not wrong and not as_json:
        click.echo(
            f"migrated: {amount(matches, moves)}; every match verifies, every root is the same;"
            f" keys in {keys}"
        )
        if letters:
            click.echo(f"invitations of administrators that were copied: {letters}")
    return FOUND_WRONG if wrong else 0
