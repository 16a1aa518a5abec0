"""A privileged read while the disk is full: its entry cannot be stored, so nothing hidden is shown (OA23)."""

from __future__ import annotations

import json
from contextlib import closing

from domain.events import FactEntry
from domain.match import Match
from tests.api.http.served import Client
from tests.api.store.locations import Folder
from tests.faults.club import Club, log_of, made
from tests.faults.test_full_disk import limit
from tests.faults.workers import Workers, working


def hands(match: Match) -> list[str]:
    """The cards that some seat holds, and of which no fact so far told a spectator."""
    told = json.dumps([repr(fact) for one in match.records for fact in one.facts_for("spectator")])
    held = match.table_at(match.move, "all").hands.values()
    return [card for hand in held for card in hand if f"'{card}'" not in told]


def match_of(place: Folder, club: Club) -> Match:
    """The match of the one board."""
    with closing(place.open(write=False)) as store:
        found = store.match(club.boards[0].match)
        assert found is not None
        return found


def test_with_a_full_disk_a_privileged_read_is_refused_and_shows_nothing(embedded: Folder) -> None:
    [club] = made(embedded, 2, game="twilight_struggle")
    match = match_of(embedded, club)
    assert any(isinstance(record.entry, FactEntry) for record in match.records)
    cards, before = hands(match), log_of(embedded, club).entry
    assert len(cards) >= 16
    body = {"expect": before, "why": "a dispute", "match": match.id, "first": 1, "last": match.move}
    workers = Workers(embedded)
    with working(workers):
        server = workers.process(0)
        with closing(Client(server.port, club.tokens[club.director])) as director:
            limit([server.pid], 0)  # no file takes a byte
            refused = director.post(f"{club.path}/privileged-reads", body)
            limit([server.pid])
            assert log_of(embedded, club).entry == before
            shown = director.post(f"{club.path}/privileged-reads", body)
            again = director.get(club.path).json["entry"]
        workers.kill(0)  # it said on its standard error that the disk was full
    refused.problem(503, "unavailable")
    assert not [card for card in cards if card.encode() in refused.body]
    assert shown.status == 201, shown
    assert all(f'"{card}"'.encode() in shown.body for card in cards)
    log = log_of(embedded, club)
    assert [record.kind for record in log.records[before:]] == ["privileged_read"]
    assert again == shown.json["entry"] == before + 1
