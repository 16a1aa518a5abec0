"""Plays as turn summaries read them from stored bytes: the same as what the whole record says."""

from __future__ import annotations

import msgspec
import pytest

from domain.events import Played
from domain.games import GAMES
from domain.log import codec
from projections.turns import play
from tests.domain.test_upcast import OLD_TAGS, stored, toy_with
from tests.matches import finished


@pytest.mark.parametrize("name", GAMES)
def test_a_play_is_read_as_its_record_tells_it(name: str) -> None:
    game, secrets = GAMES[name], 0
    for record in finished(game).match.records:
        if not isinstance(record.entry, Played):
            continue
        public, full = play(game, record), play(game, record, record.audiences)
        assert public is not None
        assert full is not None
        assert (tuple(public[1]), tuple(full[1])) == (record.facts_for(None), record.facts)
        assert (public[0].picks, full[0].picks) == (record.entry.picks, record.picks)
        assert (full[0].move, full[0].seat, full[0].ask) == (record.move, record.entry.seat, record.entry.ask)
        assert len(full[0].facts) == len(full[1])
        secrets += public[1] != full[1]
    assert secrets


def test_facts_of_old_tags_are_kept_under_those_of_today() -> None:
    game = toy_with(OLD_TAGS)
    plain = msgspec.json.Decoder(game.facts)
    for data in stored():
        record = codec(game).read("m49", data)
        found = play(game, record, record.audiences)
        if found is not None:
            assert tuple(found[1]) == record.facts
            assert [plain.decode(raw) for raw in found[0].facts] == found[1]
