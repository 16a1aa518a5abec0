"""The position search: a small language for positions, and its SQL.

    ussr controls iran and defcon = 2 and turn < 4
    us in italy >= 2 or not (vp between -5 and 5)
    battlegrounds ussr middle_east >= 4 and played by ussr: de_stalinization

The grammar, from the loosest binding to the tightest:

    search   = any
    any      = all ("or" all)*
    all      = negated ("and" negated)*
    negated  = "not" negated / "(" any ")" / test
    test     = side "controls" id / side "holds" id / side "in" id measure
             / "effect" id / ("played" / "headline") ("by" side)? ":" id
             / track measure / column ("=" / "!=") word
    track    = column / column side / column side place
    measure  = compare number / "between" number "and" number
    compare  = "=" / "!=" / "<" / "<=" / ">" / ">="
    side     = a side of the game / "neither" (with "controls")

A column is one of the positions of the game: `hand us` is `hand_us`, `flags fr india` is `flags_india_fr`,
`battlegrounds ussr asia` is `bg_asia_ussr`.  A test of a missing value is false.  The SQL holds names of
columns that the tables have, and never text of the caller: every number and word is bound.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from domain.games import GAMES
from domain.kernel import Refused
from domain.refusals import Value
from replay.dataset.queries import (
    COMMON,
    Bound,
    Parameter,
    Statement,
    bind,
    matches_of,
    statement_of,
    wilson,
)
from replay.tables import registry
from replay.tables.cia_vs_kgb import GROUP_PLACES, OBJECTIVE_PLACES
from replay.tables.imperial_struggle_columns import OWNERS

MOST_TEXT = 2_000  # characters of a search
MOST_TOKENS = 400
MOST_NESTED = 40
MOST_DIGITS = 9
MOST_HITS = 10_000

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
JOINING = ("and", "or", "between")
PARAMETERS = {
    "first": Parameter(
        "1: only the first position of each match", "1: только первая позиция каждой партии", "flag", False
    ),
    "limit": Parameter("how many hits at the most", "сколько находок самое большее", "whole", 100),
    **{name: parameter for name, parameter in COMMON.items() if name != "min_n"},
}
"""The parameters of a search, beside the search itself."""

_TOKEN = re.compile(
    r"\s*(?:(?P<hash>[0-9a-f]{64}(?![a-z0-9_-]))|(?P<number>-?[0-9]+)|(?P<word>[a-z][a-z0-9_-]*)"
    r"|(?P<sign><=|>=|!=|[=<>():]))"
)


class Vocabulary(Struct, frozen=True):
    """What the searches of a game may name.

    `sides` are its sides; `controls` and `influence` are patterns of the names of columns; `time` are the
    columns that say when a position was, and `turn` is the one of them by which hits are counted.  `cards` is
    the table of cards with its column of the side, and `plays` what it says of a card that is played.
    """

    prefix: str
    sides: tuple[str, ...]
    time: tuple[str, ...]
    cards: tuple[str, str]
    plays: str = "played"
    controls: str = ""
    influence: str = ""
    turn: str = "turn"


VOCABULARIES = {
    "twilight_struggle": Vocabulary(
        "ts_",
        ("us", "ussr"),
        ("turn", "round"),
        ("ts_cards", "seat"),
        controls="ctl_{id}",
        influence="{side}_{id}",
    ),
    "imperial_struggle": Vocabulary(
        "is_",
        ("br", "fr", "spain", "usa"),
        ("turn", "war", "round"),
        ("is_cards", "seat"),
        controls="at_{id}",
    ),
    "cia_vs_kgb": Vocabulary(
        "cvk_", ("cia", "kgb"), ("turn", "phase"), ("cvk_cards", "seat"), "used", controls="at_{id}"
    ),
    "thirteen_minutes": Vocabulary(
        "tm_",
        ("us", "ussr"),
        ("battle", "play"),
        ("tm_cards", "side"),
        influence="{side}_at_{id}",
        turn="play",
    ),
}
NEITHER = "neither"
NUMBERS = {"UTINYINT", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE"}


class Search(Struct, frozen=True):
    """A search that was read: its game, the SQL of its condition on `p`, and the values in it."""

    game: str
    where: str
    values: dict[str, int | str]

    def hits(self, arguments: Mapping[str, str]) -> Statement:
        """The SQL of the positions that are found: pool, match, move, kind, time, players, result.

        Args:
            arguments: values of `PARAMETERS`, as text.

        Raises:
            Refused: invalid; a parameter is unknown, or its value is not legal.
        """
        bound = self._bound(arguments)
        time = "".join(f', p."{column}"' for column in VOCABULARIES[self.game].time)
        first = "\nQUALIFY row_number() OVER (PARTITION BY p.match ORDER BY p.move, p.place) = 1"
        sql = f"""{self._with()}
SELECT m.pool, p.match, p.move, p.kind{time},
  a.player AS player_a, b.player AS player_b, m.winner, m.reason
FROM p JOIN m USING (match)
  LEFT JOIN seats a ON a.match = m.match AND a.seat = m.seat_a
  LEFT JOIN seats b ON b.match = m.match AND b.seat = m.seat_b{first if bound["first"] else ""}
ORDER BY m.pool, p.match, p.move, p.place
LIMIT $limit"""
        return statement_of(sql, bound)

    def summary(self, arguments: Mapping[str, str]) -> Statement:
        """The SQL of how many matches have such a position, and how often each seat won them.

        `n` counts the matches that a seat won; `won_a` is the rate of the first seat of the game, and `lo` to
        `hi` its interval.  Raises as `hits`.
        """
        bound = self._bound(arguments)
        low, high = wilson("won_a", "n")
        sql = f"""{self._with()},
hit AS (SELECT match, count(*) AS positions FROM p GROUP BY match)
SELECT *, {low} AS lo, {high} AS hi
FROM (
  SELECT m.pool, count(*) AS matches, sum(hit.positions)::BIGINT AS positions, count(m.winner) AS n,
    avg((m.winner = m.seat_a)::INT) AS won_a
  FROM hit JOIN m USING (match) GROUP BY m.pool
)
ORDER BY pool"""
        return statement_of(sql, bound)

    def by_time(self, arguments: Mapping[str, str]) -> Statement:
        """The SQL of the same for each turn, in order (13 Minutes: play): pool, time, and as `summary`.

        A row says what `summary` says of the same search with `and turn = ...`.  Raises as `hits`.
        """
        bound = self._bound(arguments)
        low, high = wilson("won_a", "n")
        time = f'"{VOCABULARIES[self.game].turn}"'
        sql = f"""{self._with()},
hit AS (SELECT match, {time} AS time, count(*) AS positions FROM p WHERE {time} IS NOT NULL GROUP BY ALL)
SELECT *, {low} AS lo, {high} AS hi
FROM (
  SELECT m.pool, hit.time, count(*) AS matches, sum(hit.positions)::BIGINT AS positions, count(m.winner) AS n,
    avg((m.winner = m.seat_a)::INT) AS won_a
  FROM hit JOIN m USING (match) GROUP BY m.pool, hit.time
)
ORDER BY pool, time"""
        return statement_of(sql, bound)

    def _with(self) -> str:
        table = f"{VOCABULARIES[self.game].prefix}positions"
        return f"WITH {matches_of()},\np AS (\n  SELECT * FROM {table} p\n  WHERE {self.where}\n)"

    def _bound(self, arguments: Mapping[str, str]) -> Bound:
        bound = bind(self.game, arguments, PARAMETERS)
        limit = bound["limit"]
        if not isinstance(limit, int) or not 1 <= limit <= MOST_HITS:
            values = {"parameter": "limit", "value": repr(limit), "legal": f"1…{MOST_HITS}"}
            raise Refused("invalid", "query-value", values)
        return bound | self.values


def parse(game: str, text: str) -> Search:
    """Read a search.

    Args:
        game: the name of the game whose positions are searched.
        text: the search, in the language of this module; capital letters are as small ones.

    Raises:
        Refused: invalid; the text is no search, and the refusal names the column where it goes wrong.
            unknown-game: there are no positions of this game.
    """
    if game not in VOCABULARIES or registry.of_game(game) is None:
        raise Refused("unknown-game", "no-such-game", {"games": list(VOCABULARIES)})
    return _Reader(game, text).read()


class _Token(Struct, frozen=True):
    """A number, word, sign or the end of a search; `column` is the place of its first character, from 1."""

    kind: str
    text: str
    column: int


class _Reader:
    """Reads one search by recursive descent; each method reads one rule of the grammar and returns SQL."""

    def __init__(self, game: str, text: str) -> None:
        self.game, self.names = game, VOCABULARIES[game]
        self.columns = _columns(game)
        self.tokens = _tokens(text)
        self.at = 0
        self.depth = 0
        self.values: dict[str, int | str] = {}

    def read(self) -> Search:
        """The whole search."""
        where = self.any()
        if self.now.kind != "end":
            raise self.unexpected("and", "or")
        return Search(self.game, where, self.values)

    # ── tokens ──

    @property
    def now(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.now
        self.at += token.kind != "end"
        return token

    def takes(self, *texts: str) -> bool:
        """Take the next token if it is one of these words or signs."""
        if self.now.kind == "end" or self.now.text not in texts:
            return False
        self.at += 1
        return True

    def unexpected(self, *wanted: str) -> Refused:
        found = self.now.text or "∅"
        values: dict[str, Value] = {
            "column": self.now.column,
            "found": repr(found[:40]),
            "wanted": list(wanted),
        }
        return Refused("invalid", "search-unexpected", values)

    def unknown(self, token: _Token) -> Refused:
        values: dict[str, Value] = {"column": token.column, "word": repr(token.text[:60]), "game": self.game}
        return Refused("invalid", "search-unknown", values)

    def value(self, value: int | str) -> str:
        """The place of a bound value in the SQL."""
        name = f"s{len(self.values)}"
        self.values[name] = value
        return f"${name}"

    # ── the grammar ──

    def any(self) -> str:
        parts = [self.all()]
        while self.takes("or"):
            parts.append(self.all())
        return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"

    def all(self) -> str:
        parts = [self.negated()]
        while self.takes("and"):
            parts.append(self.negated())
        return parts[0] if len(parts) == 1 else f"({' AND '.join(parts)})"

    def negated(self) -> str:
        if not self.takes("not", "("):
            return self.test()
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise Refused("invalid", "search-too-deep", {"column": self.now.column, "most": MOST_NESTED})
        if self.tokens[self.at - 1].text == "not":
            found = f"(NOT {self.negated()})"
        else:
            found = self.any()
            if not self.takes(")"):
                raise self.unexpected(")", "and", "or")
        self.depth -= 1
        return found

    def test(self) -> str:
        words = list[_Token]()
        while self.now.kind == "word" and self.now.text not in JOINING:
            words.append(self.take())
        texts = [word.text for word in words]
        if not words:
            raise self.unexpected("not", "(", *self.names.sides, *list(self.columns)[:6], "…")
        if len(words) == 3 and texts[1] in ("controls", "holds"):
            return self.held(words)
        if len(words) == 3 and texts[1] == "in":
            return self.measured(self.influence(words))
        if len(words) == 2 and texts[0] == "effect":
            return self.effect(words[1])
        if texts[0] in ("played", "headline"):
            if not self.takes(":"):
                raise self.unexpected(":")
            return self.card(words)
        return self.track(words)

    def held(self, words: list[_Token]) -> str:
        """Who has a country, a space, a group, an objective or the China Card."""
        side, _, what = words
        if what.text == "china" and "china" in self.columns:
            return f'(p."china" = {self.value(self.side(side))}) IS TRUE'
        column = self.names.controls.format(id=what.text.replace("-", "_"))
        if column not in self.columns:
            raise self.unknown(what)
        if side.text == NEITHER and self.game != "cia_vs_kgb":
            return f'(p."{column}" = {self.value(0)}) IS TRUE'
        return f'(p."{column}" = {self.value(self.code(what.text, self.side(side)))}) IS TRUE'

    def code(self, what: str, side: str) -> int:
        """The number by which a column says that a side has something."""
        if self.game == "imperial_struggle":
            return OWNERS[side]
        if self.game == "cia_vs_kgb":
            return (GROUP_PLACES if what in GAMES[self.game].ids["group"] else OBJECTIVE_PLACES)[side]
        return 1 + self.names.sides.index(side)

    def side(self, token: _Token) -> str:
        if token.text not in self.names.sides:
            raise self.unknown(token)
        return token.text

    def influence(self, words: list[_Token]) -> str:
        side, _, where = words
        column = self.names.influence.format(side=self.side(side), id=where.text.replace("-", "_"))
        if column not in self.columns:
            raise self.unknown(where)
        return column

    def effect(self, card: _Token) -> str:
        """An effect was in force: it began at this position or before, and had not ended."""
        if self.game != "twilight_struggle":
            raise self.unknown(card)
        return (
            f"EXISTS (SELECT 1 FROM ts_effects e WHERE e.match = p.match AND e.card = {self.id(card)}"
            " AND e.move <= p.move AND (e.ended_move IS NULL OR e.ended_move > p.move))"
        )

    def card(self, words: list[_Token]) -> str:
        """A card was played, or was a headline, before this position or at it."""
        texts = [word.text for word in words]
        if len(words) > 1 and (len(words) != 3 or texts[1] != "by"):
            raise self.unknown(words[1])
        if texts[0] == "headline" and self.game != "twilight_struggle":
            raise self.unknown(words[0])
        table, by = self.names.cards
        what = "headline" if texts[0] == "headline" else self.names.plays
        side = f" AND c.{by} = {self.value(self.side(words[2]))}" if len(words) == 3 else ""
        if self.now.kind != "word":
            raise self.unexpected("a_card")
        card = self.id(self.take())
        return (
            f"EXISTS (SELECT 1 FROM {table} c WHERE c.match = p.match AND c.card = {card}"
            f" AND c.what = {self.value(what)}{side} AND (c.move, c.place) <= (p.move, p.place))"
        )

    def id(self, token: _Token) -> str:
        if token.text not in GAMES[self.game].texts["en"].names:
            raise self.unknown(token)
        return self.value(token.text)

    def track(self, words: list[_Token]) -> str:
        """A column by its name, or by its name, a side and a place."""
        texts = [word.text.replace("-", "_") for word in words]
        if texts[0] == "battlegrounds":
            texts[0] = "bg"
        names = {1: "{0}", 2: "{0}_{1}", 3: "{0}_{2}_{1}"}.get(len(texts), "").format(*texts)
        if names not in self.columns:
            raise self.unknown(self.stranger(words, texts))
        if self.columns[names] in NUMBERS:
            return self.measured(names)
        return self.named(names)

    def stranger(self, words: list[_Token], texts: list[str]) -> _Token:
        """The word that makes a track unknown, as far as that can be said."""
        if len(words) == 1 or not any(name.startswith(f"{texts[0]}_") for name in self.columns):
            return words[0]
        return words[2 if len(words) > 2 and texts[1] in self.names.sides else 1]

    def measured(self, column: str) -> str:
        """A comparison of a column with a number."""
        if self.takes("between"):
            low = self.number()
            if not self.takes("and"):
                raise self.unexpected("and")
            return f'(p."{column}" BETWEEN {low} AND {self.number()}) IS TRUE'
        return f'(p."{column}" {self.comparison(COMPARISONS)} {self.number()}) IS TRUE'

    def named(self, column: str) -> str:
        """A comparison of a column with a word; a column of something else cannot be compared."""
        if self.columns[column] != "VARCHAR":
            raise self.unknown(self.tokens[self.at - 1])
        sign = self.comparison(("=", "!="))
        if self.now.kind != "word":
            raise self.unexpected("a_word")
        return f'(p."{column}" {sign} {self.value(self.take().text)}) IS TRUE'

    def comparison(self, legal: tuple[str, ...]) -> str:
        sign = self.now.text
        if not self.takes(*legal):
            raise self.unexpected(*legal, *(("between",) if len(legal) > 2 else ()))
        return "<>" if sign == "!=" else sign

    def number(self) -> str:
        token = self.now
        if token.kind != "number" or len(token.text.lstrip("-")) > MOST_DIGITS:
            raise self.unexpected("42", "-5")
        return self.value(int(self.take().text))


def _tokens(text: str) -> list[_Token]:
    """The tokens of a search, and its end."""
    if len(text) > MOST_TEXT:
        raise Refused("invalid", "search-too-long", {"most": MOST_TEXT})
    small = "".join(letter.lower() if letter.isascii() else letter for letter in text)
    found, at = list[_Token](), 0
    while found_here := _TOKEN.match(small, at):
        kind = found_here.lastgroup or ""
        column = found_here.start(kind) + 1
        found.append(_Token("word" if kind == "hash" else kind, found_here[kind], column))
        at = found_here.end()
    rest = small[at:].lstrip()
    if rest:
        values: dict[str, Value] = {
            "column": len(small) - len(rest) + 1,
            "found": repr(rest[0]),
            "wanted": ["a…z", "0…9", "( ) : = < >"],
        }
        raise Refused("invalid", "search-unexpected", values)
    if len(found) > MOST_TOKENS:
        raise Refused("invalid", "search-too-long", {"most": MOST_TEXT})
    return [*found, _Token("end", "", len(text) + 1)]


@cache
def _columns(game: str) -> dict[str, str]:
    """The columns of the positions of a game that a search may name, with their types."""
    module = registry.of_game(game)
    assert module is not None
    table = next(one for one in module.TABLES if one.name == f"{VOCABULARIES[game].prefix}positions")
    return {column.name: column.type for column in table.columns if column.name != "match"}
