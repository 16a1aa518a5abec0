"""The page of the server's transparency log: size, root, who cosigned it, and matches without an end."""

from __future__ import annotations

import asyncio

from msgspec import Struct
from starlette.responses import Response

from api.http.caching import NEVER
from api.http.routing import Call
from api.store.sql import SqlStore
from api.store.transparency import Openings, SignedSize
from api.web.shell import HasShell
from domain.signed_notes import Note, visible
from replay.transparency.leaf import RestoredLeaf, read

MOST_OPENERS = 50
MOST_RESTORES = 20
_DAY = 86_400_000_000  # microseconds
_AGES = (1, 7, 30)  # days


class LogShown(Struct, frozen=True):
    """What the page shows.

    newest: the latest checkpoint, None before the first; best: the one with the most cosignatures.
    root: of the latest, base64.  cosigners: NAME+ID of those of the best.
    signers: of the latest.
    openings: matches without an end by opener; ages: how many of them are older than so many days.
    restores: the statements that signed leaves were lost, the latest first.
    behind: is the log behind what was signed?
    """

    newest: SignedSize | None
    best: SignedSize | None
    origin: str
    root: str
    signers: list[str]
    cosigners: list[str]
    openings: list[Openings]
    total: int
    ages: list[tuple[int, int]]
    restores: list[RestoredLeaf]
    behind: bool


async def log_page(pages: HasShell, call: Call) -> Response:
    """The page; it names players as the server's lists do, and private matches not at all."""
    services = call.services
    shown = await asyncio.to_thread(_shown, services.store, services.clock())
    names = await services.names.of([one.opener for one in shown.openings if one.opener], call.language)
    response = pages.shell.page(call, "log.html", shown=shown, names=names)
    response.headers["cache-control"] = NEVER
    return response


def _shown(store: SqlStore, now: int) -> LogShown:
    log = store.transparency
    newest, best = log.latest(), log.best()
    counts = log.ages([now + _DAY, *(now - days * _DAY for days in _AGES)])
    own = [read(leaf) for _, leaf in reversed(log.own())]
    origin, _, root, *_ = newest.note.split("\n") if newest else ("", "", "")
    return LogShown(
        newest,
        best,
        origin,
        root,
        _labels(newest.note) if newest else [],
        _labels(best.text)[1:] if best else [],
        log.openings(MOST_OPENERS),
        counts[0],
        list(zip(_AGES, counts[1:], strict=True)),
        [one for one in own if isinstance(one, RestoredLeaf)][:MOST_RESTORES],
        store.log_guard.is_behind,
    )


def _labels(note: str) -> list[str]:
    """NAME+ID of the signers of a note."""
    return [visible(line.label) for line in Note.parse(note).signatures]
