"""`glasnost replay`: shows a match from its file or a store: the table at any move, or the whole match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from api.cli.common import (
    CannotBeDone,
    heading,
    json_option,
    language_option,
    opened_store,
    print_json,
    store_option,
)
from api.settings import PICTURES, missing

if TYPE_CHECKING:
    from api.store.open import Location
    from domain.match import Match
    from replay.narration import Paragraph
    from replay.words import Words

SPECTATOR = "spectator"
_BACK = {"en": "taken back", "ru": "взято назад"}


@click.command()
@click.argument("file", metavar="FILE")
@store_option(required=False, help="Show a match of this store; FILE is its id.")
@click.option(
    "--at", "move", metavar="MOVE", type=click.IntRange(1), help="The move; default: the whole match."
)
@click.option(
    "--since", metavar="MOVE", type=click.IntRange(1), help="Also show what changed since this move."
)
@click.option(
    "--view",
    metavar="SEAT",
    help="A seat, spectator or all; default: all if the match is over, else spectator.",
)
@click.option(
    "--svg",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the board as a picture to this file instead.",
)
@click.option(
    "--png",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the board as a PNG to this file instead; needs the extra `pictures`.",
)
@language_option
@json_option
def replay(
    file: str,
    store: Location | None,
    move: int | None,
    since: int | None,
    view: str | None,
    svg: Path | None,
    png: Path | None,
    language: str,
    as_json: bool,
) -> None:
    """Show the match in FILE: the table after a move and that move in words, or the whole match in words.

    With --store, FILE is the id of a match of that store, which may be served meanwhile.

    With --json, it prints the position as one object on one line, with the moves up to it in words as
    "narration", and with --since the differences as "changes".

    With --svg: the board after the move, light or dark as its reader is set up, in a file of its own.
    With --png: the same in light colours, 1200 pixels wide.

    \b
    Example:
      glasnost replay match.glasnost
      glasnost replay match.glasnost --at 12 --view spectator --lang ru
      glasnost replay match.glasnost --at 12 --svg board.svg --png board.png
      glasnost replay --store games seed-21876c7afa6f43e3fb93382e
    """
    from replay.positions import NoView
    from replay.words import Words

    if png is not None and (lack := missing(PICTURES, "--png")):
        raise CannotBeDone(lack)
    match = match_in(Path(file)) if store is None else _stored(store, file)
    viewer = _viewer(match, view)
    words = Words(match, language)
    try:
        if svg is not None or png is not None:
            drawn = _drawing(match, words, move or match.move, viewer)
            _write(svg, lambda: drawn.encode())
            _write(png, lambda: _png(drawn))
        elif as_json:
            print_json(_data(match, words, move, viewer) | _changes(match, words, since, move, viewer))
        elif move is None:
            _tell(match, words, viewer)
        else:
            _draw(match, words, move, viewer)
        if since is not None and not as_json and svg is None and png is None:
            _compare(match, words, since, move or match.move, viewer)
    except NoView as error:
        raise CannotBeDone(f"{file}: {error}") from error


def match_in(file: Path) -> Match:
    """The match of a file.  Raises CannotBeDone: it is damaged, or a directory."""
    from domain.log import Damaged
    from replay import matchfile

    if file.is_dir():
        raise CannotBeDone(f"{file} is a directory; name the match file in it")
    try:
        return matchfile.read(file).match()
    except Damaged as error:
        raise CannotBeDone(f"{file}: {error}; `glasnost verify {file}` says more") from error


def _stored(location: Location, name: str) -> Match:
    with opened_store(location, write=False) as store:
        match = store.match(name)
    if match is None:
        raise CannotBeDone(f"there is no match {name} in this store")
    return match


def _viewer(match: Match, view: str | None) -> str | None:
    """The viewer's name for the log; the default is the viewer who sees most."""
    from domain.match_base import ALL

    if view is None:
        return ALL if match.closed and all(record.parts for record in match.records) else None
    return None if view == SPECTATOR else view


def _data(match: Match, words: Words, move: int | None, viewer: str | None) -> dict[str, Any]:
    import msgspec

    from domain.imported import REMARK
    from replay.narration import narrated
    from replay.positions import position

    shown = position(match, move, viewer)
    data: dict[str, Any] = msgspec.to_builtins(shown)
    story = (part for part in narrated(match, words, viewer) if part.move <= shown.move)
    narration = [
        {"move": part.move, "kind": part.kind, "stands": part.stands, "text": part.text} for part in story
    ]
    remark = REMARK[words.language] if match.imported else None
    return data | {"viewer": shown.viewer or SPECTATOR, "remark": remark, "narration": narration}


def _changes(
    match: Match, words: Words, since: int | None, move: int | None, viewer: str | None
) -> dict[str, Any]:
    from replay.difference import difference, sentences

    if since is None:
        return {}
    found = difference(match, since, move or match.move, viewer)
    return {"since": since, "changes": list(sentences(found, words))}


# ── pictures ──


def _draw(match: Match, words: Words, move: int, viewer: str | None) -> None:
    import sys

    from replay.terminal import AS_WRITTEN, as_text, picture

    drawn = picture(match, words, move, viewer)
    if not sys.stdout.isatty():
        click.echo(as_text(drawn))
        return
    from rich.console import Console

    Console(**AS_WRITTEN).print(drawn)


def _drawing(match: Match, words: Words, move: int, viewer: str | None) -> str:
    from replay.boards.drawing import svg

    drawn = svg(match, move, viewer, words)
    if drawn is None:
        raise CannotBeDone(f"{words.game} is not played on a board, so there is no picture of it")
    return drawn


def _png(svg: str) -> bytes:
    from replay.boards.pictures import NoPicture, png

    try:
        return png(svg)
    except NoPicture as none:
        raise CannotBeDone(
            "a PNG needs a font with Latin and Cyrillic letters, such as DejaVu Sans"
        ) from none


def _write(file: Path | None, content: Callable[[], bytes]) -> None:
    """Write a picture to its file, if one is wanted."""
    if file is None:
        return
    drawn = content()
    try:
        file.write_bytes(drawn)
    except OSError as error:
        raise CannotBeDone(f"{file}: {error.strerror}") from error


def _compare(match: Match, words: Words, since: int, move: int, viewer: str | None) -> None:
    from replay.difference import difference, sentences

    click.echo(f"\n{since} → {move}")
    for sentence in sentences(difference(match, since, move, viewer), words):
        click.echo(f"  {sentence}")


# ── the whole match in words ──


def _tell(match: Match, words: Words, viewer: str | None) -> None:
    """Print the whole match, turn by turn, then the table at the end."""
    for title, part in _parts(match, words, viewer):
        heading(f"── {title} · {_score(match, part[-1].move, words, viewer)} ──")
        for paragraph in part:
            _print(paragraph, match, words)
        click.echo()
    _draw(match, words, match.move, viewer)


def _parts(match: Match, words: Words, viewer: str | None) -> Iterator[tuple[str, list[Paragraph]]]:
    """The paragraphs, a list for each turn, with the heading of its summary."""
    from domain.turns import turns
    from projections.sentences import heading
    from projections.summary import Turn
    from replay.narration import narrated

    numbers, names = turns(match, viewer)
    for number, paragraphs in groupby(narrated(match, words, viewer), lambda line: numbers[line.move - 1]):
        part = list(paragraphs)
        called, ordinal = names.get(number, ("", 0))
        turn = Turn(number, part[0].move, part[-1].move, {}, {}, called=called, ordinal=ordinal)
        yield heading(words.texts, turn), part


def _score(match: Match, move: int, words: Words, viewer: str | None) -> str:
    score = match.game.score(match.table_at(move, viewer))
    return ", ".join(f"{words.name(seat)} {points}" for seat, points in score.items())


def _print(paragraph: Paragraph, match: Match, words: Words) -> None:
    back = "" if paragraph.stands else f" [{_BACK[words.language]}]"
    moved = paragraph.at is not None and paragraph.move in (1, match.move)
    when = f" ({words.moment(paragraph.at)})" if moved else ""
    click.echo(f"{paragraph.move:>4}  {paragraph.done}{back}{when}")
    for sentence in paragraph.after:
        click.echo(f"        {sentence}")
