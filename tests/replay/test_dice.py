"""Faces of dice: exact probabilities, and their adjustment for all of them together."""

from __future__ import annotations

from collections import Counter
from itertools import product

from replay.dice import FACES, exact, faces_of


def test_the_probability_of_a_count_is_that_of_all_throws_counted_out() -> None:
    for n in (1, 2, 4):
        counts = [throws.count("1") for throws in product(FACES, repeat=n)]
        for count in range(n + 1):
            low = sum(one <= count for one in counts)
            high = sum(one >= count for one in counts)
            assert abs(exact(count, n) - min(1.0, 2 * min(low, high) / 6**n)) < 1e-12


def test_fair_dice_are_cleared_and_loaded_ones_seen_after_the_adjustment() -> None:
    fair = Counter(dict.fromkeys(FACES, 20))
    loaded = Counter({**dict.fromkeys(FACES[:5], 10), "6": 70})
    found = faces_of({"n1": fair, "n2": loaded})
    assert found["n1"].counts == (20,) * 6
    assert min(found["n1"].p) == 1.0
    assert found["n2"].p[5] < 1e-9
    assert all(p >= exact(count, 120) for p, count in zip(found["n2"].p, found["n2"].counts, strict=True))
