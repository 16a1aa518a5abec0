"""The tables of Twilight Struggle a second time: stored bytes, folded naively with plain dictionaries.

Nothing of this project is imported (`test_twilight_struggle.py` checks that).  What is printed on the map is
read from the data files of the game.  A row holds every column but the hash of the position, the rules
version and what follows from odds.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

Row = dict[str, Any]
SIDES = ("us", "ussr")
OTHER = {"us": "ussr", "ussr": "us"}
DATA = Path(__file__).parents[3] / "domain" / "twilight_struggle" / "components"
COUNTRIES: dict[str, Row] = {one["id"]: one for one in json.loads((DATA / "countries.json").read_text())}
REGIONS: list[str] = list(json.loads((DATA / "regions.json").read_text()))
SETUP: Row = json.loads((DATA / "setup.json").read_text())
DECK = {"deluxe": 38, "second": 35}  # books 003 and 000: Early War cards besides the China Card
OPTIONAL = 3  # book 003: optional cards among those of the Early War
LATE_DECK = {True: 64, False: 59}  # book 003, the Late War scenario: with and without the optional cards
LATE = (  # book 003, the Late War scenario: what is in force
    "us_japan_mutual_defense_pact",
    "marshall_plan",
    "nato",
    "warsaw_pact_formed",
    "de_gaulle_leads_france",
    "flower_power",
)


def entries(stored: list[bytes]) -> list[Row]:
    """Every entry with its facts in full, its steps (`agenda`) and, of a play, its picks."""
    found, line, agendas = list[Row](), dict[int, list[int]](), dict[int, list[Row]]()
    steps, now, hidden = list[Row](), list[int](), True
    for data in stored:
        leaf, *parts = [json.loads(text) for text in data.split(b"\n")]
        facts: list[Row] = leaf.get("facts", [])
        hidden = hidden and leaf.get("origin") != "imported"
        leaf.setdefault("picks", None)
        for part in parts if hidden else ():
            for place, fact in part.get("facts", []):
                facts[place] = fact
            leaf["picks"] = leaf.get("picks") or part.get("picks")
        leaf["answered"] = steps[-1] if steps else {}
        change = parts[-1].get("agenda") if parts else None
        if change:
            steps = [*steps[: change["keep"]], *change["then"]]
        now = [*now, leaf["move"]]
        if leaf["kind"] == "taken_back":
            now, steps = [*line[leaf["to"]], leaf["move"]], agendas[leaf["to"]]
        line[leaf["move"]], agendas[leaf["move"]] = now, steps
        found.append(leaf)
    return [entry for entry in found if entry["move"] in now]


class Fold:
    """One match; `rows` holds what `replay.tables.twilight_struggle` should give."""

    def __init__(self, stored: list[bytes]) -> None:
        self.rows: dict[str, list[Row]] = defaultdict(list)
        moves = entries(stored)
        opened = moves[0]
        options = opened["options"]
        self.match, self.imported = opened["match"], opened["origin"] == "imported"
        late = options["scenario"] == "late_war"
        printed = SETUP["late_war" if late else opened["edition"]]
        self.held = {side: dict(printed[side]) for side in SIDES}
        self.turn = self.round = 0
        self.phasing: str | None = None
        self.vp, self.defcon = (-4, 4) if late else (0, 5)
        self.military = {"us": 0, "ussr": 0}
        self.space = {"us": 6, "ussr": 4} if late else {"us": 0, "ussr": 0}
        self.china = None if options["chinese_civil_war"] else "ussr"
        self.ready, self.final, self.left_out = True, False, ""
        self.hands: dict[str, set[str]] = {"us": set(), "ussr": set()}
        self.discards: set[str] = set()
        optional: bool = options["optional_cards"]
        left_out = 0 if optional or opened["edition"] == "second" else OPTIONAL
        self.deck = LATE_DECK[optional] if late else DECK[opened["edition"]] - left_out
        self.players: dict[str, str] = {}  # who plays a card that is being resolved
        self.envy: str | None = None
        self.holding: dict[tuple[str, str], Row] = {}
        self.shown: dict[str, Row] = {}
        self.force: list[Row] = []
        self.move = self.place = 0
        self.card: str | None = None
        self.both: str | None = None
        self.cause = ""
        self._printed(late)
        for entry in moves:
            self._entry(entry)
        if self.move:
            self._position("end")
        self.rows["ts_effects"] = self.force

    def _printed(self, late: bool) -> None:
        self.move, place = 1, 0
        for side in SIDES:
            for country, count in self.held[side].items():
                self.place = place
                self._add("ts_influence", side=side, country=country, before=0, after=count)
                self.rows["ts_influence"][-1] |= {"card": None, "cause": "printed"}
                place += 1
        for self.place, card in enumerate(LATE if late else ()):
            self._begins("lasting", card, None)
        self.place = self.move = 0

    def _entry(self, entry: Row) -> None:
        asked = entry["answered"]
        self.is_play = entry["kind"] == "played"
        self.card, self.cause, self.both = None, "setup", None
        if entry["kind"] == "restated":
            self.cause = "stated"
        elif self.is_play:
            self.cause = "event"
            kinds = {"PlaceInfluence": "ops", "Coup": "coup", "Realign": "realign"}
            if asked["do"] in kinds or "ops" in asked:
                self.card, self.cause = asked["ops"]["card"], kinds.get(asked["do"], "ops")
            elif asked["do"] == "PlaceExtra":
                self.cause = asked["card"]
            elif asked["do"] == "PlaceFree":
                self.cause = "setup"
            elif "card" in asked:
                self.card = asked["card"].split(".")[0]
            if (entry["picks"] or [""])[0].startswith("ransom:"):
                self.card, self.cause = "cuban_missile_crisis", "ransom"
        facts = entry.get("facts", [])
        for place, fact in enumerate(facts):
            self.move, self.place = entry["move"], place
            self.before, self.behind = facts[:place], facts[place + 1 :]
            getattr(self, fact["fact"], self._ignore)(fact)

    def _ignore(self, fact: Row) -> None:
        """A fact that leaves no row."""

    def _add(self, table: str, **values: Any) -> None:
        where = {"match": self.match, "move": self.move, "place": self.place, "turn": self.turn}
        self.rows[table].append({**where, **values})

    # ── positions and influence ──

    def _controls(self, side: str, country: str) -> bool:
        own: int = self.held[side].get(country, 0)
        theirs: int = self.held[OTHER[side]].get(country, 0)
        stability: int = COUNTRIES[country]["stability"]
        return own >= stability and own - theirs >= stability

    def _position(self, kind: str) -> None:
        row: Row = {"kind": kind, "round": self.round, "phasing": self.phasing}
        row |= {"vp": self.vp, "defcon": self.defcon, "china": self.china, "china_ready": self.ready}
        row |= {"deck": self.deck, "discards": len(self.discards)}
        for number, side in enumerate(SIDES, 1):
            row |= {f"mil_{side}": self.military[side], f"space_{side}": self.space[side]}
            row[f"hand_{side}"] = None if self.imported else len(self.hands[side])
            for country in COUNTRIES:
                row[f"{side}_{country}"] = self.held[side].get(country, 0)
                if self._controls(side, country):
                    row[f"ctl_{country}"] = number
                row.setdefault(f"ctl_{country}", 0)
            for region in REGIONS:
                grounds = [id for id, one in COUNTRIES.items() if one.get("battleground")]
                row[f"bg_{region}_{side}"] = sum(
                    self._controls(side, id) for id in grounds if COUNTRIES[id]["region"] == region
                )
        self._add("ts_positions", **row)

    def InfluenceSet(self, fact: Row) -> None:
        side, country = fact["side"], fact["country"]
        before = self.held[side].get(country, 0)
        assert before + fact["by"] == fact["now"]
        self.held[side][country] = fact["now"]
        self._influence(side, country, before, fact["now"])

    def CivilWarEnded(self, fact: Row) -> None:
        before = self.held["ussr"].pop("chinese_civil_war", 0)
        self.china, self.ready = fact["side"], True
        self._influence("ussr", "chinese_civil_war", before, 0)

    def _influence(self, side: str, country: str, before: int, after: int) -> None:
        row = {"side": side, "country": country, "before": before, "after": after}
        self._add("ts_influence", **row, card=self.card, cause=self.cause)

    # ── tracks ──

    def TurnBegan(self, fact: Row) -> None:
        self.turn, self.round, self.phasing = fact["turn"], 0, None
        self.shown = {}

    def RoundBegan(self, fact: Row) -> None:
        self.round, self.phasing = fact["round"], fact["seat"]
        self._position("round")

    def TurnEnded(self, fact: Row) -> None:
        self.round, self.phasing, self.ready = 0, None, True
        self.final = fact["turn"] == 10
        assert (fact["vp"], fact["defcon"]) == (self.vp, self.defcon)
        self._position("turn_end")

    def DefconSet(self, fact: Row) -> None:
        assert fact["was"] == self.defcon
        self.defcon = fact["now"]

    def ScoreMoved(self, fact: Row) -> None:
        moved = self.vp + (fact["points"] if fact["seat"] == "us" else -fact["points"])
        assert fact["now"] in (moved, max(-20, min(20, moved))), "the points add up to the marker"
        self.vp = fact["now"]

    def MilitarySet(self, fact: Row) -> None:
        self.military[fact["side"]] = fact["now"]

    def MilitaryChecked(self, fact: Row) -> None:
        self.military = {"us": 0, "ussr": 0}

    # ── rolls and the Space Race ──

    def _points(self, facts: list[Row], why: str) -> int:
        if not facts or facts[0]["fact"] != "ScoreMoved" or facts[0]["why"] != why:
            return 0
        return int(facts[0]["points"]) * (1 if facts[0]["seat"] == "us" else -1)

    def _roll(self, kind: str, seat: str, card: str | None, country: str | None, **values: Any) -> None:
        row: Row = {"kind": kind, "seat": seat, "card": card, "country": country}
        rolls = values.pop("rolls")
        row |= {"face_us": rolls.get("us"), "face_ussr": rolls.get("ussr")}
        self._add("ts_rolls", **row, **values)

    def _changed(self, country: str) -> dict[str, int]:
        changes: dict[str, int] = {}
        for fact in self.behind:
            if fact["fact"] != "InfluenceSet" or fact["country"] != country:
                break
            changes[fact["side"]] = fact["by"]
        return changes

    def CoupRolled(self, fact: Row) -> None:
        seat, country = fact["seat"], fact["country"]
        changes = self._changed(country)
        value = changes.get(seat, 0) - changes.get(OTHER[seat], 0)
        self.cause = "coup"
        assert value == max(0, fact["roll"] + fact["ops"] + fact["modifier"] - 2 * fact["stability"])
        how = {"modifier": fact["modifier"], "success": fact["net"] > 0, "value": value}
        self._roll("coup", seat, self.card, country, rolls={seat: fact["roll"]}, **how)

    def RealignmentRolled(self, fact: Row) -> None:
        seat, country = fact["seat"], fact["country"]
        changes = self._changed(country)
        self.cause = "realign"
        how = {"modifier": fact["modifiers"][seat] - fact["modifiers"][OTHER[seat]]}
        value = changes.get(seat, 0) - changes.get(OTHER[seat], 0)
        success = changes.get(OTHER[seat], 0) < 0
        self._roll(
            "realign", seat, self.card, country, rolls=fact["rolls"], success=success, value=value, **how
        )

    def WarRolled(self, fact: Row) -> None:
        points = 0
        if fact["won"]:
            points = {"brush_war": 1}.get(fact["card"], 2)
        how = {"modifier": -fact["minus"], "success": fact["roll"] - fact["minus"] >= fact["need"]}
        rolls = {fact["seat"]: fact["roll"]}
        self._roll("war", fact["seat"], fact["card"], fact["country"], rolls=rolls, value=points, **how)

    def TrapRolled(self, fact: Row) -> None:
        rolls, escaped = {fact["seat"]: fact["roll"]}, fact["roll"] <= 4
        how = {"modifier": 0, "success": escaped, "value": int(escaped)}
        self._roll("trap", fact["seat"], fact["trap"], None, rolls=rolls, **how)

    def ContestRolled(self, fact: Row) -> None:
        seat = self.players[fact["card"]]
        margin = [fact["rolls"][side] + fact["modifiers"][side] for side in (seat, OTHER[seat])]
        value = (margin[0] > margin[1]) * 2 - (margin[0] < margin[1]) * 2
        modifier = fact["modifiers"][seat] - fact["modifiers"][OTHER[seat]]
        how = {"modifier": modifier, "success": margin[0] > margin[1], "value": value}
        self._roll("contest", seat, fact["card"], None, rolls=fact["rolls"], **how)

    def _race(self, seat: str, card: str | None, how: str, *values: Any) -> None:
        row = dict(zip(("box", "roll", "need", "success", "vp"), values, strict=True))
        self._add("ts_space", round=self.round, seat=seat, card=card, how=how, **row)

    def SpaceRolled(self, fact: Row) -> None:
        seat, success = fact["seat"], fact["roll"] <= fact["need"]
        points = abs(self._points(self.behind[1:], "space")) if success else 0
        self._race(seat, fact["card"], "rolled", fact["box"], fact["roll"], fact["need"], success, points)
        how = {"modifier": 0, "success": success, "value": points}
        self._roll("space", seat, fact["card"], None, rolls={seat: fact["roll"]}, **how)

    def SpaceDeclined(self, fact: Row) -> None:
        self._race(fact["seat"], fact["card"], "declined", None, None, None, False, 0)

    def SpaceSet(self, fact: Row) -> None:
        self.space[fact["side"]] = fact["now"]
        if self.cause == "stated" or (self.before and self.before[-1]["fact"] == "SpaceRolled"):
            return
        points = abs(self._points(self.behind, str(self.card)))
        self._race(fact["side"], self.card, "event", fact["now"], None, None, True, points)

    # ── scorings and bids ──

    def CountryLeftOut(self, fact: Row) -> None:
        self.left_out = fact["country"]

    def RegionScored(self, fact: Row) -> None:
        row: Row = {"round": self.round, "region": fact["region"], "net": fact["net"], "final": self.final}
        row |= {"card": None if self.final else self.card, "vp_before": self.vp}
        row["left_out"] = self.left_out or None
        for side in SIDES:
            tally = fact[side]
            row |= {f"status_{side}": tally["status"], f"points_{side}": tally["points"]}
            row[f"countries_{side}"] = len(tally.get("countries", ()))
            row[f"battlegrounds_{side}"] = len(tally.get("battlegrounds", ()))
            for country in tally.get("countries", ()):
                assert self._controls(side, country)
        assert row["net"] == row["points_us"] - row["points_ussr"]
        self._add("ts_scorings", **row)
        self.left_out = ""

    def _bid(self, kind: str, seat: str | None, side: str | None, points: int | None) -> None:
        self._add("ts_bids", kind=kind, seat=seat, side=side, points=points, exchanged=None)

    def BidMade(self, fact: Row) -> None:
        side, points = fact["bid"].split(":")
        self._bid("sealed", fact["seat"], side, int(points))

    def BidRaised(self, fact: Row) -> None:
        self._bid("raised", fact["seat"], fact["side"], fact["points"])

    def BidPassed(self, fact: Row) -> None:
        self._bid("passed", fact["seat"], None, None)

    def SidesSettled(self, fact: Row) -> None:
        self._bid("settled", None, fact["to"], fact["gift"])
        self.rows["ts_bids"][-1]["exchanged"] = fact["exchanged"]

    # ── cards ──

    def _moved(
        self, card: str, seat: str | None, what: str, how: str | None, holder: str | None = None
    ) -> None:
        if card != "?":
            row = {"round": self.round, "card": card, "seat": seat, "what": what, "how": how}
            self._add("ts_cards", **row, holder=holder)

    def _comes(self, seat: str, card: str, came: str) -> None:
        assert card not in self.hands[seat] or self.imported
        self.hands[seat].add(card)
        if not self.imported:
            row: Row = {"match": self.match, "card": card, "seat": seat, "came": came}
            row |= {"dealt_move": self.move, "dealt_turn": self.turn or 1, "gone_move": None}
            row |= {"gone_turn": None, "how": None, "turns_held": None}
            self.rows["ts_holdings"].append(row)
            self.holding[seat, card] = row

    def _goes(self, seat: str, card: str, how: str) -> None:
        if not self.imported:
            self.hands[seat].remove(card)
            row = self.holding.pop((seat, card))
            row |= {"gone_move": self.move, "gone_turn": self.turn, "how": how}
            row["turns_held"] = self.turn - row["dealt_turn"]

    def CardsAdded(self, fact: Row) -> None:
        self.deck += len(fact["cards"])

    def CardsDealt(self, fact: Row) -> None:
        self.deck -= len(fact["cards"])
        for card in fact["cards"]:
            if card != "?":
                self._comes(fact["seat"], card, "dealt")
            self._moved(card, fact["seat"], "dealt", None)

    def DiscardsReshuffled(self, fact: Row) -> None:
        for card in sorted(self.discards):
            self._moved(card, None, "reshuffled", None)
        assert len(self.discards) == fact["count"]
        self.deck += fact["count"]
        self.discards = set()

    def TopSeen(self, fact: Row) -> None:
        for card in fact["cards"]:
            self._moved(card, fact["seat"], "seen", self.card)

    def TopDiscarded(self, fact: Row) -> None:
        self.deck -= 1
        self.discards.add(fact["card"])
        self._moved(fact["card"], None, "discarded", self.card)

    def HandShown(self, fact: Row) -> None:
        assert self.imported or set(fact["cards"]) == self.hands[fact["seat"]]
        self.CardsShown(fact)

    def CardsShown(self, fact: Row) -> None:
        for card in fact["cards"]:
            self._moved(card, fact["seat"], "shown", fact["why"])

    def CardSeen(self, fact: Row) -> None:
        self._moved(fact["card"], fact["seat"], "shown", self.card)

    def PositionStated(self, fact: Row) -> None:
        if fact.get("placed"):
            self.discards, self.deck = set(fact.get("discards", ())), fact.get("size", 0)

    def HandOrdered(self, fact: Row) -> None:
        for card in fact["cards"]:
            self._moved(card, "us", "shown", self.card)

    def HeldCardsShown(self, fact: Row) -> None:
        for card in fact["cards"]:
            self._moved(card, fact["seat"], "shown", "held")

    def CardPlayed(self, fact: Row) -> None:
        card, how = fact["card"], fact["how"]
        self._goes(fact["holder"], card, how)
        self.players[card] = fact["seat"]
        self.card, self.cause = (
            card,
            {"influence": "ops", "coup": "coup", "realign": "realign"}.get(how, "event"),
        )
        self.both = card if how == "event_first" else None
        self._moved(card, fact["seat"], "played", how, fact["holder"])

    def CardRevived(self, fact: Row) -> None:
        self.card, self.cause, self.players[fact["card"]] = fact["card"], "event", fact["seat"]
        self.discards.remove(fact["card"])
        self._moved(fact["card"], fact["seat"], "played", "revived")

    def CardRetrieved(self, fact: Row) -> None:
        self.discards.remove(fact["card"])
        self._comes(fact["seat"], fact["card"], "retrieved")
        self._moved(fact["card"], fact["seat"], "retrieved", self.card)

    def CardDiscarded(self, fact: Row) -> None:
        self._goes(fact["seat"], fact["card"], "discarded")
        self.discards.add(fact["card"])
        if fact["card"] == "missile_envy":
            self._ended("owed", "missile_envy", fact["why"])
        self._moved(fact["card"], fact["seat"], "discarded", fact["why"])

    def ChinaPlayed(self, fact: Row) -> None:
        self.ready = False
        self.card = "china_card"
        self.cause = {"influence": "ops", "coup": "coup", "realign": "realign"}.get(fact["how"], "event")
        self._moved("china_card", fact["seat"], "played", fact["how"], fact["seat"])

    def ChinaPassed(self, fact: Row) -> None:
        self.china, self.ready = fact["to"], fact["ready"]
        self._moved("china_card", fact["to"], "passed", self.card)

    def _laid(self, card: str, to: str, how: str | None) -> None:
        if to == "discards":
            self.discards.add(card)
        what = {"discards": "discarded", "removed": "removed", "beside": "in_force"}[to]
        self._moved(card, None, what, how)

    def CardPutAway(self, fact: Row) -> None:
        if not self.is_play and fact["card"] == self.both:
            self.card, self.cause = fact["card"], "ops"
        self._laid(fact["card"], fact["to"], None)
        if fact["to"] == "beside":
            self._begins("lasting", fact["card"], None)

    def CardKept(self, fact: Row) -> None:
        self._comes(fact["to"], fact["card"], "passed")
        self._moved(fact["card"], fact["to"], "passed", fact["card"])
        self._begins("owed", fact["card"], fact["to"])

    def MarkerEnded(self, fact: Row) -> None:
        by = self.card if self.card != fact["card"] else None
        self._laid(fact["card"], fact["to"], by)
        self._ended("lasting", fact["card"], by)

    # ── headlines and effects ──

    def _headline(self, seat: str, card: str | None, fate: str) -> None:
        self._add("ts_headlines", seat=seat, card=card, other=None, number=None, fate=fate)
        row = self.shown[seat] = self.rows["ts_headlines"][-1]
        if OTHER[seat] in self.shown:
            row["other"], self.shown[OTHER[seat]]["other"] = self.shown[OTHER[seat]]["card"], card

    def HeadlineSkipped(self, fact: Row) -> None:
        self._headline(fact["seat"], None, "none")

    def HeadlineShown(self, fact: Row) -> None:
        self._goes(fact["seat"], fact["card"], "headline")
        self._headline(fact["seat"], fact["card"], "unresolved")
        self._moved(fact["card"], fact["seat"], "headline", None)

    def HeadlineCancelled(self, fact: Row) -> None:
        self.shown[fact["seat"]]["fate"] = "cancelled"
        self.discards.add(fact["card"])
        self._moved(fact["card"], fact["seat"], "discarded", "defectors")

    def HeadlineBegan(self, fact: Row) -> None:
        self.phasing, self.players[fact["card"]] = fact["seat"], fact["seat"]
        self.card, self.cause = fact["card"], "event"
        second = any(row["number"] for row in self.shown.values())
        self.shown[fact["seat"]] |= {"number": 2 if second else 1, "fate": "happened"}

    def EventBarred(self, fact: Row) -> None:
        if self.before and self.before[-1]["fact"] == "HeadlineBegan":
            self.shown[self.before[-1]["seat"]]["fate"] = "barred"

    def EventBegan(self, fact: Row) -> None:
        self.card, self.cause = fact["card"], "event"

    def _begins(self, kind: str, card: str, seat: str | None, region: str | None = None) -> None:
        where = {"match": self.match, "move": self.move, "place": self.place, "turn": self.turn}
        end = {"ended_move": None, "ended_turn": None, "ended_by": None}
        self.force.append({**where, "kind": kind, "card": card, "seat": seat, "region": region, **end})

    def _ended(self, kind: str, card: str | None, by: str | None, seat: str | None = None) -> None:
        for row in self.force:
            is_it = row["kind"] == kind and card in (None, row["card"]) and seat in (None, row["seat"])
            if is_it and row["ended_move"] is None:
                row |= {"ended_move": self.move, "ended_turn": self.turn, "ended_by": by}

    def EffectBegan(self, fact: Row) -> None:
        self._begins("turn", fact["card"], fact["seat"], fact.get("region") or None)

    def EffectEnded(self, fact: Row) -> None:
        self._ended("turn", fact["card"], fact["why"], fact["seat"])

    def EffectsLapsed(self, fact: Row) -> None:
        self._ended("turn", None, None)

    def BurialBegan(self, fact: Row) -> None:
        self._begins("burial", "we_will_bury_you", "us")

    def BurialEnded(self, fact: Row) -> None:
        self._ended("burial", None, "un_intervention" if fact["averted"] else None)

    def EnvyEnded(self, fact: Row) -> None:
        self._ended("owed", None, None)
