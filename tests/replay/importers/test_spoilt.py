"""Whatever happens to a log, its game is followed to its end: lines lost, doubled, exchanged, damaged."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from replay.importers.twilight_struggle.report import Imported, imported
from replay.importers.twilight_struggle.sections import MOST
from replay.importers.twilight_struggle.structure import BadLog
from replay.verify import verify_records
from tests.matches import PRODUCT
from tests.replay.importers.invented import Invented
from tests.replay.importers.short_games import WHOLE, with_columns

Lines = list[str]


def lost(lines: Lines, luck: Random) -> None:
    del lines[luck.randrange(len(lines))]


def doubled(lines: Lines, luck: Random) -> None:
    at = luck.randrange(len(lines))
    lines.insert(at, lines[at])


def exchanged(lines: Lines, luck: Random) -> None:
    one, other = luck.randrange(len(lines)), luck.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def without_paragraph(lines: Lines, luck: Random) -> None:
    at = luck.randrange(len(lines))
    end = next((n for n in range(at, len(lines)) if not lines[n]), len(lines))
    del lines[at : end + 1]


def without_entry(lines: Lines, luck: Random) -> None:
    heads = [n for n, line in enumerate(lines) if line.startswith("Turn ")]
    if heads:
        at = luck.randrange(len(heads))
        del lines[heads[at] : (*heads, len(lines))[at + 1]]


def misprinted(lines: Lines, luck: Random) -> None:
    at = luck.randrange(len(lines))
    lines[at] = "".join(str(luck.randrange(10)) if sign.isdigit() else sign for sign in lines[at])


def cut(lines: Lines, luck: Random) -> None:
    del lines[luck.randrange(len(lines) // 2, len(lines)) :]


SPOILERS: list[Callable[[Lines, Random], None]] = [
    lost,
    doubled,
    exchanged,
    without_paragraph,
    without_entry,
    misprinted,
    cut,
]


def log(text: str) -> Imported:
    return imported(text.encode(), PRODUCT)


@pytest.mark.parametrize("spoil", SPOILERS, ids=[spoil.__name__ for spoil in SPOILERS])
@pytest.mark.parametrize("logs", [10, pytest.param(30, marks=pytest.mark.long)])
def test_a_spoilt_log_is_followed_to_its_end(spoil: Callable[[Lines, Random], None], logs: int) -> None:
    luck = Random(spoil.__name__)
    for number in range(logs):
        lines = (with_columns() if number % 2 else WHOLE).split("\n")
        for _ in range(luck.choice((1, 1, 2, 4))):
            spoil(lines, luck)
        found = log("\n".join(lines))
        assert found.match.status == "over"
        assert found.followed >= 0
        assert not [one for one in found.mismatches if "cannot be carried out" in one.what]
        report = verify_records(found.match.records)
        assert report.ok, report


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 4))])
def test_a_whole_game_of_which_nothing_fits_is_followed_to_its_end(seed: int) -> None:
    """Invented games tell where the cards go; what they say of the board is not checked."""
    found = log(Invented(seed).text)
    assert found.match.status == "over"
    assert found.entries > 100
    assert verify_records(found.match.records).ok


@pytest.mark.parametrize("spoil", [lost, exchanged, without_entry])
@pytest.mark.parametrize("logs", [8, pytest.param(20, marks=pytest.mark.long)])
def test_one_thing_spoilt_leaves_most_of_a_game_followed(
    spoil: Callable[[Lines, Random], None], logs: int
) -> None:
    luck, followed, entries = Random(7), 0, 0
    for _ in range(logs):
        lines = WHOLE.split("\n")
        spoil(lines, luck)
        found = log("\n".join(lines))
        followed, entries = followed + found.followed, entries + found.entries
    assert followed > entries * 0.8


# ── files that mean harm ──


@pytest.mark.parametrize(
    "text",
    [
        WHOLE + "US reveals " + "from hand " * 20_000 + "\n",
        WHOLE + "Turn 1, US AR1: NATO*: " * 15_000 + "\n",
        WHOLE + "\n" * 400_000,
        WHOLE + "USSR +1 in Cuba [0][9]\n" * 15_000,
        WHOLE + "Turn 1, US AR5: NATO*: Event: NATO*\n" * 8_000,
        WHOLE + "SETUP: : x\n" * 20_000,
        WHOLE + "".join(f"Turn {n % 10 + 1}, USSR AR{n % 8 + 1}: NATO*:\n" for n in range(15_000)),
        WHOLE.replace("Ada", "\x1b[2J\x00"),
    ],
    ids=["long line", "long head", "blank", "one entry", "rounds", "set-ups", "turns", "signs"],
)
def test_a_hostile_log_is_no_more_work_than_a_long_one(text: str) -> None:
    found = log(text)
    assert found.match.status == "over"
    assert found.entries < 200
    assert found.match.move < 2_000


def test_a_longer_file_is_refused_unread() -> None:
    with pytest.raises(BadLog, match="at most 500,000 bytes"):
        log("x" * (MOST + 1))
