"""A running tournament is imported, goes on by the engine, is exported again, and is verified."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from api.gate.tournament_imports import ImportedTournament, import_tournament
from domain.game import Game
from domain.kernel import Refused
from domain.refusals import Sentence
from domain.tournaments import commands as c
from domain.tournaments.crosstable import Cell, Crosstable, Line, cell_of, score
from domain.tournaments.judging import Actor
from replay.tournaments.exports import Wanted, exported
from replay.tournaments.pairing import pair
from replay.tournaments.report import lines as said_of
from replay.tournaments.trf import TrfFile, pairing_input, written
from replay.tournaments.trf_import import read_running
from replay.tournaments.trf_reading import read
from replay.tournaments.verify import verify
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, Cup
from tests.replay.tournaments import recorded
from tests.replay.tournaments.bundles import KEYS, Json, file_of, forged, members_of, packed
from tests.replay.tournaments.test_trf import WRITTEN

GAME = "toy"
RUNNING = WRITTEN.replace("142 4", "142 5")  # n2 has a bye for half a point in its fourth round


def cut(table: Crosstable, rounds: int, *, waiting: Iterable[int] = ()) -> Crosstable:
    """A table after some rounds; those of `waiting` have no results."""

    def after(cell: Cell, number: int) -> Cell:
        if number not in waiting or cell.opponent is None:
            return cell
        return Cell("pending", cell.opponent, cell.colour)

    lines = tuple(
        replace(
            line, cells=tuple(after(cell, at) for at, cell in enumerate(line.cells[:rounds], 1)), penalty=0
        )
        for line in table.lines
    )
    return replace(table, lines=lines)


def vector(players: int) -> Crosstable:
    """A recorded tournament with forfeits, byes and withdrawals."""
    found = (one for path in recorded.files() for one in recorded.load(path) if one.players == players)
    return read(next(found).trf.encode()).table


async def imported(text: str, game: str = GAME) -> tuple[Cup, ImportedTournament]:
    """A cup that goes on after what a file says."""
    cup = Cup(MemoryStore())
    cup.tournaments._pairer = pair
    found = read_running(text.encode(), game)
    made = await import_tournament(cup.tournaments.commands, cup.store.people, DIRECTOR, found, found.names)
    cup.id = made.accepted.log.id
    return cup, made


async def exported_again(cup: Cup) -> str:
    """The TRF of a cup."""
    log = await cup.log()
    people = [one.player for one in log.state.entrants.values()]
    names = {person: name for person, name in cup.store.people.names(people).items() if name}
    return exported(log, log.state, Wanted("trf"), names, "test.example").decode()


def names_of(count: int) -> tuple[str, ...]:
    """Names that are no ids."""
    return tuple(f"Player Ü{number}" for number in range(1, count + 1))


def text_of(table: Crosstable) -> str:
    """A file of a table, with names."""
    return written(TrfFile(table, "A tournament", names_of(len(table.lines))))


def test_import_and_export_keep_byes_forfeits_penalties_pairs_and_records(toy_game: Game) -> None:
    text = RUNNING.replace("142 5", "XYZ of another program\n022 Oslo\n142 5")

    async def work() -> tuple[str, str]:
        cup, _ = await imported(text)
        once = await exported_again(cup)
        again, _ = await imported(once)
        return once, await exported_again(again)

    once, twice = run(work())
    assert once == twice == text


@pytest.mark.parametrize(("players", "rounds"), [(17, 1), (17, 3), (40, 7)])
def test_recorded_tournaments_are_exported_as_they_were_imported(
    toy_game: Game, players: int, rounds: int
) -> None:
    table = cut(vector(players), rounds)
    text = text_of(table)

    async def work() -> tuple[Cup, str]:
        cup, _ = await imported(text)
        return cup, await exported_again(cup)

    cup, again = run(work())
    assert again == text
    s = run(cup.state())
    assert {name: s.score(name) for name in s.entrants} == {
        line.entrant: score(table, line) for line in table.lines
    }
    assert {one.rating_source for one in s.entrants.values() if one.rating} == {"trf"}


def test_the_next_round_is_paired_from_all_that_was_imported(toy_game: Game, tmp_path: Path) -> None:
    table = vector(17)
    before = cut(table, 3)

    async def work() -> Cup:
        cup, _ = await imported(text_of(before))
        for _ in range(2):
            await cup.paired()
            await cup.results()
            await cup.closed()
        entry = (await cup.log()).entry
        await cup.tournaments.publish(cup.id, c.Publish(), DIRECTOR, entry)
        return cup

    cup = run(work())
    log = run(cup.log())
    fourth = log.state.rounds[3].pairing
    assert fourth.engine == "gacrux"
    assert fourth.input == pairing_input(before, 4, "")
    kinds = [record.kind for record in log.records]
    assert kinds.count("board_opened") == sum(len(one.boards) for one in log.state.rounds[3:])
    path = tmp_path / "cup.glasnost-tournament"
    path.write_bytes(file_of(cup, log))
    report = verify(path, [KEYS.signing.verifying])
    assert report.ok, report.failures
    assert report.unchecked == {}
    assert "the pairings of rounds 1 to 3 are imported" in "\n".join(said_of(report))


def test_a_changed_pairing_after_the_import_is_found_and_a_round_cannot_claim_to_be_imported(
    toy_game: Game, tmp_path: Path
) -> None:
    async def work() -> Cup:
        cup, _ = await imported(text_of(cut(vector(17), 3)))
        await cup.paired()
        return cup

    cup = run(work())
    log = run(cup.log())
    members = members_of(file_of(cup, log))

    def exchange(also: Json, entries: list[Json]) -> None:
        entry = [one for one in entries if one["kind"] == "paired"][3]
        first, second = entry["boards"][:2]
        first["b"], second["b"] = second["b"], first["b"]
        entry |= also

    forgeries: tuple[tuple[Json, str], ...] = (
        ({}, "paired-otherwise"),
        ({"engine": "imported"}, "round-not-imported"),
    )
    for also, reason in forgeries:
        path = forged(members, tmp_path / "forged", partial(exchange, also), cup.id)
        report = verify(path, [KEYS.signing.verifying])
        said = [failure.said for failure in report.failures if failure.question == "pairings"]
        assert [one.id for one in said if isinstance(one, Sentence)] == [reason]


def test_a_running_round_takes_the_results_that_wait_and_opens_no_match(toy_game: Game) -> None:
    table = vector(17)
    lines = list(cut(table, 3).lines)
    first = next(line for line in lines if cell_of(line, 3).kind == "played")
    other = lines[(cell_of(first, 3).opponent or 0) - 1]
    for line in (first, other):
        cell = line.cells[2]
        waits = Cell("pending", cell.opponent, cell.colour)
        lines[line.number - 1] = replace(line, cells=(*line.cells[:2], waits))
    text = text_of(replace(table, lines=tuple(lines)))

    async def work() -> Cup:
        cup, _ = await imported(text)
        assert await exported_again(cup) == text
        await cup.follower.tick(everything=True)
        state = await cup.state()
        (board,) = [one for one in state.rounds[2].boards if not one.stands]
        assert (state.rounds[2].status, board.opened) == ("published", 0)
        assert first.entrant in board.entrants
        rule = c.Rule(
            round=3, board=board.number, result="1-0", reason="other", text="the hall", reported=True
        )
        await cup.tournaments.rule(cup.id, rule, DIRECTOR, (await cup.log()).entry)
        await cup.closed()
        await cup.paired()
        return cup

    cup = run(work())
    log = run(cup.log())
    opened = [record.entry for record in log.records if record.kind == "board_opened"]
    assert {msgspec.to_builtins(one)["round"] for one in opened} == {4}


def test_a_round_without_results_is_played_here_when_it_is_published(toy_game: Game) -> None:
    text = text_of(cut(vector(17), 2, waiting=[2]))

    async def work() -> Cup:
        cup, _ = await imported(text)
        assert await exported_again(cup) == text
        assert [one.status for one in (await cup.state()).rounds] == ["closed", "paired"]
        await cup.tournaments.publish_round(
            cup.id, c.PublishRound(round=2), DIRECTOR, (await cup.log()).entry
        )
        await cup.results()
        await cup.closed()
        return cup

    state = run(run(work()).state())
    assert all(board.outcome for board in state.rounds[1].boards)


def test_an_unfinished_board_of_an_earlier_round_is_adjourned(toy_game: Game) -> None:
    lines = (
        Line("n1", 1, 0, (Cell("pending", 2, "w"), Cell("played", 3, "b", "win"))),
        Line("n2", 2, 0, (Cell("pending", 1, "b"), Cell("played", 4, "w", "draw"))),
        Line("n3", 3, 0, (Cell("played", 4, "w", "win"), Cell("played", 1, "w", "loss"))),
        Line("n4", 4, 0, (Cell("played", 3, "b", "loss"), Cell("played", 2, "b", "draw"))),
    )

    async def work() -> Cup:
        cup, _ = await imported(text_of(Crosstable(3, lines, "w")))
        await cup.paired()
        return cup

    cup = run(work())
    state = run(cup.state())
    waits = [board.policy.policy for board in state.rounds[0].boards if board.policy]
    assert waits == ["adjourn"]
    assert len(state.rounds) == 3


def test_who_is_absent_from_all_rounds_to_come_has_withdrawn_and_unrated_games_stay_so(
    toy_game: Game,
) -> None:
    lines = (
        Line("n1", 1, 0, (Cell("played", 2, "w", "win", rated=False), Cell("absent"), Cell("absent"))),
        Line("n2", 2, 0, (Cell("played", 1, "b", "loss", rated=False), Cell("half_bye"))),
        Line("n3", 3, 0, (Cell("full_bye"), Cell("full_bye"))),
        Line("n4", 4, 0, (Cell("absent"), Cell("absent"))),
    )
    text = text_of(Crosstable(3, lines, "w"))

    async def work() -> Cup:
        cup, _ = await imported(text)
        assert await exported_again(cup) == text
        return cup

    state = run(run(work()).state())
    assert [one.status for one in state.entrants.values()] == ["withdrawn", "invited", "invited", "invited"]
    assert [dict(one.byes) for one in state.entrants.values()] == [{}, {2: 1}, {2: 2}, {2: 0}]


def test_an_imported_tournament_is_one_append_without_names_by_an_organizer(toy_game: Game) -> None:
    async def work() -> tuple[Cup, ImportedTournament]:
        return await imported(RUNNING.replace("n1   ", "Ann  "))

    cup, made = run(work())
    log = run(cup.log())
    assert made.accepted.last == log.entry
    assert log.state.origin is not None
    assert (made.played, made.paired, len(made.invited)) == (3, 3, 4)
    assert all(b"Ann" not in record.leaf for record in log.records)
    assert run(cup.store_root()) == log.root
    assert {record.entry.by for record in log.records} == {DIRECTOR.person}
    store = MemoryStore()
    found = read_running(RUNNING.encode(), GAME)
    gate = Cup(store)
    with pytest.raises(Refused) as error:
        run(
            import_tournament(
                gate.tournaments.commands, store.people, Actor("q1", "player"), found, found.names
            )
        )
    assert error.value.kind == "forbidden"
    assert store.people.names([f"p{number}" for number in range(1, 9)]) == {}


def test_the_file_of_an_imported_tournament_is_equal_bytes_twice(toy_game: Game, tmp_path: Path) -> None:
    async def work() -> Cup:
        return (await imported(RUNNING))[0]

    cup = run(work())
    log = run(cup.log())
    data = file_of(cup, log)
    assert data == file_of(cup, log)
    report = verify(packed(members_of(data), tmp_path / "cup"), [KEYS.signing.verifying])
    assert report.ok, report.failures
