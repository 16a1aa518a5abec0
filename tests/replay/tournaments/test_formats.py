"""Knock-outs, leagues and stages through the gate, and their files: verified, forged, without the engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from api.gate.tournament_previews import GoingOn, previewed
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.events import Promoted, Qualified, Relegated, Result
from domain.tournaments.history import TournamentLog
from domain.tournaments.state import Board, Tournament
from domain.tournaments.terms import Knockout, League, Stage, Terms
from replay.tournaments import checks, pairings
from replay.tournaments.pairing import pair
from replay.tournaments.results import division_standings, explained_of, points_in, standings_of
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, Cup
from tests.replay.tournaments.bundles import Json, file_of, forged, members_of, published
from tests.replay.tournaments.test_tournament_file import checked, found, of_kind, swap_colours

pytestmark = pytest.mark.usefixtures("house")
KNOCKOUT = Terms(game="toy", format="knockout", rounds=12, knockout=Knockout(2))
LEAGUE = Terms(
    game="toy", format="league", rounds=9, league=League((3, 3), 1, 1), tie_breaks=("DE", "SB"), rated=False
)
STAGES = Terms(
    game="toy",
    format="stages",
    rounds=9,
    stages=(Stage("swiss", 2), Stage("knockout", 6, 4), Stage("round_robin", 1, 2)),
)
Chooser = Callable[[Tournament, Board], Result]


def by_number(s: Tournament, board: Board) -> Result:
    """The entrant with the lower number wins."""
    return "1-0" if int(board.w[1:]) < int(board.b[1:]) else "0-1"


async def a_round(cup: Cup, choose: Chooser = by_number) -> None:
    """A round in a hall: its matches are not opened here."""
    draft = await cup.tournaments.draft(cup.id, DIRECTOR)
    await cup.tournaments.pair(cup.id, draft.draft.round, draft.sha256, DIRECTOR, draft.entry)
    await cup.do(c.PublishRound(round=draft.draft.round))
    s = await cup.state()
    for board in s.rounds[-1].boards:
        await ruled(cup, len(s.rounds), board.number, choose(s, board))
    await cup.do(c.CloseRound(round=len(s.rounds)))


async def ruled(cup: Cup, number: int, board: int, result: Result) -> None:
    await cup.do(c.Rule(round=number, board=board, result=result, reason="agreed", text="in the hall"))


async def advanced(cup: Cup, *decided: str) -> None:
    command = c.Advance(decided=decided, reason="lot" if decided else "")
    await cup.tournaments.advance(cup.id, command, DIRECTOR, (await cup.log()).entry)


async def begun(terms: Terms, entrants: int) -> Cup:
    cup = Cup(MemoryStore(), terms)
    cup.tournaments._pairer = pair
    return await cup.announced(entrants)


async def played_out(terms: Terms, entrants: int) -> Cup:
    """A tournament of a format, from the first round to the final standings."""
    cup = await begun(terms, entrants)
    while (await cup.state()).status != "finished":
        s = await cup.state()
        if s.rounds and len(s.rounds) >= s.last_round:
            await advanced(cup)
        else:
            await a_round(cup)
    if terms.league:
        await advanced(cup)
    await published(cup, final=True)
    return cup


FORMATS = pytest.mark.parametrize(
    ("terms", "entrants"), [(KNOCKOUT, 5), (LEAGUE, 6), (STAGES, 6)], ids=["knockout", "league", "stages"]
)


@FORMATS
def test_the_file_of_every_format_verifies_and_each_forgery_is_named(
    terms: Terms, entrants: int, tmp_path: Path
) -> None:
    cup = run(played_out(terms, entrants))
    log = run(cup.log())
    assert log.state.status == "published"
    path = tmp_path / "file"
    path.write_bytes(file_of(cup, log))
    members = members_of(path.read_bytes())
    report = checked(path)
    assert set(report.answers.values()) == {"ok"}, found(report)
    assert "pairings" in found(checked(forged(members, tmp_path / "swapped", swap_colours, log.id)))

    def send_another(entries: list[Json]) -> None:
        kind = "promoted" if terms.league else "qualified"
        entry = of_kind(entries, kind)
        others = [f"n{number}" for number in range(1, entrants + 1)]
        entry["entrant"] = next(name for name in others if name != entry["entrant"])

    wrong = found(checked(forged(members, tmp_path / "another", send_another, log.id)))
    assert "goes on" in wrong["standings"][1] or "does not go on" in wrong["standings"][1]

    def win_less(entries: list[Json]) -> None:
        entry = of_kind(entries, "ruled")
        entry["result"] = "0-1" if entry["result"] == "1-0" else "1-0"

    assert found(checked(forged(members, tmp_path / "less", win_less, log.id)))


@FORMATS
def test_flipped_bytes_of_every_format_are_red(terms: Terms, entrants: int, tmp_path: Path) -> None:
    """OA1."""
    from tests.replay.tournaments.bundles import packed

    cup = run(played_out(terms, entrants))
    members = members_of(file_of(cup, run(cup.log())))
    random, text = Random(1), members["tournament.ndjson"]
    for _ in range(8):
        at = random.randrange(len(text))
        flipped = text[:at] + bytes([text[at] ^ 1 << random.randrange(8)]) + text[at + 1 :]
        report = checked(packed({**members, "tournament.ndjson": flipped}, tmp_path / "flipped"))
        assert report.answers["log"] == "wrong"


def test_a_knock_out_needs_no_engine_to_be_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OA3."""
    cup = run(played_out(KNOCKOUT, 5))
    path = tmp_path / "file"
    path.write_bytes(file_of(cup, run(cup.log())))
    for module in (pairings, checks):
        monkeypatch.setattr(module, "engine_at_hand", lambda: "")
    for name in ("gacrux", "networkx"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    assert set(checked(path).answers.values()) == {"ok"}


def test_the_matches_of_a_knock_out_are_played_and_their_results_decide(tmp_path: Path) -> None:
    async def work() -> Cup:
        cup = await begun(replace(KNOCKOUT, knockout=Knockout(1)), 4)
        for _ in range(2):
            await cup.paired()
            await cup.results()
            await cup.closed()
        await published(cup, final=True)
        return cup

    cup = run(work())
    log = run(cup.log())
    assert all(board.confirmed == "verify" for one in log.state.rounds for board in one.boards)
    path = tmp_path / "file"
    path.write_bytes(file_of(cup, log))
    assert set(checked(path).answers.values()) == {"ok"}


# ── stages ──


def test_each_stage_is_played_by_the_best_of_the_one_before() -> None:
    cup = run(played_out(STAGES, 6))
    s = run(cup.state())
    went = [one.entry for one in run(cup.log()).records if isinstance(one.entry, Qualified)]
    first = [one.entrant for one in standings_of(s.in_stage(1)).places][:4]
    assert [one.entrant for one in went if one.to == "stage/2"] == first
    assert s.begun[0].entrants == tuple(first)
    assert {board.w for board in s.rounds[2].boards} | {board.b for board in s.rounds[2].boards} == {*first}
    assert {s.rounds[2].byes[name] for name in s.entrants if name not in first} == {"out"}
    assert [len(one.boards) for one in s.rounds] == [3, 3, 2, 1, 1]
    places = standings_of(s).places
    assert [one.values[0] for one in places] == ["3", "3", "2", "2", "1", "1"]
    assert [one.place for one in places][:3] == [1, 2, 3]
    for name in s.entrants:
        points = next(one for one in explained_of(s, name) if one.name == "PTS")
        assert float(points.total) * 2 == points_in(s)[name]


def test_a_stage_that_is_not_over_sends_nobody_on_and_a_place_can_be_added() -> None:
    async def work() -> list[str]:
        cup, refused = await begun(STAGES, 6), list[str]()

        async def attempt(*decided: str) -> None:
            try:
                await advanced(cup, *decided)
            except Refused as error:
                refused.append(error.id)

        await attempt()
        await a_round(cup)
        await attempt()
        await a_round(cup)
        with pytest.raises(Refused) as caught:
            await a_round(cup)
        refused.append(caught.value.id)
        await advanced(cup)
        going = (await cup.state()).begun[0].entrants
        await attempt(going[0])
        added = next(name for name in (await cup.state()).entrants if name not in going)
        await advanced(cup, added)
        assert (await cup.state()).begun[0].entrants == (*going, added)
        await a_round(cup)
        return refused

    assert run(work()) == ["rounds-left", "rounds-left", "stage-over", "qualified-already"]


def test_a_shared_place_is_decided_by_a_lot_or_by_the_director() -> None:
    terms = replace(STAGES, stages=(Stage("round_robin", 3), Stage("round_robin", 1, 2)), tie_breaks=())

    async def work() -> None:
        cup = await begun(terms, 3)
        cycle = {("n1", "n2"): "n1", ("n2", "n3"): "n2", ("n1", "n3"): "n3"}

        def choose(s: Tournament, board: Board) -> Result:
            return "1-0" if cycle[tuple(sorted(board.entrants))] == board.w else "0-1"  # type: ignore[index]

        for _ in range(3):
            await a_round(cup, choose)
        with pytest.raises(Refused) as caught:
            await advanced(cup)
        assert caught.value.id == "place-contested"
        assert caught.value.values["entrants"] == ["n1", "n2", "n3"]
        entry = (await cup.log()).entry
        command = c.Advance(decided=("n3", "n1"), reason="lot")
        preview = await previewed(cup.tournaments, cup.id, command, DIRECTOR, entry)
        assert [one["entrant"] for one in preview.facts] == ["n3", "n1"]
        await advanced(cup, "n3", "n1")
        assert (await cup.state()).begun[0].entrants == ("n3", "n1")

    run(work())


# ── previews of who goes on (OA22) ──

ADVANCING = Qualified | Promoted | Relegated


async def corrected(cup: Cup, number: int, board: int, result: Result) -> GoingOn | None:
    """Rule on a closed round after a preview, which stores nothing; return what it said of who goes on."""
    rule = c.Rule(round=number, board=board, result=result, reason="rule_error", text="misread")
    entry, root = (await cup.log()).entry, await cup.store_root()
    found = await previewed(cup.tournaments, cup.id, rule, DIRECTOR, entry)
    assert await cup.store_root() == root
    await cup.tournaments.rule(cup.id, rule, DIRECTOR, entry, preview=found.sha256)
    return found.going_on


async def went(cup: Cup, since: int) -> list[Json]:
    """What the entries after one say of who goes on, without what every entry has."""
    entries: list[Any] = [one.entry for one in (await cup.log()).records[since:]]
    plain = [
        {"kind": one.__struct_config__.tag, **msgspec.structs.asdict(one)}
        for one in entries
        if isinstance(one, ADVANCING)
    ]
    return [{name: one[name] for name in ("kind", "entrant", "origin", "to", "rule")} for one in plain]


def said(going: GoingOn | None) -> list[Json]:
    assert going is not None
    return [msgspec.structs.asdict(one) for one in going.after]


def test_a_preview_says_who_goes_on_in_a_bracket_as_it_is_stored_then() -> None:
    async def work() -> None:
        cup = await begun(replace(KNOCKOUT, knockout=Knockout(1)), 5)
        await a_round(cup)
        [board] = (await cup.state()).rounds[0].boards
        results: tuple[Result, Result] = ("1-0", "0-1")
        had, other = results if board.result == "1-0" else results[::-1]
        going = await corrected(cup, 1, board.number, other)
        since = (await cup.log()).entry
        await a_round(cup)
        assert said(going) == await went(cup, since)
        assert going is not None
        changed = {one.entrant for one in going.before} ^ {one.entrant for one in going.after}
        assert changed == {*board.entrants}
        assert await corrected(cup, 1, board.number, had) is None  # who went on stays

    run(work())


def test_a_preview_says_who_goes_to_the_next_stage_and_who_stands_level() -> None:
    terms = replace(STAGES, stages=(Stage("round_robin", 3), Stage("round_robin", 1, 2)), tie_breaks=())

    async def work() -> None:
        cup = await begun(terms, 3)
        for _ in range(3):
            await a_round(cup)  # n1 wins twice, n2 once
        number, board = next(
            (one.number, one.boards[0])
            for one in (await cup.state()).rounds
            if {*one.boards[0].entrants} == {"n1", "n3"}
        )
        won: Result = "1-0" if board.w == "n3" else "0-1"
        cycle = await corrected(cup, number, board.number, won)
        assert cycle is not None
        assert [one.entrant for one in cycle.before] == ["n1", "n2"]
        assert (cycle.after, cycle.level_before, cycle.level_after) == ((), (), ("n1", "n2", "n3"))
        going = await corrected(cup, number, board.number, "0-0")  # n1 and n2 have won once, n3 has not
        since = (await cup.log()).entry
        await advanced(cup)
        assert said(going) == await went(cup, since)
        assert len(said(going)) == 2

    run(work())


# ── league (OA32) ──


def moves_of(log: TournamentLog) -> dict[str, str]:
    entries: list[Any] = [one.entry for one in log.records]
    return {one.entrant: one.to for one in entries if isinstance(one, Promoted | Relegated)}


def test_a_level_place_between_divisions_is_played_off() -> None:
    async def work() -> None:
        cup = await begun(replace(LEAGUE, tie_breaks=()), 6)
        cycle = {frozenset(("n1", "n2")): "n1", frozenset(("n2", "n3")): "n2", frozenset(("n1", "n3")): "n3"}

        def choose(s: Tournament, board: Board) -> Result:
            winner = cycle.get(frozenset(board.entrants))
            return by_number(s, board) if winner is None else "1-0" if winner == board.w else "0-1"

        for _ in range(3):
            await a_round(cup, choose)
        with pytest.raises(Refused) as caught:
            await advanced(cup)
        assert caught.value.id == "place-contested"
        for _ in range(3):
            await a_round(cup)  # now n1 wins twice, and n3 loses twice
        s = await cup.state()
        assert [board.colour_rule for board in s.rounds[3].boards] == ["play-off"]
        assert [one.values[0] for one in division_standings(s, 1).places] == ["2", "2", "2"]  # with the bye
        with pytest.raises(Refused) as caught:
            await a_round(cup)
        assert caught.value.id == "no-more-rounds"
        await advanced(cup)
        assert moves_of(await cup.log()) == {"n3": "division/2", "n4": "division/1"}
        rules = {one.entry.entrant: one.entry.rule for one in (await cup.log()).records[-2:]}
        assert rules == {"n3": "play-off", "n4": "place"}
        with pytest.raises(Refused) as caught:
            await advanced(cup)
        assert caught.value.id == "moved-already"

    run(work())


async def season(divisions: int, size: int, choose: Chooser) -> Cup:
    """A league that is played, and nobody has moved."""
    league = League((size,) * divisions, 2, 2)
    cup = await begun(replace(LEAGUE, rounds=40, league=league), divisions * size)
    while (await cup.state()).status != "finished":
        await a_round(cup, choose)
    return cup


def by_hand(divisions: int, size: int) -> dict[str, str]:
    """The first two of each division go up, the last two down; the lower number always wins."""
    found = dict[str, str]()
    for place in range(divisions):
        names = [f"n{place * size + number}" for number in range(1, size + 1)]
        if place:
            found |= dict.fromkeys(names[:2], f"division/{place}")
        if place < divisions - 1:
            found |= dict.fromkeys(names[-2:], f"division/{place + 2}")
    return found


def check_season(divisions: int, size: int) -> None:
    async def work() -> None:
        cup = await season(divisions, size, by_number)
        s = await cup.state()
        assert [one.place for one in standings_of(s).places] == list(range(1, divisions * size + 1))
        number, board = next(
            (one.number, board)
            for one in s.rounds
            for board in one.boards
            if {*board.entrants} == {f"n{size + 2}", f"n{size + 3}"}
        )
        wrong: Result = "0-1" if board.result == "1-0" else "1-0"
        rule = c.Rule(round=number, board=board.number, result=wrong, reason="rule_error", text="misread")
        entry = (await cup.log()).entry
        preview = await previewed(cup.tournaments, cup.id, rule, DIRECTOR, entry)
        assert [one.entrant for one in preview.standings] == [f"n{size + 3}", f"n{size + 2}"]
        await cup.tournaments.rule(cup.id, rule, DIRECTOR, entry, preview=preview.sha256)
        since = (await cup.log()).entry
        await advanced(cup)
        assert said(preview.going_on) == await went(cup, since)
        assert preview.going_on is not None
        before = {one.entrant: one.to for one in preview.going_on.before}
        assert before == by_hand(divisions, size)
        right = by_hand(divisions, size)
        del right[f"n{size + 2}"]
        assert moves_of(await cup.log()) == {**right, f"n{size + 3}": "division/1"}

    run(work())


def test_promotions_and_a_corrected_result_of_a_small_league() -> None:
    check_season(3, 5)


@pytest.mark.long
def test_promotions_and_a_corrected_result_of_eight_divisions_of_twelve() -> None:
    """OA32."""
    check_season(8, 12)
