"""What a log in memory tells in brief."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from domain.log import PLAYED, Damaged, Record
from projections.model import Delivered

D = TypeVar("D", bound=Delivered)


def brief(found: Sequence[D]) -> list[D]:
    """Records without the plays after which there is another record of their match (see `Source.brief`)."""
    last = {one.record.match: one.position for one in found}
    return [one for one in found if not _is_play(one.record) or one.position == last[one.record.match]]


def _is_play(record: Record) -> bool:
    try:
        return record.kind == PLAYED
    except Damaged:
        return False
