"""Calls that have no answer hold the next round, unless an official says why they do not (section 3)."""

from __future__ import annotations

import msgspec

from domain.tournaments import commands as c
from domain.tournaments.drafts import drafted
from domain.tournaments.events import RoundPublished
from domain.tournaments.judging import Actor
from domain.tournaments.terms import Terms
from tests.domain.tournaments.hall import Hall

TERMS = Terms(game="cia_vs_kgb", format="round_robin", rounds=3)


def paired(*, called: bool) -> Hall:
    """A hall whose first round is paired, while a call stands."""
    hall = Hall(TERMS, 4)
    if called:
        hall.do(c.CallArbiter(text="please look"), Actor("q1", "player"))
    hall.do(c.Pair(round=1, draft=drafted(hall.s, 1)))
    return hall


def test_the_entry_says_why_calls_did_not_hold_the_round() -> None:
    hall = paired(called=True)
    assert hall.refused(c.PublishRound(round=1)) == "calls-stand"
    hall.do(c.PublishRound(round=1, despite_calls="it is about the hall"))
    entry = hall.log.records[-1].entry
    assert isinstance(entry, RoundPublished)
    assert entry.reason == "it is about the hall"


def test_without_a_reason_the_bytes_are_those_of_earlier_versions() -> None:
    hall = paired(called=False)
    hall.do(c.PublishRound(round=1))
    leaf = msgspec.json.decode(hall.log.records[-1].leaf)
    assert leaf.keys() == {"at", "by", "entry", "kind", "prev", "role", "round", "opens_at", "sealed"}
