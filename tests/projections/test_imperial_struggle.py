"""What summaries and scoreboards make of Imperial Struggle: turns and wars, workings, tracks, endings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, count
from typing import Any

import pytest

from domain import kernel
from domain.games import GAMES
from domain.imperial_struggle.facts.flow import (
    AwardScored,
    DebtCompared,
    GoodScored,
    PrestigeScored,
    TerritoriesCounted,
)
from domain.imperial_struggle.facts.wars import SpaceConquered, TheatreFought
from domain.imperial_struggle.state import State
from domain.kernel import AnyFact
from domain.texts import LANGUAGES
from projections.boards import BOARDS, StandingRow, Tally, TotalsRow
from projections.sentences import TurnTold, tell
from projections.summary import Turn, fact_decoder
from tests.matches import Sitting, finished
from tests.projections.support import folded, items, turns_of

GAME = GAMES["imperial_struggle"]
SCORING = (AwardScored, PrestigeScored, GoodScored, DebtCompared, TerritoriesCounted)
TRACKS = {"vp", *(f"{track}/{side}" for track in ("debt", "limit", "treaty") for side in ("br", "fr"))}


@cache
def whole() -> Sitting:
    """The first random match that is scored at its end, six turns and four wars long."""
    matches = (finished(GAME, seed) for seed in count())
    return next(sitting for sitting in matches if reason_of(sitting) == "final_scoring")


def reason_of(sitting: Sitting) -> str:
    assert sitting.match.result is not None
    return sitting.match.result.reason


def told(sitting: Sitting, language: str) -> list[TurnTold]:
    opened = sitting.match.opened
    words = GAME.words(language, opened.options, opened.edition)
    return [tell(GAME, words, turn) for turn in turns_of(sitting)]


def facts_of(turn: Turn) -> list[AnyFact]:
    decode = fact_decoder(GAME).decode
    return [decode(raw) for play in turn.plays for raw in play.facts]


@pytest.mark.parametrize(
    ("language", "headings"),
    [
        (
            "en",
            [
                *("Turn 1", "War of the Spanish Succession", "Turn 2", "Turn 3"),
                *("War of the Austrian Succession", "Turn 4", "Seven Years War", "Turn 5"),
                *("American War of Independence", "Turn 6"),
            ],
        ),
        (
            "ru",
            [
                *("Раунд 1", "Война за испанское наследство", "Раунд 2", "Раунд 3"),
                *("Война за австрийское наследство", "Раунд 4", "Семилетняя война", "Раунд 5"),
                *("Война за независимость США", "Раунд 6"),
            ],
        ),
    ],
)
def test_turns_and_wars_have_a_summary_each_under_their_own_names(language: str, headings: list[str]) -> None:
    turns = told(whole(), language)
    assert [turn.heading.rpartition(",")[0] for turn in turns] == headings
    assert [turn.number for turn in turns] == list(range(1, len(headings) + 1))


def test_what_is_laid_out_after_a_war_is_called_so_until_the_turn_begins() -> None:
    """Both lay their own tiles out here, so the turn does not begin in the move that ends the war."""
    sitting = Sitting(GAME, 2, options={"planned_layout": True}).seat_all()
    assert told(sitting, "en")[-1].heading.startswith("War layout, move")
    assert told(sitting.play_on(2), "en")[-1].heading.startswith("Turn 1, moves")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_award_good_theatre_and_conquest_is_pointed_out_with_its_working(language: str) -> None:
    sitting = whole()
    opened = sitting.match.opened
    words = GAME.words(language, opened.options, opened.edition)
    seen: Counter[str] = Counter()
    for turn, summary in zip(turns_of(sitting), told(sitting, language), strict=True):
        for fact in facts_of(turn):
            if isinstance(fact, (*SCORING, TheatreFought, SpaceConquered)):
                assert words.sentence(fact) in summary.points
                assert not [part for part in workings(fact) if words.name(part) not in words.sentence(fact)]
                seen[type(fact).__name__] += 1
    assert seen["AwardScored"] == 6 * 4
    assert seen["GoodScored"] >= 6 * 3 + 6
    assert seen["PrestigeScored"] == 6 + 1
    assert seen["TheatreFought"] == 4 + 4 + 4 + 3
    assert seen["SpaceConquered"] > 0
    assert (seen["DebtCompared"], seen["TerritoriesCounted"]) == (1, 2)


def workings(fact: Any) -> Iterator[str | int]:
    """What the sentence of a fact has to name: the numbers of both sides, sources of strength, spaces."""
    if isinstance(fact, SpaceConquered):
        yield fact.space
    elif isinstance(fact, TerritoriesCounted):
        yield from (*fact.spaces, *((fact.vp,) if fact.spaces else ()))
    else:
        yield from (fact.br, fact.fr)
        yield from (fact.vp,) if getattr(fact, "vp", 0) else ()
    if isinstance(fact, TheatreFought):
        yield from chain.from_iterable(fact.working.values())


def test_the_strength_in_a_theatre_is_shown_by_its_sources() -> None:
    working = {"br": {"tiles": 4, "alliances": 2, "byng": 2}, "fr": {"tiles": -1, "keywords": 1}}
    fact = TheatreFought("spain", 8, 0, "br", 8, working)
    assert GAME.words("en", {}, "second_printing").sentence(fact) == (
        "Spain: Britain 8 (War tiles 4, Alliance spaces 2, Byng 2), France 0 (keywords 1, War tiles -1). "
        "Britain wins by 8."
    )


def test_the_tracks_are_followed_through_turns_and_wars() -> None:
    sitting = whole()
    table = GAME.table(sitting.match.opened.edition, sitting.match.opened.options)
    moved: set[str] = set()
    for turn in turns_of(sitting):
        assert isinstance(table, State)
        assert {track: path[0] for track, path in turn.paths.items()} == {
            track: standing(table, track) for track in turn.paths
        }
        table = kernel.fold(table, facts_of(turn))
        assert isinstance(table, State)
        moved |= set(turn.paths)
        assert {track: path[-1] for track, path in turn.paths.items()} == {
            track: standing(table, track) for track in moved
        }
    assert moved == TRACKS


def standing(s: State, track: str) -> int:
    field, _, side = track.partition("/")
    found = getattr(s, field)
    return int(found[side] if side else found)


@pytest.mark.parametrize(
    ("language", "path"),
    [("en", "Debt Limit, France: 6 and 10"), ("ru", "максимальный долг, Франция: 6 и 10")],
)
def test_a_track_is_called_in_words(language: str, path: str) -> None:
    """The Debt Limit of France rises on turn 3 by 4, and no further on that turn."""
    assert path in told(whole(), language)[3].paths


def test_the_scoreboard_counts_every_ending_for_each_side() -> None:
    sittings = [finished(GAME, seed, edition="second_printing") for seed in range(12)]
    rows = folded(BOARDS, items(chain.from_iterable(sitting.match.records for sitting in sittings)))
    (totals,) = rows.all(TotalsRow)
    winners = Counter(result.winner for sitting in sittings if (result := sitting.match.result))
    assert (totals.game, totals.edition, totals.played) == (GAME.name, "second_printing", len(sittings))
    assert totals.sides == {side: Tally(len(sittings), winners[side], 0) for side in GAME.seats}
    assert min(winners.values()) > 0
    endings = Counter(f"play:{reason_of(sitting)}" for sitting in sittings)
    assert totals.endings == endings
    assert {"play:final_scoring", "play:victory_points"} <= set(endings)
    assert {row.player: row.won for row in rows.all(StandingRow)} == {
        f"p-{side}": winners[side] for side in GAME.seats
    }
