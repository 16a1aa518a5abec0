"""The golden playthroughs are what is played today (`ops/golden` writes them again)."""

from __future__ import annotations

import difflib

import pytest

from domain.games import GAMES
from tests.golden.playthrough import MATCHES, path_of, playthrough

MOST_BYTES = 400_000  # so that a person can still review the file; the menus of Imperial Struggle are long
SHOWN = 40  # lines of a difference


def test_every_game_has_a_playthrough() -> None:
    assert {golden.game for golden in MATCHES.values()} == set(GAMES)


@pytest.mark.parametrize("name", sorted(MATCHES))
def test_a_match_is_played_as_in_its_golden_file(name: str) -> None:
    kept = path_of(name).read_text("utf-8")
    played = "\n".join(playthrough(MATCHES[name])) + "\n"
    if played != kept:
        lines = difflib.unified_diff(
            kept.splitlines(), played.splitlines(), "kept", "played", lineterm="", n=4
        )
        shown = "\n".join(line for line, _ in zip(lines, range(SHOWN), strict=False))
        pytest.fail(f"{name} is played differently; if that is meant, run ops/golden\n{shown}", pytrace=False)


@pytest.mark.parametrize("name", sorted(MATCHES))
def test_a_golden_file_can_be_reviewed(name: str) -> None:
    assert path_of(name).stat().st_size < MOST_BYTES
    text = path_of(name).read_text("utf-8")
    for part in ("draw ", "fact ", "view ", "ask ", "secret_opened", "closed by play"):
        assert part in text, f"the seed of {name} shows no {part!r}: choose another"
