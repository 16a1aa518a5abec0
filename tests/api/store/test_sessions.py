"""Sessions and links beside the tokens: only hashes are stored, and each ends when it should."""

from __future__ import annotations

import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest
from msgspec.structs import replace

from api.store import backup
from api.store.interface import Act, NewSession, Session, SessionBounds, Unavailable
from api.store.sessions import USED_EACH
from api.store.sql import SqlStore
from api.store.sqlite import SqliteStore
from domain.kernel import Refused
from tests.api.store.locations import ACT, Place
from tests.api.store.older import DATABASE_TO_SCHEMA_5, TO_SCHEMA_4

NOW = 1_790_000_000_000_000
MINUTE, DAY = 60_000_000, 86_400_000_000
BOUNDS = SessionBounds(lasts=90 * DAY, link_lasts=10 * MINUTE, most=3, most_links=2)
NAME = "Anna Sergeyevna of the fourth floor"


def signed_in(store: SqlStore, token: str, at: int = NOW, device: str = "Firefox, Linux") -> NewSession:
    """A new session for the owner of a token."""
    made = store.people.sign_in(token, device, at, BOUNDS)
    assert made is not None
    return made


def player_of(store: SqlStore, secret: str, at: int = NOW) -> str | None:
    """The id of the player whose session this is."""
    found = store.people.by_session(secret, at, BOUNDS)
    return found[0].id if found else None


def test_a_session_stands_for_its_player(store: SqlStore) -> None:
    person, token = store.people.add(NAME, "organizer")
    made = signed_in(store, token)
    assert made.person == person
    assert store.people.by_session(made.secret, NOW, BOUNDS) == (person, made.id)
    holder = hashlib.sha256(made.secret.encode()).hexdigest()[:32]
    assert store.people.by_session_holder(holder, NOW, BOUNDS) == (person, made.id)
    assert store.people.sessions(person.id, NOW, BOUNDS) == [Session(made.id, "Firefox, Linux", NOW, NOW)]


def test_secrets_have_256_bits_and_codes_128_and_only_hashes_are_stored(
    store: SqlStore, place: Place
) -> None:
    person, token = store.people.add(NAME, "player")
    secrets = {signed_in(store, token).secret for _ in range(3)}
    codes = {store.people.new_link(person.id, Act(person.id, NOW), BOUNDS) for _ in range(2)}
    assert (len(secrets), len(codes)) == (3, 2)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", one) for one in secrets)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", one) for one in codes)
    stored = place.content()
    for one in secrets | codes:
        assert one.encode() not in stored
        assert hashlib.sha256(one.encode()).digest() in stored


@pytest.mark.parametrize("forged", ["", "x", "\ud800", "é" * 43, "A" * 10_000])
def test_a_forged_secret_or_code_or_token_opens_nothing(store: SqlStore, forged: str) -> None:
    person, token = store.people.add(NAME, "player")
    secret = signed_in(store, token).secret
    code = store.people.new_link(person.id, Act(person.id, NOW), BOUNDS)
    for wrong in (forged, secret.swapcase(), secret[:-1], token, code):
        assert player_of(store, wrong) is None
    for wrong in (forged, secret, code):
        assert store.people.sign_in(wrong, "", NOW, BOUNDS) is None
    for wrong in (forged, secret, token):
        assert store.people.sign_in_by_link(wrong, "", NOW, BOUNDS) is None
    assert store.people.by_token(secret) is None
    assert store.people.by_token(code) is None


def test_a_session_ends_90_days_after_its_last_use(store: SqlStore) -> None:
    person, token = store.people.add(NAME, "player")
    made = signed_in(store, token)
    for day in range(80, 400, 80):  # each use makes it last longer
        assert player_of(store, made.secret, NOW + day * DAY) == person.id
    last = NOW + 320 * DAY
    assert player_of(store, made.secret, last + 90 * DAY - 1) == person.id
    assert player_of(store, made.secret, last + 180 * DAY) is None
    assert store.people.sessions(person.id, last + 180 * DAY, BOUNDS) == []
    assert store.people.by_session_holder("0" * 32, last, BOUNDS) is None


def test_the_last_use_is_written_once_an_hour(store: SqlStore) -> None:
    person, token = store.people.add(NAME, "player")
    secret = signed_in(store, token).secret

    def used() -> int:
        return store.people.sessions(person.id, NOW, BOUNDS)[0].used

    for at, stored in (
        (NOW + 1, NOW),
        (NOW + USED_EACH - 1, NOW),
        (NOW + USED_EACH, NOW + USED_EACH),
        (NOW, NOW + USED_EACH),  # the clock was set back
    ):
        assert player_of(store, secret, at) == person.id
        assert used() == stored


def test_a_session_is_good_while_its_use_cannot_be_written(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, token = store.people.add(NAME, "player")
    secret = signed_in(store, token).secret

    def full(work: object) -> None:
        raise Unavailable("the disk is full")

    monkeypatch.setattr(store.people, "_writing", full)
    assert player_of(store, secret, NOW + DAY) == person.id


def test_beyond_the_limit_the_session_that_was_used_longest_ago_ends(store: SqlStore) -> None:
    person, token = store.people.add(NAME, "player")
    _, other = store.people.add("Boris", "player")
    theirs = signed_in(store, other)
    made = [signed_in(store, token, NOW + number) for number in range(3)]
    player_of(store, made[0].secret, NOW + DAY)
    made.append(signed_in(store, token, NOW + 2 * DAY))
    kept = [player_of(store, one.secret, NOW + 2 * DAY) is not None for one in made]
    assert kept == [True, False, True, True]
    assert len(store.people.sessions(person.id, NOW + 2 * DAY, BOUNDS)) == BOUNDS.most
    assert player_of(store, theirs.secret) is not None


def test_a_new_session_or_link_stays_where_others_are_as_new_or_newer(store: SqlStore) -> None:
    """Several sign-ins in one moment, or a clock that was set back."""
    person, token = store.people.add(NAME, "player")
    for number in range(12):
        at = NOW - number % 2
        assert player_of(store, signed_in(store, token, at).secret) == person.id
        code = store.people.new_link(person.id, Act(person.id, at), BOUNDS)
        made = store.people.sign_in_by_link(code, "", at, BOUNDS)
        assert made is not None
        assert player_of(store, made.secret) == person.id


def test_sessions_that_are_over_are_removed_from_the_store(store: SqlStore) -> None:
    _, token = store.people.add(NAME, "player")
    _, other = store.people.add("Boris", "player")
    signed_in(store, token)
    signed_in(store, other, NOW + 91 * DAY)
    assert store.rows("SELECT count(*) FROM sessions")[0][0] == 1


def test_signing_in_again_ends_the_session_of_the_same_device_alone(store: SqlStore) -> None:
    person, token = store.people.add(NAME, "player")
    _, other = store.people.add("Boris", "player")
    heard: list[str] = []
    store.people.watch(heard.append)
    elsewhere, first = signed_in(store, token), signed_in(store, token)
    second = store.people.sign_in(other, "", NOW, BOUNDS, first.secret)
    assert second is not None
    assert second.secret != first.secret
    assert player_of(store, first.secret) is None
    assert player_of(store, elsewhere.secret) == person.id
    assert person.id in heard  # what is cached of the first session is outdated
    failed = store.people.sign_in("no token", "", NOW, BOUNDS, second.secret)
    assert failed is None
    assert player_of(store, second.secret) == second.person.id


def test_a_player_ends_own_sessions_only(store: SqlStore) -> None:
    person, token = store.people.add(NAME, "player")
    other, _ = store.people.add("Boris", "player")
    made = signed_in(store, token)
    heard: list[str] = []
    store.people.watch(heard.append)
    assert not store.people.end_session(other.id, made.id)
    assert not store.people.end_session(person.id, "s" + made.secret)
    assert player_of(store, made.secret) == person.id
    assert store.people.end_session(person.id, made.id)
    assert person.id in heard
    assert not store.people.end_session(person.id, made.id)
    assert player_of(store, made.secret) is None


@pytest.mark.parametrize("deed", ["forget", "revoke", "new_token"])
def test_sessions_and_links_end_with_the_tokens(store: SqlStore, deed: str) -> None:
    person, token = store.people.add(NAME, "player")
    other, other_token = store.people.add("Boris", "player")
    made, theirs = signed_in(store, token), signed_in(store, other_token)
    code = store.people.new_link(person.id, Act(person.id, NOW), BOUNDS)
    getattr(store.people, deed)(person.id, ACT)
    assert player_of(store, made.secret) is None
    assert store.people.sign_in_by_link(code, "", NOW, BOUNDS) is None
    assert store.people.sign_in(token, "", NOW, BOUNDS) is None
    assert store.rows("SELECT person FROM sessions UNION ALL SELECT person FROM links") == [(other.id,)]
    assert player_of(store, theirs.secret) == other.id


def test_revoking_ends_sessions_of_a_player_without_a_token(store: SqlStore) -> None:
    person, _ = store.people.add(NAME, "player")
    assert store.people.revoke(person.id, ACT)
    code = store.people.new_link(person.id, Act("padmin", NOW), BOUNDS)
    made = store.people.sign_in_by_link(code, "", NOW, BOUNDS)
    assert made is not None
    assert store.people.revoke(person.id, ACT)
    assert player_of(store, made.secret) is None
    assert not store.people.revoke(person.id, ACT)


def test_a_link_opens_one_session(store: SqlStore) -> None:
    person, _ = store.people.add(NAME, "player")
    code = store.people.new_link(person.id, Act(person.id, NOW), BOUNDS)
    made = store.people.sign_in_by_link(code, "Safari, iPhone", NOW + 10 * MINUTE - 1, BOUNDS)
    assert made is not None
    assert made.person == person
    assert store.people.sign_in_by_link(code, "", NOW, BOUNDS) is None


def test_of_two_who_show_a_code_at_once_one_signs_in(store: SqlStore) -> None:
    person, _ = store.people.add(NAME, "player")
    for _ in range(3):
        code = store.people.new_link(person.id, Act(person.id, NOW), BOUNDS)
        barrier = Barrier(2)

        def show(device: str, code: str = code, barrier: Barrier = barrier) -> bool:
            barrier.wait()
            return store.people.sign_in_by_link(code, device, NOW, BOUNDS) is not None

        with ThreadPoolExecutor(2) as threads:
            assert sorted(threads.map(show, ["a", "b"])) == [False, True]


def test_a_link_is_over_after_ten_minutes(store: SqlStore) -> None:
    person, _ = store.people.add(NAME, "player")
    code = store.people.new_link(person.id, Act(person.id, NOW), BOUNDS)
    assert store.people.sign_in_by_link(code, "", NOW + 10 * MINUTE, BOUNDS) is None


def test_a_player_has_a_few_links_and_old_ones_are_removed(store: SqlStore) -> None:
    person, _ = store.people.add(NAME, "player")
    codes = [store.people.new_link(person.id, Act(person.id, NOW + at), BOUNDS) for at in range(3)]
    found = [store.people.sign_in_by_link(code, "", NOW + 3, BOUNDS) is not None for code in codes]
    assert found == [False, True, True]
    store.people.new_link(person.id, Act(person.id, NOW), BOUNDS)
    other, _ = store.people.add("Boris", "player")
    store.people.new_link(other.id, Act(other.id, NOW + DAY), BOUNDS)
    assert store.rows("SELECT person FROM links") == [(other.id,)]


def test_a_link_of_an_administrator_is_recorded_and_of_the_player_not(store: SqlStore) -> None:
    person, _ = store.people.add("Boris", "player")
    store.people.new_link(person.id, Act(person.id, NOW), BOUNDS)
    store.people.new_link(person.id, Act("padmin", NOW, "lost the phone"), BOUNDS)
    (entry,) = store.people.audit_log((), 10)
    assert (entry.action, entry.person, entry.by, entry.reason) == (
        "link",
        person.id,
        "padmin",
        "lost the phone",
    )
    with pytest.raises(Refused, match="say it without the name"):
        store.people.new_link(person.id, Act("padmin", NOW, "boris asked"), BOUNDS)
    assert store.rows("SELECT count(*) FROM links")[0][0] == 2


def test_there_is_no_link_for_a_forgotten_or_unknown_player(store: SqlStore) -> None:
    person, _ = store.people.add(NAME, "player")
    store.people.forget(person.id, ACT)
    for player, kind in ((person.id, "forgotten"), ("p0", "unknown-player")):
        with pytest.raises(Refused) as refused:
            store.people.new_link(player, Act("padmin", NOW), BOUNDS)
        assert refused.value.kind == kind


def test_an_older_store_is_migrated_and_keeps_its_people(place: Place) -> None:
    store = place.open()
    person, token = store.people.add(NAME, "player")
    older = DATABASE_TO_SCHEMA_5 if store.shared else TO_SCHEMA_4
    store.close()
    for statement in older:
        place.force(statement)
    with closing(place.open()) as migrated:
        assert migrated.people.by_token(token) == person
        assert player_of(migrated, signed_in(migrated, token).secret) == person.id


def test_sessions_are_in_a_backup_and_in_a_copy(embedded: SqliteStore, tmp_path: Path) -> None:
    person, token = embedded.people.add(NAME, "player")
    made = signed_in(embedded, token)
    code = embedded.people.new_link(person.id, Act(person.id, NOW), BOUNDS)
    backup.backup(embedded.folder, tmp_path / "backup")
    backup.restore(tmp_path / "backup", tmp_path / "restored")
    with (
        closing(SqliteStore.open(tmp_path / "restored", keys=embedded.folder.with_name("store.keys"))) as one,
        closing(SqliteStore.open(tmp_path / "copy", keys=tmp_path / "copy.keys")) as other,
    ):
        backup.copy([embedded], other, lambda rows: None)
        assert list(backup.differences([embedded], other, lambda rows: None)) == []
        for store in (one, other):
            assert player_of(store, made.secret) == person.id
            opened = store.people.sign_in_by_link(code, "", NOW, replace(BOUNDS, most=1))
            assert opened is not None
            assert opened.person.id == person.id
            assert player_of(store, made.secret) is None  # one session is the most here


def test_a_difference_in_sessions_shows_no_hash(embedded: SqliteStore, tmp_path: Path) -> None:
    _, token = embedded.people.add(NAME, "player")
    with closing(SqliteStore.open(tmp_path / "copy", keys=tmp_path / "copy.keys")) as other:
        backup.copy([embedded], other, lambda rows: None)
        signed_in(embedded, token)
        (found,) = backup.differences([embedded], other, lambda rows: None)
    assert (found.table, found.key) == ("sessions", "one of them")
