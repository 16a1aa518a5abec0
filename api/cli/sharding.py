"""`glasnost shards`: the map of a divided store, what each shard holds, and whether it belongs there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli.common import FOUND_WRONG, NOT_DONE, file_argument, json_option, opened_store, print_json

if TYPE_CHECKING:
    from api.store.shard_map import Shard, ShardMap
    from api.store.shard_part import Part


@click.command()
@file_argument()
@json_option
def shards(file: Path, as_json: bool) -> int:
    """Show the map of shards in FILE, and check that every match lies where it says; also while it is served.

    Prints for each shard its name, store, share of the new matches, and how much it holds.  Exits with 1 if a
    match lies elsewhere than the map says: nobody finds it there.  Exits with 2 if a shard is away.

    \b
    Example:
      glasnost shards shards.toml
      GLASNOST_STORE=shards:shards.toml glasnost serve
    """
    from api.store.location import SHARDS, MapFile
    from api.store.sharded import ShardedStore

    path = Path(str(file).removeprefix(SHARDS))  # as the other commands take it
    with opened_store(MapFile(path), write=False) as store:
        assert isinstance(store, ShardedStore)
        found = [_Found(store.map, shard, store.parts[shard.name]) for shard in store.map.shards]
    return _told(found, as_json)


class _Found:
    """What was found in one shard.

    Args:
        map: where matches lie.
        shard: which.
        part: its store.
    """

    def __init__(self, map: ShardMap, shard: Shard, part: Part) -> None:
        from api.store.location import shown
        from api.store.seam import Unavailable

        self.shard, self.where = shard, shown(map.place(shard))
        self.matches, self.moves, self.away = 0, 0, False
        self.elsewhere: list[tuple[str, str]] = []  # matches, and where they are looked for
        try:
            self.moves = part.last()
            for match in part.store.matches():
                self.matches += 1
                if map.of(match) != shard.name:
                    self.elsewhere.append((match, map.of(match)))
        except Unavailable:
            self.away = True

    @property
    def line(self) -> str:
        """What is printed."""
        from replay.plain import amount

        held = "away" if self.away else amount(self.matches, self.moves)
        return f"{self.shard.name}: {self.where}, share {self.shard.share}, {held}"

    def wrong(self) -> Iterator[str]:
        """What is wrong, if anything."""
        for match, name in self.elsewhere:
            yield f"match {match} lies in {self.shard.name}, and is looked for in {name}"


def _told(found: list[_Found], as_json: bool) -> int:
    wrong = [line for one in found for line in one.wrong()]
    away = any(one.away for one in found)
    if as_json:
        print_json({"ok": not wrong and not away, "shards": [_row(one) for one in found], "wrong": wrong})
    else:
        for one in found:
            click.echo(one.line)
    for line in wrong:
        click.echo(f"glasnost: {line}", err=True)
    if not wrong and not away and not as_json:
        click.echo("every match lies where the map says")
    return FOUND_WRONG if wrong else NOT_DONE if away else 0


def _row(one: _Found) -> dict[str, object]:
    return {
        "name": one.shard.name,
        "store": one.where,
        "share": one.shard.share,
        "away": one.away,
        "matches": one.matches,
        "moves": one.moves,
    }
