"""Settings: what is called like one and is none."""

from __future__ import annotations

import pytest

from api.settings import OTHERS, PREFIX, BadSetting, Settings, unknown
from api.settings import read as read_settings
from tests.docs.documents import read


def test_an_unknown_variable_is_reported_with_the_most_similar_setting() -> None:
    given = {"GLASNOST_REQUEST_PER_SECOND": "5", "GLASNOST_XYZZY": "1", "HOME": "/", "GLASNOST_STORE": "s"}
    assert unknown(given) == {
        "GLASNOST_REQUEST_PER_SECOND": "GLASNOST_REQUESTS_PER_SECOND",
        "GLASNOST_XYZZY": "",
    }


def test_a_folder_of_read_models_is_refused_with_where_they_lie() -> None:
    with pytest.raises(BadSetting, match=r"READ_MODELS is no setting any more.* lie in its database"):
        read_settings({"GLASNOST_READ_MODELS": "models"})
    assert read_settings({"GLASNOST_READ_MODELS": ""}) == Settings()


def test_no_variable_that_is_read_is_taken_for_a_mistake() -> None:
    settings = [PREFIX + name.upper() for name in Settings.__struct_fields__]
    told = {row["Other"].strip("`") for row in read("docs/operations.md").table("Other")}
    assert unknown(dict.fromkeys([*told, *settings], "1")) == {}
    assert told == set(OTHERS) - {"GLASNOST_ROOT"}  # which the scripts set for themselves
