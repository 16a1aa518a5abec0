"""`glasnost replay`: a match from its file, at any move, for any viewer, in two languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from domain.games import GAMES
from replay import matchfile
from tests.cli.program import Program, on_a_terminal
from tests.cli.test_play import card_set
from tests.matches import Sitting
from tests.replay.files import file_of

POSITION = {"match", "game", "edition", "options", "move", "status", "result", "table", "narration", "viewer"}


@pytest.mark.parametrize("view", ["all", "spectator", "us", "ussr"])
@pytest.mark.parametrize("move", [1, 3, 20])
def test_the_position_is_that_of_the_log_for_every_viewer(
    glasnost: Program, match_file: Path, view: str, move: int
) -> None:
    shown = glasnost("replay", match_file, "--at", str(move), "--view", view, "--json").json
    match = matchfile.read(match_file).match()
    table = match.table_at(move, None if view == "spectator" else view)
    assert set(shown) >= POSITION
    assert (shown["move"], shown["viewer"], shown["match"]) == (move, view, match.id)
    assert shown["table"]["plays"] == table.plays
    hands = {side: list(hand) for side, hand in table.hands.items()}
    assert shown["table"]["hands"] == hands
    assert [told["move"] for told in shown["narration"]] == list(range(1, move + 1))


def test_a_match_of_a_store_is_shown_by_its_id(glasnost: Program, match_file: Path) -> None:
    glasnost("play", "thirteen_minutes", "--seed", "2a", "--store", "s").ok()
    name = matchfile.read(match_file).manifest.match
    assert glasnost("replay", "--store", "s", name).ok() == glasnost("replay", match_file).ok()
    glasnost("replay", "--store", "s", "m" * 3).refused(2, "there is no match mmm in this store")
    glasnost("replay", "--store", "t", name).refused(2, "t")
    assert not Path("t").exists()


def test_without_a_move_json_gives_the_end(glasnost: Program, match_file: Path) -> None:
    shown = glasnost("replay", match_file, "--json").json
    assert (shown["status"], shown["move"], shown["viewer"]) == ("over", shown["last"], "all")


def test_hidden_cards_stay_hidden_from_a_spectator(glasnost: Program, match_file: Path) -> None:
    told = glasnost("replay", match_file, "--at", "3", "--view", "spectator", "--json").json
    assert told["table"]["hands"] == {"us": ["?", "?"], "ussr": ["?", "?"]}
    assert "US: two cards are dealt." in told["narration"][2]["text"]


@pytest.mark.parametrize(
    ("language", "word"), [("en", "Battle 1, moves 1 to"), ("ru", "Сражение 1, ходы журнала с 1 по")]
)
def test_the_whole_match_is_printed_turn_by_turn(
    glasnost: Program, match_file: Path, language: str, word: str
) -> None:
    said = glasnost("replay", match_file, "--lang", language).ok().out
    last = matchfile.read(match_file).manifest.moves
    assert said.startswith(f"── {word}")
    assert all(f"\n{move:>4}  " in said for move in range(1, last + 1))


@pytest.mark.parametrize(
    ("game", "headings"),
    [
        (("imperial_struggle",), ["Turn 1", "War of the Spanish Succession", "Turn 2"]),
        (("twilight_struggle", "--option", "scenario=late_war"), ["Turn 8", "Turn 9"]),
    ],
)
def test_a_turn_is_called_as_in_the_summaries(
    glasnost: Program, game: tuple[str, ...], headings: list[str]
) -> None:
    glasnost("play", *game, "--seed", "5", "--out", "m").ok()
    said = glasnost("replay", "m").ok().out
    told = [line.removeprefix("── ").partition(",")[0] for line in said.splitlines() if line.startswith("──")]
    assert told[: len(headings)] == headings


def test_a_turn_that_is_taken_back_to_goes_on_under_its_own_heading(glasnost: Program) -> None:
    sitting = Sitting(GAMES["cia_vs_kgb"], 1).seat_all()
    match = sitting.match
    while not match.records[-1].facts or not any(fact.ends_period for fact in match.records[-1].facts):
        sitting.play_on(1)
    back = match.move - 1
    sitting.play_on(2)
    sitting.accept(match.rule(sitting.context, "p9", "the clock stood still", back_to=back))
    again = match.move + 1
    sitting.play_on()
    Path("back.glasnost").write_bytes(file_of(match))
    said = glasnost("replay", "back.glasnost").ok().out
    told = [line for line in said.splitlines() if line.startswith("── ")]
    assert [line.split(",")[0] for line in told[:4]] == ["── Turn 1", "── Turn 2", "── Turn 1", "── Turn 2"]
    assert told[2].startswith(f"── Turn 1, moves {again} to") or told[2].startswith(
        f"── Turn 1, move {again} "
    )


@pytest.mark.parametrize(("terminal", "bold"), [("dumb", False), ("xterm", True)])
def test_headings_are_bold_where_the_terminal_can_show_that(
    glasnost: Program, match_file: Path, terminal: str, bold: bool
) -> None:
    shown = on_a_terminal("replay", match_file, "--lang", "en", terminal=terminal)
    assert (b"\x1b[1m" in shown.splitlines()[0]) is bold
    assert (b"\x1b" in shown) is bold


def test_the_picture_of_a_move_says_which_and_for_whom(glasnost: Program, match_file: Path) -> None:
    said = glasnost("replay", match_file, "--at", "5", "--view", "us").ok().out
    assert "move 5 of" in said
    assert "US" in said


def test_what_changed_since_a_move_is_listed(glasnost: Program, match_file: Path) -> None:
    said = glasnost("replay", match_file, "--at", "20", "--since", "10").ok().out
    assert "\n10 → 20\n" in said
    assert "cards played" in said.partition("10 → 20")[2]


def test_what_changed_since_a_move_is_in_the_json_too(glasnost: Program, match_file: Path) -> None:
    shown = glasnost("replay", match_file, "--at", "20", "--since", "10", "--json").json
    assert shown["since"] == 10
    assert any("cards played" in change for change in shown["changes"])


def test_the_title_of_a_card_is_shown_as_it_is_written(glasnost: Program) -> None:
    cards = card_set()
    for card in cards["cards"]:
        card["title"] = "[/b] :dagger: \x1b]0;mine\x07\nend"
    Path("mine.json").write_text(json.dumps(cards), "utf-8")
    glasnost("play", "thirteen_minutes", "--seed", "1", "--option", "card_set=mine.json", "--out", "m").ok()
    for arguments in ([], ["--at", "6"], ["--at", "20", "--since", "3"]):
        said = glasnost("replay", "m", *arguments).ok().out
        assert "[/b] :dagger: \ufffd]0;mine\ufffd\ufffdend" in " ".join(said.split())
        assert not {"\x1b", "\x07"} & set(said)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--at", "9999"), "no move 9999"),
        (("--at", "0"), "--at"),
        (("--at", "last"), "--at"),
        (("--view", "cia"), "spectator, us, ussr, all"),
        (("--since", "9999"), "no move 9999"),
    ],
)
def test_what_is_not_there_is_refused(
    glasnost: Program, match_file: Path, arguments: tuple[str, ...], part: str
) -> None:
    glasnost("replay", match_file, *arguments).refused(2, part)


def test_what_is_no_match_file_is_refused(glasnost: Program, match_file: Path) -> None:
    whole = match_file.read_bytes()
    match_file.write_bytes(whole[:-100])
    glasnost("replay", match_file).refused(2, "match.glasnost", "verify")
    match_file.write_bytes(b"")
    glasnost("replay", match_file).refused(2, "match.glasnost")
    glasnost("replay", "none").refused(2, "none", "No such file")
    glasnost("replay", ".").refused(2, "directory")


def test_the_board_is_written_as_a_picture(glasnost: Program) -> None:
    glasnost("play", "twilight_struggle", "--seed", "2a", "--out", "board.glasnost").ok()
    glasnost("replay", "board.glasnost", "--at", "40", "--svg", "board.svg").ok()
    drawn = Path("board.svg").read_text("utf-8")
    assert drawn.startswith("<svg ")
    assert "move 40 of" in drawn
    glasnost("replay", "board.glasnost", "--at", "40", "--png", "board.png").ok()
    assert Path("board.png").read_bytes().startswith(b"\x89PNG")
    glasnost("replay", "board.glasnost", "--svg", "missing/board.svg").refused(2, "missing/board.svg")


def test_a_game_without_a_board_gives_no_picture(glasnost: Program, match_file: Path) -> None:
    glasnost("replay", match_file, "--svg", "board.svg").refused(2, "is not played on a board")
    assert not Path("board.svg").exists()
