"""How a batch of the log is taken into one generation of a projection, and what happens if a record fails."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from projections.backend import Backend, Batch
from projections.generations import Generations, mark
from projections.model import Delivered, Projection
from projections.status import Failure, Generation, Progress

Taken = tuple[Progress | None, Failure | None]  # how far records were taken in, and what stopped the next


class BatchWriter:
    """Takes batches into generations.

    Args:
        tables: the tables of the read models.
        catalogue: the generations of these tables.
    """

    def __init__(self, tables: Backend, catalogue: Generations) -> None:
        self._tables, self._catalogue = tables, catalogue
        self.withdrawn: frozenset[str] = frozenset()  # matches that are no longer shown

    def taken(self, projection: Projection, found: Generation, records: Sequence[Delivered]) -> Taken:
        """Take a batch into a generation: rows and position, within the open transaction."""
        batch = Batch(self._tables, found.generation)
        batch.fetch(projection.kinds, {one.record.match for one in records if one.record.move > 1})
        progress, failure = _folded(projection, found, batch, records, self.withdrawn)
        # The log may have left out plays before the record that fails: a batch that ends there has them.
        if failure or progress is None:
            return None, failure
        unwritten = self._write(found, batch, progress)
        if unwritten is None:
            return progress, None
        if len(records) > 1:
            return self._one_by_one(projection, found, records)
        return None, _failure(found.name, records[0], unwritten)

    def _one_by_one(self, projection: Projection, found: Generation, records: Sequence[Delivered]) -> Taken:
        """Write a batch record by record, to find the one that fails; if one fails, store nothing of it."""
        last: Progress | None = None
        failure: Failure | None = None
        self._tables.execute("SAVEPOINT trial")
        for delivered in records:
            progress, failure = self.taken(projection, found, [delivered])
            if progress:
                last, found = progress, replace(found, progress=progress)
            if failure:
                self._tables.execute("ROLLBACK TO trial")
                last = None
                break
        self._tables.execute("RELEASE trial")
        return last, failure

    def _write(self, found: Generation, batch: Batch, progress: Progress) -> Exception | None:
        """Write a batch and its position, or neither; return the error that prevented it."""
        self._tables.execute("SAVEPOINT batch")
        try:
            batch.write()
        except self._tables.broken:  # the disk or the connection: every projection fails
            raise
        except Exception as error:  # rows that cannot be stored must not stop the other projections
            self._tables.execute("ROLLBACK TO batch")
            return error
        self._catalogue.move(found, progress)
        self._tables.execute("RELEASE batch")
        return None


def _folded(
    projection: Projection,
    found: Generation,
    batch: Batch,
    records: Sequence[Delivered],
    withdrawn: frozenset[str],
) -> Taken:
    """Fold into a batch the records that are new and of no withdrawn match, up to the first that fails."""
    fold, position = projection.fold, found.position
    last: Delivered | None = None
    failure: Failure | None = None
    for delivered in records:
        if delivered.position <= position:
            continue
        try:
            is_left_out = delivered.record.match in withdrawn or not projection.takes(delivered.record)
            changes = [] if is_left_out else list(fold(batch, delivered))
        except Exception as error:  # no error of a fold may stop the other projections
            failure = _failure(found.name, delivered, error)
            break
        batch.apply(changes)
        last, position = delivered, delivered.position
    return Progress(position, mark(last.record)) if last else None, failure


def _failure(projection: str, delivered: Delivered, error: Exception) -> Failure:
    record = delivered.record
    return Failure(projection, delivered.position, record.match, record.move, error_summary(error))


def error_summary(error: Exception) -> str:
    """Return the kind of an error and the line that raised it; its text could name a hidden card."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {'/'.join(Path(frames[-1].filename).parts[-2:])}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
