"""Finds in a log the answers to the questions of our rules: the seats' answers and the faces of the dice.

If a question has few options and the log does not name the answer, each option is tried, and the one that
explains most of what the entry still states is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Any

from domain import kernel
from domain.kernel import CHANCE, Answer, Draw, Fact, Picks, Prompt, Seat, Step
from domain.twilight_struggle.components import MAP, OTHER, US, USSR
from domain.twilight_struggle.facts.flow import EffectsLapsed, EventBarred, RoundBegan
from domain.twilight_struggle.facts.tracks import ContestRolled, DefconSet
from domain.twilight_struggle.rules.board import influence
from domain.twilight_struggle.rules.operations import CHINA, ransoms
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.rules.scoring import MOST
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import (
    DONE,
    NONE,
    AddEach,
    Choose,
    Double,
    Drain,
    Relocate,
    RemoveEach,
    Spread,
)
from domain.twilight_struggle.steps.flow import ChooseHeadline, DropCard
from domain.twilight_struggle.steps.hands import Contest
from domain.twilight_struggle.steps.operations import (
    Coup,
    Operate,
    PlaceInfluence,
    Realign,
    RollCoup,
    RollRealignment,
    RollSpace,
)
from domain.twilight_struggle.steps.play import EndEvent, Event, PlayCard, PlayTaken, RollTrap
from domain.twilight_struggle.steps.setup import PlaceExtra, PlaceFree
from domain.twilight_struggle.steps.wars import RollWar
from replay.importers.twilight_struggle import structure as log
from replay.importers.twilight_struggle.comparison import Checker, rolled_by
from replay.importers.twilight_struggle.statement_pool import ASIDE, Pool

UN = "un_intervention"


class NoAnswer(Exception):
    """The log has no answer to a question of our rules; the text says which, `line` where, if known."""

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(text)
        self.line = line


def _only(question: Prompt, wanted: str) -> Picks:
    if wanted not in question.options:
        raise NoAnswer(f"{question.ask} of {question.seat}: {wanted} is not possible")
    return (wanted,)


# --------------------------------------------------------------------------- cards and their uses


def headline(s: State, question: Prompt, pool: Pool, entry: log.Entry) -> Picks:
    """The headline that the log names."""
    if not isinstance(entry, log.Headline):
        raise NoAnswer("the log does not have these headlines")
    return _only(question, entry.of(question.seat) or NONE)


def play(s: State, question: Prompt, pool: Pool, entry: log.Entry) -> Picks:
    """The card of the round, and how it was used."""
    if not isinstance(entry, log.ActionRound):
        raise NoAnswer("the log does not have this action round")
    if not entry.card:
        return _only(question, "pass")
    use = _use(s, question, pool, entry.card)
    if use not in question.options and s.buries:  # "We Will Bury You" ended the game before that
        use = next((one for one in question.options if one.partition(":")[2] == entry.card), use)
    return _only(question, use)


def _use(s: State, question: Prompt, pool: Pool, card: str) -> str:
    seat = question.seat
    if pool.first(log.TrapRoll) and f"discard:{card}" in question.options:
        return f"discard:{card}"
    if card == UN:
        played = pool.first(log.Plays, lambda said: said.side == seat)
        if played:
            played[0].take()
            return f"cancel:{played[1].card}"
    event = pool.first(log.EventNamed, lambda said: said.card == card)
    own = [one for one in pool.unused(log.OpsHeader) if not one[1].inside_event]
    header = next((one for one in own if not pool.declined(one[0])), own[0] if own else None)
    first_is_event = event is not None and (header is None or _before(pool, event[0], header[0]))
    theirs = card != CHINA and CARDS[card].side == OTHER[seat]
    if first_is_event:
        return f"event_first:{card}" if theirs else f"event:{card}"
    if header is None:
        return f"event:{card}"
    pool.head(*header)
    return f"{header[1].kind}:{card}"


def _before(pool: Pool, one: Any, other: Any) -> bool:
    return pool.items.index(one) < pool.items.index(other)


def taken(s: State, question: Prompt, pool: Pool, entry: log.Entry) -> Picks:
    """Grain Sales: the card drawn is played, or returned."""
    step = s.agenda[-1]
    assert isinstance(step, PlayTaken)
    if pool.first(log.Returns):
        return _only(question, "return")
    played = [(item, said) for item, said in pool.unused(log.Plays) if said.card == step.card]
    for item, _ in played[: 1 if len(played) > 1 and pool.first(log.EventNamed, _is_intervention) else None]:
        item.take()
    for item, said in pool.unused(log.Plays):
        if f"cancel:{said.card}" in question.options and pool.first(log.EventNamed, _is_intervention):
            item.take()
            return (f"cancel:{said.card}",)
    return _only(question, _use_of_taken(s, question, pool, step.card))


def _is_intervention(said: log.EventNamed) -> bool:
    return said.card == UN


def _use_of_taken(s: State, question: Prompt, pool: Pool, card: str) -> str:
    event = pool.first(log.EventNamed, lambda said: said.card == card)
    header = pool.here(log.OpsHeader) or pool.first(log.OpsHeader)
    theirs = CARDS[card].side == OTHER[question.seat]
    if event and (header is None or _before(pool, event[0], header[0])):
        return f"event_first:{card}" if theirs and header else f"event:{card}"
    if header is None:
        return f"event:{card}"
    pool.head(*header)
    return f"{header[1].kind}:{card}"


def operate(s: State, question: Prompt, pool: Pool, entry: log.Entry) -> Picks:
    """The next Operations that the log heads; what an event grants may be declined.

    A header with nothing below it stands for Operations that were declined, or that had no target; the
    headers of uses that are still on the agenda are left for them.
    """
    step = s.agenda[-1]
    assert isinstance(step, Operate)
    is_won = abs(s.vp) == MOST  # the game ends with this event: the player's own Operations never come
    waiting = 0 if is_won else sum(isinstance(other, Operate) for other in s.agenda[:-1])
    for country in ransoms(s, question.seat):
        if _ransom_is_paid(pool, question.seat, country):
            return (f"ransom:{country}",)
    found = list(pool.unused(log.OpsHeader))
    if step.ops.granted:  # what stands under an event that is still to come was not handed out by this one
        coming = {said.card for _, said in pool.unused(log.EventNamed)}
        found = [one for one in found if one[1].inside_event not in coming]
    if not step.ops.granted:
        found = [one for one in found if not pool.declined(one[0])] or found
    elif found and pool.declined(found[0][0]):
        found[0][0].take()
        return _only(question, NONE)
    if len(found) <= (waiting if step.ops.granted else 0):
        return _only(question, NONE)
    item, header = found[0]
    pool.head(item, header)
    return _only(question, header.kind)


def _ransom_is_paid(pool: Pool, side: Seat, country: str) -> bool:
    """2 influence leave the country in one line, before anything else of this paragraph."""
    left = (item.said for item in pool.items if not item.used and not isinstance(item.said, ASIDE))
    nearest = next(left, None)
    return isinstance(nearest, log.InfluenceChange) and (nearest.side, nearest.country, nearest.by) == (
        side,
        country,
        -2,
    )


# --------------------------------------------------------------------------- influence


def place(s: State, question: Prompt, pool: Pool, entry: log.Entry) -> Picks:
    """The next gain of influence in this paragraph."""
    for said in pool.changes(question.seat, up=True, here=True):
        if said.country in question.options:
            return (said.country,)
    return _only(question, DONE)


def coup(s: State, question: Prompt, pool: Pool, entry: log.Entry) -> Picks:
    """Where the Coup strikes; the Cuban Missile Crisis may be bought off first."""
    for country in ransoms(s, question.seat):
        if _ransom_is_paid(pool, question.seat, country):
            return _only(question, f"ransom:{country}")
    return _target(question, pool)


def realign(s: State, question: Prompt, pool: Pool, entry: log.Entry) -> Picks:
    """Where the next realignment roll goes."""
    if not pool.here(log.Target):
        return _only(question, DONE)
    return _target(question, pool)


def _target(question: Prompt, pool: Pool) -> Picks:
    found = pool.near(log.Target)
    if found is None:
        raise NoAnswer(f"{question.ask} of {question.seat}: the log names no target")
    found[0].take()
    return _only(question, found[1].country)


def each(s: State, question: Prompt, pool: Pool, entry: log.Entry) -> Picks:
    """The countries where influence comes, or goes, for a card."""
    step = s.agenda[-1]
    assert isinstance(step, (AddEach, RemoveEach, Double))
    up = not isinstance(step, RemoveEach)
    elsewhere = (False,) if question.least or step.card == "norad" else ()  # what may be left stands here
    for here in (True, *elsewhere):
        changes = pool.changes(step.side, up=up, here=here)
        found = [said.country for said in changes if said.country in question.options]
        if isinstance(step, AddEach) and step.card == "norad":
            found = found[-1:]
        if len(found) >= question.least and found:
            return tuple(dict.fromkeys(found))[: question.most]
    if up and question.least and not pool.goes_on:
        raise NoAnswer("the log stops in the middle of what a card does")
    return _filled(question, found)


def _filled(question: Prompt, found: list[str]) -> Picks:
    """An option that changes nothing stands in no log (a country without influence to lose)."""
    rest = [option for option in question.options if option not in found]
    return tuple([*found, *rest][: max(question.least, len(found))])


def one_by_one(s: State, question: Prompt, pool: Pool, entry: log.Entry) -> Picks:
    """The next of several gains or losses for a card, or for the set-up."""
    step: Any = s.agenda[-1]
    up = isinstance(step, (Spread, PlaceFree, PlaceExtra))
    side = getattr(step, "side", question.seat)
    begun = isinstance(step, Relocate) and step.taken > 0  # what was taken stands in one paragraph
    moves = (
        not isinstance(step, Relocate) or begun or pool.changes(side, up=True, here=False)
    )  # taken, then put
    for here in (True,) if begun else (True, False):
        changes = pool.changes(side, up=up, here=here) if moves else []
        found = [one for one in changes if one.country in question.options]
        if found and isinstance(step, PlaceFree):
            return (_freely(s, side, found),)
        if found:
            return (found[0].country,)
    if DONE in question.options:
        return (DONE,)
    if isinstance(step, Relocate) or not question.options:
        raise NoAnswer(f"{question.ask} of {question.seat}: the log names no country")
    return (question.options[0],)


def _freely(s: State, side: Seat, found: list[log.InfluenceChange]) -> str:
    """A log does not tell free influence of the set-up from what a handicap or a bid adds: the sum counts.

    What is added needs influence in its country, and may not go beyond 2 more than control (11.4.1), so the
    free influence goes first where the other could not.
    """

    def only_free(one: log.InfluenceChange) -> tuple[bool, bool]:
        least = MAP[one.country].stability + influence(s, OTHER[side], one.country) + 2
        total = one.us if side == US else one.ussr
        return influence(s, side, one.country) > 0, total <= least

    return min(found, key=only_free).country


# --------------------------------------------------------------------------- choices of cards


def choose(s: State, question: Prompt, pool: Pool, entry: log.Entry) -> Picks:
    """What a card lets a side choose."""
    step = s.agenda[-1]
    assert isinstance(step, Choose)
    if step.card == "star_wars":
        return star_wars(s, question, pool)
    if step.card == "wargames":
        return ("go_on",) if pool.goes_on else ("end",)
    if question.most > 1:
        found = [one for one in pool.unused(log.Discards) if one[1].card in question.options]
        here = [one for one in found if one[0].paragraph == pool.paragraph]  # another event may throw more
        return tuple(said.card for _, said in here or found)
    thrown = pool.first(log.Discards, lambda said: said.card in question.options)
    shown = pool.first(log.Reveals, lambda said: said.card in question.options)
    if thrown and not (shown and _before(pool, shown[0], thrown[0])):
        return (thrown[1].card,)
    if shown:
        shown[0].take()
        return (shown[1].card,)
    region = pool.first(log.ChoosesRegion, lambda said: said.region in question.options)
    if region:
        return (region[1].region,)
    olympics = pool.first(log.Olympics, lambda said: said.side == question.seat)
    if olympics and "participate" in question.options:
        olympics[0].take()
        return ("participate",) if olympics[1].takes_part else ("boycott",)
    for fallback in (NONE, "decline"):
        if fallback in question.options:
            return (fallback,)
    if not question.least:  # a whole hand of one card
        return ()
    return tried(s, question, pool)


def tried(s: State, question: Prompt, pool: Pool) -> Picks:
    """The option that explains most of what the entry still states."""
    best, most = question.options[0], -1000
    for option in question.options:
        found = _explained(s, question.seat, option, pool)
        if found > most:
            best, most = option, found
    return (best,)


def _explained(s: State, seat: Seat, option: str, pool: Pool) -> int:
    checker = Checker()
    checker.pool = pool.copy()
    decision = kernel.decide(s, Answer(seat, (option,)))
    inside = list(takewhile(lambda fact: not isinstance(fact, (RoundBegan, EffectsLapsed)), decision.facts))
    compare_stated(checker, s, inside)
    wrong = 3 * len(checker.mismatches)
    moved = sum(isinstance(fact, DefconSet) for fact in inside)
    wrong += moved - len([*pool.unused(log.Defcon)]) + len([*checker.pool.unused(log.Defcon)])  # untold
    if checker.pool.paragraph != pool.paragraph:  # another event has begun: what stood under this one is over
        wrong += checker.unanswered(pool.paragraph)
    after: list[Step[State]] = list(decision.table.agenda)
    fits = bool(after) and _expects(after[-1], pool)
    return checker.checked + fits - wrong


def _expects(step: Step[State], pool: Pool) -> bool:
    """Does the log go on with what this step asks?"""
    if isinstance(step, RollWar):
        return pool.first(log.WarBegins, lambda said: said.country == step.country) is not None
    if isinstance(step, (RemoveEach, Drain)):
        return bool(pool.changes(step.side, up=False, here=True))
    if isinstance(step, (AddEach, Spread)):
        return bool(pool.changes(step.side, up=True, here=True))
    if isinstance(step, (Event, EndEvent)):
        return False
    return False


def compare_stated(checker: Checker, s: State, facts: Iterable[Fact[State]]) -> None:
    """Let a checker see facts, each with the table after it."""
    table = s
    for fact in facts:
        table = fact.apply(table)
        checker.observe(fact, table)


def star_wars(s: State, question: Prompt, pool: Pool) -> Picks:
    """The event that Star Wars revives is named next; one that did not happen is not."""
    for _, said in pool.unused(log.EventNamed):
        if said.card in question.options:
            return (said.card,)
    for option in question.options:
        facts = kernel.decide(s, Answer(question.seat, (option,))).facts
        if any(isinstance(fact, EventBarred) and fact.card == option for fact in facts):
            return (option,)
    raise NoAnswer("Star Wars: the log names no event")


def drop(s: State, question: Prompt, pool: Pool, entry: log.Entry) -> Picks:
    """Box 6 of the Space Race: a card that is discarded at the end of the turn."""
    for _, said in pool.unused(log.Discards):
        if said.side == question.seat and said.card in question.options:
            return (said.card,)
    return _only(question, NONE)


# --------------------------------------------------------------------------- dice


def die(s: State, step: Draw[State], pool: Pool) -> Picks:
    """The die that the log gives next for this kind of roll."""
    kinds: dict[type[Draw[State]], type[Any]] = {
        RollCoup: log.CoupRoll,
        RollWar: log.WarRoll,
        RollSpace: log.SpaceRoll,
        RollTrap: log.TrapRoll,
    }
    found = pool.near(kinds[type(step)])
    if found is None:
        raise NoAnswer(f"{type(step).__name__}: the log gives no die")
    return (_face(found[1].die, found[1].line),)


def _face(die: int, line: int) -> str:
    if not 1 <= die <= 6:
        raise NoAnswer(f"a die shows {die}", line)
    return str(die)


def pair(s: State, step: Draw[State], pool: Pool) -> Picks:
    """Both dice of a realignment."""
    rolls = {side: pool.near(log.RealignmentRoll, rolled_by(side)) for side in (US, USSR)}
    us, ussr = rolls[US], rolls[USSR]
    if us is None or ussr is None:
        raise NoAnswer("RollRealignment: the log does not give both dice")
    return (_face(us[1].die, us[1].line) + _face(ussr[1].die, ussr[1].line),)


def contest(s: State, step: Draw[State], pool: Pool) -> Picks:
    """Olympic Games, Summit: logs give no dice, only who gains 2 points; any pair with that outcome."""
    gained = pool.near(log.Score, lambda said: said.by == 2)
    winner = gained[1].side if gained else None
    for option in step.options(s, CHANCE):
        decision = kernel.decide(s, Answer(CHANCE, (option,)))
        rolled_again = step in decision.table.agenda  # tied Olympic Games: no log tells how often
        decided = (fact for fact in decision.facts if isinstance(fact, ContestRolled))
        if not rolled_again and any(fact.winner == winner for fact in decided):
            return (option,)
    raise NoAnswer("Contest: no pair of dice gives the outcome that the log states")


ANSWERS: dict[type[Step[State]], Callable[[State, Prompt, Pool, log.Entry], Picks]] = {
    ChooseHeadline: headline,
    PlayCard: play,
    PlayTaken: taken,
    Operate: operate,
    PlaceInfluence: place,
    Coup: coup,
    Realign: realign,
    AddEach: each,
    RemoveEach: each,
    Double: each,
    Spread: one_by_one,
    PlaceFree: one_by_one,
    Drain: one_by_one,
    Relocate: one_by_one,
    PlaceExtra: one_by_one,
    Choose: choose,
    DropCard: drop,
}
DICE: dict[type[Step[State]], Callable[[State, Draw[State], Pool], Picks]] = {
    RollCoup: die,
    RollWar: die,
    RollSpace: die,
    RollTrap: die,
    RollRealignment: pair,
    Contest: contest,
}
