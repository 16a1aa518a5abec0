"""The persistence module, as the event-sourcing library uses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from eventsourcing.application import AggregateNotFoundError
from eventsourcing.persistence import InfrastructureFactory, IntegrityError, NotSupportedError, StoredEvent

from api.store.events import Envelope, Loaded, Matches, NullTranscoder, projected
from api.store.interface import StoreError
from api.store.sqlite_recorder import Datastore, Factory, Recorder
from api.store.sqlite_schema import FILE
from domain.game import Game
from tests.matches import Sitting, finished


def environment(folder: Path, write: str = "y") -> dict[str, str]:
    return {
        "PERSISTENCE_MODULE": "api.store.sqlite_recorder",
        "MAPPER_TOPIC": "api.store.events:RecordMapper",
        "TRANSCODER_TOPIC": "api.store.events:NullTranscoder",
        "ORIGINATOR_ID_TYPE": "text",
        "SQLITE_DBNAME": str(folder / FILE),
        "SQLITE_WRITE": write,
        "CREATE_TABLE": "n",
    }


@pytest.fixture
def matches(tmp_path: Path) -> Iterator[Matches]:
    matches = Matches(environment(tmp_path))
    yield matches
    matches.close()


@pytest.fixture
def sitting(toy_game: Game) -> Sitting:
    return finished(toy_game)


def envelopes(sitting: Sitting) -> list[Envelope]:
    return [Envelope(record, "toy") for record in sitting.match.records]


def versions(events: Sequence[StoredEvent]) -> list[int]:
    return [event.originator_version for event in events]


def recorder(matches: Matches) -> Recorder:
    assert isinstance(matches.recorder, Recorder)
    return matches.recorder


def test_the_library_finds_the_module(tmp_path: Path) -> None:
    factory = InfrastructureFactory.construct(environment(tmp_path))
    assert isinstance(factory, Factory)
    factory.close()


def test_the_shell_does_not_change_how_matches_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPRESSOR_TOPIC", "zlib")
    monkeypatch.setenv("AGGREGATE_CACHE_MAXSIZE", "10")
    matches = Matches(environment(tmp_path))
    assert matches.mapper.compressor is None
    assert matches.repository.cache is None
    matches.close()


def test_the_repository_loads_a_match_at_any_version(matches: Matches, sitting: Sitting) -> None:
    matches.events.put(envelopes(sitting))
    loaded: Loaded = matches.repository.get(sitting.id, projector_func=projected)
    assert (loaded.id, loaded.version) == (sitting.id, sitting.match.move)
    early: Loaded = matches.repository.get(sitting.id, version=4, projector_func=projected)
    assert early.version == 4
    assert early.match.roots == sitting.match.roots[:4]
    with pytest.raises(AggregateNotFoundError):
        matches.repository.get("nowhere", projector_func=projected)


def test_the_stored_state_is_the_bytes_first_written(matches: Matches, sitting: Sitting) -> None:
    matches.events.put(envelopes(sitting))
    rows = matches.recorder.select_events(sitting.id)
    assert [row.state for row in rows] == [record.stored for record in sitting.match.records]
    assert {row.topic for row in rows} == {"toy"}
    with pytest.raises(TypeError):
        NullTranscoder().encode({})
    with pytest.raises(TypeError):
        NullTranscoder().decode(b"")


def test_events_are_selected_between_versions(matches: Matches, sitting: Sitting) -> None:
    matches.events.put(envelopes(sitting))

    select = matches.recorder.select_events
    assert versions(select(sitting.id, gt=2, lte=5)) == [3, 4, 5]
    assert versions(select(sitting.id, lte=3, desc=True)) == [3, 2, 1]
    assert versions(select(sitting.id, desc=True, limit=1)) == [sitting.match.move]


def test_notifications_are_selected_by_position_and_topic(matches: Matches, sitting: Sitting) -> None:
    matches.events.put(envelopes(sitting))
    select = matches.recorder.select_notifications
    assert [one.id for one in select(2, 3)] == [2, 3, 4]
    assert [one.id for one in select(2, 3, inclusive_of_start=False)] == [3, 4, 5]
    assert [one.id for one in select(None, 100, stop=2)] == [1, 2]
    assert [one.id for one in select(1, 2, topics=["chess", "toy"])] == [1, 2]
    assert select(1, 10, topics=["chess"]) == []
    assert matches.recorder.max_notification_id() == sitting.match.move


@pytest.mark.parametrize("places", [(0, 1, 2, 8), (0, 0), (1,), (0, 2, 1)])
def test_versions_follow_one_another_or_nothing_is_stored(
    matches: Matches, sitting: Sitting, places: tuple[int, ...]
) -> None:
    events = envelopes(sitting)
    with pytest.raises(IntegrityError):
        matches.events.put([events[place] for place in places])
    assert matches.recorder.max_notification_id() is None


def test_the_notification_log_reads_in_order(matches: Matches, sitting: Sitting) -> None:
    matches.events.put(envelopes(sitting))
    section = matches.notification_log["1,4"]
    assert [item.originator_version for item in section.items] == [1, 2, 3, 4]


def test_a_store_that_is_only_read_takes_no_events(matches: Matches, tmp_path: Path) -> None:
    reading = Matches(environment(tmp_path, "n"))
    with pytest.raises(NotSupportedError, match="not open for writing"):
        reading.recorder.insert_events([])
    reading.close()


def test_a_file_that_cannot_be_read_is_a_store_error(tmp_path: Path) -> None:
    datastore = Datastore(tmp_path / FILE, write=True)
    with pytest.raises(StoreError, match="cannot be read: no such table"):
        datastore.rows("SELECT * FROM nowhere")
    datastore.close()
    with pytest.raises(StoreError, match="cannot be read: unable to open"):
        Datastore(tmp_path / "nowhere", write=False).rows("SELECT 1")


def test_reading_connections_are_used_again(matches: Matches) -> None:
    datastore = recorder(matches).datastore
    for _ in range(10):
        datastore.rows("SELECT 1")
    with datastore.transaction(commit=False) as outer, datastore.transaction(commit=False) as inner:
        outer.execute("SELECT 1")
        inner.execute("SELECT 2")
        assert (outer.fetchone(), inner.fetchone()) == ((1,), (2,))
    assert len(datastore._idle) == 2


def test_a_file_that_is_deleted_while_it_is_served_is_named_by_a_new_reader_too(tmp_path: Path) -> None:
    """Given a reader that has the file open, when the file goes, then another reader says what happened."""
    datastore = Datastore(tmp_path / FILE, write=True)
    with datastore.get_connection(commit=False):
        (tmp_path / FILE).unlink()
        with pytest.raises(StoreError, match="was deleted or replaced while it is served"):
            datastore.rows("SELECT 1")
    datastore.close()
