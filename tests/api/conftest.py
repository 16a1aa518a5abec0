"""What the tests of the API share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api.patience import be_patient


@pytest.fixture(autouse=True, scope="session")
def patient() -> Iterator[None]:
    """Nobody is refused because the machine stood still; a test of impatience sets its own."""
    with pytest.MonkeyPatch.context() as patch:
        be_patient(patch.setattr)
        yield
