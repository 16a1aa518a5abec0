"""What the tests of the API share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api.patience import be_patient


@pytest.fixture(autouse=True, scope="session")
def patient() -> Iterator[None]:
    """Long timeouts, so that no request is refused because the machine was slow; some tests set their own."""
    with pytest.MonkeyPatch.context() as patch:
        be_patient(patch.setattr)
        yield
