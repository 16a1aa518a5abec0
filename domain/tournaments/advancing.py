"""The rules about who goes on: from a tied contest, to the next stage, and between the divisions of a league.

Standings come from outside, as ranked entrants; here is decided what follows from them.  Who went on stays,
whatever a corrected result would say later: the next stage is played by those who are in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments import events as e
from domain.tournaments.drafts import PLAY_OFF, place_of
from domain.tournaments.formats.bracket import Contest
from domain.tournaments.formats.cut import Cut, Ranked, cut, settled
from domain.tournaments.formats.league import Moves, moves
from domain.tournaments.formats.stages import qualified
from domain.tournaments.judging import Actor, Given, entrant_in, must_be_director, must_go_on, on
from domain.tournaments.log import New
from domain.tournaments.rounds import must_be_done
from domain.tournaments.state import Tournament
from domain.tournaments.terms import must_be_plain, stages_of

BY_PLACE, BY_PLAY_OFF = "place", PLAY_OFF
DECISION = "decision: "  # with it begins the rule of an entry that the director decided
_POINTS = {"1-0": (2, 0), "+-": (2, 0), "0-1": (0, 2), "-+": (0, 2), "½": (1, 1)}


@on(c.Advance)
def advance(s: Tournament, command: c.Advance, actor: Actor, given: Given) -> list[New]:
    """The director lets those go on who have qualified; what stands level, they decide with a reason."""
    must_be_director(s, actor)
    must_go_on(s)
    must_be_plain({"reason": command.reason})
    for name in command.decided:
        entrant_in(s, name)
    if command.decided and not command.reason.strip():
        raise Refused("invalid", "decided-without-reason")
    if s.terms.league:
        return _between_divisions(s, command, given.ranked)
    if command.decided and s.stage > 1 and len(s.rounds) < s.first_of_stage:
        return [_added(s, name, DECISION + command.reason) for name in command.decided]
    if command.decided and s.bracket is not None and not s.bracket.champion:
        return [_decided(s, name, DECISION + command.reason) for name in command.decided]
    if s.is_last_stage:
        raise Refused("boards", "nobody-goes-on")
    return _to_next_stage(s, command, given.ranked)


def due(s: Tournament, ranked: Sequence[Sequence[Ranked]]) -> list[New]:
    """Return the entries of those who would go on now, without a decision of the director.

    Raises:
        Refused: unfinished, boards, late; see `advance`.
    """
    if s.terms.league:
        return _between_divisions(s, c.Advance(), ranked)
    if s.is_last_stage:
        return []
    return _to_next_stage(s, c.Advance(), ranked)


# ── Knock-out ──


def _decided(s: Tournament, name: str, reason: str) -> New:
    """Who goes on from a contest, by a decision.  Raises Refused: not-entered, late."""
    found = s.bracket
    contest = found.contest_of(name) if found else None
    if found is None or contest is None or len(contest.entrants) < 2:
        raise Refused("not-entered", "no-contest-of", {"entrant": name})
    known = [one for had in found.rounds for one in had if name in one.entrants and _is_open(s, one)]
    if not known:
        raise Refused("late", "contest-over", {"entrant": name})
    one = known[0]
    to = f"stage/{s.stage}/round/{one.round + 1}"
    return New(e.Qualified, {"entrant": name, "origin": place_of(s, one), "to": to, "rule": reason})


def _is_open(s: Tournament, contest: Contest) -> bool:
    """May a decision change who goes on?  Not while a game runs, nor after the next round was published."""
    found = s.bracket
    last = s.round
    if found is None or len(contest.entrants) < 2 or (contest.pending and last and last.status != "closed"):
        return False
    following = [one for had in found.rounds for one in had if one.round > contest.round and one.games]
    published = [one for one in following if s.playing.rounds[one.games[0].round - 1].status != "paired"]
    return not published


# ── Stages ──


def must_be_over(s: Tournament) -> None:
    """Check that the rounds of the latest stage are played.  Raises Refused: unfinished."""
    last = s.round
    if last is None or last.number < s.last_round or last.number < s.first_of_stage:
        raise Refused("unfinished", "rounds-left", {"round": len(s.rounds), "rounds": s.last_round})
    must_be_done(s, last)


def _to_next_stage(s: Tournament, command: c.Advance, ranked: Sequence[Sequence[Ranked]]) -> list[New]:
    must_be_over(s)
    size = stages_of(s.terms)[s.stage].entrants
    gone = [one.id for one in s.entrants.values() if not one.takes_part]
    before = qualified(ranked[0] if ranked else (), size, gone)
    line = _settled(before, command)
    if len(line.certain) < 2:
        raise Refused("boards", "too-few-go-on")
    to = f"stage/{s.stage + 1}"
    return [
        New(
            e.Qualified,
            {
                "entrant": name,
                "origin": f"stage/{s.stage}/place/{place}",
                "to": to,
                "rule": DECISION + command.reason if name in before.contested else BY_PLACE,
            },
        )
        for place, name in enumerate(line.certain, 1)
    ]


def _settled(line: Cut, command: c.Advance) -> Cut:
    """The line, with what the director decides of its contested places.  Raises Refused: unfinished."""
    if not line.contested:
        return line
    chosen = [name for name in command.decided if name in line.contested]
    if len(chosen) != line.left:
        names = list(line.contested)
        raise Refused("unfinished", "place-contested", {"entrants": names, "left": line.left})
    return settled(line, chosen)


def _added(s: Tournament, name: str, reason: str) -> New:
    """A place that the director adds to a stage that has not begun.  Raises Refused: entered."""
    if name in s.begun[-1].entrants:
        raise Refused("entered", "qualified-already", {"entrant": name})
    to = f"stage/{s.stage}"
    return New(e.Qualified, {"entrant": name, "origin": "decision", "to": to, "rule": reason})


# ── League ──


def lines_of(s: Tournament, ranked: Sequence[Sequence[Ranked]]) -> tuple[Moves, ...]:
    """Return the lines through the standings of each division, with what play-offs settled."""
    found = standing_lines(s, ranked)
    return tuple(Moves(_played_off(s, one.up), _played_off(s, one.down)) for one in found)


def standing_lines(s: Tournament, ranked: Sequence[Sequence[Ranked]]) -> tuple[Moves, ...]:
    """Return the lines through the standings of each division, before any play-off."""
    league = s.terms.league
    assert league, "only a league has divisions"
    return moves(ranked, league.up, league.down)


def play_offs_of(s: Tournament, ranked: Sequence[Sequence[Ranked]]) -> tuple[tuple[str, ...], ...]:
    """Return those who share a place across a line, by line, before any play-off."""
    groups = [group for one in standing_lines(s, ranked) for group in one.play_offs]
    return tuple(dict.fromkeys(groups))


def _played_off(s: Tournament, line: Cut) -> Cut:
    """The line, if the play-offs of its contested entrants settle it."""
    points = dict.fromkeys(line.contested, 0)
    pairs = [pair for one in s.rounds[s.league_rounds :] for pair in one.pairs]
    played = [pair for pair in pairs if pair[0].w in points and pair[0].b in points]
    if not played:
        return line
    for pair in played:
        w, b = _POINTS.get(s.result_of(pair), (0, 0))
        points[pair[0].w] += w
        points[pair[0].b] += b
    order = sorted(points, key=lambda name: -points[name])
    ranked = [Ranked(1 + sum(other > points[name] for other in points.values()), name) for name in order]
    among = cut(ranked, line.left)
    if among.contested:
        return line
    return settled(line, among.certain)


def _between_divisions(s: Tournament, command: c.Advance, ranked: Sequence[Sequence[Ranked]]) -> list[New]:
    if s.moves:
        raise Refused("late", "moved-already")
    must_be_over(s)
    found = list[New]()
    lines = zip(standing_lines(s, ranked), lines_of(s, ranked), strict=True)
    for place, (first, line) in enumerate(lines, 1):
        # of a line above relegation the director names those who stay
        up, down = _settled(line.up, command), _settled(line.down, command)
        ways = {**_ways(first.up, line.up, command), **_ways(first.down, line.down, command)}
        found += _moved(e.Promoted, up.certain, (place, place - 1), ways)
        found += _moved(e.Relegated, down.others, (place, place + 1), ways)
    return found


def _ways(first: Cut, played: Cut, command: c.Advance) -> dict[str, str]:
    """By what the contested places of a line were decided, by entrant."""
    way = DECISION + command.reason if played.contested else BY_PLAY_OFF
    return dict.fromkeys(first.contested, way)


def _moved(
    kind: type[e.Promoted | e.Relegated],
    names: Iterable[str],
    divisions: tuple[int, int],
    ways: Mapping[str, str],
) -> list[New]:
    places = {"origin": f"division/{divisions[0]}", "to": f"division/{divisions[1]}"}
    return [New(kind, {"entrant": name, **places, "rule": ways.get(name, BY_PLACE)}) for name in names]
