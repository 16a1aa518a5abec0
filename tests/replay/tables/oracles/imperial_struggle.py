"""The tables of Imperial Struggle, folded naively."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.replay.tables.oracles.reading import DOMAIN, Found, Json, by_id, moves_that_stand, printed

SIDES = ("br", "fr")
WARS = ("wss", "was", "syw", "awi")
SOURCES = ("tiles", "alliances", "keywords", "conflicts", "squadrons", "forts", "byng", "dominance")
UPRISINGS = "jacobite_uprisings"


def imperial_struggle(data: bytes) -> Found:
    """Every table of Imperial Struggle but `is_draws`."""
    board = by_id("imperial_struggle", "spaces")
    tiles = by_id("imperial_struggle", "war_tiles")
    investments = by_id("imperial_struggle", "investments")
    opened, standing = moves_that_stand(data)
    out: Found = defaultdict(list)
    flags = {space: face["flag"] for space, face in board.items() if face.get("flag")}
    if opened["options"]["spanish_empire"]:
        flags |= {space: "spain" for space, face in board.items() if face.get("spanish")}
    tracks: Json = {"vp": 15, "debt": [0, 0], "limit": [6, 6], "treaty": [0, 0]}
    squadrons = {"navy_box": [2, 1], "unbuilt": [6, 7], "turn_track": [0, 0]}
    hands: dict[str, set[str]] = {"br": set(), "fr": set()}
    deck, discards, removed = first_events(), set[str](), set[str]()
    now: Json = {"turn": 0, "phase": "", "display": "", "round": 0, "seat": None}
    front: Json = {"br": {}, "fr": {}}
    extra: Json = {"br": defaultdict(list), "fr": defaultdict(list)}
    pool: Json = {"br": [], "fr": []}
    waiting = {"br": 0, "fr": 0}
    ministries: Json = {"br": [], "fr": []}
    revealed = set[str]()
    owners = dict(held_at_start())
    part: Json = {"kind": "setup", "turn": 0, "war": None, "sums": defaultdict(int)}
    part["before"] = _totals(tracks, flags)
    bids: Json = {}
    open_rows: Json = {}
    first_move = next(entry["move"] for entry, facts, _ in standing if facts)
    for space, owner in flags.items():
        out["flags"].append(
            {"move": first_move, "space": space, "before": None, "after": owner, "cause": "setup"}
        )
    last: Json = {}

    def when() -> Json:
        fights = now["phase"] in WARS and now["phase"] == now["display"]
        return {"turn": now["turn"], "war": now["phase"] if fights else None, "round": now["round"]}

    def close_part(where: Json) -> None:
        end = _totals(tracks, flags)
        for i, side in enumerate(SIDES):
            sums, before = part["sums"], part["before"]
            out["turns"].append(
                {
                    **where,
                    "turn": part["turn"],
                    "war": part["war"],
                    "round": 0,
                    "kind": part["kind"],
                    "side": side,
                    "vp": sums["vp", side, True],
                    "debt_before": before["debt"][i],
                    "debt_taken": sums["debt", side, True],
                    "debt_reduced": sums["debt", side, False],
                    "debt_after": end["debt"][i],
                    "limit_after": end["limit"][i],
                    "treaty_before": before["treaty"][i],
                    "treaty_gained": sums["treaty", side, True],
                    "treaty_lost": sums["treaty", side, False],
                    "treaty_after": end["treaty"][i],
                    "spaces_before": before["spaces"][i],
                    "spaces_after": end["spaces"][i],
                }
            )

    def begin_part(kind: str, turn: int, war: str | None) -> None:
        part.update(kind=kind, turn=turn, war=war, sums=defaultdict(int), before=_totals(tracks, flags))

    def position(where: Json, kind: str, **more: Any) -> None:
        row: Json = {**where, **when(), "kind": kind, "seat": now["seat"], "vp": tracks["vp"], **more}
        row |= {"deck": deck, "discards": len(discards), "removed": len(removed)}
        row["display"] = now["display"] or None
        for i, side in enumerate(SIDES):
            row |= {f"{name}_{side}": tracks[name][i] for name in ("debt", "limit", "treaty")}
            row |= {f"navy_{side}": squadrons["navy_box"][i], f"unbuilt_{side}": squadrons["unbuilt"][i]}
            row |= {f"away_{side}": squadrons["turn_track"][i], f"hand_{side}": len(hands[side])}
            mine = [board[space] for space, owner in flags.items() if owner == side]
            for region in ("north_america", "europe", "caribbean", "india"):
                row[f"flags_{region}_{side}"] = sum(face["region"] == region for face in mine)
            for good in ("furs", "spice", "fish", "tobacco", "sugar", "cotton"):
                row[f"markets_{good}_{side}"] = sum(face.get("good") == good for face in mine)
            row[f"prestige_{side}"] = sum(face.get("prestige", False) for face in mine)
            row[f"advantages_{side}"] = sum(owner == side for owner in owners.values())
        for space in board:
            row[f"at_{space}"] = [None, "br", "fr", "spain", "usa"].index(flags.get(space))
        out["positions"].append(row)

    def flag(where: Json, space: str, after: str | None, cause: str) -> None:
        out["flags"].append(
            {
                **where,
                **when(),
                "seat": now["seat"],
                "space": space,
                "kind": board[space]["kind"],
                "region": board[space]["region"],
                "before": flags.pop(space, None),
                "after": after,
                "cause": cause,
            }
        )
        if after:
            flags[space] = after

    def tile(where: Json, side: str, name: str, what: str, theatre: str | None = None) -> None:
        row = {**where, **when(), "side": side, "tile": name, "what": what, "theatre": theatre}
        row |= {"set": "bonus" if tiles[name].get("war") else "basic", "value": tiles[name]["value"]}
        row |= {"symbol": tiles[name].get("symbol"), "display": now["display"] or None}
        out["tiles"].append(row)

    def card(where: Json, name: str, seat: str | None, what: str, how: str | None = None) -> None:
        out["cards"].append({**where, **when(), "card": name, "seat": seat, "what": what, "how": how})

    def ministry(where: Json, seat: str, name: str, what: str, **more: Any) -> None:
        row = {"seat": seat, "ministry": name, "what": what, "ability": None, "exhausts": None}
        out["ministries"].append({**where, **when(), **row, **more})

    def advantage(where: Json, name: str, what: str, seat: str | None, exhausts: bool | None = None) -> None:
        row = {"advantage": name, "what": what, "seat": seat, "exhausts": exhausts}
        out["advantages"].append({**where, **when(), **row})

    def scored(where: Json, kind: str, fact: Json, **more: Any) -> None:
        row = {
            "kind": kind,
            "final": part["kind"] == "final",
            "spaces_br": fact["br"],
            "spaces_fr": fact["fr"],
        }
        row |= {
            "winner": fact["winner"],
            "vp": fact["vp"],
            "treaty": 0,
            "debt": 0,
            "name": None,
            "award": None,
        }
        out["awards"].append({**where, **when(), **row, **more})

    for entry, facts, _ in standing:
        paid: dict[str, str] = {}
        for place, fact in enumerate(facts):
            where = {"move": entry["move"], "place": place}
            name, seat, side = fact["fact"], fact.get("seat", ""), fact.get("side", "")
            cause = "war" if when()["war"] else "card" if now["round"] else "other"
            match name:
                case "FlagPlaced":
                    flag(where, fact["space"], side, paid.get(fact["space"], cause))
                case "FlagRemoved":
                    flag(where, fact["space"], None, paid.get(fact["space"], cause))
                case "SquadronMoved":
                    ends = (fact["origin"], fact["to"])
                    cause = next((paid[space] for space in ends if space in paid), cause)
                    changes = {}
                    for space, after in ((ends[0], None), (ends[1], side)):
                        if space in squadrons:
                            squadrons[space][SIDES.index(side)] += 1 if after else -1
                        elif space != "removed":
                            changes[space] = after
                    for space in board:
                        if space in changes:
                            flag(where, space, changes[space], cause)
                case "MarkersReset":
                    for i, one in enumerate(SIDES):
                        squadrons["navy_box"][i] += fact["returned"][one]
                        squadrons["turn_track"][i] -= fact["returned"][one]
                case "ScoreMoved" | "DebtSet" | "LimitSet" | "TreatySet":
                    track = {
                        "ScoreMoved": "vp",
                        "DebtSet": "debt",
                        "LimitSet": "limit",
                        "TreatySet": "treaty",
                    }[name]
                    by, i = fact["points" if name == "ScoreMoved" else "by"], SIDES.index(side)
                    before = tracks["vp"] if track == "vp" else tracks[track][i]
                    after = before + (by if track != "vp" or side == "fr" else -by)
                    row = {"side": side, "track": track, "by": by, "before": before, "after": after}
                    out["tracks"].append({**where, **when(), **row, "why": fact["why"]})
                    part["sums"][track, side, by > 0] += abs(by)
                    if track == "vp":
                        tracks["vp"] = after
                    else:
                        tracks[track] = [after if k == i else tracks[track][k] for k in range(2)]
                case "CardsDealt":
                    for one in fact["cards"]:
                        card(where, one, seat, "dealt")
                    hands[seat] |= set(fact["cards"])
                    deck -= len(fact["cards"])
                case "CardsDropped":
                    for one in fact["cards"]:
                        card(where, one, seat, "laid_aside")
                    hands[seat] -= set(fact["cards"])
                case "DropsShown":
                    for one, cards in fact["cards"].items():
                        for dropped in cards:
                            card(where, dropped, one, "discarded", "laid_aside")
                        discards |= set(cards)
                case "CardDiscarded":
                    card(where, fact["card"], seat, "discarded", fact["why"])
                    hands[seat].discard(fact["card"])
                    discards.add(fact["card"])
                case "EventPlayed":
                    card(where, fact["card"], seat, "played", "bonus" if fact["bonus"] else "plain")
                    hands[seat].discard(fact["card"])
                    removed.add(fact["card"])
                    if "round" in open_rows:
                        open_rows["round"] |= {"event": fact["card"], "bonus": fact["bonus"]}
                case "EventsAdded":
                    for one in fact["cards"]:
                        card(where, one, None, "added", fact["era"])
                    deck += len(fact["cards"])
                case "EventsRetired":
                    for one in fact["deck"]:
                        card(where, one, None, "retired", "deck")
                    for one in fact["discards"]:
                        card(where, one, None, "retired", "discards")
                    for holder, cards in fact["hands"].items():
                        for one in cards:
                            card(where, one, holder, "retired", "hand")
                        hands[holder] -= set(cards)
                        removed |= set(cards)
                    deck -= len(fact["deck"])
                    discards -= set(fact["discards"])
                    removed |= {*fact["deck"], *fact["discards"]}
                case "DiscardsReshuffled":
                    for one in discards:
                        card(where, one, None, "reshuffled")
                    deck += len(discards)
                    discards = set()
                case "MinistriesChosen":
                    for one in fact["ministries"]:
                        ministry(where, seat, one, "chosen")
                    ministries[seat] = [one for one in ministries[seat] if one in revealed]
                    ministries[seat] += fact["ministries"]
                case "MinistriesReturned":
                    for holder, cards in ministries.items():
                        for one in cards:
                            ministry(where, holder, one, "returned")
                    ministries, revealed = {"br": [], "fr": []}, set()
                case "MinistryRevealed":
                    ministry(where, seat, fact["ministry"], "revealed")
                    revealed.add(fact["ministry"])
                case "AbilityUsed":
                    of = fact["ability"].split(".")[0]
                    ministry(where, seat, of, "used", ability=fact["ability"], exhausts=fact["exhausts"])
                case "UprisingsAdded":
                    ministry(where, seat, UPRISINGS, "added")
                    ministries["fr"] = [one for one in ministries["fr"] if one in revealed - {UPRISINGS}]
                    ministries["fr"].append(UPRISINGS)
                    revealed.add(UPRISINGS)
                case "JacobitesDefeated":
                    ministry(where, "fr", UPRISINGS, "left")
                    ministries["fr"] = [one for one in ministries["fr"] if one != UPRISINGS]
                    revealed.discard(UPRISINGS)
                case "AdvantageTaken" | "AdvantageReturned" | "AdvantageUsed":
                    what = name.removeprefix("Advantage").lower()
                    advantage(where, fact["advantage"], what, side, fact.get("exhausts"))
                    if what == "taken":
                        owners[fact["advantage"]] = side
                    elif what == "returned":
                        del owners[fact["advantage"]]
                case "AdvantageExhausted" | "AdvantageRefreshed":
                    what = name.removeprefix("Advantage").lower()
                    advantage(where, fact["advantage"], what, owners.get(fact["advantage"]))
                case "AwardScored":
                    ministers = fact.get("ministries", [])
                    about = {"name": fact["region"], "award": fact["award"], "treaty": fact["treaty"]}
                    scored(where, "region", fact, **about, ministries=ministers)
                case "PrestigeScored":
                    scored(where, "prestige", fact)
                case "GoodScored":
                    about = {"name": fact["good"], "treaty": fact["treaty"], "debt": fact["debt"]}
                    scored(where, "good", fact, **about)
                case "DebtCompared":
                    scored(where, "debt", fact)
                case "TerritoriesCounted":
                    row = {"kind": "territories", "final": True, f"spaces_{side}": len(fact["spaces"])}
                    row |= {"winner": side if fact["spaces"] else None, "vp": fact["vp"]}
                    out["awards"].append({**where, **when(), **row})
                case "SidesCounted":
                    row = {"kind": "event", "name": fact["card"], "final": False, "winner": fact["winner"]}
                    row |= {"spaces_br": fact["br"], "spaces_fr": fact["fr"]}
                    out["awards"].append({**where, **when(), **row})
                case "TilesRevealed":
                    for one in SIDES:
                        for shown in fact[one]:
                            tile(where, one, shown, "revealed", fact["theatre"])
                    open_rows["shown"] = {f"shown_{one}": fact[one] for one in SIDES}
                case "TheatreFought":
                    row = {**where, **when(), "theatre": fact["theatre"], **open_rows["shown"]}
                    row |= {"winner": fact["winner"], "margin": fact["margin"]}
                    row |= {"vp": None, "conquest": None, "treaty": None}
                    for one in SIDES:
                        row[f"strength_{one}"] = fact[one]
                        row |= {f"{source}_{one}": fact["working"][one].get(source, 0) for source in SOURCES}
                        assert fact[one] == sum(fact["working"][one].values())
                    out["wars"].append(row)
                case "SpoilsTaken":
                    out["wars"][-1] |= {"vp": fact["vp"], "conquest": fact["cp"], "treaty": fact["treaty"]}
                case "SpaceConquered" | "CaptureResisted" | "ConquestDeclined":
                    what = (
                        {"S": "claimed", "C": "unspent"}[name[0]] if name != "CaptureResisted" else "resisted"
                    )
                    row = {"what": what, "seat": seat, "theatre": out["wars"][-1]["theatre"]}
                    row |= {key: fact.get(key) for key in ("space", "owner", "points")}
                    out["conquests"].append({**where, **when(), **row})
                case "BasicsLaid":
                    for one in fact["tiles"].values():
                        if not waiting[seat]:
                            tile(where, seat, one, "drawn")
                    for theatre, one in fact["tiles"].items():
                        tile(where, seat, one, "laid", theatre)
                    front[seat], waiting[seat] = dict(fact["tiles"]), 0
                case "BasicsDrawn":
                    for one in fact["tiles"]:
                        tile(where, seat, one, "drawn")
                    waiting[seat] += len(fact["tiles"])
                case "BasicKept" | "BasicRemoved":
                    old, theatre = front[seat][fact["theatre"]], fact["theatre"]
                    other = fact["other" if name == "BasicKept" else "removed"]
                    if fact["kept"] != old:
                        tile(where, seat, fact["kept"], "laid", theatre)
                    what = "returned" if name == "BasicKept" else "removed"
                    tile(where, seat, other, what, theatre if other == old else None)
                    front[seat][theatre], waiting[seat] = fact["kept"], 0
                case "BasicsSwapped":
                    here, there = fact["theatres"]
                    front[seat][here], front[seat][there] = front[seat][there], front[seat][here]
                    for theatre in (here, there):
                        tile(where, seat, front[seat][theatre], "moved", theatre)
                case "BonusDrawn":
                    tile(where, seat, fact["tile"], "drawn")
                    pool[seat].remove(fact["tile"])
                case "BonusPlaced":
                    tile(where, seat, fact["tile"], "laid", fact["theatre"])
                    extra[seat][fact["theatre"]].append(fact["tile"])
                case "BonusMoved":
                    tile(where, seat, fact["tile"], "moved", fact["theatre"])
                    extra[seat][fact["origin"]].remove(fact["tile"])
                    extra[seat][fact["theatre"]].append(fact["tile"])
                case "BonusReturned":
                    tile(where, seat, fact["tile"], "returned", fact["theatre"])
                    extra[seat][fact["theatre"]].remove(fact["tile"])
                    pool[seat].append(fact["tile"])
                case "RoundBegan":
                    now.update(round=fact["number"], seat=seat, phase="action")
                    spent = dict.fromkeys(("purchases", "economic", "diplomatic", "military", "debt"), 0)
                    row = {**where, **when(), "seat": seat, "upgrade": False, "passed": False, **spent}
                    row |= dict.fromkeys(("tile", "major", "minor", "event", "bonus"))
                    open_rows["round"] = row
                    out["rounds"].append(row)
                    position(where, "round")
                case "TileTaken":
                    face = investments[fact["tile"]]
                    names = {"tile": fact["tile"], "major": face["major"], "minor": face["minor"]}
                    open_rows["round"] |= names
                case "RoundPassed":
                    open_rows["round"]["passed"] = True
                case "UpgradeUsed":
                    open_rows["round"]["upgrade"] = True
                case "PointsPaid":
                    row = {"seat": seat, "verb": fact["verb"], "space": fact["space"] or None}
                    row |= {"region": fact["region"] or None, "type": fact["type"], "cost": fact["cost"]}
                    row |= {"minor": fact["minor"], "debt": fact["debts"]}
                    out["payments"].append({**where, **when(), **row})
                    if fact["space"]:
                        paid[fact["space"]] = fact["verb"]
                    for key, by in (("purchases", 1), (fact["type"], fact["cost"]), ("debt", fact["debts"])):
                        open_rows["round"][key] += by
                case "RoundEnded":
                    open_rows.pop("round", None)
                    now.update(round=0, seat=None)
                case "TurnBegan":
                    close_part(last)
                    begin_part("peace", fact["turn"], None)
                    now.update(turn=fact["turn"], phase="peace")
                case "TurnEnded":
                    now.update(round=0, seat=None)
                    position(where, "turn_end")
                    if fact["turn"] == 6:
                        close_part(where)
                        begin_part("final", 6, None)
                case "WarSet":
                    now["display"] = fact["war"]
                    pool = {one: list(cards) for one, cards in fact["bonuses"].items()}
                case "WarBegan":
                    close_part(last)
                    now["phase"] = fact["war"]
                    begin_part("war", now["turn"], fact["war"])
                case "WarEnded":
                    for one in SIDES:
                        for theatre, lying in front[one].items():
                            tile(where, one, lying, "returned", theatre)
                        for theatre, lying in sorted(extra[one].items()):
                            for bonus in lying:
                                tile(where, one, bonus, "removed", theatre)
                        for bonus in pool[one]:
                            tile(where, one, bonus, "removed")
                    position(where, "war_end")
                    front = {"br": {}, "fr": {}}
                    extra = {"br": defaultdict(list), "fr": defaultdict(list)}
                    pool, now["display"] = {"br": [], "fr": []}, ""
                case "BidsOpened":
                    bids = {f"bid_{one}": int(fact[one]) for one in SIDES}
                case "SidesSettled":
                    wanted = opened["options"]["bid"]
                    row = {**where, "side": wanted, "exchanged": fact["exchanged"], "gift": fact["gift"]}
                    out["bids"].append({**row, **bids})
            last = where
    close_part(last)
    position(last, "end")
    return out


def first_events() -> int:
    """How many events the draw pile holds at first, counted in the source of the first era."""
    source = DOMAIN / "imperial_struggle" / "events" / "succession.py"
    return len(re.findall(r"= event\(", source.read_text("utf-8")))


def held_at_start() -> Iterator[tuple[str, str]]:
    """The advantages that a side holds when the board is set up: all of whose spaces it flags."""
    board = by_id("imperial_struggle", "spaces")
    for tile in printed("imperial_struggle", "advantages"):
        owners = {board[space].get("flag") for space in tile["spaces"]}
        if len(owners) == 1 and (owner := owners.pop()):
            yield tile["id"], owner


def _totals(tracks: Json, flags: dict[str, str]) -> Json:
    spaces = [sum(owner == side for owner in flags.values()) for side in SIDES]
    return {"debt": tracks["debt"], "limit": tracks["limit"], "treaty": tracks["treaty"], "spaces": spaces}
