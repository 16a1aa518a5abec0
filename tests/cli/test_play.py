"""`glasnost play`: one whole match, reproducible by its seed."""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from api.cli import play
from api.cli.play import Plan, SeededBot
from domain.kernel import Prompt
from replay import matchfile
from replay.verify import verify
from tests.cli.program import Program
from tests.waiting import PATIENCE

SHAPE = {"match", "game", "edition", "options", "moves", "result", "root", "file"}


def card_set() -> Any:
    from importlib.resources import files

    path = files("domain") / "thirteen_minutes" / "components" / "reconstruction.json"
    cards = json.loads(path.read_text("utf-8"))
    for card in cards["cards"]:
        card["title"] = {"en": f"card {card['id']}", "ru": f"карта {card['id']}"}
    return cards


@pytest.mark.parametrize("game", ["thirteen_minutes", "cia_vs_kgb"])
def test_the_same_seed_gives_the_same_bytes(glasnost: Program, game: str) -> None:
    first = glasnost("play", game, "--seed", "2a", "--out", "a", "--json").json
    again = glasnost("play", game, "--seed", "00002A", "--out", "b", "--json").json
    assert first | {"file": "b"} == again
    assert Path("a").read_bytes() == Path("b").read_bytes()
    assert set(first) == SHAPE
    assert (first["game"], first["edition"], first["file"]) == (game, "standard", "a")
    assert set(first["result"]) == {"winner", "reason", "score"}


def test_the_file_is_the_match_that_was_printed(glasnost: Program) -> None:
    told = glasnost("play", "thirteen_minutes", "--seed", "7", "--out", "a", "--json").json
    manifest = matchfile.read(Path("a")).manifest
    assert (manifest.root, manifest.moves, manifest.match) == (told["root"], told["moves"], told["match"])
    opened = matchfile.read(Path("a")).match().opened
    assert (opened.origin, opened.at, opened.opener) == ("seeded", None, None)
    assert verify(Path("a")).ok


def test_seed_options_and_game_each_make_another_match(glasnost: Program) -> None:
    base = ("play", "cia_vs_kgb", "--json", "--seed")
    runs = [(*base, "1"), (*base, "2"), (*base, "1", "--option", "score_limit=30")]
    told = [glasnost(*arguments).json for arguments in runs]
    assert len({one["match"] for one in told}) == len({one["root"] for one in told}) == 3
    assert told[2]["options"]["score_limit"] == 30


def test_without_a_seed_every_match_is_new_and_has_its_time(glasnost: Program) -> None:
    told = [glasnost("play", "thirteen_minutes", "--out", name, "--json").json for name in ("a", "b")]
    assert told[0]["match"] != told[1]["match"]
    opened = matchfile.read(Path("a")).match().opened
    assert opened.origin == "bots"
    assert opened.at is not None


def test_without_out_and_store_nothing_is_left(glasnost: Program) -> None:
    assert glasnost("play", "thirteen_minutes", "--seed", "1", "--json").json["file"] is None
    assert list(glasnost.folder.iterdir()) == []


def test_a_seed_twice_into_one_store_is_the_same_match(glasnost: Program) -> None:
    arguments = ("play", "thirteen_minutes", "--seed", "1", "--store", "s")
    first = glasnost(*arguments, "--out", "a", "--json").json
    assert glasnost(*arguments, "--out", "b", "--json").json == first | {"file": "b"}
    assert Path("a").read_bytes() == Path("b").read_bytes()
    assert "the same seed gives the same match" in glasnost(*arguments).ok().out


def test_many_matches_are_the_same_however_many_processes_play(glasnost: Program) -> None:
    alone = glasnost("play", "thirteen_minutes", "--seed", "2a", "--json").json

    def told(*arguments: str) -> list[Any]:
        many = ("play", "thirteen_minutes", "--seed", "2a", "--matches", "6", "--json")
        return [json.loads(line) for line in glasnost(*many, *arguments).ok().out.splitlines()]

    here = told("--store", "s", "--out", "a")
    assert here[0] | {"file": None} == alone
    assert len({one["match"] for one in here}) == 6
    elsewhere = told("--jobs", "2", "--store", "t", "--out", "b")
    assert [one | {"file": one["file"].replace("b", "a", 1)} for one in elsewhere] == here
    assert told("--jobs", "2", "--store", "s", "--out", "a") == here
    names = sorted(path.name for path in Path("a").iterdir())
    assert names == sorted(f"{one['match']}.glasnost" for one in here)
    assert glasnost("verify", "--store", "t").ok().out.count("ok: ") == 6


def test_many_matches_without_a_seed_all_differ_and_are_summed_up(glasnost: Program) -> None:
    said = glasnost("play", "thirteen_minutes", "--matches", "3", "--jobs", "2", "--store", "s").ok().out
    *lines, last = said.splitlines()
    assert len({line.partition(":")[0] for line in lines}) == 3
    won = Counter(
        "US" if " US wins" in line else "USSR" if " USSR wins" in line else "drawn" for line in lines
    )
    assert last.startswith("3 matches: ")
    assert {word.rpartition(" ")[0]: int(word.rpartition(" ")[2]) for word in last[11:].split(", ")} == won
    verified = glasnost("verify", "--store", "s").ok().out
    assert verified.count("ok: ") == 3


def test_several_matches_need_a_folder(glasnost: Program) -> None:
    Path("file").write_text("mine")
    glasnost("play", "thirteen_minutes", "--matches", "2", "--out", "file").refused(2, "need a folder")
    Path("folder").mkdir()
    glasnost("play", "thirteen_minutes", "--out", "folder").refused(2, "folder: a directory")
    assert Path("file").read_text() == "mine"


def test_an_interrupted_seeded_match_goes_on_as_it_would_have_gone(
    glasnost: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = glasnost("play", "thirteen_minutes", "--seed", "1", "--json").json
    answers = 0
    answer = SeededBot.answer

    def weary(self: SeededBot, question: Prompt) -> tuple[str, ...]:
        nonlocal answers
        answers += 1
        if answers == 9:
            raise KeyboardInterrupt
        return answer(self, question)

    arguments = ("play", "thirteen_minutes", "--seed", "1", "--store", "s")
    with monkeypatch.context() as patched:
        patched.setattr(SeededBot, "answer", weary)
        assert glasnost(*arguments).code == 130
    assert glasnost(*arguments, "--json").json["root"] == whole["root"]


def test_an_owners_card_set_comes_from_a_file(glasnost: Program) -> None:
    Path("mine.json").write_text(json.dumps(card_set()), "utf-8")
    told = glasnost("play", "thirteen_minutes", "--option", "card_set=mine.json", "--json").json
    assert len(told["options"]["card_set"]["cards"]) == 13


def test_an_unusual_card_set_is_played_with_a_warning(glasnost: Program) -> None:
    cards = card_set()
    cards["cards"][0]["alignment"] = "ussr"
    Path("mine.json").write_text(json.dumps(cards), "utf-8")
    done = glasnost("play", "thirteen_minutes", "--option", "card_set=mine.json", "--json")
    assert (done.code, done.out.count("\n"), done.err.count("\n")) == (0, 1, 1)
    assert "warning: option card_set: this set has 4 us, 6 ussr, 3 un" in done.err


def test_a_byte_order_mark_is_refused_with_the_way_out(glasnost: Program) -> None:
    Path("mine.json").write_text(json.dumps(card_set()), "utf-8-sig")
    done = glasnost("play", "thirteen_minutes", "--option", "card_set=mine.json")
    done.refused(2, "mine.json", "byte order mark", "without one")


def test_every_wrong_field_of_a_card_set_gets_its_line(glasnost: Program) -> None:
    cards = card_set()
    cards["cards"][0]["command"] = 99
    cards["cards"][1]["title"] = 7
    Path("mine.json").write_text(json.dumps(cards), "utf-8")
    done = glasnost("play", "thirteen_minutes", "--option", "card_set=mine.json")
    assert done.code == 2
    assert "cards[0].command" in done.err
    assert "mine.json: cards[1].title" in done.err
    assert done.err.count("\n") >= 2


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("nonsense",), ("no game 'nonsense'", "cia_vs_kgb")),
        (("cia_vs_kgb", "--edition", "2nd"), ("edition '2nd'", "standard")),
        (("cia_vs_kgb", "--option", "tie"), ("NAME=VALUE",)),
        (("cia_vs_kgb", "--option", "tie=1"), ("no option 'tie'", "tie_break")),
        (("cia_vs_kgb", "--option", "tie_break=maybe"), ("tie_break", "maybe", "faction_sum")),
        (("cia_vs_kgb", "--option", "score_limit=high"), ("score_limit", "high")),
        (
            ("cia_vs_kgb", "--option", "score_limit=30", "--option", "score_limit=40"),
            ("score_limit", "twice"),
        ),
        (("thirteen_minutes", "--option", "card_set=none.json"), ("none.json", "reconstruction")),
        (("thirteen_minutes", "--option", "card_set=."), ("directory",)),
        (("thirteen_minutes", "--option", "card_set=broken"), ("broken", "JSON")),
        (("thirteen_minutes", "--option", "card_set=list"), ("list", "object")),
        (("cia_vs_kgb", "--seed", "xyz"), ("xyz", "hex")),
        (("cia_vs_kgb", "--seed", "1" * 65), ("hex",)),
        (("cia_vs_kgb", "--seed", ""), ("hex",)),
        (("cia_vs_kgb", "--bots", "random"), ("cia, kgb",)),
        (("cia_vs_kgb", "--bots", "random,genius"), ("genius", "random")),
        (("cia_vs_kgb", "--out", "nowhere/m"), ("nowhere",)),
        (("cia_vs_kgb", "--out", "."), ("directory",)),
        (("cia_vs_kgb", "--out", ""), ("--out", "name")),
        (("cia_vs_kgb", "--store", "broken"), ("broken",)),
    ],
)
def test_what_cannot_be_played_is_refused(
    glasnost: Program, arguments: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    Path("broken").write_text("{")
    Path("list").write_text("[]")
    glasnost("play", *arguments).refused(2, *parts)
    assert sorted(path.name for path in glasnost.folder.iterdir()) == ["broken", "list"]


def test_a_store_in_use_is_refused_with_the_way_round(glasnost: Program) -> None:
    from api.store.sqlite import SqliteStore

    store = SqliteStore.open(Path("s"))
    try:
        glasnost("play", "thirteen_minutes", "--store", "s").refused(2, "has held the store", "stop")
    finally:
        store.close()


def test_a_file_is_written_wholly_or_not_at_all(glasnost: Program) -> None:
    folder = Path("shut")
    folder.mkdir()
    (folder / "m").mkdir()
    done = glasnost("play", "thirteen_minutes", "--out", "shut/m")
    assert done.code == 2
    assert stat.S_ISDIR((folder / "m").stat().st_mode)
    assert [path.name for path in folder.iterdir()] == ["m"]


def test_a_file_that_is_interrupted_leaves_nothing(
    glasnost: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(path: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    assert glasnost("play", "thirteen_minutes", "--seed", "1", "--out", "m").code == 130
    assert not list(Path().iterdir())


def test_links_in_a_circle_are_no_place_for_a_file(glasnost: Program) -> None:
    Path("m").symlink_to("m")
    glasnost("play", "thirteen_minutes", "--seed", "1", "--out", "m").refused(2, "m: cannot be written")


def test_a_file_goes_through_a_link_and_into_a_pipe(glasnost: Program, seeded: bytes) -> None:
    command = ("play", "thirteen_minutes", "--seed", "2a", "--out")
    Path("link").symlink_to("real")
    glasnost(*command, "link").ok()
    assert (Path("link").readlink(), Path("real").read_bytes()) == (Path("real"), seeded)
    os.mkfifo("pipe")
    with ThreadPoolExecutor() as pool:
        reading = pool.submit(Path("pipe").read_bytes)
        glasnost(*command, "pipe").ok()
        assert reading.result(timeout=PATIENCE) == seeded
    assert Path("pipe").is_fifo()


def test_a_bot_that_fails_is_reported_in_one_line(glasnost: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: SeededBot, question: Prompt) -> tuple[str, ...]:
        raise LookupError("no idea")

    monkeypatch.setattr(SeededBot, "answer", broken)
    glasnost("play", "thirteen_minutes", "--seed", "1").refused(2, "after move 3", "LookupError('no idea')")


def test_a_store_that_takes_no_moves_is_reported_in_one_line(
    glasnost: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    from api.store.interface import Append, Unavailable
    from api.store.sqlite import SqliteStore

    def full(self: SqliteStore, append: Append) -> Future[int]:
        if append.records[0].move > 5:
            raise Unavailable("no space left")
        return submit(self, append)

    submit = SqliteStore.submit
    monkeypatch.setattr(SqliteStore, "submit", full)
    monkeypatch.setattr(play, "PATIENCE_SECONDS", 0.1)
    done = glasnost("play", "thirteen_minutes", "--seed", "1")
    assert (done.code, done.out) == (2, "")
    assert "after move 5: is the disk full?" in done.err


def test_ids_of_seeded_matches_say_everything() -> None:
    plan = Plan("g", "e", {}, ("b",), "1")
    changes: list[dict[str, Any]] = [{"game": "h"}, {"edition": "f"}, {"options": {"o": 1}}]
    changes += [{"bots": ("c",)}, {"seed": "2"}]
    assert len({plan.match, *(replace(plan, **change).match for change in changes)}) == 6
    assert replace(plan, seed=None).match is None


def test_bots_of_other_levels_repeat_with_the_seed(glasnost: Program) -> None:
    """B12."""
    for file in ("one", "two"):
        words = ("thirteen_minutes", "--bots", "random,easy", "--seed", "2a", "--out", file)
        glasnost("play", *words).ok()
    assert (glasnost.folder / "one").read_bytes() == (glasnost.folder / "two").read_bytes()
    glasnost("play", "thirteen_minutes", "--bots", "random,genius").refused(2, "there is: random, easy, hard")


@pytest.mark.long
@pytest.mark.parametrize("game", ["thirteen_minutes", "cia_vs_kgb", "twilight_struggle", "imperial_struggle"])
def test_a_match_of_the_strongest_bot_repeats_with_the_seed(glasnost: Program, game: str) -> None:
    """B12."""
    for file in ("one", "two"):
        glasnost("play", game, "--bots", "hard,easy", "--seed", "2a", "--out", file).ok()
    assert (glasnost.folder / "one").read_bytes() == (glasnost.folder / "two").read_bytes()
    glasnost("verify", "one").ok()


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        ("twilight_struggle", "--option", "scenario=late_war"),
        ("twilight_struggle", "--edition", "second"),
        ("twilight_struggle", "--option", "chinese_civil_war=true"),
        ("thirteen_minutes", "--option", "campaign=true"),
    ],
    ids=" ".join,
)
def test_the_strongest_bot_plays_each_edition_and_scenario(glasnost: Program, words: tuple[str, ...]) -> None:
    """B3; the default editions are those of the strengths that are measured (B2)."""
    many = ("--bots", "hard,easy", "--seed", "b3", "--matches", "50", "--jobs", "0", "--json")
    assert glasnost("play", *words, *many).ok().out.count("\n") == 50


def test_the_arena_prints_intervals_and_goes_on(glasnost: Program) -> None:
    words = ("arena", "twilight_struggle", "--matches", "2", "--seed", "3", "--kept", "kept")
    printed = glasnost(*words).ok().out
    assert "easy against random: " in printed
    assert "easy against random as ussr: " in printed
    assert "ms a decision" in printed
    assert re.search(r"^\d+ answers, \d+\.\d answers a second of thinking$", printed, re.MULTILINE)
    before = (glasnost.folder / "kept").read_bytes()
    assert glasnost(*words).ok().out == printed
    assert (glasnost.folder / "kept").read_bytes() == before
    told = glasnost(*words, "--json").ok().json
    assert told["standings"][0]["matches"] == 2
    assert f"{told['answers']} answers, {told['answers_a_second']:.1f} answers a second" in printed
    glasnost("arena", "twilight_struggle", "--bots", "easy").refused(2, "at least two levels")
    (glasnost.folder / "letter").write_text("dear\n")
    glasnost("arena", "twilight_struggle", "--kept", "letter").refused(2, "holds no outcomes")
