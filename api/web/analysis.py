"""The page that finds positions (`/find`), and the explorer of openings (`/explore`).

What they show comes from the data process; where there is none, a page says so in one sentence.  A mistake in
a search or a parameter is no error of the page: it is said beside the field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from msgspec import Struct
from starlette.responses import Response

from api.http.data_schemas import (
    ExplorerAnswer,
    HitSummary,
    OpeningMatches,
    PositionHit,
    PositionsAnswer,
    Sample,
    TimeSummary,
)
from api.http.game_words import words_address
from api.http.routes.lists import names_of
from api.http.routing import Call
from api.web.data_answers import (
    FEW,
    POOLS_OF_DATA,
    Asked,
    Rate,
    ask,
    chosen_in,
    games_of,
    not_offered,
    rate,
    words_of,
)
from api.web.shell import HasShell
from domain.games import GAMES
from domain.kernel import Refused
from replay.dataset.asking import place_of
from replay.dataset.explorer import LEAST, Node, openings
from replay.dataset.search import VOCABULARIES, parse
from replay.game_words import game_words, title_of
from replay.words import Words

HITS, MORE_HITS, MOST_HITS = "50", "1000", "10000"
_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
EXAMPLES = {
    "twilight_struggle": (
        "ussr controls iran and defcon = 2 and turn < 4",
        "kind = turn_end and turn = 3 and vp <= -10",
        "battlegrounds us asia >= 4 and us holds china",
        "played by ussr: de_stalinization and us in venezuela >= 2",
    ),
    "imperial_struggle": (
        "br controls ohio_forks and turn > 2",
        "flags fr india >= 4",
        "vp > 20 and turn = 3",
    ),
    "cia_vs_kgb": ("cia holds cuba and turn < 4", "influence kgb > 5", "kind = turn_end and score_cia >= 40"),
    "thirteen_minutes": ("us in cuba >= 2", "cubes us >= 9", "battle = 1 and hand us = 0"),
}


# ── /find ──


async def find_page(pages: HasShell, call: Call) -> Response:
    """Positions that a search describes, and how often the first seat won the matches that had one."""
    chosen = chosen_in(call, "game", "where", "pool", "first", "limit")
    game = chosen["game"] if chosen["game"] in VOCABULARIES else next(iter(VOCABULARIES))
    words = words_of(GAMES[game], call.language)
    wrong, at = "", 0
    found = Asked()
    if chosen["where"]:
        try:
            parse(game, chosen["where"])
        except Refused as refused:
            named = {**refused.values, "game": title_of(GAMES[game], call.language)}
            wrong = Refused(refused.kind, refused.id, named).text(call.language)
            at = place_of(refused)
    limit = MORE_HITS if chosen["limit"] == MORE_HITS else HITS
    asked = {**chosen, "game": game, "first": "1" if chosen["first"] else "", "limit": limit}
    if chosen["where"] and not wrong:
        found = await ask(call, "/v1/positions", asked, PositionsAnswer)
    elif not call.services.data.is_offered:
        found = Asked(away=not_offered(call))
    answer: PositionsAnswer | None = found.answer
    players = (
        {player for hit in answer.hits for player in hit.players.values() if player} if answer else set()
    )
    return pages.shell.page(
        call,
        "find.html",
        script="find",
        game=game,
        games=games_of(call, list(VOCABULARIES)),
        chosen=chosen,
        pointed=_pointed(chosen["where"], at),
        pools=POOLS_OF_DATA,
        examples=EXAMPLES[game],
        vocabulary=_vocabulary(game, words),
        away=found.away,
        wrong=wrong or found.wrong,
        at=at,
        answer=answer,
        sample=answer,
        summary=[_summary(one) for one in answer.summary] if answer else [],
        by_time=[_turn_line(one, asked) for one in answer.by_time] if answer else [],
        hits=[_hit(hit, words) for hit in answer.hits] if answer else [],
        seats=[words.name(seat) for seat in GAMES[game].seats],
        times=[(name, words.field(name) if words.knows(name) else "") for name in VOCABULARIES[game].time],
        turn=VOCABULARIES[game].turn,
        names=await names_of(call, sorted(players)),
        few=FEW,
        more="?" + urlencode({**_with_values(asked), "limit": MORE_HITS}) if limit == HITS else "",
        every="/v1/positions?" + urlencode({**_with_values(asked), "limit": MOST_HITS}),
        state={"at": at},
    )


def _with_values(chosen: Mapping[str, str]) -> dict[str, str]:
    """The parameters that have a value."""
    return {name: value for name, value in chosen.items() if value}


def _pointed(text: str, at: int) -> tuple[str, str, str]:
    """A search in three parts; the second is the word at a column, or a blank at the end."""
    before, rest = text[: at - 1], text[at - 1 :]
    word = rest[: len(rest) - len(rest.lstrip(_WORD))] or rest[:1]
    return before, word or "\u00a0", rest[len(word) :]


def _summary(one: HitSummary) -> tuple[HitSummary, Rate]:
    return one, rate(one.won_a, one.lo, one.hi, one.n)


class TurnLine(Struct, frozen=True):
    """What was found in a turn; `link` is the search for it alone, "" if that would be too long."""

    pool: str
    time: int
    matches: int
    rate: Rate
    link: str


def _turn_line(one: TimeSummary, asked: Mapping[str, str]) -> TurnLine:
    game = asked["game"]
    where = f"({asked['where']}) and {VOCABULARIES[game].turn} = {one.time}"
    try:
        parse(game, where)
        link = "?" + urlencode({**_with_values(asked), "pool": one.pool, "where": where, "limit": HITS})
    except Refused:
        link = ""
    return TurnLine(one.pool, one.time, one.matches, rate(one.won_a, one.lo, one.hi, one.n), link)


class HitLine(Struct, frozen=True):
    """A position that was found, in words."""

    replay: str
    match: str
    move: int
    time: tuple[str, ...]
    kind: str
    players: tuple[str, ...]
    winner: str
    reason: str


def _hit(hit: PositionHit, words: Words) -> HitLine:
    return HitLine(
        hit.replay,
        hit.match,
        hit.move,
        tuple("" if value is None else words.name(value) for value in hit.time.values()),
        hit.kind,
        tuple(player or "" for player in hit.players.values()),
        words.name(hit.winner) if hit.winner else "",
        words.field(hit.reason) if hit.reason else "",
    )


def _vocabulary(game: str, words: Words) -> list[tuple[str, list[tuple[str, str]]]]:
    """The ids that a search may name, by kind, each with its name, and no id twice."""
    found, known = [], set[str]()
    for kind, ids in GAMES[game].ids.items():
        fresh = [id for id in ids if id not in known and words.knows(id)]
        known |= set(fresh)
        if fresh:
            found.append((kind, sorted(((id, words.name(id)) for id in fresh), key=lambda pair: pair[1])))
    return found


# ── /explore/{game} ──


async def explore_page(pages: HasShell, call: Call, game: str = next(iter(VOCABULARIES))) -> Response:
    """A tree of openings, from a node on: how many matches took each child, and how often they were won.

    With `matches` the matches that a node counts.
    """
    if game not in openings():
        raise Refused("unknown-game", "no-such-game", {"games": list(openings())})
    chosen = chosen_in(call, "path", "pool", "edition", "bid", "turn", "min_n")
    known = openings()[game].trees
    path = [label for label in chosen["path"].split("/") if label]
    tree = path.pop(0) if path and path[0] in known else next(iter(known))
    if not known[tree].has_turns:
        chosen["turn"] = ""
    of_node = call.request.query_params.get("matches") == "1"
    kind: type[Sample] = OpeningMatches if of_node else ExplorerAnswer
    count = call.request.query_params.get("count", "") if of_node else ""
    matches = {"matches": "1", "count": count} if of_node else {}
    found = await ask(call, "/v1/explorer", {**chosen, **matches, "game": game}, kind)
    words = words_of(GAMES[game], call.language)
    answer = found.answer if isinstance(found.answer, ExplorerAnswer) else None
    behind = found.answer if isinstance(found.answer, OpeningMatches) else None
    return pages.shell.page(
        call,
        "explore.html",
        script="explore",
        game=game,
        title=words.game,
        games=games_of(call, list(openings())),
        chosen=chosen,
        pools=POOLS_OF_DATA,
        tree=tree,
        trees=[(name, getattr(one, call.language)) for name, one in known.items()],
        steps=_steps(tree, path, words),
        has_bid=bool(openings()[game].bid),
        has_turns=known[tree].has_turns,
        turn=words.field("turn"),
        editions=list(game_words(GAMES[game], call.language).editions.items()),
        away=found.away,
        wrong=found.wrong,
        sample=found.answer,
        matches=behind.matches if behind else None,
        count=count,
        least=LEAST,
        truncated=behind.truncated if behind else False,
        own_path="/".join((tree, *path)),
        node=_line(answer.node, tree, path, words) if answer else None,
        level=answer.node.level if answer else "",
        ended=answer.node.ended if answer else 0,
        hidden=answer.node.hidden if answer else 0,
        children=[_line(one, tree, [*path, one.label], words) for one in answer.node.children]
        if answer
        else [],
        seat=words.name(GAMES[game].seats[0]),
        few=FEW,
        state={
            "game": game,
            "given": chosen,
            "vocabulary": words_address(GAMES[game], call.language, GAMES[game].editions[0]),
        },
    )


class NodeLine(Struct, frozen=True):
    """A node of a tree in words; `path` is what an address says of it."""

    name: str
    path: str
    n: int
    rate: Rate
    ahead: float | None
    n_ahead: int
    marked: bool
    compared: int
    examples: tuple[tuple[str, int], ...]


def label_of(label: str, words: Words) -> str:
    """Return a label of a tree in words: ids with names, numbers as they are."""
    parts = [" + ".join(words.field(id) for id in part.split("+")) for part in label.split(":") if part]
    return " · ".join(parts)


def _line(node: Node, tree: str, path: Sequence[str], words: Words) -> NodeLine:
    return NodeLine(
        label_of(node.label, words),
        "/".join((tree, *path)),
        node.n,
        rate(node.rate, node.lo, node.hi, node.decided),
        node.ahead,
        node.n_ahead,
        node.marked,
        node.compared,
        tuple((one.match, one.move) for one in node.examples),
    )


def _steps(tree: str, path: Sequence[str], words: Words) -> list[tuple[str, str]]:
    """The nodes above this one and itself, each with its address and name; the root has no name."""
    return [
        ("/".join((tree, *path[:depth])), label_of(path[depth - 1], words) if depth else "")
        for depth in range(len(path) + 1)
    ]
