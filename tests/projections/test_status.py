"""What the generations in a file mean for a reader."""

from __future__ import annotations

from projections.status import Failure, Generation, Progress, Status, has_reached, status


def generation(
    number: int,
    stamp: str,
    position: int,
    *,
    name: str = "history",
    served: bool = False,
    failed: bool = False,
) -> Generation:
    failure = Failure(name, position + 1, "m1", 7, f"KeyError of {stamp}") if failed else None
    return Generation(name, number, stamp, served, (name,), Progress(position), failure)


def test_before_anything_is_served_the_status_is_that_of_what_is_built() -> None:
    assert status("history", [], 9) == Status("history", 0, 9, None, None)
    assert status("history", [generation(1, "new", 4)], 9) == Status("history", 4, 5, 4, None)
    both = [generation(1, "old", 8, served=True), generation(2, "new", 4)]
    assert status("history", both, 9) == Status("history", 8, 1, 4, None)


def test_a_failure_of_another_version_is_not_reported() -> None:
    older = generation(1, "old", 4, served=True, failed=True)
    assert status("history", [older, generation(2, "new", 2)], 9).failure is None
    again = status("history", [older, generation(2, "new", 2, failed=True)], 9).failure
    assert again is not None
    assert again.error == "KeyError of new"


def test_a_failure_is_reported_while_the_same_version_is_built_anew() -> None:
    stopped = generation(1, "new", 4, served=True, failed=True)
    assert status("history", [stopped], 9).failure is not None
    assert status("history", [stopped, generation(2, "new", 2)], 9).failure is not None


def test_a_position_is_reached_when_every_read_model_shows_it() -> None:
    history, boards = generation(1, "new", 5, served=True), generation(1, "new", 5, name="boards")
    assert has_reached([history], 5)
    assert not has_reached([history], 6)
    assert not has_reached([history, boards], 5), "boards are still being built"
    assert not has_reached([], 0)
