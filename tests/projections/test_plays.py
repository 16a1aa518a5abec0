"""Plays as turn summaries read them from stored bytes: the same as what the whole record says."""

from __future__ import annotations

import msgspec
import pytest

from domain.events import Played
from domain.games import GAMES
from domain.log import codec
from projections.plays import heard, hidden
from tests.domain.test_upcast import OLD_TAGS, stored, toy_with
from tests.matches import finished


@pytest.mark.parametrize("name", GAMES)
def test_a_play_is_heard_as_its_record_tells_it(name: str) -> None:
    game, secrets = GAMES[name], 0
    for record in finished(game).match.records:
        if not isinstance(record.entry, Played):
            continue
        public, told = heard(game, record.leaf)
        full, all_of_it = heard(game, record.leaf, hidden(record.stored))
        assert (tuple(told), tuple(all_of_it)) == (record.facts_for(None), record.facts)
        assert (public.picks, full.picks) == (record.entry.picks, record.picks)
        assert (full.move, full.seat, full.ask) == (record.move, record.entry.seat, record.entry.ask)
        assert len(full.facts) == len(all_of_it)
        secrets += told != all_of_it
    assert secrets


def test_facts_of_old_tags_are_kept_under_those_of_today() -> None:
    game = toy_with(OLD_TAGS)
    plain = msgspec.json.Decoder(game.facts)
    for data in stored():
        record = codec(game).read("m49", data)
        if isinstance(record.entry, Played):
            play, facts = heard(game, record.leaf, hidden(data))
            assert tuple(facts) == record.facts
            assert [plain.decode(raw) for raw in play.facts] == facts
