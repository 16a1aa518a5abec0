"""A data set of many invented matches of Twilight Struggle, for statistics: no match was played.

Who wins is drawn with a probability that is known (`win_chance`), so that tests can compare what a model
finds with what is so.  Rows hold what the statistics read, and nothing in the other columns.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from replay.dataset.manifest import FORMAT, SCHEMA, VERSION, Manifest, Part, Settings, Slice, schema_of, write
from replay.dataset.parts import PartWriter, batch_of, writer
from replay.tables import registry
from replay.tables.schema import Table

Row = dict[str, Any]
TURNS = 10
OPENING = ("duck_and_cover", "fidel", "nato")
COUPS = ("iran", "italy", "panama")
DAY = 86_400_000_000
BASE = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000


def win_chance(vp: int, turn: int, battlegrounds: int) -> float:
    """How likely the US wins the match from the end of this turn on."""
    return 1 / (1 + math.exp(-(0.05 + 0.02 * turn) * (vp + battlegrounds)))


def write_data_set(folder: Path, rows: Mapping[str, Iterable[tuple[str, Row]]]) -> None:
    """Write a data set of these rows, each with its pool; columns that a row does not name are missing."""
    tables = {table.name: table for table in registry.tables()}
    schema = schema_of(tables.values())
    folder.mkdir(parents=True, exist_ok=True)
    parts = [part for name, some in rows.items() for part in _parts(folder, tables[name], list(some))]
    write(folder, SCHEMA, schema.data)
    count = len(list(rows["matches"]))
    manifest = Manifest(
        FORMAT,
        VERSION,
        "",
        1,
        1_000,
        "test",
        writer(),
        {},
        hashlib.sha256(schema.data).hexdigest(),
        Settings(),
        slices=(Slice(1, 1_000, 1, count),),
        parts=tuple(sorted(parts, key=lambda part: part.path)),
    )
    write(folder, "manifest.json", manifest.data)


def _parts(folder: Path, table: Table, rows: list[tuple[str, Row]]) -> Iterable[Part]:
    known = {column.name for column in table.columns}
    for pool in sorted({pool for pool, _ in rows}):
        chosen = [row for one, row in rows if one == pool]
        assert not set().union(*chosen) - known
        made = PartWriter(folder, table, pool, 1, 1_000)
        made.add(
            batch_of(table, list(zip(*(_column(one.name, chosen) for one in table.columns), strict=True)))
        )
        yield made.complete()


def _column(name: str, rows: list[Row]) -> list[Any]:
    """The values of a column; most columns have none."""
    return [row.get(name) for row in rows]


def crowd(
    count: int, *, seed: int = 1, pool: str = "live", players: int = 60
) -> dict[str, list[tuple[str, Row]]]:
    """The rows of so many matches of a pool, between so many players."""
    dice = random.Random(seed)
    found: dict[str, list[tuple[str, Row]]] = {name: [] for name in TABLES}
    for number in range(count):
        for table, row in _match(dice, f"{pool}-{seed}-{number:04}", number, players):
            found[table].append((pool, row))
    return found


TABLES = ("matches", "seats", "ts_positions", "ts_cards", "ts_rolls", "ts_influence")


def _match(dice: random.Random, match: str, number: int, players: int) -> Iterable[tuple[str, Row]]:
    vp, grounds, turns = 0, 0, list[tuple[int, int]]()
    for _ in range(dice.randint(3, TURNS)):
        vp = max(-19, min(19, vp + dice.randint(-4, 4)))
        grounds = max(-6, min(6, grounds + dice.randint(-2, 2)))
        turns.append((vp, grounds))
    won = dice.random() < win_chance(vp, len(turns), grounds)
    winner = None if number % 20 == 0 else "us" if won else "ussr"  # some are draws
    yield (
        "matches",
        {
            "match": match,
            "game": "twilight_struggle",
            "edition": "deluxe" if number % 6 else "second",
            "options": f'{{"handicap":{number % 2 * 2},"bid":"none"}}',
            "closed_at": BASE + number * DAY,
            "seat_a": "us",
            "seat_b": "ussr",
            "winner": winner,
            "reason": "final_scoring",
            "by": "play",
            "proof": "ok",
            "turns": len(turns),
            "moves": 300,
            "score_a": vp,
            "score_b": -vp,
        },
    )
    for seat, player in zip(("us", "ussr"), dice.sample(range(players), 2), strict=True):
        yield "seats", {"match": match, "seat": seat, "player": f"p-{player}"}
    yield from _opening(dice, match)
    yield from _turn_ends(match, turns)


def _opening(dice: random.Random, match: str) -> Iterable[tuple[str, Row]]:
    for country in ("poland", "east_germany"):
        row = {"match": match, "move": 4, "turn": 0, "side": "ussr", "country": country, "cause": "setup"}
        yield "ts_influence", {**row, "place": 0, "before": 0, "after": dice.randint(1, 3)}
    for place, seat in enumerate(("us", "ussr")):
        card = dice.choices(OPENING, (8, 8, 1))[0]
        row = {"match": match, "move": 18, "place": place, "turn": 1, "round": 0, "card": card, "seat": seat}
        yield "ts_cards", {**row, "what": "headline"}
    if dice.random() < 0.1:
        return  # it is over before anything else is played
    how = dice.choice(("coup", "influence"))
    row = {"match": match, "move": 20, "place": 0, "turn": 1, "round": 1, "card": "socialist_governments"}
    yield "ts_cards", {**row, "seat": "ussr", "what": "played", "how": how, "holder": "ussr"}
    if how == "coup":
        yield "ts_rolls", _roll(dice, match)


def loaded_rolls(match: str, count: int, share: float) -> Iterable[Row]:
    """Rolls for coups in one match; a share of the dice shows one more, but not more than 6."""
    dice = random.Random(count)
    return [{**_roll(dice, match, share), "move": 21 + place} for place in range(count)]


def _roll(dice: random.Random, match: str, loaded: float = 0.0) -> Row:
    """A coup with 3 operations in a country of stability 2: it brings what the die shows above 1."""
    face = min(6, dice.randint(1, 6) + (dice.random() < loaded))
    values = [max(0, one + 3 - 4) for one in range(1, 7)]
    expected = sum(values) / 6
    return {
        "match": match,
        "move": 21,
        "place": 0,
        "turn": 1,
        "kind": "coup",
        "seat": "ussr",
        "card": "socialist_governments",
        "country": dice.choice(COUPS),
        "face_ussr": face,
        "modifier": -1,
        "ways": 5,
        "of": 6,
        "success": face > 1,
        "value": values[face - 1],
        "value_expected": expected,
        "luck_vp": values[face - 1] - expected,
    }


def _turn_ends(match: str, turns: list[tuple[int, int]]) -> Iterable[tuple[str, Row]]:
    for turn, (vp, grounds) in enumerate(turns, 1):
        row: Row = {"match": match, "move": 30 * turn, "place": 0, "turn": turn, "kind": "turn_end", "vp": vp}
        row |= {f"bg_{region}_{side}": 0 for region in REGIONS for side in ("us", "ussr")}
        row |= {"bg_europe_us": max(0, grounds), "bg_europe_ussr": max(0, -grounds)}
        row |= {"defcon": 2 + (turn + 1) % 3, "space_us": turn // 3, "space_ussr": turn // 4, "china": "ussr"}
        row |= {
            "ctl_iran": turn % 3,
            "ctl_italy": 1,
            "us_iran": 2,
            "ussr_iran": 1,
            "state_sha256": f"{match} {turn}",
        }
        yield "ts_positions", row


REGIONS = ("europe", "middle_east", "asia", "central_america", "south_america", "africa")
