"""The rounds that need no engine: round robin, knock-out, league, and such stages.

Each follows from the log alone; what it was made from is the input that the entry `paired` keeps.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from domain.game import OptionValue
from domain.games import GAMES
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.formats.bracket import Bracket, Contest, colours
from domain.tournaments.formats.knockout import LEAST as LEAST_SEEDS
from domain.tournaments.formats.knockout import MOST as MOST_SEEDS
from domain.tournaments.formats.knockout import MOST_GAMES
from domain.tournaments.formats.knockout import rounds as rounds_of_bracket
from domain.tournaments.formats.round_robin import LEAST, MOST, berger, double_berger
from domain.tournaments.state import Board, Tournament
from domain.tournaments.terms import BOTH, ENGINE_FORMATS, Terms

OUT, THROUGH, BYE = "out", "through", "bye"
"""Why an entrant has no board: out of the bracket or the stage, through already, or no opponent."""
DECIDER = "decider"  # the colour rule of the last game of a contest, for which the terms have options
PLAY_OFF = "play-off"
IMPORTED = "imported"  # what a pairing names as its engine that was made elsewhere
OWN_ENGINES = frozenset({"berger", "bracket", IMPORTED})  # by which pairings name what no engine paired here
ASKED_BYES = ("zero_bye", "half_bye", "full_bye")
"""Why an entrant with a bye has no board, by the half points that were asked for."""
Boards = tuple[tuple[str, str, str, str], ...]


def needs_engine(s: Tournament) -> bool:
    """Does an engine pair the next round?"""
    return s.playing.terms.format in ENGINE_FORMATS


def without_board(s: Tournament, round_number: int) -> dict[str, str]:
    """Return who is not to be paired in a round, and why: a kind of `domain.tournaments.crosstable`."""
    found: dict[str, str] = {}
    for one in s.numbered:
        if one.is_away(round_number) or not one.takes_part:
            found[one.id] = "absent"
        elif round_number in one.byes:
            found[one.id] = ASKED_BYES[one.byes[round_number]]
    return found


def drafted(s: Tournament, number: int, play_offs: Sequence[Sequence[str]] = ()) -> c.PairingDraft:
    """Return a round of a format that needs no engine.

    Args:
        play_offs: of a league whose rounds are over: those who share a place across a line, by line.

    Raises:
        Refused: boards, unfinished, late, terms.
    """
    s = replace(s, rounds=s.rounds[: number - 1])
    view = s.playing
    within = number - (s.first_of_stage - 1)
    match view.terms.format:
        case "knockout":
            draft = _knockout(view, within)
        case "league" if number > s.league_rounds:
            draft = _play_off(s, number, play_offs)
        case "league":
            draft = _league(s, number)
        case _:
            draft = _robin(view, within)
    if not draft.boards:
        raise Refused("boards", "nobody-to-pair")
    boards = on_both_sides(s.terms, draft.boards)
    return replace(draft, round=number, boards=boards, byes=in_tournament(s, boards, draft.byes))


def on_both_sides(terms: Terms, boards: Boards) -> Boards:
    """Return the boards of these pairs: each pair twice, the sides exchanged, if terms say so."""
    if terms.sides != BOTH:
        return boards
    return tuple(
        board for w, b, floats, rule in boards for board in ((w, b, floats, rule), (b, w, floats, rule))
    )


def pairs_of(terms: Terms, boards: Boards) -> Boards:
    """Return the first board of each pair.

    Raises:
        Refused: boards: a pair does not play both sides, though terms say so.
    """
    first = boards[::2] if terms.sides == BOTH else boards
    if on_both_sides(terms, first) != boards:
        raise Refused("boards", "not-both-sides")
    return first


def in_tournament(s: Tournament, boards: Sequence[Sequence[str]], byes: Mapping[str, str]) -> dict[str, str]:
    """Return the byes of a stage as those of the whole tournament: all others are out."""
    named = {name for board in boards for name in board[:2]} | byes.keys()
    return {**byes, **{one.id: OUT for one in s.numbered if one.id not in named}}


def _draft(
    number: int, engine: str, rules: str, text: str, boards: Boards, byes: Mapping[str, str]
) -> c.PairingDraft:
    return c.PairingDraft(
        round=number,
        engine=engine,
        version="1",
        rules=rules,
        input_sha256=hashlib.sha256(text.encode()).hexdigest(),
        input=text,
        boards=boards,
        byes=dict(byes),
    )


def options_of(terms: Terms, board: Board) -> dict[str, OptionValue]:
    """Return the options of a board's match: those of the terms, or those of a deciding game."""
    if board.colour_rule != DECIDER or not terms.contests.decider:
        return terms.options
    return GAMES[terms.game].settle(terms.edition, {**terms.options, **terms.contests.decider})[1]


# ── Round robin and league ──


def _robin(s: Tournament, number: int) -> c.PairingDraft:
    """A round of the Berger tables, without those who are away; their opponents are free."""
    boards, byes = _table(s, number)
    names = " ".join(one.id for one in s.numbered)
    text = f"berger {s.terms.cycles} {number}\n{names}\n"
    return _draft(number, "berger", "FIDE C.05, annex 1", text, boards, byes)


def _table(s: Tournament, number: int) -> tuple[Boards, dict[str, str]]:
    names = [one.id for one in s.numbered]
    if not LEAST <= len(names) <= MOST:
        raise Refused("boards", "table-size", {"least": LEAST, "most": MOST, "count": len(names)})
    tables = double_berger(len(names)) if s.terms.cycles == 2 else berger(len(names))
    if number > len(tables):
        raise Refused("late", "no-more-rounds", {"rounds": len(tables)})
    free = without_board(s, number)
    pairs = [(names[w - 1], names[b - 1]) for w, b in tables[number - 1].boards]
    boards = tuple((w, b, "", "berger") for w, b in pairs if w not in free and b not in free)
    named = {name for board in boards for name in board[:2]}
    left = {name: "pairing_bye" for name in names if name not in named and name not in free}
    return boards, free | left


def _league(s: Tournament, number: int) -> c.PairingDraft:
    """A round of each division; one whose rounds are over waits."""
    boards: list[tuple[str, str, str, str]] = []
    byes, text = dict[str, str](), f"league {s.terms.cycles} {number}\n"
    for place, names in enumerate(s.divisions, 1):
        if not LEAST <= len(names) <= MOST:
            about = {"division": place, "least": LEAST, "most": MOST, "count": len(names)}
            raise Refused("boards", "division-size", about)
        text += f"{' '.join(names)}\n"
        view = s.in_division(place)
        if number > (len(names) - 1 + len(names) % 2) * s.terms.cycles:
            byes |= dict.fromkeys(names, THROUGH)
            continue
        some, free = _table(view, number)
        boards += some
        byes |= free
    return _draft(number, "berger", "FIDE C.05, annex 1", text, tuple(boards), byes)


def _play_off(s: Tournament, number: int, lines: Sequence[Sequence[str]]) -> c.PairingDraft:
    """A round of the play-offs: a round robin of those who share a place across a line.

    Raises:
        Refused: late: there is none to be played.
    """
    boards: list[tuple[str, str, str, str]] = []
    for names in lines:
        tables, within = berger(len(names)), number - s.league_rounds
        if within <= len(tables):
            pairs = tables[within - 1].boards
            boards += [(names[w - 1], names[b - 1], "", PLAY_OFF) for w, b in pairs]
    if not boards:
        raise Refused("late", "no-more-rounds", {"rounds": len(s.rounds)})
    named = {name for board in boards for name in board[:2]}
    byes = {one.id: THROUGH for one in s.numbered if one.id not in named}
    text = f"play-off {number}\n" + "".join(f"{' '.join(names)}\n" for names in lines)
    return _draft(number, "berger", "FIDE C.05, annex 1", text, tuple(boards), byes)


# ── Knock-out ──


def _knockout(s: Tournament, number: int) -> c.PairingDraft:
    found = open_bracket(s)
    boards = tuple(_board(one) for one in found.current if one.follows is not None)
    named = {name for board in boards for name in board[:2]}
    byes = {one.id: _free(found, one.id) for one in s.numbered if one.id not in named}
    text = "".join(f"{line}\n" for line in _input(s, found, number))
    return _draft(number, "bracket", "docs/tournaments.md", text, boards, byes)


def open_bracket(s: Tournament) -> Bracket:
    """Return the bracket of a stage whose next games can be paired.

    Raises:
        Refused: boards: too few or too many seeds; terms: too few rounds; late: it is decided; unfinished.
    """
    count, found = len(s.numbered), s.bracket
    if found is None:
        raise Refused("boards", "bracket-size", {"least": LEAST_SEEDS, "most": MOST_SEEDS, "count": count})
    needed = rounds_of_bracket(count) * MOST_GAMES[s.terms.contests.best_of]
    if s.terms.rounds < needed:
        raise Refused("terms", "bracket-rounds", {"rounds": s.terms.rounds, "needed": needed})
    if not found.current:
        raise Refused("late", "no-more-rounds", {"rounds": len(s.rounds)})
    waiting = [one for one in found.current if one.pending or one.tied]
    if waiting:
        which = "contest-tied" if waiting[0].tied else "contest-unfinished"
        raise Refused("unfinished", which, {"w": waiting[0].better, "b": waiting[0].worse})
    return found


def _board(one: Contest) -> tuple[str, str, str, str]:
    assert one.follows is not None, "only an open contest has a next game"
    w, b = colours(one.follows, one.better, one.worse)
    rule = DECIDER if one.follows.by_bid else f"game {one.follows.number}"
    return w, b, "", rule


def _free(found: Bracket, name: str) -> str:
    """Why an entrant of a bracket has no board."""
    one = found.contest_of(name)
    if one is None or one.loser == name or (one.by and not one.winner):
        return OUT
    return BYE if one.by == "bye" and one.round == len(found.rounds) else THROUGH


def _input(s: Tournament, found: Bracket, number: int) -> Iterator[str]:
    yield f"bracket {s.terms.contests.best_of} {number}"
    yield " ".join(one.id for one in s.numbered)
    for had in found.rounds:
        for one in had:
            games = " ".join(f"{game.w}-{game.b}:{game.result}" for game in one.games)
            yield f"{one.round}.{one.index + 1} {one.better}-{one.worse} {one.winner} {games}".rstrip()


def going_on(s: Tournament) -> Iterable[tuple[str, str, str, str]]:
    """Yield who goes on from the contests that are decided and not written down: entrant, origin, to, by.

    They are those of the bracket rounds before the current one.
    """
    found = s.playing.bracket
    current = found.current if found else ()
    for one in _not_written(s):
        if current and one.round < current[0].round:
            yield _goes_on(s, one)


def winners(s: Tournament) -> Iterable[tuple[str, str, str, str]]:
    """Yield those of `going_on`, and who goes on from the contests of the current round that are decided.

    The winner of the final goes nowhere.
    """
    return (_goes_on(s, one) for one in _not_written(s) if one.by)


def _not_written(s: Tournament) -> Iterator[Contest]:
    """The contests but the final of which no entry says who goes on."""
    found = s.playing.bracket
    for had in found.rounds if found else ():
        yield from (one for one in had if len(had) > 1 and place_of(s, one) not in s.gone)


def _goes_on(s: Tournament, one: Contest) -> tuple[str, str, str, str]:
    return one.winner, place_of(s, one), f"stage/{s.stage}/round/{one.round + 1}", one.by


def place_of(s: Tournament, one: Contest) -> str:
    """Return how entries name a contest."""
    return f"stage/{s.stage}/round/{one.round}/meeting/{one.index + 1}"
