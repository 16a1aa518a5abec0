"""`glasnost withdraw`: an uploaded match that is no longer to be shown."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click
import msgspec

from api.cli.common import (
    CannotBeDone,
    json_option,
    must_hold_a_store,
    opened_store,
    print_json,
    store_option,
)
from domain.bounds import Reason

if TYPE_CHECKING:
    from api.store.location import Location

_OPERATOR = "command line"  # who withdrew, where no administrator's token says it


@click.command()
@click.argument("match")
@click.option("--reason", required=True, help="Why; whoever asks for the match is told.")
@store_option()
@json_option
def withdraw(match: str, reason: str, store: Location, as_json: bool) -> None:
    """Show the uploaded MATCH no longer: it is in no list, board, history or export.

    Its moves stay in the log, as all do, and its id stays taken.  An embedded store must not be served; while
    it is, POST /v1/matches/MATCH/withdrawal does the same.

    \b
    Example:
      glasnost withdraw m7ct2 --store games --reason "an advertisement, not a match"
    """
    from api.store.seam import StoreError, Withdrawal

    try:
        msgspec.convert(reason, Reason)
    except msgspec.ValidationError as error:
        raise CannotBeDone("--reason: 1 to 2000 characters") from error
    must_hold_a_store(store)
    with opened_store(store) as opened:
        try:
            if opened.signer(match) is None:
                raise CannotBeDone(f"there is no uploaded match {match!r} in this store")
            now = time.time_ns() // 1_000
            kept = opened.uploads.withdraw(Withdrawal(match, now, _OPERATOR, reason))
        except StoreError as error:
            raise CannotBeDone(str(error)) from error
    if as_json:
        print_json({"match": kept.match, "at": kept.at, "by": kept.by, "reason": kept.reason})
        return
    click.echo(f"withdrawn: {kept.match}, by {kept.by}: {kept.reason}")
