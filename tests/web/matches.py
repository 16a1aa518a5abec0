"""Matches for the tests of the web client."""

from __future__ import annotations

import hashlib

from api.cli.common import keep_in
from api.gate.bots import player_of
from api.store.sql import SqlStore
from domain.games import GAMES
from tests.api.http.served import Served
from tests.matches import Sitting
from tests.waiting import soon

BOT = "random"
TRIES = 50  # seeds that are looked at for a match that is long enough; most matches are


def bots_match(server: Served, game: str, least: int = 0, seed: int = 1) -> str:
    """A match of at least so many moves that bots have played to its end, in the store of a server; its id.

    It is the same in every run: answers and draws come from the seed, so no test meets a match without the
    moves that it looks for.  A store that holds it keeps the one.
    """
    sitting = seeded_match(game, least, seed)
    assert isinstance(server.store, SqlStore)
    keep_in(server.store, sitting.match, sitting.secret.bytes)
    soon(lambda: server.client().get(f"/v1/matches/{sitting.id}").json["status"] == "over")
    return sitting.id


def seeded_match(game: str, least: int = 0, seed: int = 1) -> Sitting:
    """The first match between bots from this seed on that has at least so many moves.

    These bots pick at random, so some of their matches are over soon.
    """
    for one in range(seed, seed + TRIES):
        sitting = _played(game, one)
        if sitting.match.move >= least:
            return sitting
    raise AssertionError(f"no match of {game} from seed {seed} on has {least} moves")


def _played(game: str, seed: int) -> Sitting:
    name = "m" + hashlib.sha256(f"{game} {seed}".encode()).hexdigest()[:16]
    sitting = Sitting(GAMES[game], seed, name=name)
    for seat in GAMES[game].seats:
        seated = sitting.match.sit(sitting.context, seat, player_of(BOT), salt=None, bot=BOT, source=None)
        sitting.accept(seated)
    return sitting.play_on()
