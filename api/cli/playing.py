"""`glasnost play`: one whole match between bots of the house, through the same gate as every command."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from api.cli.common import (
    CannotBeDone,
    json_option,
    language_option,
    opened_one,
    opened_store,
    print_json,
    progress,
    store_option,
)
from api.cli.games import edition_options, game_argument, game_named, settled, told_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from api.gate import Desk, Gate
    from api.gate.commits import Keys
    from api.store.location import Location
    from api.store.opening import OpenStore
    from domain.game import Game, Options
    from domain.kernel import Picks, Prompt
    from domain.match import Match

PATIENCE_SECONDS = 20.0  # without a move: the store takes none, or a bot has failed


class Seed(click.ParamType[str]):
    """1 to 64 hex digits; leading zeros do not matter."""

    name = "hex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The number in 64 lower-case digits."""
        if not 1 <= len(value) <= 64 or not set(value.lower()) <= set("0123456789abcdef"):
            self.fail(f"{value[:80]!r} is not a seed: 1 to 64 hex digits, such as 2a", param, ctx)
        return str(value).lower().rjust(64, "0")


class Plan(Struct, frozen=True):
    """A match to be played: for a seeded one everything follows from `seed`."""

    game: str
    edition: str
    options: dict[str, Any]
    bots: tuple[str, ...]
    seed: str | None

    @property
    def origin(self) -> str:
        """What the log says about where the match comes from."""
        return "seeded" if self.seed else "bots"

    @property
    def match(self) -> str | None:
        """The id of a seeded match; None: a new one."""
        from domain.log import canonical

        return f"seed-{hashlib.sha256(canonical(self)).hexdigest()[:24]}" if self.seed else None

    @property
    def secret(self) -> bytes | None:
        """The secret of a seeded match; None: a new one."""
        if self.seed is None:
            return None
        return hashlib.sha256(b"glasnost seeded secret\n" + bytes.fromhex(self.seed)).digest()


class SeededBot:
    """A random bot whose n-th answer in a match follows from the seed and n, so that a match that was
    interrupted goes on as it would have gone."""

    def __init__(self, seed: str, answered: int) -> None:
        self._seed, self._answered = seed, answered

    def answer(self, question: Prompt) -> Picks:
        """See `api.bots.Bot`."""
        from api.bots import RandomBot

        self._answered += 1
        return RandomBot(random.Random(f"{self._seed}/{self._answered}")).answer(question)


class Trouble(logging.Handler):
    """Hears what the house says of a bot that failed, and wakes whoever follows the match."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.reason = ""
        self.desk: Desk | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        self.reason = repr(record.exc_info[1]) if record.exc_info else record.getMessage()
        if self.desk:
            self.desk.tell()

    @contextmanager
    def listening(self) -> Iterator[Trouble]:
        """Listen to the house for as long as the context lasts."""
        house = logging.getLogger("glasnost.bots")
        house.addHandler(self)
        try:
            yield self
        finally:
            house.removeHandler(self)


@click.command()
@game_argument
@edition_options
@click.option("--bots", metavar="B,B", help="Who plays, a bot for each seat; default: random,random.")
@click.option(
    "--seed", metavar="HEX", type=Seed(), help="1 to 64 hex digits: the same command, the same match."
)
@store_option(required=False, help="Keep the match in this store; default: a temporary one.")
@click.option(
    "--out", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write a match file."
)
@json_option
@language_option
def play(
    game: str,
    edition: str | None,
    given: Sequence[str],
    bots: str | None,
    seed: str | None,
    store: Location | None,
    out: Path | None,
    as_json: bool,
    language: str,
) -> None:
    """Play one whole match of GAME between bots, through the same gate as every other match.

    With --json: one object on one line with match, game, edition, options, moves, result, root and file.

    \b
    Example:
      glasnost play thirteen_minutes --seed 2a --out match.glasnost
      glasnost play thirteen_minutes --option campaign=true --option card_set=my_cards.json
      glasnost play cia_vs_kgb --store games --json
    """
    from api.cli.files import must_be_writable

    must_be_writable(out)
    found = game_named(game)
    plan = _plan(found, *settled(found, edition, given), bots, seed)
    told_warnings(plan.options)
    with _store(store) as opened:
        match, known = _played(plan, opened, temporary=store is None)
        file = _written(match, opened, out)
    _print(match, known, file, as_json, language)


def _plan(game: Game, edition: str, options: Options, bots: str | None, seed: str | None) -> Plan:
    from api.bots import house

    names = tuple((bots or ",".join("random" for _ in game.seats)).split(","))
    if len(names) != len(game.seats):
        raise CannotBeDone(f"--bots {bots}: name one bot for each seat ({', '.join(game.seats)})")
    for name in names:
        if name not in house():
            raise CannotBeDone(f"--bots {bots}: there is no bot {name!r}; there is: {', '.join(house())}")
    return Plan(game.name, edition, options, names, seed)


@contextmanager
def _store(location: Location | None) -> Iterator[OpenStore]:
    """The store to play in: the one named, or one that is thrown away afterwards."""
    if location is not None:
        with opened_store(location) as store:
            yield store
        return
    with (
        tempfile.TemporaryDirectory(prefix="glasnost-") as scratch,
        opened_one(Path(scratch) / "store", keys=Path(scratch) / "keys") as store,
    ):
        yield store


def _played(plan: Plan, store: OpenStore, *, temporary: bool) -> tuple[Match, bool]:
    """The match, played to its end, and whether the store held it already."""
    from api.cli.files import SeededKeys
    from api.gate import Denied

    stored = store.match(plan.match) if plan.match else None
    if stored and stored.status == "over":
        return stored, True
    # Whoever repeats a seeded match without a store gets the same file, signature included.
    keys: Keys = SeededKeys() if plan.seed and temporary else store.keys
    try:
        return asyncio.run(_to_the_end(plan, store, keys, stored)), False
    except Denied as error:
        raise CannotBeDone(str(error)) from error


async def _to_the_end(plan: Plan, store: OpenStore, keys: Keys, stored: Match | None) -> Match:
    gate = _gate(plan, store, keys, stored)
    try:
        with Trouble().listening() as trouble:
            name = stored.id if stored else await _opened(plan, gate)
            for seat, bot in zip((await gate.match(name)).seats, plan.bots, strict=True):
                if (await gate.match(name)).seats[seat] is None:
                    await gate.sit(name, seat, None, bot=bot)
            return await _over(plan, gate, name, trouble)
    finally:
        await gate.close()


def _gate(plan: Plan, store: OpenStore, keys: Keys, stored: Match | None) -> Gate:
    from api.gate import Gate
    from api.settings import product
    from domain.entries import Played

    if plan.seed is None:
        return Gate(store, keys, lambda: time.time_ns() // 1000, product())
    answered = sum(isinstance(record.entry, Played) for record in stored.records) if stored else 0
    bots = {name: SeededBot(plan.seed, answered) for name in plan.bots}
    return Gate(store, keys, lambda: None, product(), bots=bots)


async def _opened(plan: Plan, gate: Gate) -> str:
    accepted = await gate.open(
        None,
        plan.game,
        plan.edition,
        plan.options,
        origin=plan.origin,
        secret=plan.secret,
        match=plan.match,
    )
    return accepted.desk.match.id


async def _over(plan: Plan, gate: Gate, name: str, trouble: Trouble) -> Match:
    """Follow the match to its end.

    Raises:
        CannotBeDone: a bot has failed, or the store takes no more moves.
    """
    desk = trouble.desk = await gate.desk(name)
    with progress(plan.game) as advance:
        move = 0
        while desk.match.status != "over":
            if trouble.reason or desk.match.move == move:
                reason = trouble.reason or "is the disk full?"
                raise CannotBeDone(f"{name}: nothing happens after move {desk.match.move}: {reason}")
            advance(desk.match.move - move, "moves")
            move = desk.match.move
            await desk.news(PATIENCE_SECONDS)
    return desk.match


def _written(match: Match, store: OpenStore, out: Path | None) -> Path | None:
    from api.cli.files import match_file, write_file

    if out is None:
        return None
    return write_file(out, match_file(match.records, store.note(match.id) or ""))


def _print(match: Match, known: bool, file: Path | None, as_json: bool, language: str) -> None:
    from api.cli.files import in_words, summary

    if as_json:
        print_json(summary(match, file))
        return
    click.echo(in_words(match, language, file))
    if known:
        click.echo("the store held this match already: the same seed gives the same match")
