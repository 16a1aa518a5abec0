"""All that an agent ever gets: its seat's own fold with the agenda, and the question, as bytes.

No id of a match, root, salt or clock stands in it: nothing that differs between two worlds that the seat
cannot tell apart.
"""

from __future__ import annotations

from functools import cache

import msgspec
from msgspec import Struct
from msgspec.json import Decoder
from msgspec.structs import replace

from domain.game import Game
from domain.kernel import AnyStep, Prompt, Seat, Table


class Observation(Struct, frozen=True):
    """What `seat` knows when it is asked `prompt`.

    `table`: a JSON list of the seat's own fold, with `HIDDEN` where the seat does not know a face, and of the
    agenda.  The agenda is that of the true table: no step of it names what the asked seat cannot know.
    """

    game: str
    seat: Seat
    table: bytes
    prompt: Prompt


def observe(game: Game, view: Table, agenda: tuple[AnyStep, ...], prompt: Prompt) -> Observation:
    """What a seat observes.

    Args:
        view: the table as the asked seat folds it.
        agenda: what remains to be done.
        prompt: the question; `prompt.seat` is the asked seat.
    """
    table = msgspec.json.encode((replace(view, agenda=()), agenda))
    return Observation(game.name, prompt.seat, table, prompt)


def table_of(game: Game, observation: Observation) -> Table:
    """The seat's own fold, with its agenda.

    Raises:
        msgspec.DecodeError: these bytes hold no table of the game.
    """
    view, agenda = _decoder(game).decode(observation.table)
    return replace(view, agenda=agenda)


@cache
def _decoder(game: Game) -> Decoder[tuple[Table, tuple[AnyStep, ...]]]:
    agenda = tuple.__class_getitem__((game.steps, ...))
    return Decoder(tuple.__class_getitem__((game.state, agenda)))
