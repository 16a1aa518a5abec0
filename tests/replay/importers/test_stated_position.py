"""Where rules and log part: the position is set as the log states it, and that is recorded for what it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.events import Restated
from domain.games import GAMES
from domain.kernel import Decision, Refused
from domain.log import canonical, codec
from domain.match import Match
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import PositionStated
from projections.turns import turns
from replay import narration
from replay.importers.twilight_struggle.report import Imported, imported
from replay.report import Wrong
from replay.scripted import RecordedMatch
from replay.transitions import may_follow
from replay.verify import verify_records
from replay.words import Words
from tests.matches import PRODUCT
from tests.replay.importers.short_games import WHOLE

LOST = WHOLE.replace("US -1 in France [0][0]\n", "US -1 in France [0][0]\nUSSR +2 in Chile [0][2]\n")
ROUNDS = ("\nTurn 1, USSR AR2: ", "\nTurn 1, US AR2: ")


STORED = Path(__file__).parents[2] / "stored" / "twilight_struggle_restated.records"
"""An invented game as it was stored when a position was first set from its record; never written anew."""
ROOT = "a6f9380b89c9ceabda50dc80d34648fa05f0f46a1a32dbd40bf25e679362d46f"
LINES = 4  # a record: the leaf, a part for each seat, and the house's


def test_a_stored_position_is_read_as_it_was_written() -> None:
    lines, read = STORED.read_bytes().removesuffix(b"\n").split(b"\n"), codec(GAMES["twilight_struggle"]).read
    stored = [b"\n".join(lines[start : start + LINES]) for start in range(0, len(lines), LINES)]
    match = Match.project(None, [read("import-stored", record) for record in stored])
    assert match is not None
    assert (match.move, match.roots[-1].hex(), match.status) == (49, ROOT, "over")
    assert sum(isinstance(record.entry, Restated) for record in match.records) == 1
    assert match.table_at(match.move, None).influence["ussr"]["chile"] == 2
    assert [canonical(record.entry) for record in match.records] == [r.leaf for r in match.records]


def log(text: str) -> Imported:
    return imported(text.encode(), PRODUCT)


def test_a_position_that_rules_did_not_reach_is_an_entry_of_its_own() -> None:
    found = log(LOST)
    (one,) = (record for record in found.match.records if isinstance(record.entry, Restated))
    assert one.facts[:2] == (InfluenceSet("ussr", "chile", 2, 2), PositionStated(one.entry.line))
    assert LOST.split("\n")[one.entry.line - 1].startswith("Turn 1, ")
    assert (found.resynchronised, found.lost, found.followed) == (1, 0, 10)
    assert found.match.table_at(one.move, None).influence["ussr"]["chile"] == 2


def test_it_verifies_and_its_sentences_and_tables_are_those_of_a_spectator() -> None:
    match = log(LOST).match
    report = verify_records(match.records)
    assert report.ok, report
    assert "1 position set from the record, not by the rules" in report.notes
    told = [str(paragraph) for paragraph in narration.narrated(match, Words(match, "en"))]
    assert sum("it is set as the record states it" in text for text in told) == 1
    assert turns(match, match.move)
    for move in range(1, match.move + 1):
        table = match.table_at(move, None)
        assert {card for hand in table.hands.values() for card in hand} <= {"?"}


def test_missing_rounds_are_reported_and_the_rest_is_followed() -> None:
    first, last = (WHOLE.index(head) for head in ROUNDS)
    found = log(WHOLE[:first] + WHOLE[last:])
    assert found.missing == ((1, 2, "ussr"),)
    assert found.entries == 10
    assert not found.clean
    assert verify_records(found.match.records).ok


def test_no_match_that_is_played_here_is_set_to_a_position() -> None:
    game = GAMES["cia_vs_kgb"]
    edition, options = game.settle(None, {})
    scripted = RecordedMatch(game, edition, options, b"x", PRODUCT)
    scripted.begin()
    while not scripted.whole:
        question = scripted.questions()[0]
        scripted.answer(question.seat, question.options[: question.most])
    with pytest.raises(Refused, match="only the record of an imported match"):
        scripted.match.restate(scripted.context, 1, Decision([], scripted.live))


def test_a_forged_position_in_another_match_is_found() -> None:
    """A file says that it was played live, and yet holds a position that no rule led to."""
    match = log(LOST).match
    forged = Match(replace(match.opened, origin="live"))
    at = next(record.move for record in match.records if isinstance(record.entry, Restated))
    for record in match.records[: at - 1]:
        forged.accept(record)
    with pytest.raises(Wrong, match="in a match that was played here"):
        may_follow(forged, match.records[at - 1])
