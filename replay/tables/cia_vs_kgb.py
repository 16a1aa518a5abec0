"""The tables of Cold War: CIA vs. KGB: their columns, and the rows of a match.

First the descriptions, then the readers, one for each kind of fact that leaves rows.  The influence of the
sides is in `cvk_groups`, because it is the sum of their groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from domain.cia_vs_kgb import GAME
from domain.cia_vs_kgb.components import AGENTS, GROUPS, OBJECTIVES
from domain.cia_vs_kgb.facts import decks, outcome, preparation, struggle
from domain.cia_vs_kgb.rules import SEATS, influence, score
from domain.cia_vs_kgb.state import State
from domain.kernel import HIDDEN, Seat
from domain.match import Match
from domain.piles import Cards, Pile
from replay.tables.line import STATE_HASH, WHERE, Applied, Move, RowBuilder, line, mean, public_hash
from replay.tables.schema import Column, Rows, Table, Type

NAMES = GAME.texts["en"].names
GROUP_PLACES = {"deck": 0, "cia": 1, "kgb": 2, "discards": 3}
"""How the columns `at_` of a group write its place."""
OBJECTIVE_PLACES = {"deck": 0, "contested": 1, "cia": 2, "kgb": 3, "spent": 4}
"""How the columns `at_` of an objective write its place."""
AGENT_PLACES = {"headquarters": 0, "sent": 1, "exposed": 2, "leave": 3, "fallen": 4}
"""How the columns of the agents write their places."""
_IN_DECK = dict.fromkeys(GROUPS, GROUP_PLACES["deck"])
_NOT_TURNED_UP = dict.fromkeys(OBJECTIVES, OBJECTIVE_PLACES["deck"])

STRUGGLE = "influence_struggle"

# --------------------------------------------------------------------------- columns

TURN = Column("turn", "UTINYINT", "The turn; 0 before the first one.")
PHASE = Column("phase", "VARCHAR", "The phase of the turn: briefing, planning, influence_struggle, …")
WHEN = (*WHERE, TURN, PHASE)


def _each(name: str, type: Type, meaning: str, unit: str = "") -> tuple[Column, ...]:
    """A column for each side; `{side}` in the meaning becomes its name."""
    return tuple(Column(f"{name}_{side}", type, meaning.format(side=NAMES[side]), unit) for side in SEATS)


def _table(name: str, meaning: str, *columns: Column, order: tuple[str, ...] = ()) -> Table:
    return Table(f"cvk_{name}", GAME.name, meaning, columns, order)


POSITIONS = _table(
    "positions",
    "A position: at the start of a phase, before each action, at the end of a turn and of the match.",
    *WHEN,
    Column("kind", "VARCHAR", "Which position it is: phase, action, turn_end or end."),
    Column("seat", "VARCHAR", "The side that acts next; missing if it is no action."),
    Column("objective", "VARCHAR", "The contested objective; missing if there is none."),
    Column("stability", "UTINYINT", "The stability of the objective: no side may exceed it.", "influence"),
    Column("population", "UTINYINT", "The population of the objective: the most groups of a side.", "groups"),
    Column("balance", "VARCHAR", "The side that holds the balance token."),
    Column("token", "VARCHAR", "The side whose domination token lies on the objective."),
    Column(
        "prevailed", "VARCHAR", "The side that prevailed at the latest Cease-fire; missing if neither did."
    ),
    *_each("score", "SMALLINT", "The victory points of {side} (book 004, 6 Detente and victory).", "points"),
    *_each("won", "UTINYINT", "The objectives that {side} has.", "cards"),
    *_each("influence", "UTINYINT", "The influence of {side}: the sum of its groups.", "influence"),
    *_each("groups", "UTINYINT", "The groups of {side}.", "groups"),
    *_each("ready", "UTINYINT", "The groups of {side} that are not mobilized.", "groups"),
    *_each("free_agents", "UTINYINT", "The agents of {side} at headquarters, Agent X included.", "agents"),
    Column("objectives", "UTINYINT", "The cards in the objective deck.", "cards"),
    Column("deck", "UTINYINT", "The cards in the group deck.", "cards"),
    Column("discards", "UTINYINT", "The groups in the discard pile.", "cards"),
    *(
        Column(f"at_{group}", "UTINYINT", f"Where {NAMES[group]} is: 0 deck, 1 CIA, 2 KGB, 3 discard pile.")
        for group in GROUPS
    ),
    *(
        Column(
            f"at_{objective}",
            "UTINYINT",
            f"Where {NAMES[objective]} is: 0 deck, 1 contested, 2 won by the CIA, 3 won by the KGB, 4 out of"
            " the game.",
        )
        for objective in OBJECTIVES
    ),
    *(
        Column(
            f"{side}_{agent}",
            "UTINYINT",
            f"Where the {NAMES[agent]} of the {NAMES[side]} is: 0 headquarters, 1 sent face down, 2 revealed,"
            " 3 on leave, 4 terminated.",
        )
        for side in SEATS
        for agent in AGENTS
    ),
    STATE_HASH,
    order=("turn",),
)

MOVED = _table(
    "groups",
    "A movement or a turning of a group, with the influence of both sides after it.",
    *WHEN,
    Column("seat", "VARCHAR", "The side that did it; missing if the rules did."),
    Column("group", "VARCHAR", "The group."),
    Column("faction", "VARCHAR", "Its faction: military, economic, political or media."),
    Column("influence", "UTINYINT", "Its printed influence.", "influence"),
    Column(
        "what",
        "VARCHAR",
        "What happened: recruited, discarded (from the deck), destroyed, stolen, given, mobilized, readied or"
        " reshuffled.",
    ),
    Column(
        "how",
        "VARCHAR",
        "How: draw or media (recruited from the deck), live_benefit, military, nuclear_escalation, economic,"
        " political, power (it used its own) or briefing.",
    ),
    Column("origin", "VARCHAR", "Where it was: deck, discards, cia or kgb."),
    Column("destination", "VARCHAR", "Where it is: deck, discards, cia or kgb."),
    *_each("influence", "UTINYINT", "The influence of {side} after it.", "influence"),
)

DRAWS = _table(
    "draws",
    "A card or side that chance picked; in a branch, since it began.",
    *WHEN,
    Column(
        "kind",
        "VARCHAR",
        "What was drawn: objective (turned up), bottom (claimed by a Director), group (recruited), seen (a"
        " group that a player looked at), race (an objective that a player looked at) or balance.",
    ),
    Column("seat", "VARCHAR", "The side that drew; missing if the draw is for both."),
    Column("item", "VARCHAR", "What was drawn."),
    Column("of", "UTINYINT", "From how many it was drawn; several drawn together count from the same deck."),
    Column(
        "value", "UTINYINT", "The influence of a group, or the points of an objective; missing for a side."
    ),
    Column("value_expected", "DOUBLE", "The mean of that number over all cards that could be drawn."),
)

CARDS = _table(
    "cards",
    "A movement of an objective.",
    *WHEN,
    Column("card", "VARCHAR", "The objective."),
    Column("seat", "VARCHAR", "The side that won, used, saw or arranged it; missing elsewhere."),
    Column(
        "what",
        "VARCHAR",
        "What happened: turned_up, won, won_bottom (a Director), used (an event, which leaves the game),"
        " buried (under its deck), seen or arranged (Space Race).",
    ),
    Column(
        "how", "VARCHAR", "Why it was won or buried: token, disorder, master_spy, assassin, complete_tie."
    ),
    Column("points", "TINYINT", "The points that its side gains, below 0 if it loses them.", "points"),
    Column("score", "SMALLINT", "The score of that side after it.", "points"),
)

CONTESTED = _table(
    "objectives",
    "A turn: the objective that was contested, and what became of it.",
    *WHEN,
    Column("objective", "VARCHAR", "The objective."),
    Column("kind", "VARCHAR", "What it is: nation or event."),
    Column("points", "UTINYINT", "Its points.", "points"),
    Column("stability", "UTINYINT", "Its stability.", "influence"),
    Column("population", "UTINYINT", "Its population.", "groups"),
    Column("balance", "VARCHAR", "The side that held the balance token."),
    Column("first", "VARCHAR", "The side that acted first; missing if the turn did not get so far."),
    Column("actions", "UTINYINT", "The actions of the Influence Struggle, passes included.", "actions"),
    *_each(
        "influence", "UTINYINT", "The influence of {side} at the Cease-fire; missing before it.", "influence"
    ),
    *_each("groups", "UTINYINT", "The groups of {side} at the Cease-fire; missing before it.", "groups"),
    *_each("disorder", "BOOLEAN", "Whether {side} exceeded the stability; missing before the Cease-fire."),
    *_each("agent", "VARCHAR", "The Agent X of {side}; missing if it sent none."),
    Column("token", "VARCHAR", "The side that placed its domination token; missing if neither did."),
    Column("decided", "VARCHAR", "What decided: influence, icon, disorder, balance or complete_tie."),
    Column("winner", "VARCHAR", "The side that won the objective; missing if it was buried."),
    Column(
        "how", "VARCHAR", "Why it was won or buried: token, disorder, master_spy, assassin, complete_tie."
    ),
    *_each("gained", "SMALLINT", "The points that {side} gained or lost in the turn.", "points"),
)

AGENTS_MOVED = _table(
    "agents",
    "What happens to an agent.",
    *WHEN,
    Column("seat", "VARCHAR", "The side of the agent."),
    Column("agent", "VARCHAR", "The agent; missing if the side has none to send."),
    Column(
        "what",
        "VARCHAR",
        "What happened: sent (as Agent X, face down), none (to send), revealed, home, leave, terminated,"
        " revived, returned (from leave) or promised (to act in the next turn).",
    ),
    Column(
        "why",
        "VARCHAR",
        "Why: debriefing, disorder, detente, double_agent, assassin, summit_meeting, nobel_peace_prize,"
        " watch or analyst.",
    ),
)

ACTIONS = _table(
    "actions",
    "An action of the Influence Struggle (book 004, 3).",
    *WHEN,
    Column("number", "SMALLINT", "The number of the action in the turn, from 1."),
    Column("seat", "VARCHAR", "The side that acted."),
    Column("action", "VARCHAR", "What it did: recruit, activate, pass or event."),
    Column("card", "VARCHAR", "The group that it activated, or the event that it used; missing elsewhere."),
    *_each("influence", "UTINYINT", "The influence of {side} before it.", "influence"),
)

TABLES: tuple[Table, ...] = (
    POSITIONS,
    MOVED,
    DRAWS,
    CARDS,
    CONTESTED,
    AGENTS_MOVED,
    ACTIONS,
)
"""The tables of the game."""


def rows(match: Match) -> Rows:
    """The rows of one match, for each of `TABLES`; hidden values are missing while the match is not over."""
    reading = _Reading(match)
    for move in line(match):
        reading.take_move(move)
    reading.complete(ended=match.closed is not None)
    return reading.build.rows


class _Reading:
    """The rows so far, and what waits for later facts.

    `turn`: the values of the row of `objectives` that is not complete.  `actions`: how many this turn has.
    `drawn`: what chance picked in this move.
    `power`: the faction whose power was used last; that of the media ends with the group on top of the deck.
    """

    def __init__(self, match: Match) -> None:
        self.build = RowBuilder(match, TABLES)
        self.last: Applied | None = None
        self.turn: tuple[Applied, dict[str, Any]] | None = None
        self.actions = 0
        self.power = ""
        self.drawn: frozenset[str] = frozenset()

    def take_move(self, move: Move) -> None:
        """Make the rows of a move, and that of the position in which it asks for an action."""
        self.drawn = move.drawn
        for at in move.facts:
            for read in _READERS.get(type(at.fact), ()):
                read(self, at)
            self.last = at
        if move.asked == "Act" and self.last is not None:
            _position(self, self.last, "action", move.seats[0])

    def note(self, table: str, at: Applied, **values: Any) -> None:
        """A row about a fact, with the time of the game at which it happened."""
        self.build.note(f"cvk_{table}", at, _when(at.before), **values)

    def complete(self, *, ended: bool) -> None:
        """Make the row that waits, and, if the match is over, that of its last position."""
        _close_turn(self)
        if ended and self.last is not None:
            _position(self, self.last, "end")


def _when(s: State) -> dict[str, Any]:
    return {"turn": s.turn, "phase": s.phase or None}


def _sums(s: State) -> dict[str, int]:
    return {f"influence_{side}": influence(s, side) for side in SEATS}


# --------------------------------------------------------------------------- positions


def _position(r: _Reading, at: Applied, kind: str, seat: Seat | None = None) -> None:
    s: State = at.after
    objective = OBJECTIVES[s.objective] if s.objective else None
    row = (
        *(r.build.match, at.move, at.place, s.turn, s.phase or None, kind, seat),
        s.objective,
        objective.stability if objective else None,
        objective.population if objective else None,
        *(s.balance, s.token, s.prevailed),
        *map(score(s).get, SEATS),
        *(len(s.won[side]) for side in SEATS),
        *(influence(s, side) for side in SEATS),
        *(len(s.recruited[side]) for side in SEATS),
        *(len([group for group in s.recruited[side] if group not in s.mobilized]) for side in SEATS),
        *(len(s.headquarters[side]) for side in SEATS),
        *(s.objectives.size, s.groups.size, len(s.discards)),
        *_groups(s),
        *_objectives(s),
        *_agents(s),
        public_hash(_public(s)),
    )
    r.build.put("cvk_positions", row)


def _groups(s: State) -> Iterable[int]:
    """Where each group is."""
    found = {**_IN_DECK, **dict.fromkeys(s.discards, GROUP_PLACES["discards"])}
    for side in SEATS:
        found |= dict.fromkeys(s.recruited[side], GROUP_PLACES[side])
    return found.values()


def _objectives(s: State) -> Iterable[int]:
    """Where each objective is."""
    found = {**_NOT_TURNED_UP, **dict.fromkeys(s.spent, OBJECTIVE_PLACES["spent"])}
    for side in SEATS:
        found |= dict.fromkeys(s.won[side], OBJECTIVE_PLACES[side])
    if s.objective:
        found[s.objective] = OBJECTIVE_PLACES["contested"]
    return found.values()


def _agents(s: State) -> Iterator[int | None]:
    """Where each agent is; while an agent that was sent is hidden, those at headquarters are unknown."""
    for side in SEATS:
        sent = s.sent.get(side)
        found: dict[str, int | None] = dict.fromkeys(AGENTS)
        if sent != HIDDEN:
            found |= dict.fromkeys(s.headquarters[side], AGENT_PLACES["headquarters"])
        if sent and sent != HIDDEN:
            found[sent] = AGENT_PLACES["sent"]
        if side in s.exposed:
            found[s.exposed[side]] = AGENT_PLACES["exposed"]
        found |= dict.fromkeys(s.leave[side], AGENT_PLACES["leave"])
        found |= dict.fromkeys(s.fallen[side], AGENT_PLACES["fallen"])
        yield from found.values()


def _public(s: State) -> dict[str, Any]:
    """What both sides see, from which the hash of a position is made."""
    return {
        "turn": [s.turn, s.phase, s.objective, s.balance, s.token, s.prevailed],
        "promises": dict(sorted(s.promises.items())),
        "won": s.won,
        "spent": s.spent,
        "groups": [s.recruited, s.mobilized, s.discards, s.groups.size, s.objectives.size],
        "agents": [s.exposed, s.leave, s.fallen, sorted(s.sent)],
    }


# --------------------------------------------------------------------------- groups


def _group(
    r: _Reading, at: Applied, group: str, what: str, how: str, origin: str, to: str, seat: Seat | None
) -> None:
    face = {"faction": GROUPS[group].faction, "influence": GROUPS[group].influence}
    places = {"origin": origin, "destination": to, **_sums(at.after)}
    r.note("groups", at, seat=seat, group=group, what=what, how=how, **face, **places)


def _recruited(r: _Reading, at: Applied) -> None:
    """The top group joins a side: by a draw if its place in the deck was not fixed."""
    fact: decks.GroupRecruited = at.fact
    pile: Pile = at.before.groups
    if not pile.top and pile.loose:
        _drawn(r, at, "group", (fact.group,), pile, fact.seat)
    if r.power == "media":
        r.power = ""
        _group(r, at, fact.group, "recruited", "media", "deck", fact.seat, fact.seat)
        return
    _acted(r, at, "recruit")
    _group(r, at, fact.group, "recruited", "draw", "deck", fact.seat, fact.seat)


def _top_discarded(r: _Reading, at: Applied) -> None:
    fact: decks.TopDiscarded = at.fact
    r.power = ""
    _group(r, at, fact.group, "discarded", "media", "deck", "discards", fact.seat)


def _discard_recruited(r: _Reading, at: Applied) -> None:
    fact: struggle.DiscardRecruited = at.fact
    _group(r, at, fact.group, "recruited", "live_benefit", "discards", fact.seat, fact.seat)


def _activated(r: _Reading, at: Applied) -> None:
    fact: struggle.GroupActivated = at.fact
    _acted(r, at, "activate", fact.group)
    r.power = GROUPS[fact.group].faction
    _group(r, at, fact.group, "mobilized", "power", fact.seat, fact.seat, fact.seat)


def _turned(r: _Reading, at: Applied) -> None:
    fact: struggle.GroupTurned = at.fact
    what = "mobilized" if fact.now == "mobilized" else "readied"
    _group(r, at, fact.group, what, "economic", fact.owner, fact.owner, fact.seat)


def _destroyed(r: _Reading, at: Applied) -> None:
    fact: struggle.GroupDestroyed = at.fact
    _group(r, at, fact.group, "destroyed", fact.why, fact.owner, "discards", fact.seat)


def _transferred(r: _Reading, at: Applied) -> None:
    fact: struggle.GroupTransferred = at.fact
    what = "stolen" if fact.how == "steal" else "given"
    _group(r, at, fact.group, what, "political", fact.giver, fact.taker, fact.seat)


def _reshuffled(r: _Reading, at: Applied) -> None:
    """Every group that is not in the deck goes back there."""
    s: State = at.before
    places = {"discards": s.discards, **s.recruited}
    for origin, groups in places.items():
        for group in groups:
            _group(r, at, group, "reshuffled", "briefing", origin, "deck", None)


# --------------------------------------------------------------------------- draws


def _drawn(r: _Reading, at: Applied, kind: str, items: Cards, pile: Pile, seat: Seat | None) -> None:
    """Those of `items` that chance picked in this match, from the loose cards of a deck."""
    expected = mean([_number(item) for item in pile.cards])
    for item in items:
        if item in r.drawn:
            of = {"of": pile.loose, "value": _number(item), "value_expected": expected}
            r.note("draws", at, kind=kind, seat=seat, item=item, **of)


def _number(card: str) -> int:
    return GROUPS[card].influence if card in GROUPS else OBJECTIVES[card].points


def _seen(kind: str, deck: str) -> _Reader:
    """A reader of a look at the top of a deck, which draws the cards whose places are not fixed."""

    def read(r: _Reading, at: Applied) -> None:
        pile: Pile = getattr(at.before, deck)
        cards: Cards = getattr(at.fact, deck)
        drawn = cards[len(pile.top) : len(pile.top) + pile.loose]
        if drawn:
            _drawn(r, at, kind, drawn, pile, at.fact.seat)
        if deck == "objectives":
            for card in cards:
                r.note("cards", at, card=card, seat=at.fact.seat, what="seen")

    return read


def _balance(r: _Reading, at: Applied) -> None:
    fact: preparation.BalanceGiven = at.fact
    if fact.why == "draw" and fact.seat in r.drawn:
        r.note("draws", at, kind="balance", item=fact.seat, of=len(SEATS))
    _in_turn(r, balance=fact.seat)


# --------------------------------------------------------------------------- objectives


def _turned_up(r: _Reading, at: Applied) -> None:
    fact: decks.ObjectiveTurnedUp = at.fact
    pile: Pile = at.before.objectives
    if not pile.top and pile.loose:
        _drawn(r, at, "objective", (fact.objective,), pile, None)
    r.note("cards", at, card=fact.objective, what="turned_up")
    _close_turn(r)
    card = OBJECTIVES[fact.objective]
    face = {"stability": card.stability, "population": card.population, "points": card.points}
    gains = {f"gained_{side}": 0 for side in SEATS}
    values = {"objective": card.id, "kind": card.kind, **face, **gains}
    r.turn, r.actions = (at, values), 0


def _in_turn(r: _Reading, **values: Any) -> None:
    if r.turn is not None:
        r.turn[1].update(values)


def _close_turn(r: _Reading) -> None:
    if r.turn is not None:
        at, values = r.turn
        r.note("objectives", at, **values, actions=r.actions)
        r.turn = None


def _card(r: _Reading, at: Applied, card: str, what: str, points: int, total: int, how: str | None) -> None:
    seat = at.fact.seat
    r.note("cards", at, card=card, seat=seat, what=what, how=how, points=points, score=total)
    if r.turn is not None:
        r.turn[1][f"gained_{seat}"] += points


def _claimed(r: _Reading, at: Applied) -> None:
    fact: outcome.ObjectiveClaimed = at.fact
    _card(r, at, fact.objective, "won", fact.points, fact.total, fact.why)
    _in_turn(r, winner=fact.seat, how=fact.why)


def _bottom_claimed(r: _Reading, at: Applied) -> None:
    fact: decks.BottomClaimed = at.fact
    pile: Pile = at.before.objectives
    if not pile.bottom and pile.loose:
        _drawn(r, at, "bottom", (fact.objective,), pile, fact.seat)
    _card(r, at, fact.objective, "won_bottom", fact.points, fact.total, "director")


def _event_used(r: _Reading, at: Applied) -> None:
    fact: struggle.EventUsed = at.fact
    if at.before.phase == STRUGGLE:
        _acted(r, at, "event", fact.event)
    _card(r, at, fact.event, "used", -fact.points, fact.total, None)


def _buried(r: _Reading, at: Applied) -> None:
    fact: decks.ObjectiveBuried = at.fact
    r.note("cards", at, card=fact.objective, what="buried", how=fact.why)
    _in_turn(r, how=fact.why)


def _arranged(r: _Reading, at: Applied) -> None:
    for card in at.fact.objectives:
        r.note("cards", at, card=card, seat=at.fact.seat, what="arranged")


def _counted(r: _Reading, at: Applied) -> None:
    """The Cease-fire: influence against stability."""
    fact: outcome.InfluenceCounted = at.fact
    s: State = at.before
    for side, sum_ in (("cia", fact.cia), ("kgb", fact.kgb)):
        counts = {f"influence_{side}": sum_, f"groups_{side}": len(s.recruited[side])}
        _in_turn(r, **counts, **{f"disorder_{side}": False})


def _disorder(r: _Reading, at: Applied) -> None:
    _in_turn(r, **{f"disorder_{at.fact.seat}": True})


def _token_placed(r: _Reading, at: Applied) -> None:
    _in_turn(r, token=at.fact.seat, decided=at.fact.why)


def _nobody_prevailed(r: _Reading, at: Applied) -> None:
    _in_turn(r, decided=at.fact.why)


def _first_chosen(r: _Reading, at: Applied) -> None:
    _in_turn(r, first=at.fact.first)


# --------------------------------------------------------------------------- actions, agents


def _acted(r: _Reading, at: Applied, action: str, card: str | None = None) -> None:
    r.actions += 1
    r.power = ""
    r.note("actions", at, number=r.actions, seat=at.fact.seat, action=action, card=card, **_sums(at.before))


def _passed(r: _Reading, at: Applied) -> None:
    _acted(r, at, "pass")


def _top_left(r: _Reading, at: Applied) -> None:
    r.power = ""


def _agent(what: str) -> _Reader:
    """A reader of one thing that happens to an agent."""

    def read(r: _Reading, at: Applied) -> None:
        fact = at.fact
        agent, why = getattr(fact, "agent", None), getattr(fact, "why", None)
        r.note("agents", at, seat=fact.seat, agent=agent, what=what, why=why)
        if what == "sent":
            _in_turn(r, **{f"agent_{fact.seat}": agent if agent != HIDDEN else None})
        elif what == "revealed":
            _in_turn(r, **{f"agent_{fact.seat}": agent})

    return read


def _leave_ended(r: _Reading, at: Applied) -> None:
    for agent in at.fact.agents:
        r.note("agents", at, seat=at.fact.seat, agent=agent, what="returned")


def _promised(r: _Reading, at: Applied) -> None:
    fact: outcome.PromiseMade = at.fact
    agent = "double_agent" if fact.promise == "watch" else fact.promise
    r.note("agents", at, seat=fact.seat, agent=agent, what="promised", why=fact.promise)


def _phase(r: _Reading, at: Applied) -> None:
    _position(r, at, "phase")


def _turn_ended(r: _Reading, at: Applied) -> None:
    _position(r, at, "turn_end")


_Reader = Callable[[_Reading, Applied], None]

_READERS: dict[type[Any], tuple[_Reader, ...]] = {
    decks.BottomClaimed: (_bottom_claimed,),
    decks.GroupRecruited: (_recruited,),
    decks.GroupsReshuffled: (_reshuffled,),
    decks.GroupsSeen: (_seen("seen", "groups"),),
    decks.ObjectiveBuried: (_buried,),
    decks.ObjectiveTurnedUp: (_turned_up,),
    decks.ObjectivesArranged: (_arranged,),
    decks.ObjectivesSeen: (_seen("race", "objectives"),),
    decks.TopDiscarded: (_top_discarded,),
    outcome.AgentRevived: (_agent("revived"),),
    outcome.AgentTerminated: (_agent("terminated"),),
    outcome.AgentWentHome: (_agent("home"),),
    outcome.AgentWentOnLeave: (_agent("leave"),),
    outcome.DisorderBroke: (_disorder,),
    outcome.InfluenceCounted: (_counted,),
    outcome.NobodyPrevailed: (_nobody_prevailed,),
    outcome.ObjectiveClaimed: (_claimed,),
    outcome.PromiseMade: (_promised,),
    outcome.TokenPlaced: (_token_placed,),
    outcome.TurnEnded: (_turn_ended,),
    preparation.AgentRevealed: (_agent("revealed"),),
    preparation.AgentSent: (_agent("sent"),),
    preparation.BalanceGiven: (_balance,),
    preparation.LeaveEnded: (_leave_ended,),
    preparation.NobodySent: (_agent("none"),),
    preparation.PhaseBegan: (_phase,),
    struggle.DiscardRecruited: (_discard_recruited,),
    struggle.EventUsed: (_event_used,),
    struggle.FirstChosen: (_first_chosen,),
    struggle.GroupActivated: (_activated,),
    struggle.GroupDestroyed: (_destroyed,),
    struggle.GroupTransferred: (_transferred,),
    struggle.GroupTurned: (_turned,),
    struggle.Passed: (_passed,),
    struggle.TopLeft: (_top_left,),
}
"""What reads each kind of fact; the other kinds leave no rows of their own."""
