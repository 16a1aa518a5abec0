"""Self-play: matches of levels against one another as match files in a folder, with a manifest of them all.

A match follows from its plan and its number alone, and a file is written whole or not at all.  So a run that
was killed is started again and plays what is missing, and the folder is the same as without that.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import random
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from api.bots.agent_bot import observation_of
from api.bots.levels import act, agent_of
from api.research.episode import Episode, Record, Setting
from api.seeded import SeededKeys, match_file, note_by, seed_of
from api.settings import product
from domain.events import Opened, Seated
from domain.kernel import Result
from domain.log import canonical
from domain.match import Match
from replay import matchfile

MANIFEST = "manifest.json"
_ANEW = "choose another folder, or empty this one"
IN_ADVANCE = 4  # matches that each process is given before the first is back


class BadFolder(ValueError):
    """The folder holds something else; the text says what."""


class Plan(Struct, frozen=True):
    """What is to be played: `bots` are the levels on the seats, in their order; `seed` has 64 hex digits."""

    game: str
    edition: str
    options: dict[str, Any]
    bots: tuple[str, ...]
    seed: str
    matches: int

    def setting(self) -> Setting:
        """What its matches share."""
        return Setting(self.game, self.edition, self.options)


class PlayedFile(Struct, frozen=True):
    """One match file; `sha256` in hex, `root` in base64, `moves` as in its log."""

    file: str
    seed: str
    sha256: str
    bytes: int
    moves: int
    root: str
    result: Result | None


class Manifest(Struct, frozen=True):
    """What a folder of self-play holds.

    `agents`: what played for each level, see `agent_of`; `won` counts the matches by the winner's seat, ""
    for a draw.
    """

    plan: Plan
    rules: str
    product: str
    agents: dict[str, str]
    won: dict[str, int]
    files: tuple[PlayedFile, ...]


def played(plan: Plan, number: int) -> bytes:
    """The match file of match `number`, from 0; its n-th answer follows from the seed and n."""
    episode = Episode(plan.setting(), _seed(plan, number), plan.bots)
    record, answered = Record(episode), 0
    match = record.match
    while match.status == "running":
        assert match.asked is not None, "a running match asks"
        seat = next(iter(match.asked.seats))
        level = plan.bots[match.game.seats.index(match.chair_of(seat))]
        answered += 1
        luck = random.Random(f"{episode.seed}/{answered}")
        record.play(seat, act(level, observation_of(match, seat), luck))
    return match_file(match.records, note_by(SeededKeys().signing, match))


def _seed(plan: Plan, number: int) -> int:
    return int(seed_of(plan.seed, number), 16)


def name_of(plan: Plan, number: int, setting: Setting) -> str:
    """The name of the file of match `number`."""
    return f"{Episode(setting, _seed(plan, number), plan.bots).match}.glasnost"


def run(plan: Plan, folder: Path, workers: int) -> Iterator[PlayedFile]:
    """Play what is missing in a folder, and give every file in the order of the matches.

    Raises:
        BadFolder: it holds match files of another plan, of other bots or rules, or a damaged one.
        OSError: it cannot be written.
    """
    setting = plan.setting()
    names = [name_of(plan, number, setting) for number in range(plan.matches)]
    others = {path.name for path in folder.glob("*.glasnost")} - set(names)
    if others:
        raise BadFolder(f"{folder} holds match files of another run, such as {min(others)}")
    files = []
    for number, content in _contents(plan, folder, names, workers):
        if content is not None:
            _write(folder / names[number], content)
        files.append(_described(plan, folder / names[number], number))
        yield files[-1]
    _write(folder / MANIFEST, _manifest(plan, setting, files))


def _contents(plan: Plan, folder: Path, names: list[str], workers: int) -> Iterator[tuple[int, bytes | None]]:
    """The number of each match, and the content of its file; None if it is there already."""
    if workers == 1:
        for number, name in enumerate(names):
            yield number, None if (folder / name).exists() else played(plan, number)
        return
    left, waiting = iter(enumerate(names)), deque[tuple[int, Future[bytes] | None]]()
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        try:
            while True:
                for number, name in islice(left, IN_ADVANCE * workers - len(waiting)):
                    known = (folder / name).exists()
                    waiting.append((number, None if known else pool.submit(played, plan, number)))
                if not waiting:
                    return
                number, future = waiting.popleft()
                yield number, future.result() if future else None
        finally:
            pool.shutdown(cancel_futures=True)


def _described(plan: Plan, path: Path, number: int) -> PlayedFile:
    content = path.read_bytes()
    try:
        file = matchfile.read(content)
        match = file.match()
    except matchfile.BadFile as error:
        raise BadFolder(f"{path} is damaged: {error}; delete it") from error
    _must_be_of_today(plan, path, match)
    return PlayedFile(
        path.name,
        seed_of(plan.seed, number),
        hashlib.sha256(content).hexdigest(),
        len(content),
        file.manifest.moves,
        file.manifest.root,
        match.result,
    )


def _must_be_of_today(plan: Plan, path: Path, match: Match) -> None:
    """Check that a match was played with the rules and bots that the manifest will name.

    Raises:
        BadFolder: it was not; the text says with which.
    """
    entries, agents = [record.entry for record in match.records], _agents(plan)
    rules = {entry.rules for entry in entries if isinstance(entry, Opened)}
    if rules != {match.game.rules}:
        raise BadFolder(f"{path} was played by other rules ({', '.join(rules)}); {_ANEW}")
    for entry in entries:
        if isinstance(entry, Seated) and entry.agent != agents.get(entry.bot):
            raise BadFolder(
                f"{path} was played by another {entry.bot} ({entry.agent or 'at random'}); {_ANEW}"
            )


def _agents(plan: Plan) -> dict[str, str]:
    """What plays for each level of a plan."""
    return {level: agent_of(level, plan.game) for level in dict.fromkeys(plan.bots)}


def _manifest(plan: Plan, setting: Setting, files: list[PlayedFile]) -> bytes:
    won = Counter(file.result.winner or "" if file.result else "" for file in files)
    agents = _agents(plan)
    whole = Manifest(plan, setting.game.rules, product(), agents, dict(sorted(won.items())), tuple(files))
    return msgspec.json.format(canonical(whole), indent=1) + b"\n"


def _write(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all."""
    fresh = path.with_name(f".{path.name}.part")
    fresh.write_bytes(content)
    fresh.replace(path)
