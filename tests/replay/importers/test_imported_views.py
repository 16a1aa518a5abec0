"""What an imported match shows: never a card that its record does not tell, and always what it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from domain.kernel import HIDDEN
from domain.match import Match
from domain.match_base import ALL
from domain.texts import LANGUAGES
from replay import matchfile
from replay.difference import difference, sentences
from replay.export import export
from replay.importers.twilight_struggle.report import imported
from replay.narration import narrated
from replay.positions import NoView, position
from replay.terminal import as_text, picture
from replay.verify import verify
from replay.words import Words
from tests.matches import PRODUCT
from tests.replay import stranger
from tests.replay.files import KEY, file_of, parts_in
from tests.replay.importers.short_games import STOPS, WHOLE

MARK = {"en": "imported, unverified", "ru": "импортирована, не проверена"}
VIEWERS = (None, "us", "ussr", ALL)


@pytest.fixture(scope="module")
def match() -> Match:
    return imported(WHOLE.encode(), PRODUCT).match


@pytest.fixture(scope="module")
def file(match: Match) -> bytes:
    return file_of(match)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_viewer_sees_what_a_spectator_sees(match: Match, viewer: str | None) -> None:
    for record in match.records:
        assert match.table_at(record.move, viewer) == match.table_at(record.move, None)
        assert match.facts_for(record, viewer) == record.facts_for(None)
    held = match.table_at(4, viewer).hands
    assert {seat: set(cards) for seat, cards in held.items()} == {"us": {HIDDEN}, "ussr": {HIDDEN}}


def test_the_inferred_hands_are_kept_so_that_the_rules_can_be_checked(match: Match) -> None:
    table: Any = match.positions[3].table
    held = table.hands
    assert "truman_doctrine" in held["us"]
    assert HIDDEN not in (*held["us"], *held["ussr"])


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_position_says_what_it_is_and_hides_the_hands(match: Match, viewer: str | None) -> None:
    shown = position(match, 4, viewer)
    assert (shown.origin, shown.unverified, shown.viewer) == ("imported", True, None)
    assert shown.table["hands"] == {"us": [HIDDEN] * 8, "ussr": [HIDDEN] * 8}
    with pytest.raises(NoView, match="no viewer 'chance'"):
        position(match, 4, "chance")


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_story_says_first_what_it_is_and_names_no_hidden_card(
    match: Match, viewer: str | None, language: str
) -> None:
    words = Words(match, language)
    first, *rest = narrated(match, words, viewer)
    assert MARK[language] in first.done
    assert {"en": "The hands were not recorded", "ru": "Карты на руках не записаны"}[language] in first.done
    assert "Player B" in rest[0].done
    assert "Player A" in rest[1].done
    for paragraph in rest:
        public = match.records[paragraph.move - 1].facts_for(None)
        assert paragraph.facts == tuple(words.fact(fact).text for fact in public)
    secret = {"en": "answers in secret", "ru": "тайный ответ"}[language]
    assert (
        sum(secret in paragraph.done for paragraph in rest) == 2
    )  # the headlines, which are public when shown


def test_the_story_ends_as_the_record_does() -> None:
    stopped = imported(STOPS.encode(), PRODUCT).match
    *_, opened, closed = (paragraph.done for paragraph in narrated(stopped, Words(stopped, "en")))
    assert opened == "The match's secret is opened; its draws come from a record, so they prove nothing."
    assert closed == "The record ends here; the result is not known."


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_picture_is_marked(match: Match, language: str) -> None:
    words = Words(match, language)
    drawn = as_text(picture(match, words, 20, ALL), 110)
    assert MARK[language] in drawn.splitlines()[0]
    hands = {"en": "The hands were not recorded", "ru": "Карты на руках не записаны"}[language]
    assert hands in " ".join(drawn.replace("│", " ").split())
    assert words.viewer(None) in drawn.splitlines()[-1]


def test_a_difference_names_no_hidden_card(match: Match) -> None:
    dealt = sentences(difference(match, 2, 4, ALL), Words(match, "en"))
    assert [sentence for sentence in dealt if sentence.startswith("hands")] == [
        f"hands · {side}: {', '.join(['+ a hidden card'] * 8)} (0 → 8)" for side in ("US", "USSR")
    ]


# ── exports ──


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{table}.ndjson").read_text("utf-8").splitlines()]


def test_an_export_marks_the_match_and_holds_nothing_that_was_hidden(match: Match, tmp_path: Path) -> None:
    export([match], tmp_path, "ndjson")
    for table in ("seats", "moves"):
        assert {row["unverified"] for row in rows(tmp_path, table)} == {True}
    assert {row["origin"] for row in rows(tmp_path, "moves")} == {"imported"}
    dealt = [json.loads(row["fields"]) for row in rows(tmp_path, "facts") if row["fact"] == "CardsDealt"]
    assert [fact["cards"] for fact in dealt] == [[HIDDEN] * 8] * 2
    headlines = [row for row in rows(tmp_path, "moves") if row["ask"] == "ChooseHeadline"]
    assert [row["picks"] for row in headlines] == [None, None]
    assert {row["open"] for row in rows(tmp_path, "draws")} == {True}
    assert rows(tmp_path, "options") == []  # they would follow from the hands


# ── the match file ──


def test_the_match_file_says_what_its_private_parts_are(file: bytes) -> None:
    readme = parts_in(file)["README.txt"].decode()
    assert "imported, unverified" in readme
    assert "one deal that fits the record" in readme
    report = verify(file)
    assert report.ok, report
    assert "chance: recorded, not provable" in report.notes
    assert not [note for note in report.notes if "README" in note]


def test_a_stranger_can_check_the_file(file: bytes) -> None:
    assert stranger.verify(file, KEY.verifying.text) == 0  # no draw can be recomputed


def test_the_file_read_again_shows_nothing_more(file: bytes) -> None:
    again = matchfile.read(file).match()
    assert again.imported
    assert again.table_at(again.move, ALL) == again.table_at(again.move, None)
