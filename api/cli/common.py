"""What the commands share: errors, language, JSON lines, progress, and the files and stores of a match.

Exit codes do not change between versions: 0 done, 1 something was found wrong, 2 it could not be done.
"""

from __future__ import annotations

import codecs
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from api.store.open import Location, Place
    from api.store.sql import SqlStore
    from domain.match import Match

FOUND_WRONG, NOT_DONE = 1, 2

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
S = TypeVar("S", bound="SqlStore")


class CannotBeDone(click.ClickException):
    """The command cannot be carried out; the text says where and what to do."""

    exit_code = NOT_DONE


class FoundWrong(click.ClickException):
    """Something that was checked is wrong."""

    exit_code = FOUND_WRONG


def our_error(error: Exception) -> str:
    """Return the text for an error of the program."""
    what = f"{type(error).__name__}: {error}"
    return f"error in the program: {what} (GLASNOST_DEBUG=1 shows where; please report)"


def write_sections(formatter: click.HelpFormatter, sections: Mapping[str, Mapping[str, str]]) -> None:
    """Write the commands of a help text: by the title of their section, their names and what they do."""
    for title, section in sections.items():
        with formatter.section(title):
            formatter.write_dl(list(section.items()))


# ── parameters that several commands take ──


def _default_language() -> str:
    """Russian if the environment's language is Russian, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "ru" if value.lower().startswith("ru") else "en"
    return "en"


language_option = click.option(
    "--lang",
    "language",
    type=click.Choice(["en", "ru"]),
    default=_default_language,
    show_default="from LANG",
    help="Language of names and sentences.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object on one line.")


class StoreType(click.Path):
    """A directory, `sqlite:DIR`, or the URL of a database."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert the argument to a location."""
        from api.store.interface import StoreError
        from api.store.open import located

        try:
            location = located(os.fsdecode(value))
        except StoreError as error:
            self.fail(str(error), param, ctx)
        return super().convert(location, param, ctx) if isinstance(location, Path) else location


STORE = "GLASNOST_STORE"


def store_option(
    *, required: bool = True, help: str = "The store: its directory or postgresql://..."
) -> Callable[[F], F]:
    """`--store DIR`; if a command needs a store, GLASNOST_STORE may name it."""
    return click.option(
        "--store",
        "store",
        metavar="DIR",
        type=StoreType(),
        required=required,
        envvar=STORE if required else None,
        show_envvar=True,
        help=help,
    )


def named_store() -> Location | None:
    """Return the store that GLASNOST_STORE names; None if it is not set.

    Raises:
        CannotBeDone: its value is not a store that this version knows.
    """
    if not (words := os.environ.get(STORE)):
        return None
    from api.store.interface import StoreError
    from api.store.open import located

    try:
        return located(words)
    except StoreError as error:
        raise CannotBeDone(f"{STORE}: {error}") from error


def trust_option() -> Callable[[F], F]:
    """`--trust FILE`: keys in a file, besides those of another option (see `api.cli.verify`)."""
    return click.option(
        "--trust",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="A file with such keys, one on each line; lines with # are comments.",
    )


def key_options(what: str) -> Callable[[F], F]:
    """`--key VKEY`, repeatable, and `--trust FILE`.  `what` such a key is begins the help of the first."""

    def both(command: F) -> F:
        given = click.option("--key", "keys", metavar="VKEY", multiple=True, help=f"{what}; repeatable.")
        return given(trust_option()(command))

    return both


def every_option(least: float, usual: float) -> Callable[[F], F]:
    """`--every SECONDS`: how often a program that stays looks."""
    return click.option(
        "--every",
        metavar="SECONDS",
        type=click.FloatRange(min=least),
        default=usual,
        show_default=True,
        help="How often to look.",
    )


def file_argument(*, many: bool = False, required: bool = True) -> Callable[[F], F]:
    """`FILE`, or `FILE...`; in brackets if it may be left out."""
    kind = click.Path(path_type=Path)
    metavar = ("FILE" if required else "[FILE]") + ("..." if many else "")
    nargs = -1 if many else 1
    name = "files" if many else "file"
    return click.argument(name, metavar=metavar, nargs=nargs, type=kind, required=required)


# ── output ──


def print_json(value: Any) -> None:
    """Print `value` as one line of JSON; bytes in it that are not text (a file's name) become marks."""
    import msgspec

    try:
        line = msgspec.json.encode(value)
    except UnicodeEncodeError:
        line = msgspec.json.encode(_as_text(msgspec.to_builtins(value)))
    click.echo(line)


def _as_text(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_as_text(name): _as_text(one) for name, one in value.items()}
    return [_as_text(one) for one in value] if isinstance(value, list | tuple) else value


def heading(text: str) -> None:
    """Print `text`, in bold if the terminal can show that."""
    if os.environ.get("TERM") in ("dumb", "unknown"):
        click.echo(text)
    else:
        click.secho(text, bold=True)


class Advance:
    """Advances a progress bar; without a terminal there is no bar, and nothing happens."""

    def __init__(self, bar: Progress | None = None, task: TaskID | None = None) -> None:
        self._bar, self._task = bar, task

    def __call__(self, steps: int, note: str = "") -> None:
        """Advance the bar by `steps`; `note` is shown after the bar."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=steps, note=note)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Hide the bar for as long as the context lasts, so that lines can be printed."""
        if self._bar is not None:
            self._bar.stop()
        try:
            yield
        finally:
            if self._bar is not None:
                self._bar.start()


@contextmanager
def progress(title: str, total: int | None = None) -> Iterator[Advance]:
    """Show a progress bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield Advance()
        return
    with _bar() as bar:
        yield Advance(bar, bar.add_task(title, total=total, note=""))


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),  # a file's name may hold brackets
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


def tracked(title: str, items: Iterable[T], total: int) -> Iterator[T]:
    """Iterate over `items` with a progress bar."""
    with progress(title, total) as advance:
        for item in items:
            yield item
            advance(1)


# ── stores and files ──


@contextmanager
def opened_store(location: Location, *, write: bool = True) -> Iterator[SqlStore]:
    """Open the store at `location`, and close it afterwards.

    Args:
        write: if false, the store is only read, also while another process writes it.

    Raises:
        CannotBeDone: there is no store, another process holds it, or it is newer or damaged.
    """
    from api.store.open import open_store

    with _closed_after(lambda: open_store(location, write=write)) as store:
        yield store


def must_hold_a_store(location: Location) -> None:
    """Check that a store exists, so that a mistyped name does not make a new one; it may be older.

    Raises:
        CannotBeDone: there is no store; see also `opened_store`.
    """
    from api.store.interface import Older

    try:
        with opened_store(location, write=False):
            pass
    except CannotBeDone as error:
        if not isinstance(error.__cause__, Older):
            raise


@contextmanager
def opened_one(place: Place, *, keys: Path) -> Iterator[SqlStore]:
    """Open the store at `place`, which may have been a shard, and close it afterwards.

    Raises:
        CannotBeDone: see `opened_store`.
    """
    from api.store.open import open_one

    with _closed_after(lambda: open_one(place, keys=keys)) as store:
        yield store


@contextmanager
def store_or_temporary(location: Location | None) -> Iterator[SqlStore]:
    """Open a store to write: the named one, or a temporary one that is deleted afterwards."""
    if location is not None:
        with opened_store(location) as store:
            yield store
        return
    with (
        tempfile.TemporaryDirectory(prefix="glasnost-") as scratch,
        opened_one(Path(scratch) / "store", keys=Path(scratch) / "keys") as store,
    ):
        yield store


@contextmanager
def _closed_after(open: Callable[[], S]) -> Iterator[S]:
    from api.store.interface import StoreError
    from domain.kernel import Refused
    from domain.log import Damaged

    try:
        store = open()
        try:
            yield store
        finally:
            store.close()
    except (StoreError, Refused, Damaged) as error:
        raise CannotBeDone(str(error)) from error


def read_bytes(path: Path, *, limit: int, what: str) -> bytes:
    """Return the bytes of a file of at most `limit` bytes.

    Raises:
        CannotBeDone: there is no such file, or it is a directory, unreadable or too long.
    """
    if not path.exists():
        raise CannotBeDone(f"{path}: there is no such file")
    if path.is_dir():
        raise CannotBeDone(f"{path} is a directory; name the {what} in it")
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise CannotBeDone(f"{path}: {error.strerror or error}") from error
    if len(content) > limit:
        most = f"{limit >> 20} MiB" if limit >> 20 else f"{limit:,} bytes"
        raise CannotBeDone(f"{path}: longer than the {most} that a {what} may have")
    return content


def decoded(path: Path, content: bytes, type: type[T]) -> T:
    """Decode `content`, of the file `path`, as JSON of this type.

    Raises:
        CannotBeDone: it is not UTF-8, not JSON, or not of this type; the text says where.
    """
    import msgspec

    if content.startswith(codecs.BOM_UTF8):
        raise CannotBeDone(f"{path}: begins with a byte order mark; save it as UTF-8 without one")
    try:
        content.decode()
        return msgspec.json.decode(content, type=type)
    except UnicodeDecodeError as error:
        raise CannotBeDone(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except msgspec.ValidationError as error:
        raise CannotBeDone(f"{path}: {error}") from error
    except msgspec.DecodeError as error:
        raise CannotBeDone(f"{path}: not JSON: {error}") from error
    except RecursionError as error:
        raise CannotBeDone(f"{path}: nested too deeply") from error


# ── The output of a match that was played or scripted: a file, a match in a store, and one line ──


def write_file(path: Path, content: bytes) -> Path:
    """Write `content` to `path`, as a whole or not at all; return the path.

    Raises:
        CannotBeDone: the file cannot be written.
    """
    try:
        if _is_device(path):
            path.write_bytes(content)
        else:
            _replace(path.resolve(), content)
    except (OSError, RuntimeError) as error:  # links that lead in a circle
        reason = error.strerror if isinstance(error, OSError) else None
        raise CannotBeDone(f"{path}: cannot be written: {reason or error}") from error
    return path


def _is_device(path: Path) -> bool:
    """Is it a pipe, a terminal or /dev/null, which no file may replace?"""
    return path.exists() and not path.is_file() and not path.is_dir()


def _replace(path: Path, content: bytes) -> None:
    fresh = path.with_name(f".{path.name}.part")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    except BaseException:  # Ctrl-C, too
        fresh.unlink(missing_ok=True)
        raise


def keep(match: Match, secret: bytes, store: Location) -> tuple[str, bool]:
    """Put a finished match into a store; return its checkpoint, and whether it was there already.

    Raises:
        CannotBeDone: the store cannot be written.
    """
    with opened_store(store) as opened:
        return keep_in(opened, match, secret)


def keep_in(store: SqlStore, match: Match, secret: bytes) -> tuple[str, bool]:
    """Do as `keep`, with a store that is open already."""
    from api.seeded import SeededKeys, note_by
    from api.store.interface import Append, Exists

    keys = SeededKeys() if match.imported else store.keys
    note = note_by(keys.signing, match)
    try:
        store.submit(Append(match.records, secret=secret, note=note)).result()
    except Exists:
        return store.note(match.id) or note, True
    return note, False


def summary(match: Match, file: Path | None) -> dict[str, Any]:
    """Return what `--json` prints about a match."""
    from domain.log import b64

    opened = match.opened
    return {
        "match": match.id,
        "game": opened.game,
        "edition": opened.edition,
        "options": opened.options,
        "moves": match.move,
        "result": match.result,
        "root": b64(match.roots[-1]),
        "file": os.fsencode(file).decode(errors="replace") if file else None,
    }


def in_words(match: Match, language: str, file: Path | None) -> str:
    """Return the same as one line of text."""
    from domain.log import b64
    from replay.words import Words

    words = Words(match, language)
    ended = words.result(match.result) if match.result else words.shown("unfinished")
    where = f", {file}" if file else ""
    return f"{match.id}: {match.move} moves, {ended}, root {b64(match.roots[-1])}{where}"


def must_be_writable(path: Path | None) -> None:
    """Check, before a match is played, that its file can be written.

    Raises:
        CannotBeDone: the name is empty, the folder is missing, or nothing can be written there.
    """
    if path is None:
        return
    if not path.name:
        raise CannotBeDone("--out: name the file")
    if _is_device(path):
        return
    if not path.absolute().parent.is_dir():
        raise CannotBeDone(f"{path}: there is no folder {path.parent}; make it first")
    if not os.access(path.absolute().parent, os.W_OK):
        raise CannotBeDone(f"{path}: nothing can be written to {path.parent}")
