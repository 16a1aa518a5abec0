"""Plays of one match in a row, folded at once: most records are plays, and most folds make little of them.

A batch is put in order for this: before each record that is no plain play come the plays of its match since
the one before, and at the end those that are left.  The other records keep their order.
"""

from __future__ import annotations

from msgspec import Struct

from domain.entries import Closed
from projections.model import Delivered, Projection
from projections.tables import Batch


class Step(Struct, frozen=True):
    """Plays of one match in a row, and the record of it that comes next in the batch, if any."""

    plays: list[Delivered]
    then: Delivered | None


class Steps(Struct, frozen=True):
    """A batch, as it was delivered and in order; `over`: the matches that close in it."""

    records: list[Delivered]
    steps: list[Step]
    over: frozenset[str]

    def fold(self, projection: Projection, batch: Batch) -> None:
        """Fold all of it into the rows of a batch.  Raises whatever a fold raises."""
        plays, fold = projection.plays, projection.fold
        if plays is None:
            for delivered in self.records:
                batch.apply(list(fold(batch, delivered)))
            return
        for step in self.steps:
            if step.plays:
                over = step.plays[0].record.match in self.over
                batch.apply(list(plays(batch, step.plays, over)))
            if step.then:
                batch.apply(list(fold(batch, step.then)))


def in_steps(records: list[Delivered]) -> Steps:
    """A batch, put in order."""
    waiting: dict[str, list[Delivered]] = {}
    steps: list[Step] = []
    over: set[str] = set()
    for delivered in records:
        record = delivered.record
        if not record.only_plays:
            steps.append(Step(waiting.pop(record.match, []), delivered))
            if isinstance(record.entry, Closed):
                over.add(record.match)
        elif plays := waiting.get(record.match):
            plays.append(delivered)
        else:
            waiting[record.match] = [delivered]
    steps += [Step(plays, None) for plays in waiting.values()]
    return Steps(records, steps, frozenset(over))
