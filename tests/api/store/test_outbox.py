"""The outbox: wishes, messages that wait, and what is left of them when a player is forgotten."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from api.store import backup
from api.store.interface import Item, Notice, Outgoing, Spent, Subscription
from api.store.sql import SqlStore
from api.store.sqlite import SqliteStore
from domain.kernel import Refused
from tests.api.store.locations import ACT, Place
from tests.api.store.older import DATABASE_TO_SCHEMA_6, TO_SCHEMA_5

NOW = 1_790_000_000_000_000
DAY = 86_400_000_000
ADDRESS = "anna.sergeyevna@example.org"
TODAY = NOW // DAY


def person(store: SqlStore) -> str:
    """A new player."""
    return store.people.add("Anna Sergeyevna", "player")[0].id


def wanted(player: str, address: str = ADDRESS, at: int = NOW, **more: object) -> Subscription:
    """What a player asks for."""
    return replace(Subscription(player=player, address=address, asked=at), **more)


def subscribed(store: SqlStore, player: str) -> None:
    """Give a player a confirmed address, and empty the outbox."""
    store.outbox.change(wanted(player), 3)
    assert store.outbox.confirm(player, ADDRESS, NOW)
    message = store.outbox.next(NOW)
    assert message is not None
    store.outbox.remove(message.id)


def notice(player: str, move: int = 7, often: str = "at-once", due: int = NOW) -> Notice:
    """Something to tell."""
    return Notice(player, often, Item("your-move", "m1", "us", move), due)


def told(store: SqlStore, *notices: Notice) -> None:
    """Put notices into the outbox."""
    before = store.outbox.position()
    assert store.outbox.advance(before, (before or 0) + 1, notices, NOW)


def next_one(store: SqlStore, at: int = NOW) -> Outgoing:
    """The message that is due."""
    found = store.outbox.next(at)
    assert found is not None
    return found


def test_an_address_is_confirmed_before_anything_else_is_sent(store: SqlStore) -> None:
    ann = person(store)
    assert store.outbox.of(ann) == Subscription(player=ann)
    made = store.outbox.change(wanted(ann, often="hourly", matches={"m1": "never"}), 3)
    assert (made.state, store.outbox.of(ann)) == ("unconfirmed", made)
    told(store, notice(ann))
    asked = next_one(store)
    assert (asked.player, asked.often, [item.kind for item in asked.items]) == (ann, "", ["confirm"])
    assert store.outbox.waiting() == 1
    assert store.outbox.among([ann]) == []
    assert not store.outbox.confirm(ann, ADDRESS, NOW + 1)
    assert not store.outbox.confirm(ann, "other@example.org", NOW)
    assert store.outbox.confirm(ann, ADDRESS, NOW)
    assert store.outbox.among([ann, "pnobody"]) == [replace(made, state="confirmed")]


def test_another_address_is_confirmed_again_and_nothing_waits_for_the_old_one(store: SqlStore) -> None:
    ann = person(store)
    subscribed(store, ann)
    told(store, notice(ann))
    assert store.outbox.change(wanted(ann, at=NOW + 5, often="daily"), 3).state == "confirmed"
    assert store.outbox.waiting() == 1
    assert store.outbox.change(wanted(ann, "new@example.org", NOW + 6), 3).state == "unconfirmed"
    assert [item.kind for item in next_one(store, NOW + 6).items] == ["confirm"]
    assert store.outbox.waiting() == 1
    assert store.outbox.change(wanted(ann, ""), 3).state == "none"
    assert store.outbox.waiting() == 0


def test_an_address_is_asked_only_so_often_a_day_by_all_players_together(store: SqlStore) -> None:
    players = [person(store) for _ in range(4)]
    for player in players[:3]:
        store.outbox.change(wanted(player), 3)
    with pytest.raises(Spent):
        store.outbox.change(wanted(players[3], ADDRESS.upper()), 3)
    assert store.outbox.of(players[3]).state == "none"
    assert store.outbox.change(wanted(players[3], at=NOW + DAY), 3).state == "unconfirmed"


def test_of_two_followers_only_one_stores_what_it_found(store: SqlStore) -> None:
    ann = person(store)
    subscribed(store, ann)
    outbox = store.outbox
    assert outbox.position() is None
    assert outbox.advance(None, 10, (), NOW)
    assert not outbox.advance(None, 10, (notice(ann),), NOW)
    assert outbox.advance(10, 12, (notice(ann),), NOW)
    assert not outbox.advance(10, 12, (notice(ann),), NOW)
    assert (outbox.position(), len(next_one(store).items)) == (12, 1)


def test_notices_join_a_message_until_it_is_being_sent(store: SqlStore) -> None:
    ann = person(store)
    subscribed(store, ann)
    told(store, notice(ann, 7), notice(ann, 9))
    told(store, notice(ann, 11, "hourly", NOW + 60))
    first = next_one(store)
    assert [item.move for item in first.items] == [7, 9]
    taken = store.outbox.take(first.id, ADDRESS, TODAY, 30)
    assert taken == replace(first, tries=1)
    told(store, notice(ann, 13))
    assert store.outbox.waiting() == 3
    assert [item.move for item in next_one(store, NOW + 60).items] in ([7, 9], [13])


def test_a_message_that_was_not_removed_is_sent_again_under_the_same_id(
    store: SqlStore, place: Place
) -> None:
    ann = person(store)
    subscribed(store, ann)
    told(store, notice(ann))
    first = next_one(store)
    assert store.outbox.take(first.id, ADDRESS, TODAY, 30)
    store.close()
    with closing(place.open()) as again:
        assert next_one(again) == replace(first, tries=1)
        again.outbox.defer(first.id, NOW + 60)
        assert again.outbox.next(NOW + 59) is None
        again.outbox.remove(first.id)
        assert again.outbox.next(NOW + 60) is None


def test_one_address_gets_so_many_messages_a_day(store: SqlStore) -> None:
    ann = person(store)
    subscribed(store, ann)
    for _ in range(2):
        told(store, notice(ann))
        message = next_one(store)
        assert store.outbox.take(message.id, ADDRESS, TODAY, 2)
        assert store.outbox.take(message.id, ADDRESS, TODAY, 2), "another try is the same message"
        store.outbox.remove(message.id)
    told(store, notice(ann))
    last = next_one(store)
    assert store.outbox.take(last.id, ADDRESS, TODAY, 2) is None
    assert next_one(store).tries == 0
    assert store.outbox.take(last.id, ADDRESS, TODAY + 1, 2)


def test_who_unsubscribes_gets_nothing_more(store: SqlStore) -> None:
    ann = person(store)
    subscribed(store, ann)
    told(store, notice(ann))
    assert not store.outbox.unsubscribe(ann, "other@example.org")
    assert store.outbox.unsubscribe(ann, ADDRESS)
    assert (store.outbox.of(ann).often, store.outbox.waiting()) == ("never", 0)


def test_a_refused_address_is_stopped_for_all_players_until_it_is_given_again(store: SqlStore) -> None:
    ann, ben = person(store), person(store)
    for player in (ann, ben):
        subscribed(store, player)
    told(store, notice(ann), notice(ben))
    store.outbox.stop(ADDRESS, "550 no such mailbox" + "x" * 1_000)
    found = store.outbox.of(ann)
    assert (found.state, found.said[:19], len(found.said)) == ("stopped", "550 no such mailbox", 300)
    assert store.outbox.among([ann, ben]) == []
    assert store.outbox.waiting() == 0
    assert not store.outbox.confirm(ann, ADDRESS, NOW)
    again = store.outbox.change(wanted(ann, at=NOW + 9), 9)
    assert (again.state, again.said) == ("unconfirmed", "")


def test_who_has_a_tab_open_is_noted_only_of_subscribers(store: SqlStore) -> None:
    ann, ben = person(store), person(store)
    subscribed(store, ann)
    store.outbox.see([ann, ben, "127.0.0.1"], NOW + 5)
    store.outbox.see([ann], NOW + 4)
    assert (store.outbox.of(ann).seen, store.outbox.of(ben).seen) == (NOW + 5, 0)


def test_forgetting_a_player_removes_address_wishes_and_what_waits(store: SqlStore, place: Place) -> None:
    ann = person(store)
    subscribed(store, ann)
    store.outbox.renew_feed(ann)
    told(store, notice(ann))
    message = next_one(store)
    assert store.outbox.take(message.id, ADDRESS, TODAY, 30)
    assert store.people.forget(ann, ACT)
    assert store.outbox.of(ann) == Subscription(player=ann)
    assert store.outbox.waiting() == 0
    assert store.rows("SELECT * FROM mail_quota") == []
    told(store, notice(ann))
    assert store.outbox.waiting() == 0
    for attempt in (lambda: store.outbox.change(wanted(ann), 3), lambda: store.outbox.renew_feed(ann)):
        with pytest.raises(Refused) as refused:
            attempt()
        assert refused.value.kind == "forgotten"
    store.close()
    assert ADDRESS.encode() not in place.content()


def test_revoked_tokens_end_the_feed(store: SqlStore) -> None:
    ann = person(store)
    feed = store.outbox.renew_feed(ann)
    assert store.outbox.of(ann).feed == feed != store.outbox.renew_feed(ann)
    store.people.revoke(ann, ACT)
    assert store.outbox.of(ann).feed == ""


def test_an_older_store_gets_an_outbox(store: SqlStore, place: Place) -> None:
    ann = person(store)
    store.close()
    for statement in DATABASE_TO_SCHEMA_6 if store.shared else TO_SCHEMA_5:
        place.force(statement)
    with closing(place.open()) as again:
        subscribed(again, ann)
        assert again.outbox.of(ann).state == "confirmed"


def test_the_statements_that_go_back_one_schema_are_those_that_are_tested() -> None:
    """`test_an_older_store_gets_an_outbox` carries them out, and goes on with the store."""
    text = (Path(__file__).parents[3] / "docs" / "operations.md").read_text("utf-8")
    section = text[text.index("Without losing moves") :]
    code = [line.strip().partition(" -- ")[0] for line in section.splitlines() if line.startswith("    ")]
    found = {statement.strip() for line in code for statement in line.split(";") if statement.strip()}
    assert found == {*TO_SCHEMA_5, *DATABASE_TO_SCHEMA_6}


def test_a_copy_and_a_backup_carry_addresses_wishes_and_what_waits(
    store: SqlStore, place: Place, tmp_path: Path
) -> None:
    ann = person(store)
    subscribed(store, ann)
    told(store, notice(ann))
    kept = (store.outbox.of(ann), next_one(store), store.outbox.position())
    with closing(SqliteStore.open(tmp_path / "copy")) as copy:
        backup.copy([store], copy, lambda rows: None)
        assert list(backup.differences([store], copy, lambda rows: None)) == []
        assert (copy.outbox.of(ann), next_one(copy), copy.outbox.position()) == kept
    backup.backup(tmp_path / "copy", tmp_path / "file")
    backup.restore(tmp_path / "file", tmp_path / "restored")
    with closing(SqliteStore.open(tmp_path / "restored", keys=tmp_path / "copy.keys")) as restored:
        assert (restored.outbox.of(ann), next_one(restored), restored.outbox.position()) == kept
