"""What a pairing by hand says against itself in the log."""

from __future__ import annotations

from domain.tournaments import commands as c
from domain.tournaments.events import PairingChanged
from domain.tournaments.terms import Terms
from tests.domain.tournaments.hall import Hall
from tests.domain.tournaments.random_play import greedy


def changed(hall: Hall, *pairs: tuple[str, str]) -> tuple[str, ...]:
    """Pair the latest round by hand; what the entry says against it."""
    boards = tuple(c.Pairing(w, b) for w, b in pairs)
    hall.do(c.ChangePairing(round=len(hall.s.rounds), boards=boards, reason="request", text="so they asked"))
    entry = hall.log.records[-1].entry
    assert isinstance(entry, PairingChanged)
    return entry.opinion


def test_a_pairing_by_hand_notes_rematches_colours_and_floats() -> None:
    # given two rounds in which the better ones always had the first colour, and won
    hall = Hall(Terms(game="cia_vs_kgb", format="swiss", rounds=3), 4)
    for pairs in ((("n1", "n3"), ("n2", "n4")), (("n1", "n4"), ("n2", "n3"))):
        number = len(hall.s.rounds) + 1
        hall.do(c.Pair(round=number, draft=greedy(hall.s)))
        changed(hall, *pairs)
        hall.do(c.PublishRound(round=number))
        for board in (1, 2):
            hall.rule(board, "1-0")
        hall.do(c.CloseRound(round=number))

    # when the next round is paired by hand
    hall.do(c.Pair(round=3, draft=greedy(hall.s)))

    # then each thing that speaks against it is noted once
    assert changed(hall, ("n1", "n2"), ("n3", "n4")) == ("colour",)
    assert changed(hall, ("n3", "n1"), ("n4", "n2")) == ("rematch", "float")
    assert changed(hall, ("n1", "n3"), ("n2", "n4")) == ("rematch", "colour", "float")
