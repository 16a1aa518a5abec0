"""AN16: the matches behind a row of an answer are as many as it counts, and such cases when replayed.

What counts as a case is written a second time, here and in `cases_of_games`, over match files that the
oracles replay; it shares nothing with the tables or the SQL.  That is every saved query of every game.
"""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

import replay.dataset as glasnost
from domain.games import GAMES
from domain.match import Match
from replay import matchfile
from replay.dataset.queries import queries
from tests.made_once import made_once
from tests.matches import finished
from tests.replay.dataset import cases_of_games, oracle
from tests.replay.dataset.conftest import Club
from tests.replay.dataset.stores import built, opened, put
from tests.replay.tables import twilight_struggle_oracle
from tests.replay.tables.oracles.reading import drawn
from tests.replay.tables.test_games import folded as tables_of

TS = "twilight_struggle"
Row = dict[str, Any]
Case = tuple[tuple[Any, ...], int]  # the keys of the row that counts it, and the move


class Replayed(Struct, frozen=True):
    """A match as the oracles replay its file.

    ts: the tables of Twilight Struggle; tables: those of another game, without its prefix.
    """

    id: str
    game: str
    about: Row
    moves: list[Row]
    decisions: list[Row]
    players: dict[str, str]
    has_bots: bool
    ts: dict[str, list[Row]]
    tables: dict[str, list[Row]]


def named(columns: str, rows: Sequence[tuple[Any, ...]]) -> list[Row]:
    """Rows with the names of their first columns."""
    return [dict(zip(columns.split(), row, strict=False)) for row in rows]


_MATCH = "match game edition options origin unverified house_seeded tournament round board opened closed"
_MATCH += " seat_a seat_b winner reason by score_a score_b turns moves"


def replayed(match: Match, data: bytes, found: Mapping[str, Sequence[tuple[Any, ...]]]) -> Replayed:
    """Replay a match from its file, of which the core tables are `found`."""
    file = oracle.Read(data)
    (about,) = named(_MATCH, found["matches"])
    is_ts = match.game.name == TS
    return Replayed(
        match.id,
        match.game.name,
        about,
        named("match move kind seat ask turn at think stands", found["moves"]),
        named("match move turn seat ask least most n options picked", found["decisions"]),
        {leaf["seat"]: leaf["player"] for leaf in file.leaves if leaf["kind"] == "seated"},
        any(leaf.get("bot") for leaf in file.leaves),
        twilight_struggle_oracle.Fold([record.stored for record in match.records]).rows if is_ts else {},
        {} if is_ts else {**tables_of(match.game.name, data), "drawn": named("move item", drawn(data))},
    )


# ── what each query counts ──


def of_cards(m: Replayed, *what: str) -> list[Row]:
    return [row for row in m.ts["ts_cards"] if row["what"] in what]


def coups(m: Replayed) -> list[Row]:
    return [row for row in m.ts["ts_rolls"] if row["kind"] == "coup"]


def win_rate(m: Replayed) -> Iterator[Case]:
    if m.about["winner"]:
        settled = [row for row in m.ts["ts_bids"] if row["kind"] == "settled"]
        gifts = [row["points"] if row["side"] == "us" else -row["points"] for row in settled]
        bid = sum(gifts, json.loads(m.about["options"])["handicap"])
        yield (m.about["edition"], bid), m.about["moves"]


def end_modes(m: Replayed) -> Iterator[Case]:
    about = m.about
    yield (about["reason"], about["winner"], about["turns"]), about["moves"]


def headlines(m: Replayed) -> Iterator[Case]:
    for row in of_cards(m, "headline") if m.about["winner"] else ():
        yield (row["seat"], row["turn"], row["card"]), row["move"]


def headline_pairs(m: Replayed) -> Iterator[Case]:
    first = [row for row in of_cards(m, "headline") if row["turn"] == 1 and m.about["winner"]]
    for us in (row for row in first if row["seat"] == "us"):
        for ussr in (row for row in first if row["seat"] == "ussr"):
            yield (us["card"], ussr["card"]), us["move"]


def event_or_ops(m: Replayed) -> Iterator[Case]:
    for row in of_cards(m, "played"):
        yield (row["card"], row["how"]), row["move"]


def all_coups(m: Replayed) -> Iterator[Case]:
    for row in coups(m):
        yield (row["seat"], row["country"]), row["move"]


def first_coup(m: Replayed) -> Iterator[Case]:
    for row in coups(m)[:1]:
        yield (row["seat"], row["country"], row["turn"]), row["move"]


def worth_points(m: Replayed) -> list[Row]:
    """The rolls that are worth points or influence: all but those out of a trap."""
    return [row for row in m.ts["ts_rolls"] if row["kind"] != "trap"]


def luck(m: Replayed) -> Iterator[Case]:
    for row in worth_points(m):
        yield (m.id, row["seat"], row["kind"]), row["move"]


def dice_fair(m: Replayed) -> Iterator[Case]:
    for row in m.ts["ts_rolls"]:
        for face in (row["face_us"], row["face_ussr"]):
            if face:
                yield (face,), row["move"]


def turn_ends(m: Replayed) -> list[Row]:
    return [row for row in m.ts["ts_positions"] if row["kind"] == "turn_end"]


def control_wins(m: Replayed) -> Iterator[Case]:
    for row in turn_ends(m) if m.about["winner"] else ():
        yield (row["turn"], {1: "us", 2: "ussr"}.get(row["ctl_poland"])), row["move"]


def find(m: Replayed) -> Iterator[Case]:
    for row in m.ts["ts_positions"]:
        if row["ctl_north_korea"] == 2 and row["defcon"] == 2 and row["turn"] < 9:
            yield (m.id,), row["move"]


def vp_path(m: Replayed) -> Iterator[Case]:
    for row in turn_ends(m):
        yield (row["turn"],), row["move"]


def comebacks(m: Replayed) -> Iterator[Case]:
    worst = min(m.ts["ts_positions"], key=lambda row: (row["vp"], row["move"]))
    if m.about["winner"] == "us" and worst["vp"] <= -1:
        yield (m.id,), worst["move"]


def held(m: Replayed) -> Iterator[Case]:
    for row in m.ts["ts_holdings"]:
        yield (row["card"], row["seat"]), row["dealt_move"]


def decided(m: Replayed) -> list[Row]:
    standing = {row["move"] for row in m.moves if row["stands"]}
    return [row for row in m.decisions if row["move"] in standing]


def not_taken(m: Replayed) -> Iterator[Case]:
    for row in decided(m):
        if OPTIONS[m.game] in row["options"]:
            yield (row["ask"], row["seat"]), row["move"]


def could_coup(m: Replayed) -> Iterator[Case]:
    for row in decided(m):
        if any(option.startswith("coup") for option in row["options"]):
            yield (row["seat"],), row["move"]


def country_life(m: Replayed) -> Iterator[Case]:
    for row in m.ts["ts_influence"]:
        if row["country"] == "poland":
            yield (row["turn"], row["side"]), row["move"]


def big_swings(m: Replayed) -> Iterator[Case]:
    for row in m.ts["ts_influence"]:
        if abs(row["after"] - row["before"]) >= 2:
            keys = [row[name] for name in ("move", "country", "side", "before", "after", "card")]
            yield (m.id, *keys), row["move"]


def defcon_losses(m: Replayed) -> Iterator[Case]:
    if m.about["reason"] == "nuclear_war":
        last = max(of_cards(m, "played", "headline"), key=lambda row: (row["move"], row["place"]))
        yield (m.about["turns"], last["card"], last["seat"]), last["move"]


def thought(m: Replayed) -> list[Row]:
    return [row for row in m.moves if row["think"] is not None and row["stands"]]


def think_time(m: Replayed) -> Iterator[Case]:
    for row in thought(m):
        yield (row["ask"], row["seat"]), row["move"]


def between(m: Replayed) -> Iterator[Case]:
    first, second = GAMES[m.game].seats
    if (m.players[first], m.players[second]) == (f"p-{first}", f"p-{second}"):
        yield (first,), m.about["moves"]


def player_record(m: Replayed) -> Iterator[Case]:
    for seat in own_seats(m):
        yield (seat,), m.about["moves"]


def own_seats(m: Replayed) -> list[str]:
    return [seat for seat, player in m.players.items() if player == f"p-{GAMES[m.game].seats[0]}"]


def player_pace(m: Replayed) -> Iterator[Case]:
    for row in thought(m):
        if row["seat"] in own_seats(m):
            yield (row["seat"],), row["move"]


def player_luck(m: Replayed) -> Iterator[Case]:
    for row in worth_points(m):
        if row["seat"] in own_seats(m):
            yield (row["seat"],), row["move"]


def opponents_luck(m: Replayed) -> Iterator[Case]:
    for row in worth_points(m):
        for seat in own_seats(m):
            if row["seat"] != seat:
                yield (seat,), row["move"]


def player_forced(m: Replayed) -> Iterator[Case]:
    for row in decided(m):
        if row["seat"] in own_seats(m):
            yield (row["seat"],), row["move"]


def player_ratings(m: Replayed) -> Iterator[Case]:
    if m.about["origin"] == "live" and not m.has_bots and own_seats(m):
        yield (m.about["edition"], m.id), m.about["moves"]


def player_headlines(m: Replayed) -> Iterator[Case]:
    for row in of_cards(m, "headline"):
        if row["turn"] == 1 and row["seat"] in own_seats(m):
            yield (row["seat"], row["card"]), row["move"]


OPTIONS = {TS: "finland", "imperial_struggle": "end", "cia_vs_kgb": "pass", "thirteen_minutes": "event"}
CASES: dict[str, Callable[[Replayed], Iterator[Case]]] = {
    **{
        one.__name__: one
        for one in (win_rate, end_modes, headlines, headline_pairs, event_or_ops, first_coup)
    },
    **{one.__name__: one for one in (luck, dice_fair, control_wins, find, vp_path, comebacks, held)},
    **{one.__name__: one for one in (not_taken, could_coup, country_life, big_swings, defcon_losses)},
    **{one.__name__: one for one in (think_time, between, player_record, player_pace, player_luck)},
    **{one.__name__: one for one in (opponents_luck, player_forced)},
    "coups": all_coups,
    "player_headlines": player_headlines,
    "player_ratings": player_ratings,
}
PREFIXES = {TS: "", "imperial_struggle": "is_", "cia_vs_kgb": "cvk_", "thirteen_minutes": "tm_"}
OF_ALL_GAMES = (
    "end_modes",
    "not_taken",
    "think_time",
    "between",
    "player_record",
    "player_pace",
    "player_forced",
    "player_ratings",
)
GIVEN: dict[str, dict[str, str]] = {
    "control_wins": {"country": "poland"},
    "find": {"country": "north_korea", "defcon": "2", "before": "9"},
    "comebacks": {"behind": "1"},
    "country_life": {"country": "poland"},
    "big_swings": {"least": "2"},
}


def given_for(name: str, game: str) -> dict[str, str]:
    """The parameters with which a query is asked here."""
    first, second = GAMES[game].seats
    own = {"not_taken": {"option": OPTIONS[game]}, "between": {"a": f"p-{first}", "b": f"p-{second}"}}
    if name.startswith("player_") or name == "opponents_luck":
        return {"player": f"p-{first}"}
    return {**(GIVEN if game == TS else cases_of_games.GIVEN), **own}.get(name, {})


def cases(m: Replayed, name: str) -> Iterable[Case]:
    """What a query counts in a match."""
    own = cases_of_games.OF_GAMES.get(m.game, {})
    if name not in own:
        return CASES[name](m)
    return own[name]({**m.about, "own": own_seats(m)}, defaultdict(list, m.tables))


@cache
def pools_of(data: glasnost.DataSet) -> Mapping[str, str]:
    """The pool of each match."""
    return dict(data.sql("SELECT match, pool FROM matches").fetchall())


def compare(data: glasnost.DataSet, game: str, name: str, matches: list[Replayed], few: int) -> int:
    """Compare the rows of an answer, and what is behind `few` of them, with the replayed cases."""
    prefix = PREFIXES[game]
    pools = pools_of(data)
    wanted: dict[tuple[Any, ...], Counter[tuple[str, int]]] = {}
    for match in matches:
        for keys, move in cases(match, name):
            wanted.setdefault((pools[match.id], *keys), Counter())[match.id, move] += 1
    answer = data.query(prefix + name, pool="live,bots,seeded", **given_for(name, game))
    keys = ("in_pool", *answer.query.keys)
    rows = {row[: len(keys)]: row[len(keys)] for row in answer}
    assert rows == {keys: found.total() for keys, found in wanted.items()}, name
    chosen = random.Random(name).sample(sorted(rows, key=repr), min(few, len(rows)))
    for values in chosen:
        found = answer.matches(**dict(zip(keys, values, strict=True))).fetchall()
        assert {pool for pool, _, _ in found} == {values[0]}
        assert Counter((match, move) for _, match, move in found) == wanted[values], (name, values)
    return len(rows)


@pytest.fixture(scope="module")
def files(
    club: Club, folded: dict[str, dict[str, list[tuple[Any, ...]]]], tmp_path_factory: pytest.TempPathFactory
) -> list[Replayed]:
    """The matches of the small store that count in answers: with a result, and not imported."""

    def make(home: Path) -> None:
        known = [match for match in club.matches if match.result and not match.imported]
        (home / "matches").write_bytes(
            pickle.dumps([replayed(one, club.files[one.id], folded[one.id]) for one in known])
        )

    found: list[Replayed] = pickle.loads(
        (made_once(tmp_path_factory, "replayed", make) / "matches").read_bytes()
    )
    return found


def test_each_query_of_each_game_is_counted_here() -> None:
    counted = {(TS, name) for name in CASES}
    for game, own in cases_of_games.OF_GAMES.items():
        counted |= {(game, PREFIXES[game] + name) for name in (*own, *OF_ALL_GAMES)}
    assert counted == {(one.game, one.name) for one in queries().values()}


@pytest.mark.parametrize("game", cases_of_games.OF_GAMES)
def test_the_matches_behind_a_row_of_a_game_of_its_own_are_its_cases_when_replayed(
    game: str, opened_club: glasnost.DataSet, files: list[Replayed]
) -> None:
    data, own = opened_club, [match for match in files if match.game == game]
    empty = {name for name in cases_of_games.OF_GAMES[game] if not compare(data, game, name, own, 1)}
    assert empty <= {"comebacks", "conquests", "win_rate"}


@pytest.mark.parametrize("name", CASES)
def test_the_matches_behind_a_row_are_its_cases_when_replayed(
    name: str, opened_club: glasnost.DataSet, files: list[Replayed]
) -> None:
    games = GAMES if name in OF_ALL_GAMES else (TS,)
    data, rows = opened_club, 0
    for game in games:
        rows += compare(data, game, name, [match for match in files if match.game == game], 1)
    assert rows > 0


def test_imported_matches_are_in_no_default_answer_and_hold_nothing_hidden(
    club: Club, opened_club: glasnost.DataSet
) -> None:
    """AN9: over the data set; `test_build.py` has what the parts hold."""
    data, came = opened_club, club.matches[-1].id
    for name in CASES:
        behind = data.query(name, **given_for(name, TS)).matches().fetchall()
        assert not [match for pool, match, _ in behind if match == came or pool == "imported"], name
    assert came not in {row[1] for row in data.find("turn >= 0", TS, limit=10_000)}
    shown = data.find("turn >= 0", TS, pool="imported", unproven=True)
    assert {row[1] for row in shown} == {came}
    hands = "SELECT DISTINCT hand_us, hand_ussr FROM ts_positions WHERE match = $match"
    assert data.sql(hands, {"match": came}).fetchall() == [(None, None)]
    marks = "SELECT unverified, proof, pool FROM matches WHERE match = $match"
    assert data.sql(marks, {"match": came}).fetchall() == [(True, "unproven", "imported")]
    for table in ("decisions", "ts_holdings"):
        found = data.sql(f"SELECT count(*) FROM {table} WHERE match = $match", {"match": came})
        assert found.fetchall() == [(0,)]


@pytest.mark.long
@pytest.mark.parametrize("game", cases_of_games.OF_GAMES)
def test_the_matches_behind_every_row_of_twelve_matches_of_a_game_are_its_cases_when_replayed(
    game: str, tmp_path: Path
) -> None:
    with opened(tmp_path / "games") as store:
        matches = [put(store, finished(GAMES[game], seed, name=f"m{seed}")) for seed in range(12)]
        files = {match.id: matchfile.write(match.records, store.note(match.id) or "") for match in matches}
        built(store, tmp_path / "club", cut=100_000)
    data = glasnost.open(tmp_path / "club")
    known = [replayed(one, files[one.id], oracle.expected(files[one.id])) for one in matches]
    for name in (*cases_of_games.OF_GAMES[game], *OF_ALL_GAMES):
        compare(data, game, name, known, 200)


@pytest.mark.long
def test_the_matches_behind_every_row_of_forty_matches_are_its_cases_when_replayed(tmp_path: Path) -> None:
    with opened(tmp_path / "games") as store:
        matches = [put(store, finished(GAMES[TS], seed, name=f"m{seed}")) for seed in range(40)]
        files = {match.id: matchfile.write(match.records, store.note(match.id) or "") for match in matches}
        built(store, tmp_path / "club", cut=100_000)
    data = glasnost.open(tmp_path / "club")
    known = [replayed(one, files[one.id], oracle.expected(files[one.id])) for one in matches]
    for name in CASES:
        assert compare(data, TS, name, known, 10_000) > 0, name
