"""Whether this server can do its work now, and if not, what is wrong: told by its parts."""

from __future__ import annotations

from collections.abc import Iterator

from api.http.vitals import Look
from projections.standing import Status

PATIENCE = 3.0  # seconds in which the store must say that it can be written

Told = tuple[str, str]  # a part of the server, and what there is to say of it


def reasons(look: Look | None, stopping: bool, most_behind: int) -> dict[str, str]:
    """Why the server is not ready, by part; nothing where it is.

    Args:
        look: None where the store did not answer in time.
        stopping: it was asked to stop.
        most_behind: how many records a read model may be behind.
    """
    found = {"server": "it is stopping"} if stopping else {}
    if look is None:
        return {**found, "store": f"it has not taken a small write for {PATIENCE:.0f} seconds"}
    if look.trouble:
        return {**found, "store": look.trouble}
    if look.projections is None:
        return {**found, "projections": "the store did not say how far its log goes"}
    wrong = [said for status in look.projections for said in _wrong(status, most_behind)]
    return {**found, "projections": "; ".join(wrong)} if wrong else found


def remarks(look: Look | None) -> dict[str, str]:
    """What an operator may want to know although it keeps nobody from playing, by part."""
    return dict(_remarked(look)) if look else {}


def _wrong(status: Status, most_behind: int) -> Iterator[str]:
    if status.failure:
        yield f"{status.name} stopped before position {status.failure.position}: {status.failure.error}"
    elif status.behind > most_behind:
        yield f"{status.name} is {status.behind} records behind"


def _remarked(look: Look) -> Iterator[Told]:
    rebuilt = [status for status in look.projections or () if status.building is not None]
    if rebuilt:
        told = (
            f"{status.name} is built anew and has come to position {status.building}" for status in rebuilt
        )
        yield "projections", "; ".join(told)
    if look.replica_away:
        yield "replica", "it does not answer; everything is read from the store itself"
    elif look.lag and look.lag.moves:
        yield "replica", f"moves that it lacks: {look.lag.moves}"
