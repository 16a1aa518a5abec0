"""Whole invented games: cards dealt and played at random, written as a log, and what happened to them.

Only the cards move; nobody looks at the board.  What happened to them is told in facts of its own, so that a
deal which is worked out from the log can be judged without the code under test: see `judged`.
"""

from __future__ import annotations

from random import Random

from domain.twilight_struggle.cards import describe_components
from replay.importers.twilight_struggle.deal import Deal
from replay.importers.twilight_struggle.names import card_of
from tests.replay.importers.logs import SET_UP

FACES = {face["id"]: face for face in describe_components()["cards"] if "deluxe" in face["editions"]}
JOIN = {1: "early", 4: "mid", 8: "late"}
NAMES = {"us": "US", "ussr": "USSR"}
OTHER = {"us": "ussr", "ussr": "us"}
LASTING = ("shuttle_diplomacy", "quagmire", "bear_trap")
UNTOLD = ("star_wars", "china_card", "grain_sales_to_soviets", "the_cambridge_five", *LASTING)
Fact = tuple[str, object, object]


def title(card: str) -> str:
    """How a log calls a card."""
    name = card.replace("_", " ").title() + ("*" if FACES[card]["starred"] else "")
    assert card_of(name) == card
    return name


class Invented:
    """A game of `turns` turns: `text` is its log, `truth` what happened to the cards."""

    def __init__(self, seed: int, turns: int = 10) -> None:
        self.luck = Random(seed)
        self.pile: list[str] = []
        self.discards: list[str] = []
        self.hands: dict[str, list[str]] = {"us": [], "ussr": []}
        self.lines = [SET_UP]
        self.truth: list[Fact] = []
        self.kept = ""
        for turn in range(1, turns + 1):
            self.play_turn(turn)
        self.text = "\n".join(self.lines) + "\n"

    def note(self, kind: str, one: object = None, other: object = None) -> None:
        self.truth.append((kind, one, other))

    # ----------------------------------------------------------------------- drawing

    def draw(self, side: str) -> bool:
        """One card; whether the discards had to be reshuffled for it."""
        empty = not self.pile
        if empty:
            self.pile, self.discards = sorted(self.discards), []
        self.hands[side].append(self.pile.pop(self.luck.randrange(len(self.pile))))
        return empty

    def deal(self, turn: int) -> bool:
        if period := JOIN.get(turn):
            joining = [card for card, face in FACES.items() if face["period"] == period]
            self.pile += [card for card in joining if card != "china_card"]
        self.note("deal", turn)
        size, reshuffled = (8 if turn < 4 else 9), False
        while any(len(hand) < size for hand in self.hands.values()):
            for side in ("ussr", "us"):
                if len(self.hands[side]) < size:
                    reshuffled |= self.draw(side)
        return reshuffled

    # ----------------------------------------------------------------------- a turn

    def play_turn(self, turn: int) -> None:
        reshuffled = self.deal(turn)
        chosen = {side: self.choose(side, 9) for side in ("ussr", "us")}
        head = " & ".join(title(chosen[side]) for side in ("ussr", "us"))
        self.lines += ["", f"Turn {turn}, Headline Phase: {head}:", *(["*RESHUFFLE*"] if reshuffled else [])]
        self.lines += [f"{NAMES[side]} Headlines {title(card)}" for side, card in chosen.items()]
        for side, card in chosen.items():
            self.note("leaves", side, card)
        for side, card in chosen.items():
            self.happen(side, card)
        for number in range(1, 8 if turn > 3 else 7):
            for side in ("ussr", "us"):
                self.play_round(turn, number, side)
        self.note("turn ends")
        self.lines += ["", f"Turn {turns_printed(turn)}, Cleanup"]

    def play_round(self, turn: int, number: int, side: str) -> None:
        head = f"Turn {turn}, {NAMES[side]} AR{number}: "
        self.lines.append("")
        if not self.hands[side]:
            self.lines.append(head + ":")
            self.note("hand", side, frozenset())
            return
        card = self.choose(side, (7 if turn > 3 else 6) - number)
        self.note("leaves", side, card)
        face = FACES[card]
        if not face["scores"] and (card in UNTOLD or face["side"] != side or self.luck.random() < 0.5):
            self.lines.append(f"{head}{title(card)}: Place Influence ({face['ops']} Ops):")
            if face["side"] != OTHER[side] or card in UNTOLD:
                self.put_away(card, happened=False)
                return
        else:
            self.lines.append(f"{head}{title(card)}:")
        self.happen(side, card)

    def choose(self, side: str, rounds_left: int) -> str:
        """A card of the hand; scoring cards in time, and Missile Envy as soon as it is owed."""
        hand = self.hands[side]
        due = [card for card in hand if FACES[card]["scores"]]
        if len(due) >= rounds_left:
            hand = due or hand
        elif self.kept in hand and rounds_left < 9:
            hand, self.kept = [self.kept], ""
        card = self.luck.choice([card for card in hand if card not in UNTOLD or rounds_left < 9] or hand)
        self.hands[side].remove(card)
        return card

    # ----------------------------------------------------------------------- events

    def happen(self, side: str, card: str) -> None:
        """The event of a card, as far as it moves cards."""
        if card in UNTOLD:
            self.put_away(card, happened=False)
            return
        self.lines += ["", f"Event: {title(card)}"]
        event = getattr(self, card, None)
        if event is None or not event(side):
            self.put_away(card, happened=True)

    def put_away(self, card: str, *, happened: bool) -> None:
        gone = happened and FACES[card]["starred"]
        self.note("away", card, "removed" if gone else "discards")
        if not gone:
            self.discards.append(card)

    def lose(self, side: str, card: str) -> None:
        self.hands[side].remove(card)
        self.lines.append(f"{NAMES[side]} discards {title(card)}")
        self.note("leaves", side, card)
        self.put_away(card, happened=False)

    def show(self, side: str) -> None:
        self.lines += [f"{NAMES[side]} reveals {title(card)}" for card in self.hands[side]]
        self.note("hand", side, frozenset(self.hands[side]))

    def cia_created(self, side: str) -> None:
        self.show("ussr")

    def lone_gunman(self, side: str) -> None:
        self.show("us")

    def aldrich_ames_remix(self, side: str) -> None:
        self.show("us")
        if self.hands["us"]:
            self.lose("us", self.luck.choice(self.hands["us"]))

    def blockade(self, side: str) -> None:
        best = [card for card in self.hands["us"] if FACES[card]["ops"] > 2]
        if best:
            self.lose("us", best[0])

    def terrorism(self, side: str) -> None:
        if self.hands[OTHER[side]]:
            self.lose(OTHER[side], self.luck.choice(self.hands[OTHER[side]]))

    def five_year_plan(self, side: str) -> None:
        """A card of the USSR; its event would happen here, were it one of the US."""
        if not self.hands["ussr"]:
            self.lines.append("USSR has no cards to discard")
            self.note("hand", "ussr", frozenset())
            return
        card = self.luck.choice(self.hands["ussr"])
        if FACES[card]["side"] != "us" or card in UNTOLD or hasattr(self, card):
            self.lose("ussr", card)
            return
        self.hands["ussr"].remove(card)
        self.note("leaves", "ussr", card)
        self.lines += [f"USSR discards {title(card)}", f"Event: {title(card)}"]
        self.put_away(card, happened=True)

    def ask_not_what_your_country(self, side: str) -> None:
        thrown = self.luck.sample(self.hands["us"], min(3, len(self.hands["us"])))
        for card in thrown:
            self.lose("us", card)
        self.note("draws", "us", len(thrown))
        reshuffled = [self.draw("us") for _ in thrown]
        if any(reshuffled):
            self.lines.append("*RESHUFFLE*")

    def salt_negotiations(self, side: str) -> None:
        useful = [card for card in self.discards if not FACES[card]["scores"]]
        if useful:
            card = self.luck.choice(useful)
            self.discards.remove(card)
            self.hands[side].append(card)
            self.lines.append(f"{NAMES[side]} reveals {title(card)}")
            self.note("back", side, card)

    def our_man_in_tehran(self, side: str) -> None:
        if len(self.pile) < 5:
            self.lines.append("*RESHUFFLE*")
            self.pile, self.discards = self.pile + self.discards, []
            self.note("mixed")
        thrown = self.luck.sample(self.pile, 2)
        self.lines += [f"US discards {title(card)}" for card in thrown]
        self.note("thrown", tuple(thrown))
        for card in thrown:
            self.pile.remove(card)
            self.discards.append(card)

    def missile_envy(self, side: str) -> bool:
        """Whether the card went to the opponent."""
        giver = OTHER[side]
        best = max((FACES[card]["ops"] for card in self.hands[giver]), default=0)
        given = [card for card in self.hands[giver] if FACES[card]["ops"] == best > 0]
        if not given:
            return False
        self.hands[giver].remove(given[0])
        self.lines += [f"{NAMES[giver]} reveals {title(given[0])}", "Place Influence (3 Ops):"]
        self.note("best", giver, best)
        self.note("leaves", giver, given[0])
        self.note("arrives", giver, "missile_envy")
        self.hands[giver].append("missile_envy")
        self.kept = "missile_envy"
        self.put_away(given[0], happened=False)
        return True


def turns_printed(turn: int) -> int:
    """The end of a turn prints any turn at all."""
    return turn % 10 + 1


# --------------------------------------------------------------------------- judging a deal


JUDGES = {"draws": "draws_some", "turn ends": "turn_ends"}


def judged(deal: Deal, truth: list[Fact]) -> list[str]:
    """What is wrong with a deal, judged by what truly happened."""
    return _Judge(deal).walk(truth)


class _Judge:
    def __init__(self, deal: Deal) -> None:
        self.draws, self.looks = list(deal.draws), list(deal.looks)
        self.pile: set[str] = set()
        self.discards: set[str] = set()
        self.hands: dict[str, set[str]] = {"us": set(), "ussr": set()}
        self.wrong: list[str] = []

    def walk(self, truth: list[Fact]) -> list[str]:
        for kind, one, other in truth:
            getattr(self, JUDGES.get(kind, kind))(one, other)
        self.check(not self.draws and not self.looks, "something is left of the deal")
        return self.wrong

    def check(self, right: bool, text: str) -> None:
        if not right:
            self.wrong.append(text)

    def take(self) -> tuple[str, int]:
        draw = self.draws.pop(0)
        if draw.reshuffled:
            self.check(not self.pile, f"{draw} is reshuffled too early")
            self.pile, self.discards = self.pile | self.discards, set()
        self.check(self.pile >= set(draw.cards), f"{draw} is not in the pile")
        self.pile -= set(draw.cards)
        self.hands[draw.side] |= set(draw.cards)
        return draw.side, len(draw.cards)

    def deal(self, turn: int, _: object) -> None:
        joining = {card for card, face in FACES.items() if face["period"] == JOIN.get(turn)}
        self.pile |= joining - {"china_card"}
        size = 8 if turn < 4 else 9
        while self.draws and any(len(hand) < size for hand in self.hands.values()):
            self.take()
        self.check({len(hand) for hand in self.hands.values()} == {size}, f"turn {turn}: wrong hands")

    def draws_some(self, side: str, count: int) -> None:
        while count > 0 and self.draws:
            who, drawn = self.take()
            self.check(who == side, "the wrong side draws")
            count -= drawn
        self.check(count == 0, "too many or too few cards are drawn")

    def leaves(self, side: str, card: str) -> None:
        self.check(card in self.hands[side], f"{card} is not in the hand of {side}")
        self.hands[side].discard(card)

    def arrives(self, side: str, card: str) -> None:
        self.hands[side].add(card)

    def back(self, side: str, card: str) -> None:
        self.check(card in self.discards, f"{card} is not among the discards")
        self.discards.discard(card)
        self.hands[side].add(card)

    def away(self, card: str, to: str) -> None:
        if to == "discards":
            self.discards.add(card)

    def mixed(self, _: object, __: object) -> None:
        self.pile, self.discards = self.pile | self.discards, set()

    def thrown(self, cards: tuple[str, ...], _: object) -> None:
        look = self.looks.pop(0)
        self.check(look.thrown == cards and set(look.cards) <= self.pile, f"{look} is not in the pile")
        self.check(len(look.cards) == 5 and set(look.cards) >= set(cards), f"{look} is not five cards")
        self.pile -= set(cards)
        self.discards |= set(cards)

    def hand(self, side: str, cards: frozenset[str]) -> None:
        self.check(self.hands[side] == cards, f"the hand of {side} is another")

    def best(self, side: str, ops: int) -> None:
        self.check(max(FACES[card]["ops"] for card in self.hands[side]) == ops, f"{side} has a better card")

    def turn_ends(self, _: object, __: object) -> None:
        held = {card for hand in self.hands.values() for card in hand if FACES[card]["scores"]}
        self.check(not held, f"{held} is held")
