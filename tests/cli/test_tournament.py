"""`glasnost tournament`: a whole tournament on the command line, and what is refused."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec import convert

from api.cli.tournament import SECTIONS, tournament
from api.cli.tournament_gate import run_at
from api.gate.tournaments import TournamentGate
from api.store.open import located
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from domain.tournaments import commands as c
from domain.tournaments.judging import Actor
from domain.tournaments.terms import FIELDS, Terms, settled, usual_tie_breaks
from replay.tournaments import pairing, pairing_twice
from tests.cli.program import Program


@pytest.fixture
def director(glasnost: Program) -> str:
    """An organizer in the store `s`."""
    store = SqliteStore.open(Path("s"))
    try:
        return store.people.add("Dora", "organizer")[0].id
    finally:
        store.close()


@pytest.fixture(autouse=True)
def _pair_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pair in this process: two processes that must agree are tested where they are the question."""
    monkeypatch.setattr(pairing_twice, "pair_twice", pairing.pair)


def announced(glasnost: Program, director: str) -> str:
    """The id of a new tournament, with four entrants."""
    terms = glasnost("tournament", "terms", "swiss").ok().out
    Path("terms.toml").write_text(terms.replace("rounds = 7", "rounds = 1"))
    told = glasnost("tournament", "new", "--store", "s", "--as", director, "terms.toml", "--json").json
    name = str(told["tournament"])
    Path("list.csv").write_text("name,rating\nAnn,1900\nBen,1800\nCleo,1700\nDan,1600\n")
    made = glasnost("tournament", "enter", "--store", "s", name, "list.csv", "--json").json
    assert [one["name"] for one in made["invitations"]] == ["Ann", "Ben", "Cleo", "Dan"]
    assert made["kinds"] == ["invited"] * 4
    return name


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("format", ["swiss", "round_robin", "knockout", "league", "stages"])
def test_the_printed_terms_have_every_field_and_are_possible(
    glasnost: Program, format: str, language: str
) -> None:
    text = glasnost("tournament", "terms", format, "--lang", language).ok().out
    plain = tomllib.loads(text)
    own = {"knockout": {"knockout"}, "league": {"league"}, "stages": {"knockout", "stages"}}.get(
        format, set()
    )
    others = {"knockout", "league", "stages", "forbidden"}
    left = ("until", "vpd_cap", "privileged_reads")
    assert {*plain, *left} - {"title"} == set(FIELDS) - others | own
    assert all(f"\n# {name} = " in text for name in left)
    assert tuple(plain["tie_breaks"]) == usual_tie_breaks(format)
    terms = settled(convert({key: plain[key] for key in plain if key != "title"}, Terms), 1)
    assert terms.edition == GAMES[terms.game].editions[0]
    assert all("#" in line for line in text.splitlines())


def test_the_help_lists_every_command_once_with_its_whole_text(glasnost: Program) -> None:
    listed = [name for section in SECTIONS.values() for name in section]
    assert sorted(listed) == sorted(tournament.commands)
    text = glasnost("tournament", "--help").ok().out
    assert "..." not in text.partition("Options:")[2]


def test_a_round_is_paired_published_ruled_and_closed(glasnost: Program, director: str) -> None:
    name = announced(glasnost, director)
    assert glasnost("tournament", "pair", "--store", "s", name).ok().out.endswith("paired\n")
    assert "board_opened" not in glasnost("tournament", "publish", "--store", "s", name).ok().out
    rule = ("tournament", "rule", "--store", "s", name)
    assert (
        glasnost(*rule, "1", "1", "1-0", "--text", "as reported", "--reported").ok().out.endswith("ruled\n")
    )
    log = glasnost("tournament", "export", "--store", "s", name, "--format", "ndjson").ok().out
    assert log.splitlines()[-1].count('"reported":true') == 1
    closing = ("tournament", "close", "--store", "s", name)
    glasnost(*closing).refused(2, "round 1", "2")
    assert glasnost(*closing, "--forfeit", "2", "+-").ok().out.endswith("round_closed\n")
    standings = glasnost("tournament", "standings", "--store", "s", name).ok().out
    assert "tie-breaks by the rules of 20" in standings.splitlines()[0]
    assert "\tAnn (n1)\t" in standings
    text = glasnost("tournament", "standings", "--store", "s", name, "--explain", "n1").ok().out
    assert any(f"PTS = {points}: {points} (round 1)\n" in text for points in (0, 1))  # by the lot
    report = glasnost("tournament", "report", "--store", "s", name).ok().out
    assert report.startswith("Statistics are a reason to look, never a proof.\nround\tboard\t")
    told = glasnost("tournament", "standings", "--store", "s", name, "--explain", "n1", "--json").json
    assert told["standings"]["pending"] == 0
    assert told["explained"]
    early = glasnost("tournament", "standings", "--store", "s", name, "--at", "6", "--json").json
    assert early["entry"] == 6
    final = glasnost("tournament", "publish", "--store", "s", name, "--final", "--json").json
    assert final["kinds"] == ["published"]
    verified = glasnost("verify", "--store", "s")
    assert verified.code == 0, verified


def test_a_call_holds_a_round_unless_the_command_says_why(glasnost: Program, director: str) -> None:
    Path("terms.toml").write_text(glasnost("tournament", "terms", "round_robin").ok().out)
    told = glasnost("tournament", "new", "--store", "s", "--as", director, "terms.toml", "--json").json
    name, store = str(told["tournament"]), SqliteStore.open(Path("s"))
    players = [store.people.add(one, "player")[0].id for one in ("Ann", "Ben")]
    store.close()
    Path("list.csv").write_text(f"name,player\nAnn,{players[0]}\nBen,{players[1]}\n")
    glasnost("tournament", "enter", "--store", "s", name, "list.csv").ok()
    glasnost("tournament", "pair", "--store", "s", name).ok()

    async def call(gate: TournamentGate) -> None:
        await gate.commands.command(name, c.CallArbiter(text="x"), Actor(players[0], "player"))

    run_at(located("s"), call)
    check_held_round(glasnost, ("--store", "s"), name)


def check_held_round(glasnost: Program, at: tuple[str, ...], name: str) -> None:
    """A paired round about which an entrant called is published for a reason alone."""
    publish = ("tournament", "publish", *at, name)
    glasnost(*publish).refused(2, "call")
    glasnost(*publish, "--standings", "--despite-calls", "x").refused(2, "--despite-calls")
    glasnost(*publish, "--despite-calls", "x" * 5_000).refused(2)
    assert (
        glasnost(*publish, "--despite-calls", "it is about lunch", "--json").json["kinds"][0]
        == "round_published"
    )
    log = glasnost("tournament", "export", *at, name, "--format", "ndjson").ok().out
    assert log.count('"reason":"it is about lunch"') == 1


def test_several_terms_change_with_one_command(glasnost: Program, director: str) -> None:
    check_change(glasnost, ("--store", "s"), announced(glasnost, director))


def check_change(glasnost: Program, at: tuple[str, ...], name: str) -> None:
    """A director changes several terms of a tournament, in a store or at a server."""
    change = ("tournament", "change", *at, name, "changed.toml", "--reason", "by a vote")
    Path("changed.toml").write_text('title = "Other"\nformat = "league"\n')
    glasnost(*change).refused(2, "league")
    Path("changed.toml").write_text("rounds = ")
    glasnost(*change).refused(2)
    Path("changed.toml").write_text('title = "Other"\n')
    glasnost(*change).refused(2)
    Path("changed.toml").write_text('format = "league"\nleague = {divisions = [2, 2], up = 1, down = 1}\n')
    assert glasnost(*change, "--json").json["kinds"] == ["terms_changed"] * 2
    log = glasnost("tournament", "export", *at, name, "--format", "ndjson").ok().out
    assert log.count('"kind":"terms_changed"') == 2


def test_who_names_what_they_have_seen_is_refused_if_the_tournament_went_on(
    glasnost: Program, director: str
) -> None:
    name = announced(glasnost, director)
    pair = ("tournament", "pair", "--store", "s", name)
    seen = glasnost("tournament", "standings", "--store", "s", name, "--json").json["entry"]
    for wrong in (seen - 1, seen + 1):
        glasnost(*pair, "--expect", str(wrong)).refused(2, f"is {seen}", f"seen {wrong}")
    glasnost(*pair, "--expect", "-1").refused(2, "--expect")
    assert glasnost("tournament", "standings", "--store", "s", name, "--json").json["entry"] == seen
    glasnost(*pair, "--expect", str(seen)).ok()
    second = glasnost(*pair, "--expect", str(seen))
    second.refused(2, "round 1 was paired meanwhile", "that pairing: 1. n", ", 2. n")
    terms = glasnost("tournament", "new", "--store", "s", "--as", director, "terms.toml", "--expect", "1")
    terms.refused(2, "--expect")


def test_boards_are_extended_adjourned_and_go_on_again(glasnost: Program, director: str) -> None:
    store = SqliteStore.open(Path("s"))
    players = [store.people.add(name, "player")[0].id for name in ("Ann", "Ben")]
    store.close()
    terms = glasnost("tournament", "terms", "swiss").ok().out
    Path("terms.toml").write_text(terms.replace("rounds = 7", "rounds = 1"))
    told = glasnost("tournament", "new", "--store", "s", "--as", director, "terms.toml", "--json").json
    name = str(told["tournament"])
    Path("list.csv").write_text(f"name,player\nAnn,{players[0]}\nBen,{players[1]}\n")
    glasnost("tournament", "enter", "--store", "s", name, "list.csv").ok()
    for command in ("pair", "publish"):
        glasnost("tournament", command, "--store", "s", name).ok()
    on = ("--store", "s", name, "1", "--reason", "a strike")
    until = ("--until", (datetime.now(UTC) + timedelta(days=30)).strftime("%Y-%m-%dT%H:%M"))
    extended = glasnost("tournament", "extend", *on, *until, "--json").json
    assert extended["kinds"] == ["extended"]
    seen = ("--expect", str(extended["entry"]))
    assert glasnost("tournament", "adjourn", *on, *until, *seen).ok().out.endswith("adjourned\n")
    glasnost("tournament", "resume", *on, *seen).refused(2, f"seen {extended['entry']}")
    assert glasnost("tournament", "resume", *on, "--board", "1").ok().out.endswith("resumed\n")
    glasnost("tournament", "pause", *on).refused(2, "clock")
    for wrong in ("tomorrow", "2020-01-01T10:00", "9999-12-31T23:59"):
        glasnost("tournament", "extend", *on, "--until", wrong).refused(2)
    glasnost("tournament", "resume", *on, "--board", "0").refused(2, "boards")
    glasnost("tournament", "resume", *on, "--as", players[0]).refused(2)
    verified = glasnost("verify", "--store", "s")
    assert verified.code == 0, verified


def test_what_cannot_be_is_refused_in_one_line(glasnost: Program, director: str) -> None:
    name = announced(glasnost, director)
    enter = ("tournament", "enter", "--store", "s", name)
    Path("bad.csv").write_text("name,rating\nEve,x\n")
    glasnost(*enter, "bad.csv").refused(2, "line 2", "rating")
    Path("bad.csv").write_text("name,mail\nEve,eve@example.org\n")
    glasnost(*enter, "bad.csv").refused(2, "--url")
    Path("bad.toml").write_text('title = "x"\ngame = "cia_vs_kgb"\nformat = "swiss"\nrounds = 99\n')
    new = ("tournament", "new", "--store", "s", "--as", director)
    glasnost(*new, "bad.toml").refused(2, "rounds")
    Path("bad.toml").write_text("surprise = 1")
    glasnost(*new, "bad.toml").refused(2, "bad.toml")
    glasnost("tournament", "new", "--store", "s", "--as", "nobody", "terms.toml").refused(2, "nobody")
    glasnost("tournament", "pair", "--store", "s", "tnone").refused(2)
    glasnost("tournament", "standings", "--store", "s", "tnone").refused(2, "tnone")
    rule = ("tournament", "rule", "--store", "s", name, "1", "1", "2-0", "--text", "t")
    glasnost(*rule).refused(2, "2-0")


def test_a_simulated_tournament_stays_in_its_store_and_proves_itself(glasnost: Program) -> None:
    simulate = ("tournament", "simulate", "--players", "4", "--rounds", "2", "--matches", "none")
    told = glasnost(*simulate, "--store", "s", "--seed", "7", "--out", "c.glasnost-tournament", "--json").json
    assert (told["rounds"], told["file"]) == (2, "c.glasnost-tournament")
    Path("keys.txt").write_text(glasnost("keys", "--store", "s").ok().out)
    verify = ("tournament", "verify", "c.glasnost-tournament", "--trust", "keys.txt", "--processes", "1")
    verified = glasnost(*verify, "--json").json
    assert (verified["ok"], verified["rounds"], verified["unchecked"]) == (True, 2, {})
    store = SqliteStore.open(Path("s"))
    try:
        log = store.tournament(told["tournament"])
        assert log is not None
        assert log.entry == told["entries"]
        assert log.state.ended == "published"
    finally:
        store.close()
    glasnost("tournament", "simulate", "--players", "3", "--rounds", "3").refused(2, "--rounds 3")


def test_the_room_shows_the_evidence_and_opens_what_is_hidden_by_an_entry_alone(
    glasnost: Program, director: str
) -> None:
    """OA23, on the command line."""
    name = announced(glasnost, director)
    glasnost("tournament", "pair", "--store", "s", name).ok()
    glasnost("tournament", "publish", "--store", "s", name).ok()
    store = SqliteStore.open(Path("s"))
    log = store.tournament(name)
    store.close()
    assert log is not None
    board = log.state.rounds[0].boards[0]
    room = ("tournament", "room", "--store", "s", name, board.match)
    told = glasnost(*room, "--json").json
    assert list(told["views"].values())[1:] == [None, None]
    assert list(told["moves"][0]["told"]) == ["spectator"]
    assert "hidden while the match runs" in glasnost(*room).ok().out
    assert "скрыто, пока партия идёт" in glasnost(*room, "--lang", "ru").ok().out
    assert told["roots"] == []
    root = told["moves"][0]["root"]
    assert glasnost(*room, "--root", root, "--json").json["held"] == "equal"
    assert glasnost(*room, "--root", "A" * 43 + "=", "--json").json["held"] == "forked"
    opened = glasnost(*room, "--why", "a doubt", "--json").json
    assert all(opened["views"].values())
    store = SqliteStore.open(Path("s"))
    after = store.tournament(name)
    store.close()
    assert after is not None
    assert (after.entry, after.records[-1].kind) == (log.entry + 1, "privileged_read")
    glasnost(*room, "--as", "nobody").refused(2, "nobody")
    glasnost("tournament", "room", "--store", "s", name, "mnone").refused(2)


def test_a_knock_out_needs_no_lot_and_a_level_contest_is_decided(glasnost: Program, director: str) -> None:
    Path("terms.toml").write_text(glasnost("tournament", "terms", "knockout").ok().out)
    told = glasnost("tournament", "new", "--store", "s", "--as", director, "terms.toml", "--json").json
    name = str(told["tournament"])
    Path("list.csv").write_text("name,seed\nAnn,1\nBen,2\n")
    glasnost("tournament", "enter", "--store", "s", name, "list.csv").ok()
    drafted = glasnost("tournament", "pair", "--store", "s", name, "--draft").ok().out
    assert "1\tAnn (n1)\tBen (n2)" in drafted
    for _ in range(2):
        assert glasnost("tournament", "pair", "--store", "s", name).ok().out.endswith(": paired\n")
        glasnost("tournament", "publish", "--store", "s", name).ok()
        glasnost("tournament", "close", "--store", "s", name, "--forfeit", "1", "--").ok()
    glasnost("tournament", "pair", "--store", "s", name).refused(2, "level")
    advance = ("tournament", "advance", "--store", "s", name)
    glasnost(*advance).refused(2, "no entrant goes on")
    assert glasnost(*advance, "--decided", "n2", "--reason", "lot").ok().out.endswith("qualified\n")
    assert "nothing paid: 0" in glasnost("tournament", "bids", "--store", "s", name).ok().out


IMPORTED = (
    "012 Club\n022 Oslo\n102 Ann Arbiter\nXYZ of another program\n142 3\n152 W\n"
    "162  W 1.0    D 0.5    L 0.0    P 1.0\n"
    "001    1      Ann                               1900                             1.0    1     2 w 1\n"
    "001    2      Ben                               1800                             0.0    2     1 b 0\n"
    "001    3      Cleo                              1700                             1.0    3     4 w 1\n"
    "001    4      Dan                               1600                             0.0    4     3 b 0\n"
)


def check_import(glasnost: Program, at: tuple[str, ...], acting: tuple[str, ...] = ()) -> None:
    """Import a tournament, go on with it, and export it; a forged file and terms that differ are refused."""
    Path("club.trf").write_text(IMPORTED)
    order = ("tournament", "import", *at, *acting)
    told = glasnost(*order, "club.trf", "--terms", "cia_vs_kgb").ok().out.splitlines()
    name = told[0].partition(":")[0]
    assert [line.partition("\t")[0] for line in told[2:6]] == ["Ann", "Ben", "Cleo", "Dan"]
    assert [line.partition(":")[0] for line in told[6:]] == [
        "line 2 is kept, and not used",
        "line 4 is kept, and its record is not known",
        "line 3 is left out, because it names people",
    ]
    again = glasnost("tournament", "export", *at, name, "--format", "trf").ok().out
    assert again == IMPORTED.replace("102 Ann Arbiter\n", "")
    assert glasnost("tournament", "pair", *at, name).ok().out.endswith("paired\n")
    terms = glasnost("tournament", "terms", "swiss").ok().out
    Path("terms.toml").write_text(terms.replace("rounds = 7", "rounds = 3"))
    made = glasnost(*order, "club.trf", "--terms", "terms.toml", "--json", "--lang", "ru").json
    assert (made["played"], made["paired"], len(made["invitations"])) == (1, 1, 4)
    Path("terms.toml").write_text(terms)
    glasnost(*order, "club.trf", "--terms", "terms.toml").refused(2, "3 rounds", "7")
    Path("wrong.trf").write_text(IMPORTED.replace("2 w 1", "3 w 1"))
    glasnost(*order, "wrong.trf", "--terms", "cia_vs_kgb").refused(2, "line 8, round 1")
    Path("long.trf").write_bytes(b" " * (1024 * 1024 + 1))
    glasnost(*order, "long.trf", "--terms", "cia_vs_kgb").refused(2, "1 MiB")


def test_a_running_tournament_is_imported(glasnost: Program, director: str) -> None:
    check_import(glasnost, ("--store", "s"), ("--as", director))
    glasnost("tournament", "import", "--store", "s", "club.trf", "--terms", "cia_vs_kgb").refused(2, "--as")
