"""Refusals that a test expects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from domain.kernel import Refused


@contextmanager
def refused(reason: str) -> Iterator[None]:
    """What is done in it is refused, for this reason."""
    with pytest.raises(Refused) as caught:
        yield
    assert caught.value.id == reason
