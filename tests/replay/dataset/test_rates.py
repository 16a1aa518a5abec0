"""Rates: intervals as of scipy, marks for many comparisons, players who have many of the cases (AN17)."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from scipy.stats import binomtest, fisher_exact, hypergeom

from replay.dataset.rates import differs, holm, rate_of, unlike_the_rest, wilson

Cases = list[tuple[bool, tuple[str, ...]]]


def test_the_interval_is_that_of_scipy(often: Callable[[int, int], int]) -> None:
    dice = random.Random(17)
    pairs = [(dice.randint(0, n), n) for n in (dice.randint(1, 5000) for _ in range(often(100, 1000)))]
    for won, n in [*pairs, (0, 1), (1, 1), (0, 100_000), (100_000, 100_000)]:
        wanted = binomtest(won, n).proportion_ci(method="wilson")
        low, high = wilson(won, n)
        assert (low, high) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
        assert 0.0 <= low <= won / n <= high <= 1.0


@pytest.mark.parametrize(("won", "n"), [(0, 0), (2, 1), (-1, 1)])
def test_a_rate_of_no_case_has_no_interval(won: int, n: int) -> None:
    with pytest.raises(ValueError, match="no rate"):
        wilson(won, n)
    assert rate_of([]).rate is None


def cases(count: int, *, of_one: int) -> Cases:
    """Cases of many players, of which `of_one` belong to one who wins often."""
    dice = random.Random(3)
    rest = [(dice.random() < 0.5, (f"p-{place}", f"q-{place}")) for place in range(count - of_one)]
    return [*rest, *((dice.random() < 0.9, ("often", f"r-{place}")) for place in range(of_one))]


def test_a_player_with_more_than_a_fifth_of_the_cases_makes_the_interval_wider() -> None:
    few, many = rate_of(cases(200, of_one=40)), rate_of(cases(200, of_one=120))
    assert not few.by_players
    assert (few.lo, few.hi) == wilson(few.won, few.n)
    assert many.by_players
    low, high = wilson(many.won, many.n)
    assert many.lo is not None
    assert many.hi is not None
    assert many.hi - many.lo > 1.5 * (high - low)
    assert rate_of(cases(200, of_one=120)) == many


def test_the_interval_holds_the_true_rate_more_often_than_that_of_wilson() -> None:
    """Four players of different strength: Wilson's interval too often misses the rate over all such."""
    held = plain = 0
    for seed in range(60):
        dice = random.Random(seed)
        some: Cases = []
        for player in range(4):
            strength = dice.betavariate(4, 4)
            some += [(dice.random() < strength, (f"p-{player}",)) for _ in range(40)]
        found = rate_of(some)
        low, high = wilson(found.won, found.n)
        assert found.lo is not None
        assert found.hi is not None
        held += found.lo <= 0.5 <= found.hi
        plain += low <= 0.5 <= high
    assert held >= 45
    assert held > plain + 5


def test_a_seat_without_a_known_player_weighs_nothing_special() -> None:
    assert rate_of([(True, ()), (False, ())]).by_players is False
    assert rate_of([(True, ("a",)), (False, ())]).by_players is True


def test_holm_gives_the_values_of_a_worked_example() -> None:
    # 0.01 x 4, 0.02 x 3, 0.03 x 2, and the last not below the one before
    found = holm({"a": 0.01, "c": 0.03, "b": 0.02, "d": 0.04})
    assert found == pytest.approx({"a": 0.04, "b": 0.06, "c": 0.06, "d": 0.06})
    assert holm({"a": 0.7, "b": 0.9}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


def test_two_rates_differ_by_the_exact_test_of_fisher() -> None:
    # the lady tasting tea, R. A. Fisher 1935: 3 of 4 against 1 of 4
    assert differs(3, 4, 1, 4) == pytest.approx(34 / 70)
    assert differs(0, 0, 1, 4) == differs(1, 4, 0, 0) == 1.0


def test_a_rate_is_compared_with_all_others_together_exactly() -> None:
    """For equal sizes the hypergeometric distribution is symmetric, and the test is that of Fisher."""
    cases = {"a": (9, 10), "b": (1, 10), "c": (5, 10), "none": (0, 0)}
    found = unlike_the_rest(cases)
    assert found["a"] == pytest.approx(2 * fisher_exact([[9, 1], [6, 14]], "greater").pvalue)
    assert found["b"] == pytest.approx(2 * fisher_exact([[1, 9], [14, 6]], "less").pvalue)
    assert found["none"] == 1.0
    assert found["c"] == 1.0
    assert unlike_the_rest({"one": (3, 7)}) == {"one": 1.0}


def test_p_values_are_those_of_scipy(often: Callable[[int, int], int]) -> None:
    """Also of rates over very many cases, without a case that was won, and of rates that differ very much."""
    dice = random.Random(17)
    for _ in range(often(60, 2000)):
        most = dice.choice((4, 40, 500, 20_000, 100_000))
        n, elsewhere = dice.randint(1, most), dice.randint(1, most)
        rate = dice.random()
        won = round(n * rate)
        others = round(elsewhere * min(1.0, max(0.0, rate + dice.choice((0.0, 0.01, 0.1, 1.0, -1.0)))))
        wanted = fisher_exact([[won, n - won], [others, elsewhere - others]]).pvalue
        assert differs(won, n, others, elsewhere) == pytest.approx(wanted, rel=1e-7, abs=1e-280)
        found = unlike_the_rest({"here": (won, n), "elsewhere": (others, elsewhere)})["here"]
        every = (n + elsewhere, won + others, n)
        tails = hypergeom.cdf(won, *every), hypergeom.sf(won - 1, *every)
        assert found == pytest.approx(min(1.0, 2 * min(tails)), rel=1e-7, abs=1e-280)
