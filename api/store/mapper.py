"""How the event-sourcing library sees a match: records in envelopes, stored as the bytes first written.

The topic of a stored event is the name of its game, whose codec reads it again; nothing is transcoded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eventsourcing.application import Application
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import Mapper, StoredEvent, Transcoder
from eventsourcing.utils import Environment, EnvType
from msgspec import Struct

from api.learning import learn
from domain.games import GAMES
from domain.log import Codec, Damaged, Record, codec
from domain.match import Match


class Envelope(Struct, frozen=True, gc=False):
    """A record as the library wants an event: with the stream it belongs to and its place there."""

    record: Record
    game: str

    @property
    def originator_id(self) -> str:
        """The match's id."""
        return self.record.match

    @property
    def originator_version(self) -> int:
        """The number of the move."""
        return self.record.move


class Loaded(Struct, frozen=True):
    """A match as the library wants an aggregate: with its version."""

    match: Match

    @property
    def id(self) -> str:
        """The match's id."""
        return self.match.id

    @property
    def version(self) -> int:
        """The number of the latest move."""
        return self.match.move


def projected(loaded: Loaded | None, events: Iterable[Envelope]) -> Loaded | None:
    """The match after `events`: the projector that the repository calls."""
    match = Match.project(loaded.match if loaded else None, (event.record for event in events))
    return Loaded(match) if match else None


class RecordMapper(Mapper[str]):
    """Envelopes to stored events and back; the state is the record's stored bytes."""

    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> StoredEvent:
        """The row for an envelope."""
        assert isinstance(domain_event, Envelope), "a store of matches keeps envelopes"
        record = domain_event.record
        return StoredEvent(record.match, record.move, domain_event.game, record.stored)

    def to_domain_event(self, stored_event: StoredEvent) -> Envelope:
        """The envelope behind a row.

        Raises:
            Damaged: these are not the bytes of a move of a known game; the text names match and move.
        """
        match, game = str(stored_event.originator_id), stored_event.topic
        known = _codec(match, stored_event.originator_version, game)
        try:
            return Envelope(known.read(match, stored_event.state), game)
        except Damaged as error:
            raise Damaged(f"match {match}, move {stored_event.originator_version}: {error}") from error


def unread(match: str, move: int, game: str, stored: bytes) -> Record:
    """The record of a row, which is read only when somebody looks at it.

    Raises:
        Damaged: it is of no known game; and see `Record`.
    """
    known = _codec(match, move, game)
    return Record(known, match, move, stored, known.audiences)


learn()  # whatever reads matches, and in however many threads, begins with this module


def _codec(match: str, move: int, game: str) -> Codec:
    if game not in GAMES:
        known = ", ".join(GAMES)
        raise Damaged(f"match {match}, move {move}: unknown game {game!r}; this version knows: {known}")
    return codec(GAMES[game])


class NullTranscoder(Transcoder):
    """Stands where the library wants a transcoder; the records are bytes already."""

    def encode(self, obj: Any) -> bytes:
        """Not used."""
        raise TypeError("records are stored as the bytes first written")

    def decode(self, data: bytes) -> Any:
        """Not used."""
        raise TypeError("records are stored as the bytes first written")


class Matches(Application[str]):
    """The library's application over the matches of a store: event store, repository, notification log."""

    name = "matches"

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        """Only what the store says counts: no stray variable of the shell changes how matches are kept."""
        return Environment(name, env)
