"""What the saved queries of three games count, written a second way over the oracles of their tables (AN16).

Each function gives the cases of a query in one match: the keys of the row that counts it, the move, and what
happened: a row of the oracle.  `t` are the tables that the oracle of the game folds from a match file,
without the prefix of the game; `drawn` of them holds what chance picked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Row = dict[str, Any]
Tables = dict[str, list[Row]]
Case = tuple[tuple[Any, ...], int, Row]
Cases = Callable[[Row, Tables], Iterable[Case]]
OWNERS = {"br": 1, "fr": 2, "spain": 3, "usa": 4}
SPACE, BEHIND, LATE = "antigua", 1, 3


def by(rows: Iterable[Row], *keys: str) -> Iterator[Case]:
    """A case for each row, by the values of these columns."""
    return ((tuple(row[key] for key in keys), row["move"], row) for row in rows)


def turn_ends(t: Tables) -> list[Row]:
    return [row for row in t["positions"] if row["kind"] == "turn_end"]


def worst_of(rows: Iterable[Row], m: Row, standing: Callable[[Row], int], behind: int) -> Iterator[Case]:
    """The position where the winner was furthest behind, if that was far enough."""
    if m["winner"] and (ends := [*rows]):  # none, if it was resigned in the first turn
        worst = min(ends, key=lambda row: (standing(row), row["move"]))
        if standing(worst) <= -behind:
            yield (m["match"], m["winner"]), worst["move"], worst


def of_first_player(m: Row, cases: Iterable[Case], at: int) -> Iterator[Case]:
    """The cases of the seats that the first player of a test has, by the seat, which is at this place."""
    return (case for case in cases if case[0][at] in m["own"])


def player_luck(of: Cases) -> Cases:
    """The draws of a player in a game whose sides are its seats."""
    return lambda m, t: (((keys[1],), move, row) for keys, move, row in of_first_player(m, of(m, t), 1))


def opponents_luck(of: Cases) -> Cases:
    """The draws of the opponents of a player, by the seat of the player."""
    return lambda m, t: (
        ((seat,), move, row)
        for keys, move, row in of(m, t)
        for seat in m["own"]
        if keys[1] not in (None, seat)
    )


# ── Imperial Struggle ──


def is_comebacks(m: Row, t: Tables) -> Iterator[Case]:
    sign = 1 if m["winner"] == "fr" else -1
    return worst_of(turn_ends(t), m, lambda row: sign * (row["vp"] - 15), BEHIND)


def is_space_life(m: Row, t: Tables) -> Iterator[Case]:
    return by(turn_ends(t), "turn")


def is_space_and_winning(m: Row, t: Tables) -> Iterator[Case]:
    names = {number: owner for owner, number in OWNERS.items()}
    for row in turn_ends(t) if m["winner"] else ():
        yield (row["turn"], names.get(row[f"at_{SPACE}"])), row["move"], row


def is_strength(m: Row, t: Tables) -> Iterator[Case]:
    for row in t["wars"]:
        for side in ("br", "fr"):
            yield (row["war"], row["theatre"], side), row["move"], row


def is_tracks(m: Row, t: Tables) -> Iterator[Case]:
    return by((row for row in t["tracks"] if row["track"] == "vp"), "why", "side")


def is_awards(m: Row, t: Tables) -> Iterator[Case]:
    told = (row for row in t["awards"] if not row["final"] and row["kind"] != "event")
    return by(told, "kind", "name", "turn")


def is_awards_and_winning(m: Row, t: Tables) -> Iterator[Case]:
    if m["winner"]:
        yield from by(
            (row for row in t["awards"] if row["kind"] == "region" and row["winner"]),
            "name",
            "turn",
            "winner",
        )


def of_chance(t: Tables, table: str, item: str, wanted: Callable[[Row], bool]) -> Iterator[Row]:
    """The wanted rows of a table whose item was picked by chance in their move, each draw once."""
    left = [(row["move"], row["item"]) for row in t["drawn"]]
    for row in filter(wanted, t[table]):
        if (row["move"], row[item]) in left:
            left.remove((row["move"], row[item]))
            yield row


def if_won(table: str, wanted: Callable[[Row], bool], *keys: str) -> Cases:
    """The rows of a table that are wanted, of a match that a side won."""
    return lambda m, t: by(filter(wanted, t[table]), *keys) if m["winner"] else ()


def always(table: str, wanted: Callable[[Row], bool], *keys: str) -> Cases:
    """The rows of a table that are wanted."""
    return lambda m, t: by(filter(wanted, t[table]), *keys)


def what(*known: str) -> Callable[[Row], bool]:
    return lambda row: row["what"] in known


def every(row: Row) -> bool:
    return True


IMPERIAL_STRUGGLE: dict[str, Cases] = {
    "win_rate": lambda m, t: (
        [((m["edition"], json.loads(m["options"])["bid"]), m["moves"], {})] if m["winner"] else []
    ),
    "vp_path": lambda m, t: by(turn_ends(t), "turn"),
    "debt_and_treaty": always("turns", lambda row: row["kind"] == "peace", "turn", "side"),
    "awards": is_awards,
    "awards_and_winning": is_awards_and_winning,
    "wars": always("wars", every, "war", "theatre"),
    "strength": is_strength,
    "luck": lambda m, t: (
        ((m["match"], row["side"]), row["move"], row)
        for row in of_chance(
            t, "tiles", "tile", lambda row: row["what"] == "drawn" and row["set"] in ("basic", "bonus")
        )
    ),
    "investments": if_won("rounds", lambda row: row["tile"] is not None, "tile", "seat"),
    "events": if_won("cards", what("played"), "card", "seat"),
    "ministries": if_won("ministries", what("chosen", "revealed"), "ministry", "seat", "what"),
    "space_life": is_space_life,
    "space_and_winning": is_space_and_winning,
    "points": is_tracks,
    "purchases": always("payments", every, "verb", "seat"),
    "conquests": always("conquests", lambda row: row["what"] != "unspent", "war", "space", "seat", "what"),
    "comebacks": is_comebacks,
}

# ── CIA vs. KGB ──


def settled(t: Tables) -> list[Row]:
    """The objectives whose influence was counted."""
    return [row for row in t["objectives"] if row["influence_cia"] is not None]


def cvk_agents(m: Row, t: Tables) -> Iterator[Case]:
    for row in settled(t):
        for seat in ("cia", "kgb"):
            if row[f"agent_{seat}"]:
                yield (seat, row[f"agent_{seat}"]), row["move"], row


def cvk_disorder(m: Row, t: Tables) -> Iterator[Case]:
    for row in t["objectives"]:
        for seat in ("cia", "kgb"):
            if row[f"disorder_{seat}"] is not None:
                yield (row["stability"], seat), row["move"], row


def cvk_comebacks(m: Row, t: Tables) -> Iterator[Case]:
    sign = 1 if m["winner"] == "cia" else -1
    return worst_of(turn_ends(t), m, lambda row: sign * (row["score_cia"] - row["score_kgb"]), BEHIND)


CIA_VS_KGB: dict[str, Cases] = {
    "win_rate": lambda m, t: (
        ((m["edition"], row["balance"]), row["move"], row)
        for row in t["objectives"]
        if row["turn"] == 1 and m["winner"]
    ),
    "score_path": lambda m, t: by(turn_ends(t), "turn"),
    "objectives": always("objectives", every, "objective"),
    "decided": lambda m, t: by(settled(t), "decided", "how"),
    "agents": cvk_agents,
    "agent_pairs": lambda m, t: by(
        (row for row in settled(t) if row["agent_cia"] and row["agent_kgb"]), "agent_cia", "agent_kgb"
    ),
    "first": lambda m, t: by((row for row in settled(t) if row["first"]), "first"),
    "disorder": cvk_disorder,
    "groups": always("groups", lambda row: row["what"] != "reshuffled", "faction", "group", "what"),
    "actions": always("actions", every, "seat", "action"),
    "events": if_won("cards", what("used"), "card", "seat"),
    "luck": lambda m, t: (
        ((m["match"], row["seat"]), row["move"], row)
        for row in of_chance(t, "groups", "group", lambda row: row["what"] != "reshuffled")
    ),
    "comebacks": cvk_comebacks,
}

# ── 13 Minutes ──


def winner_of(t: Tables, battle: int) -> str | None:
    """The side that won a battle."""
    return next((row["winner"] for row in t["battles"] if row["battle"] == battle), None)


def won_battles(t: Tables) -> list[Row]:
    return [row for row in t["battles"] if row["winner"]]


def in_won_battles(t: Tables, table: str) -> list[Row]:
    """The rows of the battles that were won, with the winner."""
    return [{**row, "won_by": won_by} for row in t[table] if (won_by := winner_of(t, row["battle"]))]


def tm_win_rate(m: Row, t: Tables) -> Iterator[Case]:
    for row in won_battles(t):
        yield (m["edition"], row["card_set"], row["first"]), row["move"], row


def tm_bids(m: Row, t: Tables) -> Iterator[Case]:
    for row in t["bids"]:
        for side in ("us", "ussr"):
            yield (side, row[f"bid_{side}"]), row["move"], row


def tm_bids_and_winning(m: Row, t: Tables) -> Iterator[Case]:
    for row in won_battles(t):
        for side in ("us", "ussr"):
            yield (side, row[f"spent_{side}"]), row["move"], row


def tm_zones(m: Row, t: Tables) -> Iterator[Case]:
    for card in (row for row in t["cards"] if row["what"] == "played"):
        for row in t["territories"]:
            if (row["battle"], row["card"]) == (card["battle"], card["card"]):
                yield (row["card"], card["zone"], row["zone"]), row["move"], row


def tm_points(m: Row, t: Tables) -> Iterator[Case]:
    for row in t["battles"]:
        if row["complete"]:
            lead = row["territories_us"] - row["territories_ussr"]
            sides = {"military": row["military"], "aftermath": row["aftermath"]}
            sides["territories"] = "us" if lead > 0 else "ussr" if lead < 0 else None
            yield from (((part,), row["move"], {"side": side}) for part, side in sides.items())


def tm_lead_path(m: Row, t: Tables) -> Iterator[Case]:
    for row in in_won_battles(t, "positions"):
        if row["kind"] == "turn":
            yield (row["play"], row["leads_us"] - row["leads_ussr"]), row["move"], row


def tm_cuba(m: Row, t: Tables) -> Iterator[Case]:
    held = in_won_battles(t, "territories")
    return by((row for row in held if row["territory"] == "cuba" and row["controller"]), "controller")


THIRTEEN_MINUTES: dict[str, Cases] = {
    "win_rate": tm_win_rate,
    "bids": tm_bids,
    "bids_and_winning": tm_bids_and_winning,
    "territories": always("territories", every, "territory"),
    "zones": tm_zones,
    "cards": lambda m, t: by(filter(what("played"), in_won_battles(t, "cards")), "card", "side", "zone"),
    "events": always("cards", what("event", "no_event"), "card", "side"),
    "kept": lambda m, t: by(filter(what("kept"), in_won_battles(t, "cards")), "card", "side"),
    "wars": lambda m, t: (
        ((m["edition"], row["card_set"]), row["move"], row) for row in t["battles"] if row["complete"]
    ),
    "cuba": tm_cuba,
    "points": tm_points,
    "lead_path": tm_lead_path,
    "luck": lambda m, t: (
        ((m["match"], row["side"]), row["move"], row)
        for row in of_chance(t, "cards", "card", what("dealt", "drawn"))
    ),
}

IMPERIAL_STRUGGLE["player_luck"] = player_luck(IMPERIAL_STRUGGLE["luck"])
IMPERIAL_STRUGGLE["opponents_luck"] = opponents_luck(IMPERIAL_STRUGGLE["luck"])
IMPERIAL_STRUGGLE["player_ministries"] = lambda m, t: of_first_player(
    m,
    by((row for row in t["ministries"] if row["what"] == "chosen" and row["turn"] == 1), "seat", "ministry"),
    0,
)
CIA_VS_KGB["player_luck"] = player_luck(CIA_VS_KGB["luck"])
CIA_VS_KGB["opponents_luck"] = opponents_luck(CIA_VS_KGB["luck"])
CIA_VS_KGB["player_agents"] = lambda m, t: (
    ((seat, row[f"agent_{seat}"]), row["move"], row)
    for row in t["objectives"]
    for seat in m["own"]
    if row["turn"] == 1 and row[f"agent_{seat}"]
)
THIRTEEN_MINUTES["player_luck"] = lambda m, t: (  # a campaign may swap the sides
    ((keys[1],), move, row) for keys, move, row in THIRTEEN_MINUTES["luck"](m, t) if row["seat"] in m["own"]
)
THIRTEEN_MINUTES["opponents_luck"] = lambda m, t: (
    (("ussr" if keys[1] == "us" else "us",), move, row)
    for keys, move, row in THIRTEEN_MINUTES["luck"](m, t)
    if keys[1] is not None and m["own"] and row["seat"] not in m["own"]
)
THIRTEEN_MINUTES["player_cards"] = lambda m, t: (
    case
    for seat in m["own"]
    for case in list(
        by(
            (row for row in t["cards"] if (row["battle"], row["what"], row["seat"]) == (1, "played", seat)),
            "seat",
            "card",
        )
    )[:1]
)

OF_GAMES: dict[str, dict[str, Cases]] = {
    "imperial_struggle": IMPERIAL_STRUGGLE,
    "cia_vs_kgb": CIA_VS_KGB,
    "thirteen_minutes": THIRTEEN_MINUTES,
}
GIVEN: dict[str, dict[str, str]] = {
    "space_life": {"space": SPACE},
    "space_and_winning": {"space": SPACE},
    "comebacks": {"behind": str(BEHIND)},
}
