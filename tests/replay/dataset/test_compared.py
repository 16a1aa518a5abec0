"""Two players side by side, a second way: forced moves by trying answers, luck by the formulas of the book.

Match files are replayed without the tables and without SQL.  Whether a move was forced is counted by giving
every answer to the rules; what a throw brings on average follows from the printed modifiers and tracks.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, groupby, permutations
from math import comb, perm
from statistics import fmean, stdev
from typing import Any, get_args

import duckdb
import pytest
from scipy.stats import norm

from domain.events import Played
from domain.games import GAMES
from domain.kernel import Answer, Prompt, Refused, SeatsSettled, Table, decide, prompt
from domain.match import Match
from replay.dataset import DataSet
from replay.dataset.queries import LEAST_OF_MEAN, PREFIXES, normal, query
from replay.tables import core
from tests.matches import Sitting, resigned
from tests.replay.dataset.cases import named
from tests.replay.dataset.cases_of_games import Tables, of_chance, what
from tests.replay.dataset.conftest import Club
from tests.replay.dataset.test_queries import Rows, answer
from tests.replay.tables.oracles.reading import by_id, drawn, printed
from tests.replay.tables.test_games import folded
from tests.replay.tables.twilight_struggle_oracle import OTHER, Fold

TS = "twilight_struggle"
FACES = range(1, 7)
TRIED = 4  # options of a question whose answers are all given to the rules


def player_of(game: str, place: int = 0) -> str:
    """The player who has a seat of the matches of the small store."""
    return f"p-{GAMES[game].seats[place]}"


def live_of(club: Club, game: str) -> list[Match]:
    """The matches of a game in the pool live that count: with a result."""
    return [one for one in club.matches if one.game.name == game and one.result and is_live(one)]


def is_live(match: Match) -> bool:
    return match.origin == "live" and not any(seated and seated.bot for seated in match.players.values())


def asked(data: DataSet, name: str, player: str) -> dict[str, dict[str, Any]]:
    """The rows of a saved query about a player in the pool live, by their seat."""
    found = data.query(name, player=player)
    return {str(row["seat"]): row for row in found._rows}


# ── forced moves ──


def answers(table: Table, question: Prompt) -> int:
    """How many different answers are legal: of few options by trying all, of more by counting."""
    n, least, most = len(question.options), question.least, question.most
    if n > TRIED:
        ways = perm if question.ordered else comb
        return sum(ways(n, k) for k in range(least, min(most, n) + 1))
    outcomes = set[str]()
    for k in range(n + 1):
        for picks in permutations(question.options, k):
            try:
                outcomes.add(repr(decide(table, Answer(question.seat, picks))))
            except Refused:
                continue
    return len(outcomes)


def forced(match: Match, player: str) -> dict[str, list[bool]]:
    """For each seat of a player, whether each answer that stands was the only legal one."""
    found = defaultdict[str, list[bool]](list)
    for move in match.line():
        entry = match.entry_at(move)
        seated = match.player_of(entry.seat, move - 1) if isinstance(entry, Played) else None
        if seated is not None and seated.player == player:
            table = match.table_with_agenda(move - 1)
            question = prompt(table, entry.seat)
            assert question is not None
            found[entry.seat].append(answers(table, question) == 1)
    return found


@pytest.mark.parametrize("game", GAMES)
def test_a_move_is_forced_where_trying_all_answers_finds_one(
    game: str, club: Club, opened_club: DataSet
) -> None:
    matches = live_of(club, game)
    for place in (0, 1):
        player, wanted = player_of(game, place), defaultdict[str, list[bool]](list)
        for match in matches:
            for seat, tries in forced(match, player).items():
                wanted[seat] += tries
        rows = asked(opened_club, f"{PREFIXES[game]}player_forced", player)
        assert rows.keys() == wanted.keys()
        for seat, tries in wanted.items():
            row = rows[seat]
            assert (row["n"], row["matches"]) == (len(tries), len(matches))
            assert row["forced"] == pytest.approx(fmean(tries)), (game, seat)
            assert row["lo"] <= row["forced"] <= row["hi"]


def test_the_questions_whose_order_matters_are_those_of_the_rules() -> None:
    """Picks of such a question that are all the options are no forced answer: their order is chosen."""
    ordered = {step.__name__ for game in GAMES.values() for step in get_args(game.steps) if step.ordered}
    named = re.search(r"NOT IN\s*\(([^)]*)\)", query("player_forced").rows)
    assert named
    assert set(re.findall(r"\w+", named[1])) == ordered


BIDS = [
    (TS, {"bid": "influence"}),
    (TS, {"bid": "victory_points"}),
    ("imperial_struggle", {"bid": "br"}),
]


@pytest.mark.parametrize(("game", "options"), BIDS)
def test_until_the_seats_are_settled_a_move_is_of_the_player_who_sat_down_there(
    game: str, options: dict[str, str]
) -> None:
    match = exchanged(game, options)
    first, second = GAMES[game].seats
    before = [one.entry for one in match.records if one.move < settled_at(match)]
    bids = [entry for entry in before if isinstance(entry, Played)]
    assert {entry.ask for entry in bids} <= {"SealBid", "Bid"}
    with duckdb.connect(config={"threads": 1}) as database:
        insert(database, match)
        for seat, player in ((second, f"p-{first}"), (first, f"p-{second}")):
            found = answer(database, query(f"{PREFIXES[game]}player_forced").behind({"player": player}))[1]
            own = forced(match, player)
            assert len(found) == sum(map(len, own.values()))
            made = [entry.move for entry in bids if f"p-{entry.seat}" == player]
            assert {move for _, _, move in found} >= set(made)
            _, rows = answer(database, query(f"{PREFIXES[game]}player_forced").statement({"player": player}))
            ((_, shown, n, share, *_),) = rows
            assert (shown, n, share) == (
                seat,
                len(found),
                pytest.approx(fmean(chain.from_iterable(own.values()))),
            )


def exchanged(game: str, options: dict[str, str]) -> Match:
    """A match whose players play each other's seat after their bids; the first seat resigns."""
    first = GAMES[game].seats[0]
    for seed in range(40):
        match = resigned(Sitting(GAMES[game], seed, options=options).seat_all(), 12).match
        player = match.player_of(first)
        if player and player.player != f"p-{first}":
            return match
    raise AssertionError("no seats were exchanged")


def settled_at(match: Match) -> int:
    """The move in which the seats were settled."""
    return next(
        record.move
        for record in match.records
        if any(isinstance(fact, SeatsSettled) for fact in getattr(record.entry, "facts", ()))
    )


def insert(database: duckdb.DuckDBPyConnection, match: Match) -> None:
    """Fill a database with the core tables of a match."""
    rows = Rows()
    for table in core.TABLES:
        columns = ", ".join(f'"{one.name}" {one.type}' for one in table.columns)
        database.execute(f"CREATE TABLE {table.name} ({columns}, pool VARCHAR)")
    for table in (one for one in core.TABLES if one.name in ("matches", "seats", "moves", "decisions")):
        times = {one.name for one in table.columns if one.type == "TIMESTAMP"}
        for row in core.rows(match, core.Beside())[table.name]:
            named = dict(zip((one.name for one in table.columns), row, strict=True))
            rows.add(table.name, {name: value for name, value in named.items() if name not in times}, "live")
    rows.insert_into(database)


# ── luck ──


class Dice(Fold):
    """Replays a match of Twilight Struggle and notes the luck of each roll but those out of a trap."""

    def __init__(self, match: Match) -> None:
        self.lucks: list[tuple[str, float]] = []
        self.values: list[int] = []  # what each possible throw of the next roll brings
        super().__init__([record.stored for record in match.records])

    def _roll(self, kind: str, seat: str, card: str | None, country: str | None, **values: Any) -> None:
        if kind != "trap":
            assert values["value"] in self.values
            self.lucks.append((seat, values["value"] - fmean(self.values)))
        super()._roll(kind, seat, card, country, **values)

    def CoupRolled(self, fact: dict[str, Any]) -> None:
        """6.3.2: what the die and the operations have above twice the stability."""
        least = 2 * fact["stability"] - fact["ops"] - fact["modifier"]
        self.values = [max(0, face - least) for face in FACES]
        super().CoupRolled(fact)

    def RealignmentRolled(self, fact: dict[str, Any]) -> None:
        """6.2.2: the side with the lower total loses the difference, as far as it has influence."""
        seat, other = fact["seat"], OTHER[fact["seat"]]
        own, enemy = (self.held[side].get(fact["country"], 0) for side in (seat, other))
        ahead = fact["modifiers"][seat] - fact["modifiers"][other]
        margins = [ahead + mine - theirs for mine in FACES for theirs in FACES]
        self.values = [min(enemy, margin) if margin > 0 else -min(own, -margin) for margin in margins]
        super().RealignmentRolled(fact)

    def WarRolled(self, fact: dict[str, Any]) -> None:
        """The war cards: 2 points, and 1 for Brush War."""
        points = {"brush_war": 1}.get(fact["card"], 2)
        self.values = [points * (face - fact["minus"] >= fact["need"]) for face in FACES]
        super().WarRolled(fact)

    def SpaceRolled(self, fact: dict[str, Any]) -> None:
        """6.4: the points of the box, fewer for the side that reaches it second."""
        box = printed(TS, "space")[fact["box"] - 1]
        points = box["vp_second" if self.space[OTHER[fact["seat"]]] >= fact["box"] else "vp_first"]
        self.values = [points * (face <= fact["need"]) for face in FACES]
        super().SpaceRolled(fact)

    def ContestRolled(self, fact: dict[str, Any]) -> None:
        """Olympic Games, Summit: 2 points for the higher total; a tie is rolled again."""
        seat = self.players[fact["card"]]
        ahead = fact["modifiers"][seat] - fact["modifiers"][OTHER[seat]]
        margins = [ahead + mine - theirs for mine in FACES for theirs in FACES]
        self.values = [2 * (margin > 0) - 2 * (margin < 0) for margin in margins]
        super().ContestRolled(fact)


def test_luck_is_what_the_rolls_of_each_side_brought_by_the_book(club: Club, opened_club: DataSet) -> None:
    lucks = [one for match in live_of(club, TS) for one in Dice(match).lucks]
    for place, seat in enumerate(GAMES[TS].seats):
        for name, side in (("player_luck", seat), ("opponents_luck", OTHER[seat])):
            wanted = [luck for one, luck in lucks if one == side]
            ((shown, row),) = asked(opened_club, name, player_of(TS, place)).items()
            assert (shown, row["n"]) == (seat, len(wanted))
            assert row["luck"] == pytest.approx(sum(wanted))
            assert row["mean"] == pytest.approx(fmean(wanted))


Draws = Iterator[tuple[str, float]]  # the side that drew, and its luck


def by_fact(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The rows of each fact, in order."""
    return (list(some) for _, some in groupby(rows, key=lambda row: (row["move"], row["place"])))


def drawn_groups(t: Tables) -> Draws:
    """CIA vs. KGB: the influence of a group that chance drew, less the mean of those in the deck."""
    groups = by_id("cia_vs_kgb", "groups")
    place = dict.fromkeys(groups, "deck")
    chosen = [id(row) for row in of_chance(t, "groups", "group", lambda row: row["what"] != "reshuffled")]
    for row in t["groups"]:
        if id(row) in chosen:
            deck = [groups[one]["influence"] for one, where in place.items() if where == "deck"]
            yield row["seat"], groups[row["group"]]["influence"] - fmean(deck)
        place[row["group"]] = row["destination"]


def drawn_cards(t: Tables) -> Draws:
    """13 Minutes: the Command of a card that chance dealt or drew, less the mean of those in the deck."""
    command = {one["id"]: one["command"] for one in printed("thirteen_minutes", "reconstruction")["cards"]}
    chosen = {id(row) for row in of_chance(t, "cards", "card", what("dealt", "drawn"))}
    battle, deck = 0, set[str]()
    for rows in by_fact(t["cards"]):
        if rows[0]["battle"] != battle:
            battle, deck = rows[0]["battle"], set(command)
        for row in (row for row in rows if id(row) in chosen):
            yield row["side"], command[row["card"]] - fmean(command[card] for card in deck)
        deck -= {row["card"] for row in rows if row["what"] in ("dealt", "drawn", "became_cuba", "taken")}
        deck |= {row["card"] for row in rows if row["what"] == "given"}


def drawn_tiles(t: Tables) -> Draws:
    """Imperial Struggle: the strength of a war tile that chance drew, less the mean of those it came from."""
    tiles, out = by_id("imperial_struggle", "war_tiles"), set[str]()
    for rows in by_fact(t["tiles"]):
        for row in (row for row in rows if row["what"] == "drawn"):
            own = tiles[row["tile"]]
            pool = [
                one["value"]
                for name, one in tiles.items()
                if (one["side"], one.get("war")) == (own["side"], own.get("war")) and name not in out
            ]
            yield row["side"], own["value"] - fmean(pool)
        out |= {row["tile"] for row in rows if row["what"] in ("drawn", "removed")}
        out -= {row["tile"] for row in rows if row["what"] == "returned"}


DRAWN = {
    "cia_vs_kgb": drawn_groups,
    "thirteen_minutes": drawn_cards,
    "imperial_struggle": drawn_tiles,
}


@pytest.mark.parametrize("game", DRAWN)
def test_luck_is_what_was_drawn_less_the_mean_of_what_could_be(
    game: str, club: Club, opened_club: DataSet
) -> None:
    lucks = list[tuple[str, float]]()
    for match in live_of(club, game):
        file = club.files[match.id]
        lucks += DRAWN[game]({**folded(game, file), "drawn": named("move item", drawn(file))})
    for place, (seat, other) in enumerate((GAMES[game].seats, GAMES[game].seats[::-1])):
        for name, side in (("player_luck", seat), ("opponents_luck", other)):
            wanted = [luck for one, luck in lucks if one == side]
            row = asked(opened_club, f"{PREFIXES[game]}{name}", player_of(game, place))[seat]
            assert row["n"] == len(wanted) > 0
            assert row["luck"] == pytest.approx(sum(wanted))
            assert row["mean"] == pytest.approx(fmean(wanted))


def test_the_interval_of_a_mean_is_that_of_scipy_and_missing_for_few_cases() -> None:
    dice = random.Random(17)
    low, high = normal("value")
    for n in (1, LEAST_OF_MEAN - 1, LEAST_OF_MEAN, 500):
        values = [dice.gauss(0.3, 2) for _ in range(n)]
        with duckdb.connect() as database:
            database.execute("CREATE TABLE cases AS SELECT unnest(?::DOUBLE[]) AS value", [values])
            ((least, most),) = database.execute(f"SELECT {low}, {high} FROM cases").fetchall()
        if n < LEAST_OF_MEAN:
            assert (least, most) == (None, None)
            continue
        wanted = norm.interval(0.95, loc=fmean(values), scale=stdev(values) / n**0.5)
        assert (least, most) == pytest.approx(wanted)
