"""Long matches: CIA vs. KGB for any number of moves, although its decks allow only some hundreds.

The score limit is raised.  When a match has come far, an organizer rules that it goes back to its first
question, and it is played on from there: the log, the tree and everything kept of a match go on growing.
"""

from __future__ import annotations

import hashlib
import random

from _bench import PLAYER, START, accept

from api.gate.bots import RandomBot
from api.settings import product
from domain.chance import Secret
from domain.drafts import Context
from domain.games import GAMES
from domain.kernel import Prompt, Seat
from domain.match import Match, open_match

GAME = GAMES["cia_vs_kgb"]
_FAR = 15  # the turn after which a match goes back; the decks are empty some turns later
_PLAYERS = (PLAYER, "pponmlkjihgfedcba")


def context_of(seed: int) -> Context:
    """Return the context of the commands to the long match of a seed."""
    name = f"mlong{seed}"
    return Context(Secret(hashlib.sha256(name.encode()).digest(), name), START, product())


def long_match(seed: int, moves: int) -> Match:
    """Return a running match of at least so many moves between random bots."""
    context, bot = context_of(seed), RandomBot(random.Random(seed))
    options = GAME.settle(None, {"score_limit": 100_000})
    name, opener = context.secret.match, _PLAYERS[0]
    opening = open_match(context, GAME, *options, match=name, origin="bots", opener=opener)
    match = Match.project(None, opening.records)
    assert match is not None
    for seat, player in zip(GAME.seats, _PLAYERS, strict=True):
        accept(match, match.sit(context, seat, player, salt=None, bot="", source=None))
    first = match.move
    while match.move < moves:
        if match.live.turn > _FAR:
            back(match, context, first)
        seat, question = asked(match)
        accept(match, match.play(context, seat, [bot.answer(question)]))
    return match


def back(match: Match, context: Context, to: int) -> None:
    """Make an organizer rule that the match goes back to the table after move `to`."""
    accept(match, match.rule(context, "oabcdefghijklmnop", "once more", back_to=to))


def asked(match: Match) -> tuple[Seat, Prompt]:
    """Return a seat that is asked, and its question."""
    assert match.asked is not None
    seat = next(iter(match.asked.seats))
    standing = match.prompt(seat)
    assert standing is not None
    return seat, standing[1]
