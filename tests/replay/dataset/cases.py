"""What the saved queries count in one match, a second way: over match files that the oracles replay (AN16).

It shares nothing with the tables or the SQL.  The cases of Twilight Struggle and those of all games are here,
those of the other games in `cases_of_games`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.games import GAMES
from tests.replay.dataset import cases_of_games, oracle
from tests.replay.tables import twilight_struggle_oracle
from tests.replay.tables.oracles.cia_vs_kgb import cia_vs_kgb
from tests.replay.tables.oracles.imperial_struggle import imperial_struggle
from tests.replay.tables.oracles.reading import drawn
from tests.replay.tables.oracles.thirteen_minutes import thirteen_minutes

TS = "twilight_struggle"
Row = dict[str, Any]
Case = tuple[tuple[Any, ...], int, Row]  # the keys of the row that counts it, the move, and what happened


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


FOLDS: dict[str, Callable[[bytes], dict[str, list[Row]]]] = {
    "imperial_struggle": imperial_struggle,
    "cia_vs_kgb": cia_vs_kgb,
    "thirteen_minutes": thirteen_minutes,
}
_MATCH = "match game edition options origin unverified house_seeded tournament round board opened closed"
_MATCH += " seat_a seat_b winner reason by score_a score_b turns moves"


def tables_in(game: str, data: bytes) -> dict[str, list[Row]]:
    """The tables of a game, as its oracle folds them from a match file."""
    if game == TS:
        return twilight_struggle_oracle.Fold(stored_in(data)).rows
    return FOLDS[game](data)


def stored_in(data: bytes) -> list[bytes]:
    """The log of a match file as a store has it: each leaf with its private parts, that of the house last."""
    file = oracle.Read(data)
    lines = []
    for leaf, parts in zip(file.raw, file.sealed, strict=True):
        audiences = sorted(parts, key=lambda name: (name == "house", name))
        lines.append(b"\n".join((leaf, *(json.dumps(parts[name]).encode() for name in audiences))))
    return lines


def replayed(
    data: bytes, found: Mapping[str, Sequence[tuple[Any, ...]]], tables: dict[str, list[Row]]
) -> Replayed:
    """A match, by its file, the core tables `found` in it, and the tables of its game."""
    file = oracle.Read(data)
    (about,) = named(_MATCH, found["matches"])
    is_ts = about["game"] == TS
    return Replayed(
        about["match"],
        about["game"],
        about,
        named("match move kind seat ask turn at think stands", found["moves"]),
        named("match move turn seat ask least most n options picked", found["decisions"]),
        oracle.players(file),
        any(leaf.get("bot") for leaf in file.leaves),
        tables if is_ts else {},
        {} if is_ts else {**tables, "drawn": named("move item", drawn(data))},
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
        yield (m.about["edition"], bid), m.about["moves"], {}


def end_modes(m: Replayed) -> Iterator[Case]:
    about = m.about
    yield (about["reason"], about["winner"], about["turns"]), about["moves"], {}


def headlines(m: Replayed) -> Iterator[Case]:
    for row in of_cards(m, "headline") if m.about["winner"] else ():
        yield (row["seat"], row["turn"], row["card"]), row["move"], row


def headline_pairs(m: Replayed) -> Iterator[Case]:
    first = [row for row in of_cards(m, "headline") if row["turn"] == 1 and m.about["winner"]]
    for us in (row for row in first if row["seat"] == "us"):
        for ussr in (row for row in first if row["seat"] == "ussr"):
            yield (us["card"], ussr["card"]), us["move"], us


def event_or_ops(m: Replayed) -> Iterator[Case]:
    for row in of_cards(m, "played"):
        yield (row["card"], row["how"]), row["move"], row


def all_coups(m: Replayed) -> Iterator[Case]:
    for row in coups(m):
        yield (row["seat"], row["country"]), row["move"], row


def first_coup(m: Replayed) -> Iterator[Case]:
    for row in coups(m)[:1]:
        yield (row["seat"], row["country"], row["turn"]), row["move"], row


def worth_points(m: Replayed) -> list[Row]:
    """The rolls that are worth points or influence: all but those out of a trap."""
    return [row for row in m.ts["ts_rolls"] if row["kind"] != "trap"]


def luck(m: Replayed) -> Iterator[Case]:
    for row in worth_points(m):
        yield (m.id, row["seat"], row["kind"]), row["move"], row


def dice_fair(m: Replayed) -> Iterator[Case]:
    for row in m.ts["ts_rolls"]:
        for face in (row["face_us"], row["face_ussr"]):
            if face:
                yield (face,), row["move"], row


def turn_ends(m: Replayed) -> list[Row]:
    return [row for row in m.ts["ts_positions"] if row["kind"] == "turn_end"]


def control_wins(m: Replayed) -> Iterator[Case]:
    for row in turn_ends(m) if m.about["winner"] else ():
        yield (row["turn"], {1: "us", 2: "ussr"}.get(row["ctl_poland"])), row["move"], row


def find(m: Replayed) -> Iterator[Case]:
    for row in m.ts["ts_positions"]:
        if row["ctl_north_korea"] == 2 and row["defcon"] == 2 and row["turn"] < 9:
            yield (m.id,), row["move"], row


def vp_path(m: Replayed) -> Iterator[Case]:
    for row in turn_ends(m):
        yield (row["turn"],), row["move"], row


def comebacks(m: Replayed) -> Iterator[Case]:
    worst = min(m.ts["ts_positions"], key=lambda row: (row["vp"], row["move"]))
    if m.about["winner"] == "us" and worst["vp"] <= -1:
        yield (m.id,), worst["move"], worst


def held(m: Replayed) -> Iterator[Case]:
    for row in m.ts["ts_holdings"]:
        yield (row["card"], row["seat"]), row["dealt_move"], row


def decided(m: Replayed) -> list[Row]:
    standing = {row["move"] for row in m.moves if row["stands"]}
    return [row for row in m.decisions if row["move"] in standing]


def not_taken(m: Replayed) -> Iterator[Case]:
    for row in decided(m):
        if OPTIONS[m.game] in row["options"]:
            yield (row["ask"], row["seat"]), row["move"], row


def could_coup(m: Replayed) -> Iterator[Case]:
    for row in decided(m):
        if any(option.startswith("coup") for option in row["options"]):
            yield (row["seat"],), row["move"], row


def country_life(m: Replayed) -> Iterator[Case]:
    for row in m.ts["ts_influence"]:
        if row["country"] == "poland":
            yield (row["turn"], row["side"]), row["move"], row


def big_swings(m: Replayed) -> Iterator[Case]:
    for row in m.ts["ts_influence"]:
        if abs(row["after"] - row["before"]) >= 2:
            keys = [row[name] for name in ("move", "country", "side", "before", "after", "card")]
            yield (m.id, *keys), row["move"], row


def defcon_losses(m: Replayed) -> Iterator[Case]:
    if m.about["reason"] == "nuclear_war":
        last = max(of_cards(m, "played", "headline"), key=lambda row: (row["move"], row["place"]))
        yield (m.about["turns"], last["card"], last["seat"]), last["move"], last


def thought(m: Replayed) -> list[Row]:
    return [row for row in m.moves if row["think"] is not None and row["stands"]]


def think_time(m: Replayed) -> Iterator[Case]:
    for row in thought(m):
        yield (row["ask"], row["seat"]), row["move"], row


def between(m: Replayed) -> Iterator[Case]:
    if set(m.players.values()) == {f"p-{seat}" for seat in GAMES[m.game].seats}:
        for seat in own_seats(m):
            yield (seat,), m.about["moves"], {}


def player_record(m: Replayed) -> Iterator[Case]:
    for seat in own_seats(m):
        yield (seat,), m.about["moves"], {}


def own_seats(m: Replayed) -> list[str]:
    return [seat for seat, player in m.players.items() if player == f"p-{GAMES[m.game].seats[0]}"]


def player_pace(m: Replayed) -> Iterator[Case]:
    for row in thought(m):
        if row["seat"] in own_seats(m):
            yield (row["seat"],), row["move"], row


def player_luck(m: Replayed) -> Iterator[Case]:
    for row in worth_points(m):
        if row["seat"] in own_seats(m):
            yield (row["seat"],), row["move"], row


def opponents_luck(m: Replayed) -> Iterator[Case]:
    for row in worth_points(m):
        for seat in own_seats(m):
            if row["seat"] != seat:
                yield (seat,), row["move"], row


def player_forced(m: Replayed) -> Iterator[Case]:
    for row in decided(m):
        if row["seat"] in own_seats(m):
            yield (row["seat"],), row["move"], row


def player_ratings(m: Replayed) -> Iterator[Case]:
    if m.about["origin"] == "live" and not m.has_bots and own_seats(m):
        yield (m.about["edition"], m.id), m.about["moves"], {}


def player_headlines(m: Replayed) -> Iterator[Case]:
    for row in of_cards(m, "headline"):
        if row["turn"] == 1 and row["seat"] in own_seats(m):
            yield (row["seat"], row["card"]), row["move"], row


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
