"""OA8: tournaments change no byte of a match that belongs to none; and an opening of one is read again."""

from __future__ import annotations

from domain.chance import Secret
from domain.drafts import Context
from domain.events import BoardOf
from domain.game import Game
from domain.log import codec
from domain.match import open_match
from tests.matches import finished

BEFORE = "7159f6fc4c3a9f7979226c2d20e8166199fe49a535460978ec0f4ba432e9c829"  # as the version before wrote it


def test_a_match_outside_of_tournaments_has_the_bytes_that_it_had(toy_game: Game) -> None:
    match = finished(toy_game, 1).match
    assert match.roots[-1].hex() == BEFORE
    assert b"tournament" not in match.records[0].leaf


def test_an_opening_without_and_with_a_tournament_is_read_again(toy_game: Game) -> None:
    context = Context(Secret(bytes(32), "m1"), 1, "1.0")
    for place in (None, BoardOf("tabc", 2, 7)):
        draft = open_match(
            context,
            toy_game,
            *toy_game.settle(None, {}),
            match="m1",
            origin="live",
            opener=None,
            tournament=place,
        )
        stored = draft.records[0].stored
        assert codec(toy_game).read("m1", stored).entry.tournament == place
