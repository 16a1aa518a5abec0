"""`glasnost script`: a scripted match, chance answers included, and what is refused in one."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from api.cli import script as script_module
from api.cli.fuzz import Count, Match
from domain.chance import Drawn
from domain.games import GAMES
from domain.kernel import CHANCE
from replay import matchfile
from replay.scripted import content_of
from replay.verify import verify
from tests.cli.program import Program


def script_of(game: str, seed: str = "5") -> dict[str, Any]:
    """A whole random match as a script."""
    match = Match(GAMES[game], *GAMES[game].settle(None, {}), seed, keep=True)
    match.play(Count())
    found: dict[str, Any] = json.loads(content_of(game, *GAMES[game].settle(None, {}), match.answers))
    return found


def write(script: Any, name: str = "script.json") -> Path:
    """The script as a file here."""
    path = Path(name)
    path.write_text(json.dumps(script), "utf-8")
    return path


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_answer_gets_its_position_and_the_last_line_the_result(glasnost: Program, game: str) -> None:
    script = script_of(game)
    done = glasnost("script", write(script), "--json").ok()
    *lines, last = [json.loads(line) for line in done.out.splitlines()]
    assert [line["answer"] for line in lines] == list(range(1, len(script["answers"]) + 1))
    assert [{"seat": line["seat"], "picks": line["picks"]} for line in lines] == script["answers"]
    assert set(lines[0]) == {"answer", "seat", "picks", "facts", "table", "asked"}
    assert lines[-1]["asked"] == []
    assert lines[-1]["table"]["result"] == last["result"]
    assert {"game", "edition", "options", "moves", "result", "root", "file"} <= set(last)
    for line, following in pairwise(lines):
        assert following["seat"] in {asked["seat"] for asked in line["asked"]}


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_facts_of_all_answers_are_those_of_the_log(glasnost: Program, game: str) -> None:
    done = glasnost("script", write(script_of(game)), "--json", "--out", "m").ok()
    told = [fact for line in done.out.splitlines()[:-1] for fact in json.loads(line)["facts"]]
    records = matchfile.read(Path("m")).records()
    logged = [fact for record in records for fact in record.facts]
    assert [fact["fact"] for fact in told] == [fact.__struct_config__.tag for fact in logged]


def test_the_match_file_says_recorded_and_verifies(glasnost: Program) -> None:
    glasnost("script", write(script_of("cia_vs_kgb")), "--json", "--out", "m").ok()
    match = matchfile.read(Path("m")).match()
    assert (match.opened.origin, match.opened.chance.scheme) == ("scripted", "recorded")
    draws: list[Drawn] = [draw for record in match.records for draw in getattr(record.entry, "draws", ())]
    assert draws
    assert all(draw.forced for draw in draws)
    report = verify(Path("m"))
    assert report.ok
    assert any("not provable" in note for note in report.notes)


def test_the_same_script_gives_the_same_bytes_and_is_stored_once(glasnost: Program) -> None:
    path = write(script_of("thirteen_minutes"))
    glasnost("script", path, "--out", "a").ok()
    glasnost("script", path, "--out", "b").ok()
    assert Path("a").read_bytes() == Path("b").read_bytes()
    first = glasnost("script", path, "--store", "s").ok().out
    again = glasnost("script", path, "--store", "s").ok().out
    assert again.startswith(first)
    assert "has this match already" in again
    assert glasnost("verify", "--store", "s").ok().out.count("ok:") == 1


@pytest.mark.parametrize("language", ["en", "ru"])
def test_people_read_positions_in_their_language(glasnost: Program, language: str) -> None:
    said = glasnost("script", write(script_of("thirteen_minutes")), "--lang", language).ok().out
    assert {"en": "Naval Quarantine Line", "ru": "Линия морского карантина"}[language] in said
    assert said.count("\n── ") + 1 == len(script_of("thirteen_minutes")["answers"])


def test_a_script_may_end_before_the_game(glasnost: Program) -> None:
    script = script_of("thirteen_minutes")
    seats = [number for number, answer in enumerate(script["answers"]) if answer["seat"] != CHANCE]
    script["answers"] = script["answers"][: seats[4]]
    done = glasnost("script", write(script), "--json", "--out", "m").ok()
    assert json.loads(done.out.splitlines()[-1])["result"] is None
    assert " moves, no result, root " in glasnost("script", "script.json").ok().out
    assert verify(Path("m")).ok


def test_an_illegal_answer_names_its_number_and_what_was_legal(glasnost: Program) -> None:
    script = script_of("thirteen_minutes")
    number = next(n for n, answer in enumerate(script["answers"], 1) if answer["seat"] != CHANCE)
    script["answers"][number - 1]["picks"] = ["nonsense"]
    done = glasnost("script", write(script))
    done.refused(1, f"answer {number} (", "'nonsense' is not among the options", "pick 1 of: 0, 1, 2")


def test_too_many_picks_are_refused(glasnost: Program) -> None:
    script = script_of("thirteen_minutes")
    answer = next(answer for answer in script["answers"] if answer["seat"] != CHANCE)
    answer["picks"] = ["0", "1"]
    glasnost("script", write(script)).refused(1, "pick 1, not 2")


def test_a_script_that_ends_where_chance_is_asked_prints_the_position(glasnost: Program) -> None:
    script = script_of("thirteen_minutes")
    seats = [number for number, answer in enumerate(script["answers"]) if answer["seat"] != CHANCE]
    number = next(
        n for n, answer in enumerate(script["answers"]) if n > seats[0] and answer["seat"] == CHANCE
    )
    del script["answers"][number:]
    said = glasnost("script", write(script), "--out", "m").ok().out
    assert said.count("\n── ") + 1 == number
    assert re.search(r"\n→ chance: \w+ [\w/]+, pick \d of: \S", said)
    moves = matchfile.read(Path("m")).manifest.moves
    assert f"ends in the middle of move {moves - 1}: chance is asked" in said
    assert verify(Path("m")).ok
    *lines, last = [
        json.loads(line) for line in glasnost("script", "script.json", "--json").ok().out.splitlines()
    ]
    assert [line["answer"] for line in lines] == list(range(1, number + 1))
    assert [asked["seat"] for asked in lines[-1]["asked"]] == [CHANCE]
    assert (last["moves"], last["result"]) == (moves, None)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_script_without_answers_prints_what_the_game_asks_first(glasnost: Program, game: str) -> None:
    path = write({"game": game, "answers": []})
    assert "→ chance: " in glasnost("script", path).ok().out
    assert glasnost("script", path, "--json").json["result"] is None


def test_a_seat_where_chance_is_asked_is_refused(glasnost: Program) -> None:
    script = script_of("thirteen_minutes")
    script["answers"] = [answer for answer in script["answers"] if answer["seat"] != CHANCE]
    glasnost("script", write(script)).refused(
        1, "answer 1 (", "is not asked", "asked is chance", "deal/b1/us"
    )


def test_a_superfluous_chance_answer_is_named(glasnost: Program) -> None:
    script = script_of("thirteen_minutes")
    number = next(n for n, answer in enumerate(script["answers"], 1) if answer["seat"] != CHANCE)
    script["answers"].insert(number - 1, {"seat": CHANCE, "picks": ["us-1"]})
    glasnost("script", write(script)).refused(1, f"answer {number} (chance: us-1)", "chance is not asked")


def test_an_answer_after_the_end_is_refused(glasnost: Program) -> None:
    script = script_of("thirteen_minutes")
    script["answers"].append({"seat": "us", "picks": []})
    number = len(script["answers"])
    glasnost("script", write(script)).refused(1, f"answer {number} (us: )", "the game is over")


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ("not JSON",)),
        (b"{", ("not JSON",)),
        (b"[]", ("object",)),
        (b"\xff\xfe{}", ("UTF-8 at byte 0",)),
        (b'{"game": "cia_vs_kgb", "answers": [{"seat": "cia\xff"}]}', ("UTF-8 at byte 48",)),
        (b'{"answers": []}', ("game",)),
        (b'{"game": "chess", "answers": []}', ("no game 'chess'",)),
        (b'{"game": "cia_vs_kgb"}', ("answers",)),
        (b'{"game": "cia_vs_kgb", "answers": [], "seed": 1}', ("seed",)),
        (b'{"game": "cia_vs_kgb", "answers": [{"seat": "cia"}]}', ("picks", "$.answers[0]")),
        (b'{"game": "cia_vs_kgb", "answers": [{"seat": "cia", "picks": [1]}]}', ("$.answers[0].picks[0]",)),
        (b'{"game": "cia_vs_kgb", "edition": "2nd", "answers": []}', ("'2nd'",)),
        (b'{"game": "cia_vs_kgb", "options": {"x": 1}, "answers": []}', ("'x'", "tie_break")),
        (b'{"game": "cia_vs_kgb", "options": {"score_limit": true}, "answers": []}', ("score_limit",)),
        (b'{"game": "cia_vs_kgb", "options": ' + b'{"a":' * 5000 + b"1" + b"}" * 5001, ("too deeply",)),
    ],
)
def test_a_wrong_file_is_refused(glasnost: Program, content: bytes, parts: tuple[str, ...]) -> None:
    Path("script.json").write_bytes(content)
    glasnost("script", "script.json").refused(2, "script.json" if b"chess" not in content else "", *parts)


def test_a_missing_file_a_directory_and_a_huge_script_are_refused(
    glasnost: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    glasnost("script", "none.json").refused(2, "none.json: there is no such file")
    glasnost("script", ".").refused(2, "directory")
    monkeypatch.setattr(script_module, "MOST_BYTES", 1 << 20)
    Path("huge.json").write_bytes(b" " * (1 << 20) + b"{}")
    glasnost("script", "huge.json").refused(2, "huge.json", "1 MiB")
