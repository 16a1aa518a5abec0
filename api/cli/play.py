"""`glasnost play`: plays whole matches between bots, through the same gate as every command."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import multiprocessing
import os
import random
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from api.cli.common import (
    Advance,
    CannotBeDone,
    json_option,
    language_option,
    print_json,
    progress,
    store_option,
    store_or_temporary,
)
from api.cli.games import (
    edition_options,
    game_argument,
    game_named,
    must_be_levels,
    settled,
    show_warnings,
)
from api.seeded import seed_of, seeded_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from api.gate import CachedMatch, Gate
    from api.store.keys import Keys
    from api.store.open import Location
    from api.store.sql import SqlStore
    from domain.game import Game, Options
    from domain.kernel import Picks, Prompt
    from domain.log import Record
    from domain.match import Match

MOST_MATCHES = 1_000_000
IN_ADVANCE = 4  # matches that are given to each process before the first is back
PATIENCE_SECONDS = 20.0  # without a move: then the store takes no moves, or a bot has failed


class Seed(click.ParamType[str]):
    """1 to 64 hex digits; leading zeros do not matter."""

    name = "hex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Convert the seed to 64 lower-case digits."""
        if not 1 <= len(value) <= 64 or not set(value.lower()) <= set("0123456789abcdef"):
            self.fail(f"{value[:80]!r} is not a seed: 1 to 64 hex digits, such as 2a", param, ctx)
        return str(value).lower().rjust(64, "0")


class Plan(Struct, frozen=True):
    """A match to be played; with a `seed`, everything in it follows from the seed."""

    game: str
    edition: str
    options: dict[str, Any]
    bots: tuple[str, ...]
    seed: str | None

    @property
    def origin(self) -> str:
        """The origin of the match, as in its log."""
        return "seeded" if self.seed else "bots"

    @property
    def match(self) -> str | None:
        """The id of a seeded match; None for a new random id."""
        from domain.log import canonical

        return f"seed-{hashlib.sha256(canonical(self)).hexdigest()[:24]}" if self.seed else None

    @property
    def secret(self) -> bytes | None:
        """The secret of a seeded match; None for a new random secret."""
        if self.seed is None:
            return None
        return seeded_secret(self.seed)


class SeededNumbers:
    """Random numbers for the n-th answer in a match, which follow from the seed and n.

    So an interrupted match goes on as it would have gone on.
    """

    def __init__(self, seed: str, answered: int) -> None:
        self._seed, self._answered = seed, answered

    def __call__(self) -> random.Random:
        """Those of the next answer."""
        self._answered += 1
        return random.Random(f"{self._seed}/{self._answered}")


class SeededBot:
    """A bot that picks at random, with seeded numbers."""

    def __init__(self, numbers: SeededNumbers) -> None:
        self._numbers = numbers

    def answer(self, question: Prompt) -> Picks:
        """See `api.gate.bots.Bot`."""
        from api.gate.bots import RandomBot

        return RandomBot(self._numbers()).answer(question)


class Trouble(logging.Handler):
    """Collects what is logged about a bot that failed, and wakes the followers of the match."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.reason = ""
        self.cached: CachedMatch | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        self.reason = repr(record.exc_info[1]) if record.exc_info else record.getMessage()
        if self.cached:
            self.cached.tell()

    @contextmanager
    def listening(self) -> Iterator[Trouble]:
        """Collect the log lines of bots for as long as the context lasts."""
        log = logging.getLogger("glasnost.bots")
        log.addHandler(self)
        try:
            yield self
        finally:
            log.removeHandler(self)


@click.command()
@game_argument
@edition_options
@click.option("--bots", metavar="B,B", help="A bot for each seat; default: random,random.")
@click.option(
    "--seed", metavar="HEX", type=Seed(), help="1 to 64 hex digits: the same command gives the same match."
)
@click.option(
    "--matches",
    metavar="N",
    type=click.IntRange(1, MOST_MATCHES),
    default=1,
    help="How many matches; default: one.",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(0),
    default=1,
    help="How many processes play; default: 1. 0: one for each core.",
)
@store_option(required=False, help="Keep the matches in this store; default: a temporary one.")
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a match file; of several matches, one file each into this folder.",
)
@json_option
@language_option
def play(
    game: str,
    edition: str | None,
    option_words: Sequence[str],
    bots: str | None,
    seed: str | None,
    matches: int,
    jobs: int,
    store: Location | None,
    out: Path | None,
    as_json: bool,
    language: str,
) -> None:
    """Play whole matches of GAME between bots, through the same gate as every other match.

    With --json, it prints for each match one object on one line with match, game, edition, options, moves,
    result, root and file.  With a seed, the first of several matches is the same as with that seed alone.

    \b
    Example:
      glasnost play thirteen_minutes --seed 2a --out match.glasnost
      glasnost play thirteen_minutes --option campaign=true --option card_set=my_cards.json
      glasnost play cia_vs_kgb --store games --json
      glasnost play cia_vs_kgb --matches 1000 --jobs 0 --store games
    """
    files = _Files(out, many=matches > 1)
    found = game_named(game)
    plan = _plan(found, *settled(found, edition, option_words), bots, seed)
    show_warnings(plan.options)
    plans = [replace(plan, seed=_seed_of(seed, number)) for number in range(matches)]
    printer = _Printer(as_json=as_json, language=language)
    with store_or_temporary(store) as opened, progress(game, matches if matches > 1 else None) as advance:
        moves = advance if matches == 1 else Advance()
        for match, known in _all_played(plans, opened, _processes(jobs), moves, temporary=store is None):
            file = files.write(match, opened)
            with advance.hidden():
                printer.add(match, known, file)
            if matches > 1:
                advance(1, match.id)
    printer.done()


def _seed_of(seed: str | None, number: int) -> str | None:
    """The seed of match `number`, from 0; that of the first match is `seed` itself."""
    return seed_of(seed, number) if seed else None


def _processes(jobs: int) -> int:
    """The number of processes: `jobs`, or for 0 one for each core that this process may use."""
    return jobs or len(
        os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )


def _plan(game: Game, edition: str, options: Options, bots: str | None, seed: str | None) -> Plan:
    chosen = tuple((bots or ",".join("random" for _ in game.seats)).split(","))
    if len(chosen) != len(game.seats):
        raise CannotBeDone(f"--bots {bots}: name one bot for each seat ({', '.join(game.seats)})")
    must_be_levels(chosen, game)
    return Plan(game.name, edition, options, chosen, seed)


def _all_played(
    plans: Sequence[Plan], store: SqlStore, processes: int, moves: Advance, *, temporary: bool
) -> Iterator[tuple[Match, bool]]:
    """Yield each match, in the order of the plans, and whether the store had it already.

    With one process all matches are played here, in the store itself; with several processes, each match is
    played in a temporary store of a process, and stored here.

    Raises:
        CannotBeDone: a bot has failed, or the store takes no more moves.
    """
    if processes == 1 or len(plans) == 1:
        for plan in plans:
            yield _played(plan, store, moves, temporary=temporary)
        return
    from api.cli.common import keep_in
    from domain.log import unb64
    from domain.match import Match

    for plan, played in _played_elsewhere(plans, store, processes):
        if isinstance(played, str):
            raise CannotBeDone(played)
        if played is None:  # begun or ended in this store before
            yield _played(plan, store, moves, temporary=temporary)
            continue
        match = Match.project(None, _records(plan, played))
        assert match is not None, "a match that was played has moves"
        secret = unb64(match.records[-2].entry.secret)
        yield match, False if temporary else keep_in(store, match, secret)[1]


def _records(plan: Plan, played: tuple[str, list[bytes]]) -> list[Record]:
    """The records of a match that another process has played, from its id and their stored bytes."""
    from domain.games import GAMES
    from domain.log import codec

    name, stored = played
    return [codec(GAMES[plan.game]).read(name, one) for one in stored]


def _played_elsewhere(
    plans: Sequence[Plan], store: SqlStore, processes: int
) -> Iterator[tuple[Plan, tuple[str, list[bytes]] | str | None]]:
    """Yield each plan with its match, played by another process: id and records.

    Instead of the match it yields the reason why it could not be played, or None if the store has the match
    or its beginning.
    """
    waiting: deque[tuple[Plan, Future[Any] | None]] = deque()
    left = iter(plans)
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        try:
            while True:
                for plan in islice(left, IN_ADVANCE * processes - len(waiting)):
                    known = plan.match is not None and store.match(plan.match) is not None
                    waiting.append((plan, None if known else pool.submit(_apart, plan)))
                if not waiting:
                    return
                plan, future = waiting.popleft()
                yield plan, future.result() if future else None
        finally:
            pool.shutdown(cancel_futures=True)


def _apart(plan: Plan) -> tuple[str, list[bytes]] | str:
    """Play one match in a temporary store; return its id and records, or the reason why that failed."""
    try:
        with store_or_temporary(None) as store:
            match, _ = _played(plan, store, Advance(), temporary=True)
            return match.id, [record.stored for record in match.records]
    except CannotBeDone as error:
        return error.message


def _played(plan: Plan, store: SqlStore, moves: Advance, *, temporary: bool) -> tuple[Match, bool]:
    """Play a match to its end in this process; return it, and whether the store had it already."""
    from api.seeded import SeededKeys
    from domain.kernel import Refused

    stored = store.match(plan.match) if plan.match else None
    if stored and stored.status == "over":
        return stored, True
    # A seeded match that is played again without a store gives the same file, signature included.
    keys: Keys = SeededKeys() if plan.seed and temporary else store.keys
    try:
        return asyncio.run(_to_the_end(plan, store, keys, stored, moves)), False
    except Refused as error:
        raise CannotBeDone(str(error)) from error


async def _to_the_end(plan: Plan, store: SqlStore, keys: Keys, stored: Match | None, moves: Advance) -> Match:
    gate = _gate(plan, store, keys, stored)
    try:
        with Trouble().listening() as trouble:
            name = stored.id if stored else await _opened(plan, gate)
            for seat, bot in zip((await gate.match(name)).seats, plan.bots, strict=True):
                if (await gate.match(name)).seats[seat] is None:
                    await gate.sit(name, seat, None, bot=bot)
            return await _over(gate, name, trouble, moves)
    finally:
        await gate.close()


def _gate(plan: Plan, store: SqlStore, keys: Keys, stored: Match | None) -> Gate:
    from api.bots.agent_bot import AgentBot
    from api.bots.levels import LEVELS, RANDOM
    from api.gate import Gate
    from api.gate.bots import Bot, RandomBot
    from api.settings import product
    from domain.events import Played

    bots: dict[str, Bot | AgentBot]
    levels = [level for level in LEVELS if level != RANDOM]
    if plan.seed is None:
        bots = {RANDOM: RandomBot(), **{level: AgentBot(level, None) for level in levels}}
        return Gate(store, keys, lambda: time.time_ns() // 1000, product(), bots=bots)
    answered = sum(isinstance(record.entry, Played) for record in stored.records) if stored else 0
    numbers = SeededNumbers(plan.seed, answered)
    bots = {RANDOM: SeededBot(numbers), **{level: AgentBot(level, None, numbers) for level in levels}}
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
    return accepted.cached.match.id


async def _over(gate: Gate, name: str, trouble: Trouble, moves: Advance) -> Match:
    """Follow the match to its end.

    Raises:
        CannotBeDone: a bot has failed, or the store takes no more moves.
    """
    cached = trouble.cached = await gate.cached(name)
    move = 0
    while cached.match.status != "over":
        if trouble.reason or cached.match.move == move:
            reason = trouble.reason or "is the disk full?"
            raise CannotBeDone(f"{name}: nothing happens after move {cached.match.move}: {reason}")
        moves(cached.match.move - move, "moves")
        move = cached.match.move
        await cached.news(PATIENCE_SECONDS)
    return cached.match


class _Files:
    """The match files to write: one file, or one for each match in a folder.

    Raises:
        CannotBeDone: the file or folder cannot be written.
    """

    def __init__(self, out: Path | None, *, many: bool) -> None:
        from api.cli.common import must_be_writable

        self._out, self._many = out, many
        if out is None:
            return
        if not many:
            if out.is_dir():
                raise CannotBeDone(f"--out {out}: a directory; name the file in it")
            must_be_writable(out)
            return
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotBeDone(f"{out}: several matches need a folder: {error.strerror or error}") from error
        must_be_writable(out / "match.glasnost")

    def write(self, match: Match, store: SqlStore) -> Path | None:
        """Write the file of one match; return its path, or None if no file is wanted."""
        from api.cli.common import write_file
        from api.seeded import SeededKeys, match_file, note_by

        if self._out is None:
            return None
        path = self._out / f"{match.id}.glasnost" if self._many else self._out
        note = store.note(match.id) or note_by(SeededKeys().signing, match)
        return write_file(path, match_file(match.records, note))


class _Printer:
    """Prints each match as it ends, and after several how many each side won."""

    def __init__(self, *, as_json: bool, language: str) -> None:
        self._as_json, self._language = as_json, language
        self._won: Counter[str] = Counter()

    def add(self, match: Match, known: bool, file: Path | None) -> None:
        """Print one match; `known`: the store had it before."""
        from api.cli.common import in_words, summary
        from replay.words import Words

        self._words = words = Words(match, self._language)
        winner = match.result.winner if match.result else None
        self._won[words.name(winner) if winner else words.shown("drawn")] += 1
        if self._as_json:
            print_json(summary(match, file))
            return
        click.echo(in_words(match, self._language, file))
        if known:
            click.echo("the store had this match already: the same seed gives the same match")

    def done(self) -> None:
        """Print the sum, if there were several matches."""
        played = self._won.total()
        if played > 1 and not self._as_json:
            wins = ", ".join(f"{name} {count}" for name, count in self._won.most_common())
            click.echo(self._words.shown("played", played=played, wins=wins))
