"""The tables of CIA vs. KGB, folded naively."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tests.replay.tables.oracles.reading import Found, Json, by_id, moves_that_stand

SIDES = ("cia", "kgb")
OTHER = {"cia": "kgb", "kgb": "cia"}


def cia_vs_kgb(data: bytes) -> Found:
    """Every table of the game but `cvk_draws`."""
    groups, objectives = by_id("cia_vs_kgb", "groups"), by_id("cia_vs_kgb", "objectives")
    agents = by_id("cia_vs_kgb", "agents")
    out: Found = defaultdict(list)
    lies = dict.fromkeys(groups, "deck")
    lying = dict.fromkeys(objectives, "deck")
    stays = {(side, agent): "headquarters" for side in SIDES for agent in agents}
    mobilized = set[str]()
    now: Json = {"turn": 0, "phase": None, "balance": None, "token": None, "prevailed": None}
    score = dict.fromkeys(SIDES, 0)
    media, number = False, 0
    turn: Json = {}
    last: Json = {}

    def sums() -> Json:
        return {
            f"influence_{side}": sum(groups[one]["influence"] for one, place in lies.items() if place == side)
            for side in SIDES
        }

    def when() -> Json:
        return {"turn": now["turn"], "phase": now["phase"]}

    def count(where: dict[Any, str], place: str) -> int:
        return list(where.values()).count(place)

    def position(where: Json, kind: str, seat: str | None = None) -> None:
        objective = next((one for one, place in lying.items() if place == "contested"), None)
        face = objectives[objective] if objective else {}
        row: Json = {**where, **now, "kind": kind, "seat": seat, "objective": objective, **sums()}
        row |= {"stability": face.get("stability"), "population": face.get("population")}
        row |= {"objectives": count(lying, "deck"), "deck": count(lies, "deck")}
        row["discards"] = count(lies, "discards")
        for side in SIDES:
            row |= {f"score_{side}": score[side], f"won_{side}": count(lying, side)}
            mine = [one for one, place in lies.items() if place == side]
            row |= {f"groups_{side}": len(mine), f"ready_{side}": len(set(mine) - mobilized)}
            home = [place for (owner, _), place in stays.items() if owner == side]
            row[f"free_agents_{side}"] = home.count("headquarters") + home.count("sent")
        row |= {f"at_{one}": ["deck", "cia", "kgb", "discards"].index(place) for one, place in lies.items()}
        places = ["deck", "contested", "cia", "kgb", "spent"]
        row |= {f"at_{one}": places.index(place) for one, place in lying.items()}
        homes = ["headquarters", "sent", "exposed", "leave", "fallen"]
        row |= {f"{side}_{agent}": homes.index(place) for (side, agent), place in stays.items()}
        out["positions"].append(row)

    def group(where: Json, time: Json, one: str, what: str, how: str, to: str, seat: str | None) -> None:
        row = {"group": one, "what": what, "how": how, "origin": lies[one], "destination": to, "seat": seat}
        row |= {key: groups[one][key] for key in ("faction", "influence")}
        lies[one] = to
        out["groups"].append({**where, **time, **row, **sums()})

    def card(where: Json, time: Json, one: str, what: str, to: str, **more: Any) -> None:
        row: Json = {"card": one, "what": what, "seat": None, "how": None, "points": None, "score": None}
        row |= more
        if row["points"] is not None:
            score[row["seat"]] += row["points"]
            turn[f"gained_{row['seat']}"] += row["points"]
            assert row["score"] == score[row["seat"]]
        lying[one] = to
        out["cards"].append({**where, **time, **row})

    def acted(where: Json, time: Json, seat: str, action: str, one: str | None = None) -> None:
        nonlocal number
        number += 1
        turn["actions"] = number
        row = {"number": number, "seat": seat, "action": action, "card": one, **sums()}
        out["actions"].append({**where, **time, **row})

    def agent(where: Json, time: Json, what: str, to: str | None, fact: Json, why: str | None) -> None:
        one = fact.get("agent", "")
        out["agents"].append(
            {**where, **time, "seat": fact["seat"], "agent": one or None, "what": what, "why": why}
        )
        if to:
            stays[fact["seat"], one] = to

    for entry, facts, _ in moves_that_stand(data)[1]:
        for place, fact in enumerate(facts):
            where, time = {"move": entry["move"], "place": place}, when()
            name, seat, why = fact["fact"], fact.get("seat", ""), fact.get("why", "")
            match name:
                case "TurnBegan":
                    now["turn"] = fact["turn"]
                case "PhaseBegan":
                    now["phase"] = fact["phase"]
                    position(where, "phase")
                case "TurnEnded":
                    assert {side: fact[side] for side in SIDES} == score
                    position(where, "turn_end")
                case "ObjectiveTurnedUp":
                    one = fact["objective"]
                    turn = {**where, **time, "objective": one, "gained_cia": 0, "gained_kgb": 0, "actions": 0}
                    keys = ("kind", "points", "stability", "population")
                    turn |= {key: objectives[one][key] for key in keys}
                    named = ("first", "token", "decided", "winner", "how", "agent_cia", "agent_kgb")
                    turn |= dict.fromkeys(named)
                    counted = ("influence", "groups", "disorder")
                    turn |= {f"{what}_{side}": None for what in counted for side in SIDES}
                    number = 0
                    out["objectives"].append(turn)
                    card(where, time, one, "turned_up", "contested")
                case "BalanceGiven":
                    now["balance"] = turn["balance"] = seat
                case "FirstChosen":
                    turn["first"] = fact["first"]
                case "InfluenceCounted":
                    assert {f"influence_{side}": fact[side] for side in SIDES} == sums()
                    for side in SIDES:
                        turn[f"influence_{side}"] = fact[side]
                        turn[f"groups_{side}"] = count(lies, side)
                        turn[f"disorder_{side}"] = fact[side] > fact["stability"]
                case "TokenPlaced":
                    now.update(token=seat, prevailed=seat)
                    turn |= {"token": seat, "decided": why}
                case "NobodyPrevailed":
                    now["prevailed"], turn["decided"] = None, why
                case "TokenReturned":
                    now["token"] = None
                case "ObjectiveClaimed":
                    more = {"seat": seat, "how": why, "points": fact["points"], "score": fact["total"]}
                    card(where, time, fact["objective"], "won", seat, **more)
                    turn |= {"winner": seat, "how": why}
                case "BottomClaimed":
                    more = {"seat": seat, "how": "director", "points": fact["points"], "score": fact["total"]}
                    card(where, time, fact["objective"], "won_bottom", seat, **more)
                case "ObjectiveBuried":
                    card(where, time, fact["objective"], "buried", "deck", how=why)
                    turn["how"] = why
                case "ObjectivesSeen" | "ObjectivesArranged":
                    what = name.removeprefix("Objectives").lower()
                    for one in fact["objectives"]:
                        card(where, time, one, what, "deck", seat=seat)
                case "EventUsed":
                    if now["phase"] == "influence_struggle":
                        acted(where, time, seat, "event", fact["event"])
                    more = {"seat": seat, "points": -fact["points"], "score": fact["total"]}
                    card(where, time, fact["event"], "used", "spent", **more)
                case "GroupRecruited":
                    if not media:
                        acted(where, time, seat, "recruit")
                    how = "media" if media else "draw"
                    group(where, time, fact["group"], "recruited", how, seat, seat)
                    media = False
                case "TopDiscarded":
                    group(where, time, fact["group"], "discarded", "media", "discards", seat)
                    media = False
                case "TopLeft":
                    media = False
                case "DiscardRecruited":
                    group(where, time, fact["group"], "recruited", "live_benefit", seat, seat)
                case "GroupActivated":
                    one = fact["group"]
                    acted(where, time, seat, "activate", one)
                    mobilized.add(one)
                    group(where, time, one, "mobilized", "power", seat, seat)
                    media = groups[one]["faction"] == "media" and "deck" in lies.values()
                case "GroupTurned":
                    one, ready = fact["group"], fact["now"] == "ready"
                    (mobilized.discard if ready else mobilized.add)(one)
                    what = "readied" if ready else "mobilized"
                    group(where, time, one, what, "economic", fact["owner"], seat)
                case "GroupDestroyed":
                    mobilized.discard(fact["group"])
                    group(where, time, fact["group"], "destroyed", why, "discards", seat)
                case "GroupTransferred":
                    what = {"steal": "stolen", "give": "given"}[fact["how"]]
                    group(where, time, fact["group"], what, "political", fact["taker"], seat)
                case "GroupsReshuffled":
                    mobilized.clear()
                    gone = [one for one, place in lies.items() if place != "deck"]
                    before = {one: lies[one] for one in gone}
                    lies |= dict.fromkeys(gone, "deck")
                    for one in gone:
                        lies[one] = before[one]
                        rest = dict.fromkeys(gone, "deck")
                        row = {"group": one, "what": "reshuffled", "how": "briefing", "seat": None}
                        row |= {"origin": before[one], "destination": "deck"}
                        row |= {key: groups[one][key] for key in ("faction", "influence")}
                        lies |= rest
                        out["groups"].append({**where, **time, **row, **sums()})
                case "Passed":
                    acted(where, time, seat, "pass")
                case "AgentSent":
                    agent(where, time, "sent", "sent", fact, None)
                    turn[f"agent_{seat}"] = fact["agent"]
                case "NobodySent":
                    agent(where, time, "none", None, fact, None)
                case "AgentRevealed":
                    agent(where, time, "revealed", "exposed", fact, why)
                case "AgentWentHome":
                    agent(where, time, "home", "headquarters", fact, why)
                case "AgentWentOnLeave":
                    agent(where, time, "leave", "leave", fact, why)
                case "AgentTerminated":
                    agent(where, time, "terminated", "fallen", fact, why)
                case "AgentRevived":
                    agent(where, time, "revived", "leave", fact, None)
                case "LeaveEnded":
                    for one in fact["agents"]:
                        agent(where, time, "returned", "headquarters", {"seat": seat, "agent": one}, None)
                case "PromiseMade":
                    one = {"watch": "double_agent", "analyst": "analyst"}[fact["promise"]]
                    agent(where, time, "promised", None, {"seat": seat, "agent": one}, fact["promise"])
            last = where
        question = entry.get("asked", {})
        if facts and question.get("ask") == "Act":
            position(last, "action", next(iter(question["seats"])))
    position(last, "end")
    return out
