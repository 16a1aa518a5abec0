"""A log from elsewhere obeys the limits of requests, whatever key has signed it."""

from __future__ import annotations

import zipfile
from typing import Any

import pytest
from msgspec import json

from domain.bounds import ENTRY, MOST, OPENING
from domain.game import Game
from domain.games import GAMES
from domain.log import canonical
from domain.match import Match
from replay import archive, bounds, matchfile
from replay.matchfile import CHECKPOINTS, LOG, PRIVATE, BadFile
from replay.verify import verify
from tests.matches import Sitting, finished
from tests.replay.files import (
    KEY,
    file_of,
    parts_in,
    rechained,
    recorded_match,
    resigned,
    short_match,
    with_everything,
    with_part,
)
from tests.replay.test_hostile import zipped


def looked(data: bytes) -> None:
    bounds.must_be_within(matchfile.read(data))


def forged(match: Match, move: int, **fields: Any) -> bytes:
    """A file with other fields in one leaf, chained and signed anew."""
    parts = parts_in(file_of(match))
    leaves = parts[LOG].splitlines()
    leaves[move - 1] = canonical({**json.decode(leaves[move - 1]), **fields})
    return resigned(parts, rechained(leaves), match.id, KEY)


@pytest.mark.parametrize("name", GAMES)
def test_matches_that_were_played_here_are_within(name: str) -> None:
    game = GAMES[name]
    for edition in game.editions:
        looked(file_of(finished(game, 1, edition=edition).match))


def test_so_are_matches_with_every_kind_of_entry(toy_game: Game) -> None:
    for match in (short_match(toy_game), with_everything(toy_game), recorded_match(toy_game)):
        looked(file_of(match))


def test_a_reason_of_two_thousand_characters_is_the_longest(toy_game: Game) -> None:
    for length, fits in ((2_000, True), (2_001, False)):
        sitting = Sitting(toy_game)
        sitting.accept(sitting.match.rule(sitting.context, "p9", "x" * length, void=True))
        data = file_of(sitting.match)
        assert verify(data).ok  # it is sound, and signed
        if fits:
            looked(data)
            continue
        with pytest.raises(BadFile, match=r"log.ndjson, line 2: .* length <= 2000 - at `\$.reason`"):
            looked(data)


@pytest.mark.parametrize(
    ("move", "fields", "words"),
    [
        (1, {"opener": "p" * 129}, "opener"),
        (1, {"edition": "e" * 201}, "a text of 201 characters"),
        (1, {"options": {"rounds": 10**6}}, "option rounds"),
        (1, {"options": {"other": "x" * 201}}, "a text of 201 characters"),
        (2, {"player": "p\n"}, "player"),
        (2, {"player": "p" * 129}, "player"),
        (2, {"bot": "b" * 65}, "bot"),
        (2, {"salt": "not base64!"}, "salt"),
        (2, {"salt": "x" * 65}, "salt"),
        (2, {"salt_hash": "x"}, "salt_hash"),
        (2, {"product": "x" * 201}, "a text of 201 characters"),
        (2, {"x" * 201: 1}, "a text of 201 characters"),
        (2, {"at": MOST + 1}, "too large"),
        (2, {"reason": "x" * 2_001}, "reason"),
        (2, {"facts": [{"fact": "x" * 201}]}, "a text of 201 characters"),
        (2, {"facts": [["x" * 200] * (ENTRY // 200)]}, f"at most {ENTRY}"),
        (4, {"picks": ["x"] * 201}, "picks"),
        (4, {"picks": ["x" * 201]}, "picks"),
        (1, {"options": {"other": ["x" * 200] * (OPENING // 200)}}, f"at most {OPENING}"),
    ],
)
def test_no_field_is_larger_than_a_request_could_make_it(
    toy_game: Game, move: int, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadFile) as refused:
        looked(forged(finished(toy_game).match, move, **fields))
    assert f"line {move}:" in str(refused.value)
    assert words in str(refused.value)


def test_nor_is_any_in_a_private_part(toy_game: Game) -> None:
    data = file_of(finished(toy_game).match)
    lines = parts_in(data)[PRIVATE].splitlines(keepends=True)
    told = json.decode(lines[3])
    told["parts"]["left"] = {"picks": ["x" * 201]}
    lines[3] = canonical(told) + b"\n"
    with pytest.raises(BadFile, match=r"private.ndjson, line 4: .*picks"):
        looked(with_part(data, PRIVATE, b"".join(lines)))


def test_a_checkpoint_is_not_a_place_to_keep_things_in(toy_game: Game) -> None:
    data = file_of(finished(toy_game).match)
    note = parts_in(data)[CHECKPOINTS]
    line = note.rpartition(b"\n\n")[2]
    long = with_part(data, CHECKPOINTS, note + line * 200)
    with pytest.raises(BadFile, match=r"checkpoints.txt: \d+ bytes; at most 16384"):
        looked(long)


def test_a_member_packed_as_no_log_can_be_is_not_inflated(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = {**parts_in(file_of(finished(toy_game).match)), LOG: b"x" * 5_000_000}
    data = zipped(list(members.items()), zipfile.ZIP_DEFLATED)
    monkeypatch.setattr(archive, "_inflated", None)  # calling it would raise
    assert "packed to less than a 50th" in verify(data).reason


def test_all_parts_together_have_a_limit_that_the_directory_decides(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = file_of(finished(toy_game).match)
    whole = sum(map(len, parts_in(data).values()))
    matchfile.read(data, whole)
    monkeypatch.setattr(archive, "_content", None)
    with pytest.raises(BadFile, match=f"larger than the {whole - 1} bytes"):
        matchfile.read(data, whole - 1)
