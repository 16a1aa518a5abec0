"""`rng/1` (architecture, section 2): keys, labels, counters; the published vectors are tested in replay."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest

from domain.chance import CHAIN, MOST, Forced, Ledger, NoDraw, Provable, Secret, drawn, joined, link

SECRET = Secret(bytes(range(32)), "m1")
OPTIONS = ("one", "two", "three", "four")


def ledger() -> Ledger:
    return Ledger()


@pytest.mark.parametrize("period", [1, 2, 63, 64, 65, CHAIN - 1, CHAIN])
def test_each_open_key_hashes_to_the_one_before_it(period: int) -> None:
    before = SECRET.open_key(period - 1) if period > 1 else SECRET.anchor(0)
    assert link(SECRET.open_key(period)) == before


def test_after_4096_periods_a_new_chain_begins() -> None:
    assert link(SECRET.open_key(CHAIN + 1)) == SECRET.anchor(1)
    assert SECRET.anchor(1) != SECRET.anchor(0)


def test_everything_depends_on_the_match_and_on_the_secret() -> None:
    for other in (Secret(bytes(range(32)), "m2"), Secret(bytes(32), "m1")):
        for part in ("commitment", "draw_key"):
            assert getattr(SECRET, part) != getattr(other, part)
        assert SECRET.salt(1, "us") != other.salt(1, "us")
        assert SECRET.anchor(0) != other.anchor(0)


def test_a_salt_belongs_to_a_move_and_an_audience() -> None:
    salts = {SECRET.salt(move, audience) for move in (1, 2, 11) for audience in ("us", "ussr", "house")}
    assert len(salts) == 9


def test_a_secret_has_256_bits() -> None:
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        Secret(bytes(31), "m1")


@pytest.mark.parametrize("n", [0, -1, MOST + 1])
def test_a_draw_needs_possibilities(n: int) -> None:
    with pytest.raises(ValueError, match="1 to 2\\^63"):
        drawn(b"k" * 32, "", "die", 0, n)


def test_a_word_beyond_the_greatest_multiple_is_rejected() -> None:
    """For n = 2^62 + 1 a quarter of the words is rejected: compare with the bare words."""
    n, rejected = 2**62 + 1, 0
    for counter in range(200):
        message = f"rng/1\n\ndie\n{counter}\n0".encode()
        first = int.from_bytes(hmac.digest(b"k" * 32, message, "sha256")[:8])
        if first >= 2**64 // n * n:
            rejected += 1
            assert drawn(b"k" * 32, "", "die", counter, n) != first % n
        else:
            assert drawn(b"k" * 32, "", "die", counter, n) == first % n
    assert 20 < rejected < 90


def test_possibilities_are_sorted_by_id_bytes_and_drawn_without_replacement() -> None:
    source = Provable(SECRET, "")
    draws = source.draw("deal", False, ("é", "z", "a", "Z"), 4, ledger())
    assert [draw.n for draw in draws] == [4, 3, 2, 1]
    assert [draw.counter for draw in draws] == [0, 1, 2, 3]
    assert sorted(draw.pick for draw in draws) == sorted(("é", "z", "a", "Z"))
    left = ["Z", "a", "z", "é"]
    for draw in draws:
        assert left.pop(draw.result) == draw.pick


def test_the_order_of_the_options_does_not_matter() -> None:
    source = Provable(SECRET, "")
    one = source.draw("deal", False, OPTIONS, 2, ledger())
    assert one == source.draw("deal", False, OPTIONS[::-1], 2, ledger())


def test_open_and_secret_draws_have_keys_of_their_own() -> None:
    source = Provable(SECRET, "")
    many = tuple(str(n) for n in range(1000))
    (open_draw,) = source.draw("x", True, many, 1, ledger())
    (secret,) = source.draw("x", False, many, 1, ledger())
    assert (open_draw.period, secret.period) == (1, 0)
    assert open_draw.result != secret.result


def test_counters_number_the_draws_under_one_label_and_restart_with_the_period() -> None:
    source, book = Provable(SECRET, ""), ledger()
    first = [source.draw("die", True, OPTIONS, 1, book)[0].counter for _ in range(3)]
    assert (first, book.close_period(), book.period) == ([0, 1, 2], 1, 2)
    assert source.draw("die", True, OPTIONS, 1, book)[0].counter == 0


def test_a_fork_leaves_its_ledger_alone() -> None:
    book = ledger()
    fork = book.fork()
    assert [fork.counter("die", True), fork.counter("die", True), book.counter("die", True)] == [0, 1, 0]


def test_salts_change_every_draw() -> None:
    many = tuple(str(n) for n in range(1000))
    results = {
        Provable(SECRET, salts).draw("x", False, many, 1, ledger())[0].result
        for salts in ("", joined({"us": "a", "ussr": None}), joined({"us": None, "ussr": "a"}))
    }
    assert len(results) == 3


def test_forced_draws_are_marked_and_must_be_possible() -> None:
    source = Forced(iter([("two", "four")]))
    draws = source.draw("deal", False, OPTIONS, 2, ledger())
    assert [(draw.pick, draw.forced) for draw in draws] == [("two", True), ("four", True)]
    with pytest.raises(NoDraw, match="ends before"):
        source.draw("deal", False, OPTIONS, 1, ledger())


def test_no_face_is_favoured() -> None:
    key = hashlib.sha256(b"faces").digest()
    counts = Counter(drawn(key, "", "die", counter, 6) for counter in range(6000))
    assert min(counts.values()) > 850
    assert set(counts) == set(range(6))
