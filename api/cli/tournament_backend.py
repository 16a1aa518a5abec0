"""Where a command of `glasnost tournament` is carried out: over a store, or by a server over HTTP.

Both are a `Backend`; a command knows only that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeVar

import click
from msgspec import Struct

from api.cli.common import CannotBeDone, print_json

if TYPE_CHECKING:
    from api.gate.tournament_integrity import Integrity
    from api.gate.tournament_tasks import OpenTask
    from domain.tournaments import commands as c
    from domain.tournaments.terms import Terms
    from replay.tournaments.entrant_list import ListedEntrant
    from replay.tournaments.exports import Wanted
    from replay.tournaments.standings import Explained, Standings

WORDS = {
    "en": {
        "entry": "entry",
        "place": "place",
        "entrant": "entrant",
        "boards": "boards",
        "bye": "without a board",
        "rules": "tie-breaks by the rules of {date}",
        "round": "round {round}",
        "cut": "not counted",
        "mailed": "the code is sent by mail",
        "imported": "rounds that were played elsewhere: {played}; nothing proves their results",
        "waiting": "round {round} is paired, and waits for its results",
        "kept": "line {line} is kept, and not used: {text}",
        "unknown": "line {line} is kept, and its record is not known: {text}",
        "left_out": "line {line} is left out, because it names people: {text}",
    },
    "ru": {
        "entry": "запись",
        "place": "место",
        "entrant": "участник",
        "boards": "доски",
        "bye": "без доски",
        "rules": "дополнительные показатели по правилам от {date}",
        "round": "тур {round}",
        "cut": "не учтено",
        "mailed": "код отправлен по почте",
        "imported": "туров сыграно в другом месте: {played}; их результаты ничем не доказаны",
        "waiting": "пары тура {round} составлены, результатов ещё нет",
        "kept": "строка {line} сохранена, но не используется: {text}",
        "unknown": "строка {line} сохранена, но такая запись неизвестна: {text}",
        "left_out": "строка {line} пропущена, потому что называет людей: {text}",
    },
}
T = TypeVar("T")


class Added(Struct, frozen=True):
    """What a command added: the latest entry, the root after it, and the kinds of the entries."""

    tournament: str
    entry: int
    root: str
    kinds: tuple[str, ...]


class InvitationCode(Struct, frozen=True):
    """A kept place: the person has no account but this code; `mailed`: one is sent by mail instead."""

    name: str
    person: str
    code: str
    mailed: bool = False


class KeptRecord(Struct, frozen=True):
    """A record of an imported file that is not used: its line, its text, and whether its kind is known."""

    line: int
    text: str
    known: bool


class ImportedHere(Struct, frozen=True):
    """A tournament that was imported: `played` rounds of `paired` were played elsewhere.

    kept: records that an export has again.  left_out: records that name people.
    """

    added: Added
    played: int
    paired: int
    codes: tuple[InvitationCode, ...]
    kept: tuple[KeptRecord, ...]
    left_out: tuple[KeptRecord, ...]


class Drafted(Struct, frozen=True):
    """A pairing that is not stored, for the state after `entry`."""

    entry: int
    draft: Any  # see `domain.tournaments.commands.PairingDraft`; of a server without the engine's input
    sha256: str
    boards: tuple[tuple[str, str, str, str], ...]
    byes: dict[str, str]


class Table(Struct, frozen=True):
    """Standings after an entry.  `names`: of the entrants, those that are known; `why`: of one entrant."""

    title: str
    entry: int
    standings: Standings
    names: dict[str, str]
    why: tuple[Explained, ...] | None


class Backend(Protocol):
    """Carries out commands.  Each raises CannotBeDone: it is refused, or the store or server is away."""

    def announce(self, title: str, terms: Terms) -> Added:
        """Announce a tournament; who acts is its director."""

    def import_trf(self, content: bytes, terms: Terms | str, title: str) -> ImportedHere:
        """Import a running tournament; see `replay.tournaments.trf_import.read_running`."""

    def change_terms(self, tournament: str, order: c.ChangeTerms) -> Added:
        """Give fields of the terms other values, all of them or none."""

    def enter(self, tournament: str, listed: list[ListedEntrant]) -> tuple[Added, tuple[InvitationCode, ...]]:
        """Enter all of a list, or none of them."""

    def draft(self, tournament: str) -> Drafted:
        """Pair the next round, and store nothing."""

    def pair(self, tournament: str) -> Added:
        """Pair the next round; the lot for the first colour is drawn before the first one."""

    def publish_round(self, tournament: str, despite_calls: str) -> Added:
        """Publish the latest round; `despite_calls`: why calls that have no answer do not hold it."""

    def publish_standings(self, tournament: str, *, final: bool) -> Added:
        """Publish the standings."""

    def close_round(self, tournament: str, boards: list[dict[str, object]], reason: str) -> Added:
        """Close the latest round; `boards`: see `domain.tournaments.commands.BoardPolicy`."""

    def rule(self, tournament: str, order: c.Rule, seen: str) -> Added:
        """Decide the result of a board; `seen`: the hash of its preview, for a closed round."""

    def upload(self, tournament: str, content: bytes) -> str:
        """Keep the match file of a game that was played elsewhere, for a ruling; return its SHA-256."""

    def preview(self, tournament: str, order: c.Rule) -> object:
        """What a ruling would change; see `api.gate.tournament_previews.Preview`."""

    def advance(self, tournament: str, order: c.Advance) -> Added:
        """Let those go on who have qualified."""

    def measure(self, tournament: str, order: c.Measure) -> Added:
        """Freeze or release a match; extend or adjourn boards, pause their clocks, or let them run."""

    def time_zone(self, tournament: str) -> str:
        """The time zone of its terms, in which officials name times."""

    def standings(self, tournament: str, at: int | None, entrant: str | None, *, named: bool) -> Table:
        """The standings after an entry (None: the latest); `named`: with title and names."""

    def tasks(self, tournament: str) -> tuple[OpenTask, ...]:
        """What its officials have to do."""

    def integrity(self, tournament: str) -> Integrity:
        """The integrity table."""

    def export(self, tournament: str, wanted: Wanted, into: IO[bytes], *, with_proofs: bool = False) -> None:
        """Write an export to an empty file; `with_proofs`: with those from the server's log (bundle)."""

    def close(self) -> None:
        """Hang up."""


def named_pairs(boards: Iterable[tuple[int, str, str]]) -> str:
    """Return the boards of a pairing with which another official was faster, as the end of a sentence."""
    return ": " + ", ".join(f"{board}. {w} – {b}" for board, w, b in boards)


def converted(kind: type[T], **plain: object) -> T:
    """Return a command from plain data.  Raises CannotBeDone: it is none."""
    import msgspec

    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise CannotBeDone(str(error)) from error


def print_added(added: Added, as_json: bool, language: str, **more: object) -> None:
    """Print what a command added."""
    if as_json:
        told: dict[str, object] = {"tournament": added.tournament, "entry": added.entry}
        print_json(told | {"root": added.root, "kinds": added.kinds} | more)
        return
    kinds = ", ".join(dict.fromkeys(added.kinds))
    click.echo(f"{added.tournament}: {WORDS[language]['entry']} {added.entry}: {kinds}")
