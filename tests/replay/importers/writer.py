"""Random matches of ours, and the logs that the commercial edition would have written of them.

`played_on` plays a match whose players avoid what would end it; `written` tells it by its facts and answers.

What the format cannot express, and so does not happen here or is left out: the Cuban Missile Crisis bought
off before a card is chosen; the die of a Coup that ends the game; the dice of Olympic Games and Summit; and
cards that are never played, so also a scoring card held at the end of a turn (`written` adds who wins by it).
"""

from __future__ import annotations

from random import Random
from typing import Any

from domain.kernel import CHANCE, Answer, AnyFact, Decision, Prompt, asked, begin, decide, prompt
from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import US, USSR
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet, RealignmentRolled, WarRolled
from domain.twilight_struggle.facts.cards import (
    CardDiscarded,
    CardPlayed,
    CardPutAway,
    CardRetrieved,
    CardSeen,
    CardsShown,
    DiscardsReshuffled,
    HandShown,
    MarkerEnded,
    TopDiscarded,
)
from domain.twilight_struggle.facts.flow import (
    EffectBegan,
    EffectEnded,
    EffectsLapsed,
    EventBegan,
    HeadlineBegan,
    HeadlineShown,
    RoundBegan,
    TrapRolled,
    TurnBegan,
    TurnEnded,
)
from domain.twilight_struggle.facts.tracks import (
    DefconSet,
    MilitarySet,
    RegionScored,
    ScoreMoved,
    SpaceRolled,
    SpaceSet,
)
from domain.twilight_struggle.rules.hand import ops_of, rounds, scoring
from domain.twilight_struggle.rules.operations import COUP, SPACE_RACE, Ops, value
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import AddEach, Choose
from domain.twilight_struggle.steps.operations import Coup, Operate, PlaceInfluence, Realign, RollCoup
from domain.twilight_struggle.steps.play import PlayCard, PlayTaken
from tests.domain.played import Played
from tests.domain.properties import OPENING, random_answer
from tests.replay.importers.invented import NAMES, title

HEADERS = {
    "influence": "Place Influence",
    "coup": "Coup",
    "realign": "Realignment",
    "space": "Space Race",
}
TRIES = 12  # to find an answer that does not end the match
FULL = {
    "coup": 0.3,
    "realign": 0.1,
    "space": 0.5,
    "event": 0.6,
    "event_first": 0.4,
}  # how often a use is taken


def options(handicap: int = 2, *, optional_cards: bool = True, scenario: str = "standard") -> dict[str, Any]:
    """The options under which an importer follows a log."""
    return {
        "optional_cards": optional_cards,
        "drawn_defectors": "score",
        "handicap": handicap,
        "scenario": scenario,
    }


# --------------------------------------------------------------------------- playing


def played_on(seed: int, **more: Any) -> Played:
    """A random match that goes on as long as its players can manage."""
    luck, played = Random(seed), Played()
    played.edition, played.options = GAME.settle("deluxe", options(**more))
    played.start = GAME.table(played.edition, played.options)
    decision: Decision[Any] = begin(played.start, GAME.first(played.start))
    played.append((OPENING, decision))
    while seats := asked(decision.table):
        answer, decision = _answer(decision.table, luck.choice(seats), luck)
        played.append((answer, decision))
    return played


def _answer(s: State, seat: str, luck: Random) -> tuple[Answer, Decision[Any]]:
    question = prompt(s, seat)
    assert question is not None
    for left in reversed(range(TRIES)):
        answer = random_answer(s, seat, luck)
        while not _is_told(s, answer):
            answer = random_answer(s, seat, luck)
        if left and seat != CHANCE and not _is_wise(s, question, answer, luck):
            continue
        decision = decide(s, answer)
        if seat == CHANCE or decision.table.result is None:
            break
    return answer, decision


def _is_told(s: State, answer: Answer) -> bool:
    """Can a log tell an answer?"""
    return not answer.picks or answer.picks[0][:7] != "ransom:" or isinstance(s.agenda[-1], Coup)


def _is_wise(s: State, question: Prompt, answer: Answer, luck: Random) -> bool:
    """Does an answer keep the match going?"""
    step = s.agenda[-1]
    verbs = [pick.partition(":")[0] for pick in answer.picks]
    if isinstance(step, (PlayCard, PlayTaken, Operate)):
        if s.defcon == 2 and "coup" in verbs:
            return False
        left = rounds(s.turn) - s.round + 1
        due = scoring(s.hands[answer.seat])
        if isinstance(step, PlayCard) and due and (len(due) >= left or luck.random() < 0.3):
            playable = any(pick == f"event:{card}" for card in due for pick in question.options)
            return not playable or answer.picks[0] in {f"event:{card}" for card in due}
        return luck.random() < FULL.get(verbs[0], 1)
    if isinstance(step, (PlaceInfluence, Realign)) and "done" in verbs:
        return luck.random() < 0.1
    return not (isinstance(step, Choose) and step.card == "wargames" and "end" in verbs)


# --------------------------------------------------------------------------- writing


def country(id: str) -> str:
    """How a log calls a country."""
    return id.replace("_", " ").title()


def name(card: str) -> str:
    """How a log calls a card."""
    return "The China Card" if card == "china_card" else title(card)


def score(vp: int) -> str:
    """The score as a log gives it."""
    return "Score is even." if not vp else f"Score is {'US' if vp > 0 else 'USSR'} {abs(vp)}."


def written(played: Played, *, penalties: bool = True) -> str:
    """The log of a match.  `penalties`: the points for Military Operations are printed, too."""
    return _Writer(played, penalties).text()


class _Writer:
    """One walk through a match.

    `head` waits for its first line; `held` are lines that stand at the end of their paragraph.  `nested` are
    the events under way.
    """

    def __init__(self, played: Played, penalties: bool) -> None:
        self.played, self.penalties = played, penalties
        self.lines: list[str] = []
        self.paragraph: list[str] = []
        self.held: list[str] = []
        self.head: str | None = None
        self.headlines: dict[str, str] = {}
        self.heading = False
        self.nested: list[str] = []
        self.cancelling = False
        self.striking = False
        self.placing: tuple[str, str, int] | None = None  # side, country and change of the last line
        self.before = self.last_score = 0
        self.s: Any = played.start

    def text(self) -> str:
        said = self.played.options
        self.lines = [
            "SETUP: : Ada will play as USSR.",
            "Grace will play as USA.",
            *([f"Handicap influence: US +{said['handicap']}"] if said["handicap"] else []),
            f"Scenario: {country(str(said['scenario']))}",
            *(["Optional Cards Added"] if said["optional_cards"] else []),
            "Time per Player: 45 Minutes",
        ]
        for answer, decision in self.played:
            if answer is not OPENING:
                self.answered(self.s, answer)
            for fact in decision.facts:
                self.s = fact.apply(self.s)
                self.tell(fact)
            self.s = decision.table
        self.close()
        if self.s.result.reason == "held_scoring_card" and self.s.result.winner:
            self.lines += ["", f": : {NAMES[self.s.result.winner]} wins by Held Scoring Card."]
        return "\n".join(self.lines) + "\n"

    # ── paragraphs and entries ──

    def say(self, line: str) -> None:
        self.paragraph.append(line)
        self.placing = None

    def close(self) -> None:
        """The paragraph ends; a head without a line stands alone."""
        said, self.paragraph, self.held = [*self.paragraph, *self.held], [], []
        self.placing = None
        if self.head is not None:
            self.lines += ["", f"{self.head}: {said[0]}" if said else self.head, *said[1:]]
            self.head = None
        elif said:
            self.lines += [*([""] if not self.lines[-1].startswith("Time") else []), *said]

    def enter(self, head: str) -> None:
        self.close()
        self.head, self.nested, self.striking = head, [], False

    # ── answers ──

    def answered(self, s: State, answer: Answer) -> None:
        step: Any = s.agenda[-1]
        how, _, card = answer.picks[0].partition(":") if answer.picks else ("", "", "")
        self.striking = self.striking and isinstance(step, RollCoup)
        if isinstance(step, PlayCard):
            if how == "pass":
                return
            played = "un_intervention" if how == "cancel" else card
            self.head = f"Turn {s.turn}, {NAMES[step.seat]} AR{s.round}: {name(played)}"
            self.header(s, step.seat, how, ops_of(played))
        elif isinstance(step, PlayTaken):
            if how == "return":
                self.say(f"US returns {name(step.card)} to USSR")
            else:
                self.say(f"US plays {name(step.card)}")
                self.header(s, step.seat, how, ops_of(step.card))
        elif isinstance(step, Operate):
            if how in HEADERS:
                if self.paragraph and not self.cancelling and (not step.ops.granted or self.struck()):
                    self.close()
                self.header(s, step.seat, how, step.ops)
            elif step.ops.granted and step.among == (COUP,):
                if self.struck():
                    self.close()
                self.header(s, step.seat, COUP, step.ops)
            self.cancelling = False
        elif isinstance(step, Coup) and how != "ransom":
            self.say(f"Target: {country(answer.picks[0])}")
            self.striking = True
        elif isinstance(step, Realign) and how not in ("done", "influence"):
            self.say(f"Target: {country(answer.picks[0])}")
        elif isinstance(step, AddEach) and step.card == "norad":
            self.close()
        elif isinstance(step, Choose) and step.card == "olympic_games":
            what = "participate in" if how == "participate" else "boycott"
            self.say(f"{NAMES[answer.seat]} chooses to {what} the Olympics")
        elif isinstance(step, Choose) and step.card == "chernobyl":
            self.say(f"US chooses {country(how)}")

    def struck(self) -> bool:
        """Was there a Coup in this paragraph already (Che)?"""
        return any(line.startswith("Target: ") for line in self.paragraph)

    def header(self, s: State, seat: str, kind: str, ops: Ops) -> None:
        if kind in HEADERS:
            points = value(s, seat, ops) if kind in (COUP, SPACE_RACE) else ops.printed
            self.say(f"{HEADERS[kind]} ({points} Ops):")

    # ── facts ──

    def tell(self, fact: AnyFact) -> None:
        act = getattr(self, type(fact).__name__, None)
        if act is not None:
            act(fact)

    def TurnBegan(self, fact: TurnBegan) -> None:
        self.enter("")
        self.heading, self.headlines = True, {}

    def HeadlineShown(self, fact: HeadlineShown) -> None:
        self.headlines[fact.seat] = fact.card
        self.say(f"{NAMES[fact.seat]} Headlines {name(fact.card)}")

    def begin_headlines(self) -> None:
        if self.heading:
            shown = [name(self.headlines[side]) if side in self.headlines else "" for side in (USSR, US)]
            self.head, self.heading = f"Turn {self.s.turn}, Headline Phase: {' & '.join(shown)}", False

    def HeadlineBegan(self, fact: HeadlineBegan) -> None:
        self.begin_headlines()
        self.nested = []
        if any(line.startswith("Event: ") for line in self.paragraph):
            self.close()

    def RoundBegan(self, fact: RoundBegan) -> None:
        self.begin_headlines()
        self.enter(f"Turn {self.s.turn}, {NAMES[fact.seat]} AR{fact.round}")

    def EffectsLapsed(self, fact: EffectsLapsed) -> None:
        self.begin_headlines()
        self.last_score = self.s.vp
        if self.s.turn == 10 and not self.penalties:
            return  # such logs go straight on to the final score
        self.enter(f"Turn {self.s.turn}, Cleanup")
        for card in fact.cards:
            self.say(f"{name(card)} is no longer in play.")

    def TurnEnded(self, fact: TurnEnded) -> None:
        self.close()
        if fact.turn == 10:
            self.before = fact.vp if self.penalties else self.last_score

    def EventBegan(self, fact: EventBegan) -> None:
        begun = any(line.startswith("Event: ") for line in self.paragraph)
        if not self.nested and self.paragraph and (self.s.phase == "rounds" or begun):
            self.close()
        self.nested.append(fact.card)
        self.say(f"Event: {name(fact.card)}")

    def CardPutAway(self, fact: CardPutAway) -> None:
        if fact.to == "beside":
            self.say(f"{name(fact.card)} is now in play.")
        if fact.card in self.nested:
            self.nested.remove(fact.card)

    def EffectBegan(self, fact: EffectBegan) -> None:
        self.say(f"{name(fact.card)} is now in play.")

    def MarkerEnded(self, fact: MarkerEnded) -> None:
        self.say(f"{name(fact.card)} is no longer in play.")

    def EffectEnded(self, fact: EffectEnded) -> None:
        self.say(f"{name(fact.card)} is no longer in play.")

    def CardPlayed(self, fact: CardPlayed) -> None:
        if fact.how == "given":
            self.say(f"{NAMES[fact.holder]} reveals {name(fact.card)}")
            self.cancelling = True
        elif fact.how == "discard":
            self.say(f"{NAMES[fact.seat]} discards {name(fact.card)}")
        elif fact.how == "cancelled":
            self.say(f"{NAMES[fact.seat]} plays {name(fact.card)}")
            self.cancelling = True
        elif fact.card == "un_intervention" and fact.how == "event":
            self.say(f"Event: {name(fact.card)}")

    def CardSeen(self, fact: CardSeen) -> None:
        self.say(f"{NAMES[fact.seat]} reveals {name(fact.card)}")
        self.say(f"{NAMES[fact.seat]} reveals {name(fact.card)} from hand")

    def CardRetrieved(self, fact: CardRetrieved) -> None:
        self.say(f"{NAMES[fact.seat]} reveals {name(fact.card)}")

    def HandShown(self, fact: HandShown | CardsShown) -> None:
        for card in fact.cards:
            self.say(f"{NAMES[fact.seat]} reveals {name(card)}")
        if not fact.cards:
            self.say(f"{NAMES[fact.seat]} has no cards to reveal")

    CardsShown = HandShown

    def CardDiscarded(self, fact: CardDiscarded) -> None:
        if fact.why == "space" and self.s.turn == 10 and not self.penalties:
            return
        self.say(f"{NAMES[fact.seat]} discards {name(fact.card)}")

    def TopDiscarded(self, fact: TopDiscarded) -> None:
        self.say(f"{NAMES[fact.seat]} discards {name(fact.card)}")

    def DiscardsReshuffled(self, fact: DiscardsReshuffled) -> None:
        self.say("*RESHUFFLE*")

    def InfluenceSet(self, fact: InfluenceSet) -> None:
        by, last = fact.by, self.placing
        if last and last[:2] == (fact.side, fact.country) and (last[2] > 0) == (by > 0):
            self.paragraph.pop()
            by += last[2]
        totals = "".join(f"[{self.s.influence[side].get(fact.country, 0)}]" for side in (US, USSR))
        self.say(f"{NAMES[fact.side]} {by:+} in {country(fact.country)} {totals}")
        self.placing = (fact.side, fact.country, by)

    def CoupRolled(self, fact: CoupRolled) -> None:
        modifier = f" ({fact.modifier:+})" if fact.modifier else ""
        total = f"[ + {fact.ops}{modifier} - 2x{fact.stability} = {fact.net} ]"
        self.say(f"{'SUCCESS' if fact.net > 0 else 'FAILURE'}: {fact.roll} {total}")
        self.striking = False

    def RealignmentRolled(self, fact: RealignmentRolled) -> None:
        for side in (USSR, US):
            hidden = sum(one.card == "iran_contra_scandal" for one in self.s.effects) if side == US else 0
            modifier = fact.modifiers[side] + hidden
            total = f" ({modifier:+}) = {fact.rolls[side] + modifier}" if modifier else ""
            self.say(f"{NAMES[side]} rolls {fact.rolls[side]}{total}")

    def WarRolled(self, fact: WarRolled) -> None:
        self.say(f"War in {country(fact.country)}")
        modifier = f" (-{fact.minus}) " if fact.minus else ""
        outcome, sign = ("VICTORY", ">=") if fact.won else ("DEFEAT", "<")
        self.say(f"{outcome}: {fact.roll}{modifier} {sign} {fact.need}")

    def SpaceRolled(self, fact: SpaceRolled) -> None:
        outcome = "Success" if fact.roll <= fact.need else "Failed"
        self.say(f"Die roll: {fact.roll} -- {outcome}! (Needed {fact.need} or less)")

    def SpaceSet(self, fact: SpaceSet) -> None:
        self.say(f"{NAMES[fact.side]} advances to {fact.now} in the Space Race.")

    def TrapRolled(self, fact: TrapRolled) -> None:
        outcome = "<= 4 -- Trap Escaped" if fact.escaped else "> 4 -- Trap Remains in Effect"
        self.say(f"Trap Roll: {fact.roll} {outcome}")

    def MilitarySet(self, fact: MilitarySet) -> None:
        self.held.append(f"{NAMES[fact.side]} Military Ops to {fact.now}")

    def DefconSet(self, fact: DefconSet) -> None:
        line = f"DEFCON {'improves' if fact.now > fact.was else 'degrades'} to {fact.now}"
        if self.striking:
            self.held.append(line)
        else:
            self.say(line)

    def ScoreMoved(self, fact: ScoreMoved) -> None:
        if self.s.turn == 10 and self.s.phase == "end" and fact.why != "military_operations":
            return  # final scoring is one line
        if fact.why == "military_operations" and not self.penalties:
            return
        line = f"{NAMES[fact.seat]} gains {fact.points} VP. {score(fact.now)}"
        if self.striking:
            self.held.append(line)
        else:
            self.say(line)

    def RegionScored(self, fact: RegionScored) -> None:
        if fact.net == 0 and self.s.phase != "end":
            self.say(f"No VP awarded. {score(self.s.vp)}")

    def Ended(self, fact: Any) -> None:
        self.begin_headlines()
        if fact.reason == "final_scoring":
            self.close()
            gained = self.s.vp - self.before
            side = "US" if gained > 0 else "USSR"
            self.lines += ["", f": : {side} gains {abs(gained)} VP. {score(self.s.vp)}"]
