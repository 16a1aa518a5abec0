"""The arena: equal terms for both levels, the same table in any order, and intervals."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import msgspec
import pytest

from api.bots.arena import Outcome, Pairing, agents_of, match_of, outcome_of, pairings, standings, wilson
from api.bots.arena_results import BadResults, Results, line_of, play_missing
from domain.agents import AGENTS
from domain.events import Played, Seated
from replay.verify import verify_records
from tests.api.bots.budgets import with_budget

GAME = "twilight_struggle"
MATCHES = 100 if os.environ.get("GLASNOST_FULL") else 2
PLAYED = list(pairings(GAME, ("easy", "random"), 4, "7"))


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    """Four matches, played once for all tests."""
    return [outcome_of(pairing) for pairing in PLAYED]


def without_times(found: list[Outcome]) -> list[Outcome]:
    """The same, without what depends on the machine."""
    return [msgspec.structs.replace(outcome, seconds={}, processor={}) for outcome in found]


def test_each_seed_is_played_twice_with_the_seats_changed() -> None:
    assert [(one.bots, one.seed) for one in PLAYED] == [
        (("easy", "random"), "7/0"),
        (("random", "easy"), "7/0"),
        (("easy", "random"), "7/1"),
        (("random", "easy"), "7/1"),
    ]
    three = list(pairings(GAME, ("easy", "random", "easy"), 2, "7"))
    assert len(three) == len(set(three)) == 2


def test_both_matches_of_a_seed_are_dealt_the_same_cards() -> None:
    """As far as they go alike: the bots' answers lie between later draws."""
    dealt = [_deals(pairing) for pairing in PLAYED[:2]]
    assert dealt[0][:2] == dealt[1][:2]
    assert dealt[0][:2] != _deals(PLAYED[2])[:2]


def _deals(pairing: Pairing) -> list[str]:
    match, _ = match_of(pairing)
    return [
        str(fact) for record in match.records for fact in record.facts if type(fact).__name__ == "CardsDealt"
    ]


def test_a_match_of_the_arena_is_proved_and_each_answer_is_a_move(outcomes: list[Outcome]) -> None:
    match, _ = match_of(PLAYED[0])
    assert verify_records(match.records).ok
    played = [record.entry for record in match.records if isinstance(record.entry, Played)]
    assert len(played) == outcomes[0].answers
    assert match.root_at(match.move).hex() == outcomes[0].root
    seated = [record.entry for record in match.records if isinstance(record.entry, Seated)]
    assert [(entry.bot, bool(entry.agent)) for entry in seated] == [("easy", True), ("random", False)]


@pytest.mark.long
@pytest.mark.parametrize("game", sorted(AGENTS))
def test_many_matches_of_the_arena_are_proved(game: str) -> None:
    """B11."""
    for pairing in pairings(game, ("easy", "random"), MATCHES, "proof"):
        match, spent = match_of(pairing)
        assert verify_records(match.records).ok
        played = sum(isinstance(record.entry, Played) for record in match.records)
        assert played == sum(map(len, spent.seconds.values()))
    print(f"{game}: {MATCHES} matches verified, each answer is one move")


def test_the_arena_can_be_stopped_and_goes_on_in_any_order(tmp_path: Path, outcomes: list[Outcome]) -> None:
    file = tmp_path / "kept"
    first = Results(file)
    shuffled = Random(3).sample(PLAYED, len(PLAYED))
    for _ in zip(range(2), play_missing(shuffled, first, 1), strict=False):
        pass
    with file.open("ab") as cut:
        cut.write(b'{"pairing":{"game"')
    second = Results(file)
    kept = len(second.outcomes)
    assert 2 <= kept < len(PLAYED)
    assert len(list(play_missing(PLAYED, second, 1))) == len(PLAYED) - kept
    third = Results(file)
    again = [third.outcomes[pairing] for pairing in PLAYED]
    assert without_times(again) == without_times(outcomes)
    table, as_before = (standings(found, ("easy", "random")) for found in (again[::-1], outcomes))
    assert msgspec.json.encode(table) == msgspec.json.encode(as_before)  # the order of the endings, too


@pytest.mark.parametrize("bots", [("easy", "random"), ("grandmaster", "random")])
def test_matches_of_another_version_of_the_agents_do_not_count(tmp_path: Path, bots: tuple[str, str]) -> None:
    file = tmp_path / "kept"
    pairing = Pairing(GAME, bots, "7/0")
    old = Outcome(pairing, "us", "nuclear_war", 9, "", agents={"easy": "0123456789abcdef", "random": ""})
    Results(file).add(old)
    Results(file).add(msgspec.structs.replace(old, agents={}))  # as it was noted before versions were
    assert Results(file).outcomes == {}


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_matches_with_another_budget_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    """Of either level: `--kept` mixes no budgets."""
    file = tmp_path / "kept"
    pairing = Pairing("thirteen_minutes", ("hard", "easy"), "7/0")
    kept = Outcome(pairing, "us", "more_points", 9, "", agents=agents_of(pairing))
    Results(file).add(kept)
    assert Results(file).outcomes == {pairing: kept}
    with_budget(level, 7, monkeypatch)
    assert Results(file).outcomes == {}


def test_the_number_of_workers_changes_nothing_but_times(outcomes: list[Outcome]) -> None:
    found = {outcome.pairing: outcome for outcome in play_missing(PLAYED, Results(None), 2)}
    assert without_times([found[pairing] for pairing in PLAYED]) == without_times(outcomes)


def test_a_file_of_something_else_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    file.write_bytes(b"a letter\n")
    with pytest.raises(BadResults, match="holds no outcomes"):
        Results(file)
    assert file.read_bytes() == b"a letter\n"


def test_standings_count_each_seat_by_itself() -> None:
    found = [
        Outcome(PLAYED[0], "us", "victory_points", 9, ""),
        Outcome(PLAYED[1], "us", "nuclear_war", 9, ""),
        Outcome(PLAYED[2], "", "final_scoring", 9, ""),
        Outcome(PLAYED[3], "ussr", "nuclear_war", 9, ""),
    ]
    total, us, ussr = standings(found, ("easy", "random"))
    assert (total.wins, total.draws, total.losses, total.points) == (2, 1, 1, 2.5)
    assert (us.seat, us.wins, us.draws, us.losses) == ("us", 1, 1, 0)
    assert (ussr.seat, ussr.wins, ussr.draws, ussr.losses) == ("ussr", 1, 0, 1)
    assert total.endings == {
        "won: victory_points": 1,
        "lost: nuclear_war": 1,
        "drawn: final_scoring": 1,
        "won: nuclear_war": 1,
    }
    assert line_of(us) == "easy against random as us: 1 won, 1 drawn, 0 lost of 2: 75.0 % (19.8 to 97.3)"


@pytest.mark.parametrize(
    ("points", "matches", "low", "high"),
    [(296, 300, 0.966, 0.995), (17, 17, 0.816, 1.0), (6, 10, 0.313, 0.832), (0, 0, 0.0, 1.0)],
)
def test_wilson_intervals(points: float, matches: int, low: float, high: float) -> None:
    """Known values."""
    assert wilson(points, matches) == pytest.approx((low, high), abs=0.0006)
