"""Positions and differences: at any move, for any viewer, as data and as sentences."""

from __future__ import annotations

import msgspec
import pytest

from domain.game import Game
from domain.games import GAMES
from domain.kernel import HIDDEN
from domain.match_base import ALL
from replay import matchfile
from replay.difference import Change, difference, sentences
from replay.positions import NoView, position
from replay.words import Words
from tests.matches import Sitting, finished
from tests.replay.files import file_of, with_everything


def test_a_position_shows_what_its_viewer_may_see(toy_game: Game) -> None:
    match = finished(toy_game).match
    hands = match.table_at(3, ALL).hands
    assert position(match, 3, ALL).table["hands"] == {seat: list(cards) for seat, cards in hands.items()}
    assert position(match, 3, "left").table["hands"] == {"left": [*hands["left"]], "right": [HIDDEN]}
    assert position(match, 3).table["hands"] == {"left": [HIDDEN], "right": [HIDDEN]}


def test_a_position_tells_where_the_match_stands(toy_game: Game) -> None:
    match = finished(toy_game).match
    opened, running, over = position(match, 1), position(match, 4), position(match)
    assert (opened.status, opened.kind, opened.asked) == ("open", "opened", None)
    assert (running.status, running.kind, running.move) == ("running", "played", 4)
    assert running.asked is not None
    assert (over.status, over.kind, over.result) == ("over", "closed", match.result)
    assert over.at == match.records[-1].entry.at


def test_a_move_that_was_taken_back_can_still_be_seen(toy_game: Game) -> None:
    match = with_everything(toy_game)
    gone = [move for move in range(1, match.move + 1) if not position(match, move).stands]
    assert gone
    assert set(gone).isdisjoint(match.line())


def test_every_position_of_a_match_is_plain_data_with_every_field(toy_game: Game) -> None:
    match = finished(toy_game).match
    for move in range(1, match.move + 1):
        for viewer in (None, "left", "right", ALL):
            shown = position(match, move, viewer)
            untold = {"agenda", "result", "exchanged"}
            assert set(shown.table) == set(toy_game.state.__struct_fields__) - untold
            assert msgspec.json.decode(msgspec.json.encode(shown.table)) == shown.table


@pytest.mark.parametrize("move", [0, -1, 10_000])
def test_a_move_that_is_not_there_is_refused(toy_game: Game, move: int) -> None:
    match = finished(toy_game).match
    with pytest.raises(NoView, match=f"no move {move}; the match has the moves 1 to {match.move}"):
        position(match, move)


def test_a_viewer_who_may_not_or_cannot_see_is_refused(toy_game: Game) -> None:
    running = Sitting(toy_game).seat_all().play_on(2).match
    with pytest.raises(NoView, match="when the match is over"):
        position(running, 2, ALL)
    with pytest.raises(NoView, match="no viewer 'chance'; there are: spectator, left, right, all"):
        position(running, 2, "chance")
    read = matchfile.read(file_of(running)).match()
    with pytest.raises(NoView, match="private parts are not in this log"):
        position(read, 2, "left")
    assert position(read, 2).table == position(running, 2).table


# ── differences ──


def test_a_difference_names_fields_counts_and_cards() -> None:
    sitting = finished(GAMES["cia_vs_kgb"], 3)
    changes = {change.path: change for change in difference(sitting.match, 8, 20, ALL)}
    assert (changes["turn",].before, changes["turn",].after) == (1, 2)
    deck = changes["objectives",]
    assert deck.before - deck.after == 2
    won = changes["won", "cia"]
    assert (won.before, won.after, len(won.gained), won.lost) == (0, 2, 2, ())


def test_a_difference_respects_the_viewer(toy_game: Game) -> None:
    match = finished(toy_game).match
    hidden = {change.path: change.gained for change in difference(match, 2, 3, None)}
    full = {change.path: change.gained for change in difference(match, 2, 3, ALL)}
    assert hidden["hands", "left"] == (HIDDEN,)
    assert full["hands", "left"] == match.table_at(3, ALL).hands["left"]


def test_a_difference_there_and_back_is_mirrored() -> None:
    match = finished(GAMES["thirteen_minutes"], 3).match
    there, back = difference(match, 6, 15, ALL), difference(match, 15, 6, ALL)
    mirrored = {(c.path, c.gained, c.lost) for c in back}
    assert {(change.path, change.lost, change.gained) for change in there} == mirrored


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_difference_can_be_said(name: str, language: str) -> None:
    match = finished(GAMES[name], 2).match
    words = Words(match, language)
    for move in range(1, match.move):
        for sentence in sentences(difference(match, move, move + 1, ALL), words):
            assert sentence
            assert "_" not in sentence
    assert sentences([], words) == [{"en": "Nothing differs.", "ru": "Различий нет."}[language]]


def test_a_difference_says_what_is_kept_in_structs_and_leaves_out_what_is_backstage() -> None:
    words = Words(Sitting(GAMES["twilight_struggle"]).match, "en")
    cards = [{"card": "fidel", "seat": "ussr"}, {"card": "nato", "seat": "us"}]
    changes = [
        Change(("playing",), None, cards),
        Change(("influence", "us", "iran"), 1, 2),
        Change(("at_start", "us", "iran"), 1, 2),
    ]
    assert sentences(changes, words) == [
        "being resolved: — → card: Fidel, side: USSR; card: NATO, side: US",
        "influence · US · Iran: 1 → 2",
    ]
    assert sentences(changes[2:], words) == ["Nothing differs."]


def test_a_difference_in_words() -> None:
    match = finished(GAMES["thirteen_minutes"], 3).match
    english = sentences(difference(match, 3, 7, ALL), Words(match, "en"))
    assert "supply · US: 13 → 0" in english
    russian = sentences(difference(match, 3, 7, ALL), Words(match, "ru"))
    assert "запас · США: 13 → 0" in russian
