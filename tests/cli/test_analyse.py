"""`glasnost analyse`: what an agent thinks of the match in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.games import GAMES
from tests.cli.program import Program
from tests.matches import Sitting
from tests.replay.files import file_of


def test_json_holds_every_answer_and_sums_that_add_up(glasnost: Program, match_file: Path) -> None:
    told = glasnost("analyse", match_file, "--playouts", "4", "--json").json
    total = told["start"] + told["luck"] + sum(told["choices"].values()) + told["ending"]
    assert total == pytest.approx(told["result"])
    assert told["agent"] | {"version": ""} == {
        "level": told["agent"]["level"],
        "version": "",
        "playouts": 4,
        "seed": "1",
    }
    assert any(one["best"] for one in told["moves"])
    again = glasnost("analyse", match_file, "--playouts", "4", "--seed", "1", "--json").json
    assert again == told
    us = glasnost("analyse", match_file, "--playouts", "4", "--seat", "us", "--json").json
    assert {one["seat"] for one in us["moves"] if one["compared"]} == {"us"}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            ("playouts for each answer", "Win probability of US when play began", "Turning points", "Luck"),
        ),
        ("ru", ("доигрываний на каждый ответ: 4", "Вероятность победы", "Переломные моменты", "Везение")),
    ],
)
def test_the_table_speaks_the_language_of_the_reader(
    language: str, words: tuple[str, ...], glasnost: Program, match_file: Path
) -> None:
    out = glasnost("analyse", match_file, "--playouts", "4", "--lang", language).ok().out
    for word in words:
        assert word in out
    assert "blunder" not in out


def test_without_playouts_every_answer_can_be_printed(glasnost: Program, match_file: Path) -> None:
    told = glasnost("analyse", match_file, "--playouts", "0", "--json").json
    lines = glasnost("analyse", match_file, "--playouts", "0", "--all").ok().out.splitlines()
    start = lines.index("Every answer: win probability of US")
    assert len(lines) - start - 2 == len(told["moves"])
    assert "without playouts" in lines[0]


def test_what_cannot_be_analysed_is_refused(glasnost: Program, match_file: Path) -> None:
    glasnost("analyse", match_file, "--seat", "france").refused(2, "--seat france", "us, ussr")
    glasnost("analyse", "nothing").refused(2, "nothing")
    running = glasnost.folder / "running.glasnost"
    running.write_bytes(file_of(Sitting(GAMES["thirteen_minutes"], 2).seat_all().play_on(3).match))
    glasnost("analyse", running).refused(2, "a match is analysed when it is over")
