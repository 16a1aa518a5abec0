"""The tables of 13 Minutes, folded naively."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tests.replay.tables.oracles.reading import Found, Json, moves_that_stand, printed

SIDES = ("us", "ussr")
OTHER = {"us": "ussr", "ussr": "us"}
ZONES = ("", "us_sphere", "neutral", "ussr_sphere")


def thirteen_minutes(data: bytes) -> Found:
    """Every table of the game but `tm_draws`."""
    opened, standing = moves_that_stand(data)
    own = opened["options"]["card_set"]
    built_in = {card["id"]: card for card in printed("thirteen_minutes", "reconstruction")["cards"]}
    faces = built_in if isinstance(own, str) else {card["id"]: card for card in own["cards"]}
    out: Found = defaultdict(list)
    s: Json = {"battle": 0, "play": 0, "totals": dict.fromkeys(SIDES, 0), "seats": {}, "first": None}
    s |= {"zones": {}, "cubes": {}, "supply": {}, "hands": {}, "vp": {}, "deck": 0, "cuba": ""}
    card, executor = "", ""
    battle: Json = {}
    last: Json = {}
    moved: Json = {}

    def when() -> Json:
        return {"battle": s["battle"], "play": s["play"]}

    def position(where: Json, kind: str, seat: str | None = None) -> None:
        side = next((side for side, name in s["seats"].items() if name == seat), None)
        row: Json = {**where, **when(), "kind": kind, "seat": seat, "side": side, "first": s["first"]}
        zones = list(s["zones"].values())
        row |= {"deck": s["deck"], "neutral": zones.count("neutral")}
        for side in SIDES:
            on = {territory: s["cubes"].get((territory, side), 0) for territory in s["zones"]}
            off = {territory: s["cubes"].get((territory, OTHER[side]), 0) for territory in s["zones"]}
            row |= {f"seat_{side}": s["seats"][side], f"supply_{side}": s["supply"][side]}
            row |= {f"cubes_{side}": sum(on.values()), f"hand_{side}": len(s["hands"][side])}
            row |= {f"leads_{side}": sum(on[one] > off[one] for one in on)}
            row |= {f"sphere_{side}": zones.count(f"{side}_sphere"), f"vp_{side}": s["vp"].get(side)}
            row[f"total_{side}"] = s["totals"][side]
            for one in ("cuba", *built_in):
                known = isinstance(own, str)
                row[f"{side}_at_{one.replace('-', '_')}"] = on.get(one, 0) if known else None
        for one in ("cuba", *built_in):
            zone = ZONES.index(s["zones"].get(one, "")) if isinstance(own, str) else None
            row[f"zone_of_{one.replace('-', '_')}"] = zone
        out["positions"].append(row)

    def moves(where: Json, one: str, side: str | None, what: str, zone: str | None = None) -> None:
        seat = s["seats"].get(side) if side else None
        row = {"card": one, "side": side, "seat": seat, "what": what, "zone": zone}
        out["cards"].append({**where, **when(), **row})

    def changed(where: Json, what: str, territory: str, by: str, **more: Any) -> None:
        row: Json = {"what": what, "territory": territory, "by": by, "card": card}
        row |= {"cause": "event" if by == executor else "command", "zone_before": s["zones"][territory]}
        row |= {"zone_after": s["zones"][territory], "side": None, "before": None, "after": None}
        out["influence"].append({**where, **when(), **row, "supply": None, **more})

    for entry, facts, _ in standing:
        for place, fact in enumerate(facts):
            where = {"move": entry["move"], "place": place}
            name, side = fact["fact"], fact.get("side", "")
            match name:
                case "BattleBegan":
                    nothing: Json = {"vp": {}, "zones": {}, "cubes": {}, "first": None, "play": 0, "cuba": ""}
                    s |= {"battle": fact["battle"], "seats": fact["seats"], **nothing}
                    s |= {"supply": dict.fromkeys(SIDES, 13), "hands": {one: set() for one in SIDES}}
                    s["deck"] = len(fact["cards"])
                    battle = {"card_set": fact["card_set"], "spent_us": 0, "spent_ussr": 0}
                    battle |= {f"seat_{one}": fact["seats"][one] for one in SIDES}
                    battle |= dict.fromkeys(("first", "war", "military", "aftermath", "winner"))
                case "HandDealt":
                    for one in fact["cards"]:
                        moves(where, one, side, "dealt")
                    s["hands"][side] |= set(fact["cards"])
                    s["deck"] -= len(fact["cards"])
                case "CubaDealt":
                    moves(where, fact["card"], None, "became_cuba")
                    s["deck"] -= 1
                    s["cuba"], s["zones"]["cuba"] = fact["card"], "neutral"
                case "BidsOpened":
                    row = {**where, "battle": s["battle"], "round": fact["round"], "higher": fact["higher"]}
                    bids = {f"bid_{one}": fact[one] for one in SIDES}
                    out["bids"].append({**row, **bids, "first": None, "how": None})
                case "BidsLost":
                    for one in SIDES:
                        battle[f"spent_{one}"] = s["supply"][one] - fact[one]
                        s["supply"][one] = fact[one]
                case "FirstPlayerChosen" | "FirstPlayerDrawn":
                    how = "chosen" if name.endswith("Chosen") else "drawn"
                    s["first"] = battle["first"] = fact["first"]
                    out["bids"][-1] |= {"first": fact["first"], "how": how}
                case "CardPlayed":
                    moves(where, fact["card"], side, "played", fact["zone"])
                    card, executor, s["play"] = fact["card"], "", fact["play"]
                    s["zones"][card] = fact["zone"]
                    s["hands"][side].discard(card)
                case "EventUsed":
                    executor = side
                    moves(where, fact["card"], side, "event")
                case "EventDeclined":
                    moves(where, fact["card"], side, "no_event")
                case "CommandDeclined":
                    moves(where, fact["card"], side, "no_command")
                case "CubesPlaced" | "CubesRemoved":
                    territory, placed = fact["territory"], name == "CubesPlaced"
                    was = s["cubes"].get((territory, side), 0)
                    sign = fact["cubes"] if placed else -fact["cubes"]
                    assert was + sign == fact["now"]
                    s["supply"][side] -= sign
                    counts = {"before": was, "after": was + sign, "supply": s["supply"][side], "side": side}
                    by = side if placed else fact["by"]
                    changed(where, "placed" if placed else "removed", territory, by, **counts)
                    s["cubes"][territory, side] = was + sign
                    moved = {"move": entry["move"], "place": place, "territory": territory, "by": by}
                case "TerritorySlid":
                    before = {**where, "place": place - 1, "territory": fact["territory"]}
                    follows = all(moved.get(key) == value for key, value in before.items())
                    by = moved["by"] if follows else executor
                    changed(where, "slid", fact["territory"], by, zone_after=fact["zone"])
                    s["zones"][fact["territory"]] = fact["zone"]
                case "CubaSeen" | "TopSeen":
                    moves(where, fact["card"], side, "seen")
                case "HandSeen":
                    for one in fact["cards"]:
                        moves(where, one, side, "seen")
                case "TopExchanged":
                    moves(where, fact["given"], side, "given")
                    moves(where, fact["taken"], side, "taken")
                    s["hands"][side] = (s["hands"][side] - {fact["given"]}) | {fact["taken"]}
                case "CardDrawn":
                    moves(where, fact["card"], side, "drawn")
                    s["hands"][side].add(fact["card"])
                    s["deck"] -= 1
                case "TerritoriesScored":
                    for one, zone in s["zones"].items():
                        owner = next((side for side in SIDES if one in fact[side]), None)
                        lies = s["cuba"] if one == "cuba" else one
                        row = {"territory": one, "card": lies, "zone": zone, "controller": owner}
                        row |= {f"cubes_{side}": s["cubes"].get((one, side), 0) for side in SIDES}
                        row |= {"alignment": faces[lies]["alignment"], "colour": faces[lies]["defcon"]}
                        out["territories"].append(row | {"battle": s["battle"], "play": s["play"]})
                    battle |= {f"territories_{one}": len(fact[one]) for one in SIDES}
                    s["vp"] = {one: fact[f"{one}_vp"] for one in SIDES}
                case "CubaTurned":
                    moves(where, fact["card"], None, "turned")
                case "MilitaryScored":
                    for row in out["territories"]:
                        if row["battle"] == s["battle"]:
                            counts_for = [one for one in SIDES if row["territory"] in fact[one]]
                            row |= {**where, "military": counts_for[0] if counts_for else None}
                    battle["military"] = fact["winner"]
                    s["vp"] = {one: fact[f"{one}_vp"] for one in SIDES}
                case "LastCardsRevealed":
                    for one in SIDES:
                        moves(where, fact[one], one, "kept")
                    battle["matched"] = False
                case "AftermathScored":
                    battle |= {"aftermath_us": fact["us"], "aftermath_ussr": fact["ussr"]}
                    battle["aftermath"] = fact["winner"]
                    s["vp"] = {one: fact[f"{one}_vp"] for one in SIDES}
                case "LastCardsPlaced":
                    for one in SIDES:
                        moves(where, fact[one], one, "placed", f"{one}_sphere")
                        s["zones"][fact[one]] = f"{one}_sphere"
                        s["hands"][one] = set()
                    battle["matched"] = True
                case "LastCardsScored":
                    s["vp"] = {one: fact[f"{one}_vp"] for one in SIDES}
                case "WarChecked":
                    battle["war"] = fact["started"] or None
                case "BattleEnded":
                    for one in SIDES:
                        s["totals"][s["seats"][one]] += fact[f"{one}_vp"]
                        battle[f"vp_{one}"] = fact[f"{one}_vp"]
                    assert s["totals"] == fact["totals"]
                    totals = {f"total_{one}": s["totals"][one] for one in SIDES}
                    battle |= {"winner": fact["winner"], "complete": True, **totals}
                    out["battles"].append({**where, **when(), **battle})
                    battle = {}
                    position(where, "battle_end")
            last = where
        question = entry.get("asked", {})
        if facts and question.get("ask") == "PlayCard":
            position(last, "turn", next(iter(question["seats"])))
    if battle:
        out["battles"].append({**last, **when(), **battle, "complete": False})
    position(last, "end")
    return out
