"""The published vectors of rng/1, read by `domain.chance` and by the stranger's code; and its evenness."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chisquare

from domain import chance
from domain.log import b64, seal, unb64
from tests.replay import stranger

TESTS = Path(__file__).parent.parent
VECTORS = json.loads((TESTS / "vectors" / "rng1.json").read_text("utf-8"))
MATCHES: list[dict[str, Any]] = VECTORS["matches"]
each_match = pytest.mark.parametrize("case", MATCHES, ids=[case["match"] for case in MATCHES])


def test_the_file_is_the_one_that_the_script_writes() -> None:
    spec = importlib.util.spec_from_file_location("vectors", TESTS.parent / "ops" / "vectors.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert json.loads(script.written()) == VECTORS


@each_match
def test_commitment_and_draw_key(case: dict[str, Any]) -> None:
    secret, match = unb64(case["secret"]), case["match"]
    known = chance.Secret(secret, match)
    assert known.commitment == stranger.commitment(secret, match) == unb64(case["commitment"])
    assert known.draw_key == stranger.derived(secret, match, "secret draws") == unb64(case["draw_key"])


@each_match
def test_anchors_and_open_keys(case: dict[str, Any]) -> None:
    secret, match = unb64(case["secret"]), case["match"]
    known = chance.Secret(secret, match)
    assert [entry["period"] for entry in case["open_keys"]] == [1, 2, 64, 65, 4096, 4097]
    for entry in case["open_keys"]:
        period, key = entry["period"], unb64(entry["key"])
        assert known.open_key(period) == stranger.open_key(secret, match, period) == key
    for entry in case["anchors"]:
        anchor = unb64(entry["anchor"])
        assert known.anchor(entry["chain"]) == anchor
        assert stranger.chain_link(secret, match, entry["chain"], 0) == anchor


@each_match
def test_salts_and_seals(case: dict[str, Any]) -> None:
    secret, match = unb64(case["secret"]), case["match"]
    known = chance.Secret(secret, match)
    for entry in case["seals"]:
        move, audience, part = entry["move"], entry["audience"], entry["part"].encode()
        salt = unb64(entry["salt"])
        assert known.salt(move, audience) == stranger.part_salt(secret, match, move, audience) == salt
        assert seal(salt, part) == stranger.sealed(salt, part) == unb64(entry["sealed"])


@each_match
def test_joined_salts(case: dict[str, Any]) -> None:
    salts = case["seat_salts"]
    assert chance.joined(salts) == stranger.joined(salts) == case["joined_salts"]


def test_salt_hashes() -> None:
    cases = [case for case in MATCHES if "salt_hashes" in case]
    assert cases
    for case in cases:
        for seat, salt in case["seat_salts"].items():
            told = case["salt_hashes"][seat]
            assert b64(chance.salt_hash(case["match"], seat, salt)) == told
            assert stranger.salt_hash(case["match"], seat, salt) == told


@each_match
def test_draws(case: dict[str, Any]) -> None:
    known, salts = chance.Secret(unb64(case["secret"]), case["match"]), case["joined_salts"]
    possibilities = {int(draw["n"]) for draw in case["draws"]}
    assert possibilities >= {1, 2, 6, 13, 110, 2**63}
    for draw in case["draws"]:
        key = known.open_key(draw["period"]) if draw["period"] else known.draw_key
        place = key, salts, draw["label"], draw["counter"], int(draw["n"])
        assert str(chance.drawn(*place)) == draw["result"]
        number, rejected = stranger.result(*place)
        assert (str(number), rejected) == (draw["result"], draw.get("rejected", rejected))


@each_match
def test_words_beyond_the_limit_are_rejected_within_a_block_and_beyond_it(case: dict[str, Any]) -> None:
    assert [draw["rejected"] for draw in case["draws"] if "rejected" in draw] == [1, 4]


def even(draws: int, n: int) -> float:
    """The p-value that so many draws among n are even (chi-square)."""
    key, drawn = chance.Secret(bytes(32), "chi-square").draw_key, chance.drawn
    counts = Counter(drawn(key, "", f"die/{n}", counter, n) for counter in range(draws))
    return float(chisquare([counts[number] for number in range(n)]).pvalue)


@pytest.mark.parametrize("n", [2, 6, 13, 110])
def test_no_result_is_favoured(n: int) -> None:
    assert even(100_000, n) > 1e-4


@pytest.mark.long
@pytest.mark.parametrize("n", [2, 6, 13, 110])
def test_no_result_is_favoured_in_a_million_draws(n: int) -> None:
    assert even(1_000_000, n) > 1e-4
