"""The position search: random searches against a naive scan, malformed ones, parameters, the win rate."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import duckdb
import msgspec
import pytest
from scipy.stats import binomtest

from api.data.answers import searched
from api.http.data_schemas import PositionsAnswer
from api.web.analysis import EXAMPLES
from domain.games import GAMES
from domain.kernel import Refused
from domain.match import Match
from replay.dataset import DataSet
from replay.dataset.parts import batch_of
from replay.dataset.search import MOST_NESTED, MOST_TEXT, MOST_TOKENS, VOCABULARIES, Search, parse
from replay.tables import registry, twilight_struggle
from replay.tables.schema import Row, Rows, Table
from tests.matches import finished
from tests.replay.dataset.test_queries import CORE
from tests.replay.dataset.test_queries import Rows as Inserted
from tests.replay.files import file_of
from tests.replay.tables import twilight_struggle_oracle
from tests.replay.tables.test_games import FOLDS, folded
from tests.replay.tables.test_games import played as played_elsewhere
from tests.replay.tables.test_games import rows as rows_elsewhere
from tests.replay.tables.test_twilight_struggle import match_of

Json = dict[str, Any]
Test = Callable[[Json], bool]
TS = "twilight_struggle"
ALL = (*FOLDS, TS)
SHORT = {15: "sealed_bid", 59: "held_scoring_card"}  # by their seeds; other tests play them, too
SEEDS = {"imperial_struggle": (1, 2), TS: (*SHORT,)}  # of the games whose matches are long
THREE = (1, 2, 3)  # of the others
MANY = (*range(1, 51),)
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@cache
def played(game: str, seed: int) -> Match:
    """A whole random match."""
    if game != TS:
        return played_elsewhere(game, seed)
    return match_of(SHORT[seed]) if seed in SHORT else finished(GAMES[TS], seed).match


@cache
def rows(game: str, seed: int) -> Rows:
    """Its tables."""
    return twilight_struggle.rows(played(TS, seed)) if game == TS else rows_elsewhere(game, seed)


def oracle_of(match: Match) -> dict[str, list[Json]]:
    """The tables of a match, without their prefix, as the oracle of its game folds them."""
    if match.game.name != TS:
        return folded(match.game.name, file_of(match))
    fold = twilight_struggle_oracle.Fold([record.stored for record in match.records])
    return {name.removeprefix("ts_"): found for name, found in fold.rows.items()}


def moment(row: Json) -> tuple[int, int]:
    """When something happened in a match: its move, and its place in that."""
    return row["move"], row["place"]


def seeds_of(game: str) -> Sequence[int]:
    """The few matches of a game."""
    return SEEDS.get(game, THREE)


@cache
def replayed(game: str, seed: int) -> list[Json]:
    """The positions of a match as the oracle replays them, with what was before each.

    `plays` are the cards that were played, `headlines` those that were headlines, each with its side, and
    `force` the cards whose effects were in force.
    """
    found = oracle_of(played(game, seed))
    positions = sorted((dict(row) for row in found["positions"]), key=moment)
    names, side = VOCABULARIES[game], VOCABULARIES[game].cards[1]
    cards = deque(sorted(found["cards"], key=moment))
    before: dict[str, frozenset[tuple[str, str]]] = {"plays": frozenset(), "headlines": frozenset()}
    for row in positions:
        while cards and moment(cards[0]) <= moment(row):
            one = cards.popleft()
            for name, what in (("plays", names.plays), ("headlines", "headline")):
                before[name] |= {(one["card"], one[side])} if one["what"] == what else set()
        row |= before
        row["seed"] = seed
        row["force"] = {
            one["card"]
            for one in found.get("effects", ())
            if one["move"] <= row["move"] and (one["ended_move"] or row["move"] + 1) > row["move"]
        }
    return positions


def database_of(game: str, seeds: Sequence[int]) -> duckdb.DuckDBPyConnection:
    """The tables of positions and cards of some matches, with their matches and seats."""
    module = registry.of_game(game)
    assert module is not None
    database = duckdb.connect(config={"threads": 1})
    prefix, read = VOCABULARIES[game].prefix, ("positions", "cards", *(["effects"] if game == TS else ()))
    own = {table.name: table for table in module.TABLES if table.name.removeprefix(prefix) in read}
    described = {**CORE, **own}
    for name, table in described.items():
        columns = ", ".join(f'"{one.name}" {one.type}' for one in table.columns)
        database.execute(f"CREATE TABLE {name} ({columns}, pool VARCHAR)")
    inserted = Inserted()
    for seed in seeds:
        match = played(game, seed)
        first, second = match.game.seats
        assert match.result is not None
        ending = {"reason": match.result.reason, "winner": match.result.winner, "proof": "ok", "by": "play"}
        row = {"match": f"m{seed}", "game": game, "edition": "first", "seat_a": first, "seat_b": second}
        pool = "bots" if seed == seeds[-1] else "live"
        inserted.add("matches", row | ending, pool)
        for seat in (first, second):
            inserted.add("seats", {"match": f"m{seed}", "seat": seat, "player": f"p-{seat}"}, pool)
        for name, table in own.items():
            filled(database, table, rows(game, seed)[name], pool)
    inserted.insert_into(database)
    return database


def filled(database: duckdb.DuckDBPyConnection, table: Table, made: list[Row], pool: str) -> None:
    """Add all rows of a table at once; DuckDB takes row by row slowly."""
    if made:
        database.register("made", batch_of(table, made))
        database.execute(f"INSERT INTO {table.name} SELECT *, $pool FROM made", {"pool": pool})
        database.unregister("made")


class Databases(dict[str, duckdb.DuckDBPyConnection]):
    """A few matches of each game that is asked for."""

    def __missing__(self, game: str) -> duckdb.DuckDBPyConnection:
        self[game] = database_of(game, seeds_of(game))
        return self[game]


@pytest.fixture(scope="module")
def databases() -> Iterator[Databases]:
    """A few matches of each game."""
    found = Databases()
    yield found
    for database in found.values():
        database.close()


def found_by(database: duckdb.DuckDBPyConnection, search: Search, **given: str) -> list[tuple[Any, ...]]:
    """The hits of a search."""
    statement = search.hits({"pool": "*", "limit": "10000", **given})
    return database.execute(statement.sql, statement.values).fetchall()


# ── random searches ──


@cache
def positions_of(game: str) -> tuple[list[Json], list[str]]:
    """The replayed positions of a game, and their columns that hold whole numbers."""
    positions = [row for seed in seeds_of(game) for row in replayed(game, seed)]
    numbers = [
        name
        for name, value in positions[0].items()
        if all(isinstance(row[name], int | None) and not isinstance(row[name], bool) for row in positions)
        and name not in ("seed", "move")
        and value is not None
    ]
    return positions, numbers


class Maker:
    """Makes random searches of a game, each with a function that says whether a position fits."""

    def __init__(self, game: str, dice: random.Random) -> None:
        self.game, self.dice = game, dice
        positions, self.numbers = positions_of(game)
        self.played = sorted({play for row in positions for play in row["plays"]})
        self.headlines = sorted({play for row in positions for play in row["headlines"]})
        self.positions = positions

    def any(self, depth: int = 0) -> tuple[str, Test]:
        kind = self.dice.choice(["test", "and", "or", "not", "("] if depth < 4 else ["test"])
        if kind == "test":
            return self.dice.choice([self.track, self.track, self.pair, self.kind, self.own, self.card])()
        one, first = self.any(depth + 1)
        if kind == "not":
            return f"not ({one})", lambda row: not first(row)
        if kind == "(":
            return f"( {one})", first
        two, second = self.any(depth + 1)
        if kind == "and":
            return f"({one}) AND ({two})", lambda row: first(row) and second(row)
        return f"({one}) or ({two})", lambda row: first(row) or second(row)

    def around(self, name: str) -> int:
        """A number near one that the column has."""
        value = self.dice.choice(self.positions)[name]
        return (0 if value is None else int(value)) + self.dice.choice((-1, 0, 0, 1))

    def track(self) -> tuple[str, Test]:
        return self.measured(name := self.dice.choice(self.numbers), name)

    def measured(self, name: str, text: str) -> tuple[str, Test]:
        low = self.around(name)
        if self.dice.random() < 0.2:
            high = low + self.dice.randint(0, 4)
            return (
                f"{text} between {low} and {high}",
                lambda row: row[name] is not None and low <= row[name] <= high,
            )
        sign, compare = self.dice.choice(list(COMPARE.items()))
        return f"{text}{sign}{low}", lambda row: row[name] is not None and compare(row[name], low)

    def pair(self) -> tuple[str, Test]:
        """A track of a side, as two or three words."""
        side = self.dice.choice(VOCABULARIES[self.game].sides[:2])
        if self.game == "imperial_struggle":
            region = self.dice.choice(("europe", "india", "caribbean", "north_america"))
            return self.measured(f"flags_{region}_{side}", f"flags {side} {region}")
        track = {"cia_vs_kgb": "influence", TS: self.dice.choice(("space", "mil", "hand"))}.get(
            self.game, "supply"
        )
        return self.measured(f"{track}_{side}", f"{track} {side}")

    def kind(self) -> tuple[str, Test]:
        kind = self.dice.choice(self.positions)["kind"]
        sign = self.dice.choice(("=", "!="))
        return f"kind {sign} {kind}", lambda row: (row["kind"] == kind) == (sign == "=")

    def own(self) -> tuple[str, Test]:
        """Who has something: a space, a group, an objective, cubes on a territory."""
        if self.game == "thirteen_minutes":
            side, card = self.dice.choice(("us", "ussr")), self.dice.choice(("cuba", "us-1", "un-2"))
            return self.measured(f"{side}_at_{card.replace('-', '_')}", f"{side} in {card}")
        if self.game == "imperial_struggle":
            side, code = self.dice.choice([("br", 1), ("fr", 2), ("neither", 0)])
            space = self.dice.choice(("antigua", "savoy", "ohio_forks", "madras"))
            return f"{side} controls {space}", lambda row: row[f"at_{space}"] == code
        if self.game == TS:
            return self.own_of_twilight_struggle()
        side, code = self.dice.choice([("cia", 1), ("kgb", 2)])
        if self.dice.random() < 0.5:
            objective = self.dice.choice(("iran", "cuba", "korea"))
            return f"{side} holds {objective}", lambda row: row[f"at_{objective}"] == code + 1
        group = self.dice.choice(("mafia", "police", "radio"))
        return f"{side} holds {group}", lambda row: row[f"at_{group}"] == code

    def own_of_twilight_struggle(self) -> tuple[str, Test]:
        """A country, its influence, the battlegrounds of a region, the China Card, an effect, a headline."""
        side, code = self.dice.choice([("us", 1), ("ussr", 2), ("neither", 0)])
        country = self.dice.choice(("iran", "italy", "poland", "south_korea", "angola", "cuba"))
        kind = self.dice.randrange(6)
        if kind == 0 or code == 0:
            return f"{side} controls {country}", lambda row: row[f"ctl_{country}"] == code
        if kind == 1:
            return self.measured(f"{side}_{country}", f"{side} in {country}")
        if kind == 2:
            region = self.dice.choice(("europe", "asia", "middle_east", "africa"))
            return self.measured(f"bg_{region}_{side}", f"battlegrounds {side} {region}")
        if kind == 3:
            return f"{side} holds china", lambda row: row["china"] == side
        if kind == 4:
            card = self.dice.choice(("nato", "containment", "cuban_missile_crisis", "de_gaulle_leads_france"))
            return f"effect {card}", lambda row: card in row["force"]
        card, by = self.dice.choice(self.headlines)
        return f"headline by {by}: {card}", lambda row: (card, by) in row["headlines"]

    def card(self) -> tuple[str, Test]:
        if not self.played:
            return self.track()
        card, side = self.dice.choice(self.played)
        if self.dice.random() < 0.5:
            return f"played by {side}: {card}", lambda row: (card, side) in row["plays"]
        return f"played:{card}", lambda row: card in {one for one, _ in row["plays"]}


def check(
    game: str, database: duckdb.DuckDBPyConnection, seeds: Sequence[int], number: int, seed: int
) -> None:
    """Compare random searches with a scan of the replayed positions."""
    dice = random.Random(seed)
    maker, hits = Maker(game, dice), 0
    for _ in range(number):
        text, fits = maker.any()
        wanted = [(f"m{at}", row["move"]) for at in seeds for row in replayed(game, at) if fits(row)]
        found = [(match, move) for _, match, move, *_ in found_by(database, parse(game, text))]
        assert sorted(found) == sorted(wanted)[:10_000], text
        hits += bool(wanted)
    assert hits > number // 3


@pytest.mark.parametrize("game", ALL)
def test_random_searches_find_what_a_scan_of_the_replayed_positions_finds(
    game: str, databases: Databases
) -> None:
    check(game, databases[game], seeds_of(game), 12, 19)


@pytest.mark.long
@pytest.mark.parametrize("game", ALL)
def test_three_hundred_searches_over_fifty_matches_find_what_a_scan_finds(game: str) -> None:
    with database_of(game, MANY) as database:
        check(game, database, MANY, 300, 20)


# ── malformed searches ──

MALFORMED = (  # a search of Imperial Struggle, and the column where it goes wrong
    ("", 1),
    ("   ", 4),
    ("vp", 3),
    ("vp >", 5),
    ("vp > >", 6),
    ("vp > fr", 6),
    ("vp = 3 )", 8),
    ("(vp = 3", 8),
    ("vp = 3 vp = 4", 8),
    ("vp between 3", 13),
    ("vp between 3 or 4", 14),
    ("and vp = 3", 1),
    ("vp = 3 and", 11),
    ("not", 4),
    ("fr controls", 1),
    ("fr controls nowhere", 13),
    ("de controls antigua", 1),
    ("flags fr nowhere = 1", 10),
    ("flags de india = 1", 7),
    ("match = m1", 1),
    ("demand = furs", 1),
    ("state_sha256 > 3", 14),
    ("kind < end", 6),
    ("played by fr", 13),
    ("played by de: calico_acts", 11),
    ("played by fr: no_such_card", 15),
    ("played:", 8),
    ("effect nato", 8),
    ("headline: calico_acts", 1),
    ("vp = 3; DROP TABLE matches", 7),
    ("vp = 1234567890", 6),
    ("vp = '3'", 6),
    ("vp = $s0", 6),
    ("vр = 3", 2),
    ("vp = 3 -- x", 8),
    ("vp = --3", 6),
)


@pytest.mark.parametrize(("text", "column"), MALFORMED)
def test_a_malformed_search_is_refused_with_the_column(text: str, column: int) -> None:
    with pytest.raises(Refused) as refused:
        parse("imperial_struggle", text)
    assert refused.value.kind == "invalid"
    assert refused.value.values["column"] == column
    assert f"column {column}: " in str(refused.value)


@pytest.mark.parametrize(
    ("searches", "games"),
    [(40, ["thirteen_minutes"]), pytest.param(1000, list(FOLDS), marks=pytest.mark.long)],
)
def test_damaged_searches_are_refused_with_a_column_or_run(
    databases: Databases, searches: int, games: list[str]
) -> None:
    dice = random.Random(21)
    texts = dict.fromkeys(games, "turn = 1")
    refused = []
    for number in range(searches):
        game = games[number % len(games)]
        fresh = number % 10 < len(games)
        texts[game] = Maker(game, dice).any()[0] if fresh else damaged(dice, texts[game])
        try:
            search = parse(game, texts[game])
        except Refused as error:
            refused.append((error.kind, error.values["column"], len(texts[game]) + 1))
        else:
            found_by(databases[game], search)
    assert len(refused) > searches / 2
    assert {kind for kind, _, _ in refused} == {"invalid"}
    assert all(1 <= int(str(column)) <= end for _, column, end in refused)


def damaged(dice: random.Random, text: str) -> str:
    """A search with something in it left out, doubled or put in."""
    at = dice.randrange(len(text) + 1)
    more = dice.choice(
        ["", " and ", "(", ")", "not ", "=", "17", "fr ", ":", "'", "\x00", "é", "between ", text]
    )
    return (text[:at] + more + text[at + dice.randrange(3) :])[:300] or "vp = 1"


def test_a_position_is_found_by_its_hash_whatever_that_begins_with(databases: Databases) -> None:
    game = "thirteen_minutes"
    hashes = databases[game].execute("SELECT DISTINCT state_sha256 FROM tm_positions ORDER BY ALL").fetchall()
    for first in "09af":
        (wanted,) = next(one for one in hashes if one[0].startswith(first))
        search = parse(game, f"state_sha256 = {wanted.upper()} and battle >= 1")
        assert search.values["s0"] == wanted
        assert found_by(databases[game], search)


def test_a_search_has_bounds() -> None:
    nested = "(" * MOST_NESTED + "vp = 1" + ")" * MOST_NESTED
    assert parse("imperial_struggle", nested).values == {"s0": 1}
    longest = " or ".join(["vp = 1"] * (MOST_TOKENS // 4))
    assert len(parse("imperial_struggle", longest).values) == MOST_TOKENS // 4
    for text in (
        f"({nested})",
        "not " * 41 + "vp=1",
        f"{longest} or vp = 1",
        f"vp = 1{' ' * MOST_TEXT}",
        "(" * 9999,
    ):
        with pytest.raises(Refused) as refused:
            parse("imperial_struggle", text)
        assert refused.value.kind == "invalid"


def test_a_game_without_positions_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        parse("chess", "vp = 1")
    assert refused.value.kind == "unknown-game"


# ── parameters and the win rate ──


def test_hits_name_match_move_time_players_and_result(
    databases: Databases,
) -> None:
    search = parse("imperial_struggle", "turn = 2 and kind = turn_end")
    statement = search.hits({"first": "1"})
    cursor = databases["imperial_struggle"].execute(statement.sql, statement.values)
    names = [column[0] for column in cursor.description or ()]
    assert names == (
        ["pool", "match", "move", "kind", "turn", "war", "round", "player_a", "player_b", "winner", "reason"]
    )
    found = cursor.fetchall()
    assert [row[:6] for row in found] == [
        ("live", f"m{row['seed']}", row["move"], "turn_end", 2, None)
        for seed in seeds_of("imperial_struggle")[:-1]
        for row in replayed("imperial_struggle", seed)
        if row["turn"] == 2 and row["kind"] == "turn_end"
    ]
    assert {row[7:9] for row in found} == {("p-br", "p-fr")}


def test_first_and_limit_cut_the_hits(databases: Databases) -> None:
    search, database = parse("cia_vs_kgb", "turn >= 1"), databases["cia_vs_kgb"]
    first = found_by(database, search, first="1")
    assert [row[1] for row in first] == ["m1", "m2", "m3"]
    assert [row[2] for row in first] == [replayed("cia_vs_kgb", seed)[0]["move"] for seed in THREE]
    assert len(found_by(database, search, limit="7")) == 7
    assert [row[1] for row in found_by(database, search, first="1", pool="bots")] == ["m3"]
    for wrong in ({"limit": "0"}, {"limit": "10001"}, {"min_n": "2"}, {"first": "2"}, {"pool": "x'"}):
        with pytest.raises(Refused):
            search.hits(wrong)


def test_the_win_rate_of_the_hits_has_its_interval_and_pools_stay_apart(
    databases: Databases,
) -> None:
    search, database = parse("cia_vs_kgb", "turn = 1"), databases["cia_vs_kgb"]
    statement = search.summary({"pool": "live,bots"})
    found = database.execute(statement.sql, statement.values).fetchall()
    assert [row[0] for row in found] == ["bots", "live"]
    for pool, seeds in (("bots", [3]), ("live", [1, 2])):
        row = next(row for row in found if row[0] == pool)
        results = [played("cia_vs_kgb", seed).result for seed in seeds]
        decided = [result.winner for result in results if result and result.winner]
        positions = sum(one["turn"] == 1 for seed in seeds for one in replayed("cia_vs_kgb", seed))
        assert row[1:4] == (len(seeds), positions, len(decided))
        interval = binomtest(decided.count("cia"), len(decided)).proportion_ci(method="wilson")
        wanted = [decided.count("cia") / len(decided), interval.low, interval.high]
        assert list(row[4:]) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("game", ALL)
def test_each_turn_has_what_the_same_search_for_that_turn_alone_finds(
    game: str, databases: Databases
) -> None:
    database, where, turn = databases[game], "move > 20", VOCABULARIES[game].turn
    statement = parse(game, where).by_time({"pool": "live,bots"})
    rows = database.execute(statement.sql, statement.values).fetchall()
    assert [row[:2] for row in rows] == sorted(row[:2] for row in rows)
    assert len({row[1] for row in rows}) > 2
    for time in {row[1] for row in rows}:
        alone = parse(game, f"({where}) and {turn} = {time}").summary({"pool": "live,bots"})
        found = database.execute(alone.sql, alone.values).fetchall()
        assert [(pool, *rest) for pool, at, *rest in rows if at == time] == found
    whole = parse(game, where).summary({"pool": "live,bots"})
    positions = [row[2] for row in database.execute(whole.sql, whole.values).fetchall()]
    assert sum(row[3] for row in rows) == sum(positions)


@pytest.mark.parametrize("game", ALL)
def test_an_answer_has_its_shape_also_those_of_the_examples_of_the_page(
    game: str, opened_club: DataSet
) -> None:
    every = f"{VOCABULARIES[game].time[0]} >= 0"
    for where in (every, *EXAMPLES[game]):
        answer = searched(game, where, {"pool": "*", "limit": "50"}).answer(opened_club)
        assert isinstance(answer, PositionsAnswer)
        sent = msgspec.json.encode(answer)
        assert msgspec.json.encode(msgspec.json.decode(sent, type=PositionsAnswer)) == sent
        assert where != every or len({tuple(hit.time.values()) for hit in answer.hits}) > 5
