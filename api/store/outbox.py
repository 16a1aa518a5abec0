"""The outbox: what players want to be notified of by mail, and the messages that wait to be sent.

A message is removed when it was sent, so a process that is killed between the two sends it again, under the
same id.  The position up to which the log was followed is stored together with the notices that came of it:
of two processes that follow the log, only one stores them.  The address of a message is that of its player at
the time of sending, and a message is deleted together with what its player wanted.

Tries are counted before a message is sent; from then on no other notice joins it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from api.store.accounts import Cursor, Writing, new_id, quota_keys, remembered, wait_for_people
from api.store.events import Rows
from api.store.interface import Item, Notice, Outgoing, Spent, Subscription

FOLLOWER = "mail"  # the name in `followers`
MOST_ITEMS = 200  # in one message; what comes on top is in the lobby
PLANNED = "planned "  # begins the wish of messages that wait for a time; their kind and match follow
CONFIRM = "confirm"  # the kind of the message that asks to confirm an address
PLACE = "place"  # the kind of the message with the code of a place that is kept in a tournament
_SAID = 300  # characters of what a mail server says
_MANY = 500  # players in one statement
_DAY = 86_400_000_000  # microseconds
_WANTED = "person, address, asked, state, said, often, matches, while_open, language, feed, seen"
_WAITING = "id, person, often, items, made, tries"
_PUT = (
    f"INSERT INTO subscriptions ({_WANTED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (person)"
    " DO UPDATE SET address = excluded.address, asked = excluded.asked, state = excluded.state,"
    " said = excluded.said, often = excluded.often, matches = excluded.matches,"
    " while_open = excluded.while_open, language = excluded.language, feed = excluded.feed"
)
_COUNT = (
    "INSERT INTO mail_quota (address, day, number) VALUES (?, ?, 1) ON CONFLICT (address, day)"
    " DO UPDATE SET number = mail_quota.number + 1 WHERE mail_quota.number < ? RETURNING number"
)
_INSERT = "INSERT INTO outbox (id, person, often, items, made, due, tries) VALUES (?, ?, ?, ?, ?, ?, 0)"
_items = msgspec.json.Decoder(tuple[Item, ...]).decode
_matches = msgspec.json.Decoder(dict[str, str]).decode


class SqlOutbox:
    """The outbox of one store; see `api.store.interface.Outbox`.

    Args:
        reading: runs queries.
        writing: does work in one durable transaction.
    """

    def __init__(self, reading: Rows, writing: Writing) -> None:
        self._reading, self._write = reading, writing

    # ── what players want ──

    def of(self, player: str) -> Subscription:
        """See `Outbox.of`."""
        rows = self._reading.rows(f"SELECT {_WANTED} FROM subscriptions WHERE person = ?", (player,))
        return _subscription(rows[0]) if rows else Subscription(player=player)

    def among(self, players: Sequence[str]) -> list[Subscription]:
        """See `Outbox.among`."""
        found: list[Subscription] = []
        for first in range(0, len(players), _MANY):
            some = players[first : first + _MANY]
            which = f"state = 'confirmed' AND person IN ({', '.join('?' * len(some))})"
            rows = self._reading.rows(f"SELECT {_WANTED} FROM subscriptions WHERE {which}", tuple(some))
            found += map(_subscription, rows)
        return found

    def change(self, wanted: Subscription, most: int, asks: Item | None = None) -> Subscription:
        """See `Outbox.change`."""

        def work(cursor: Cursor) -> Subscription:
            wait_for_people(cursor)
            remembered(cursor, wanted.player)
            before = _of(cursor, wanted.player)
            same = before.address == wanted.address and before.state != "stopped"
            state = before.state if same else "unconfirmed" if wanted.address else "none"
            now = msgspec.structs.replace(
                wanted, asked=before.asked if same else wanted.asked, state=state, said="", feed=before.feed
            )
            cursor.execute(_PUT, _row(now))
            if not same:
                cursor.execute("DELETE FROM outbox WHERE person = ?", (wanted.player,))
                if wanted.address:
                    _count(cursor, quota_keys(wanted.address)[1], wanted.asked // _DAY, most)
                    _ask(cursor, now, asks or Item(CONFIRM))
            return now

        return self._write(work)

    def confirm(self, player: str, address: str, asked: int) -> bool:
        """See `Outbox.confirm`."""
        which = "person = ? AND address = ? AND asked = ? AND state <> 'stopped' AND address <> ''"
        return self._changed(
            f"UPDATE subscriptions SET state = 'confirmed' WHERE {which} RETURNING person",
            (player, address, asked),
        )

    def unsubscribe(self, player: str, address: str) -> bool:
        """See `Outbox.unsubscribe`."""

        def work(cursor: Cursor) -> bool:
            cursor.execute(
                "UPDATE subscriptions SET often = 'never', matches = '{}'"
                " WHERE person = ? AND address = ? AND address <> '' RETURNING person",
                (player, address),
            )
            if cursor.fetchone() is None:
                return False
            cursor.execute("DELETE FROM outbox WHERE person = ?", (player,))
            return True

        return self._write(work)

    def stop(self, address: str, said: str) -> None:
        """See `Outbox.stop`."""

        def work(cursor: Cursor) -> None:
            cursor.execute(
                "UPDATE subscriptions SET state = 'stopped', said = ? WHERE address = ? RETURNING person",
                (said[:_SAID], address),
            )
            players = list[str]()
            while (row := cursor.fetchone()) is not None:
                players.append(row[0])
            for player in players:
                cursor.execute("DELETE FROM outbox WHERE person = ?", (player,))

        self._write(work)

    def renew_feed(self, player: str) -> str:
        """See `Outbox.renew_feed`."""
        feed = new_id("f")

        def work(cursor: Cursor) -> None:
            wait_for_people(cursor)
            remembered(cursor, player)
            cursor.execute(_PUT, _row(msgspec.structs.replace(_of(cursor, player), feed=feed)))

        self._write(work)
        return feed

    def see(self, players: Sequence[str], at: int) -> None:
        """See `Outbox.see`."""

        def work(cursor: Cursor) -> None:
            for first in range(0, len(players), _MANY):
                some = sorted(players[first : first + _MANY])
                which = f"state = 'confirmed' AND person IN ({', '.join('?' * len(some))})"
                update = f"UPDATE subscriptions SET seen = ? WHERE seen < ? AND {which}"
                cursor.execute(update, (at, at, *some))

        self._write(work)

    # ── the messages that wait ──

    def position(self) -> int | None:
        """See `Outbox.position`."""
        rows = self._reading.rows("SELECT position FROM followers WHERE name = ?", (FOLLOWER,))
        return rows[0][0] if rows else None

    def advance(self, before: int | None, position: int, notices: Sequence[Notice], at: int) -> bool:
        """See `Outbox.advance`."""

        def work(cursor: Cursor) -> bool:
            if before is None:
                insert = "INSERT INTO followers (name, position) VALUES (?, ?) ON CONFLICT DO NOTHING"
                cursor.execute(f"{insert} RETURNING name", (FOLLOWER, position))
            else:
                update = "UPDATE followers SET position = ? WHERE name = ? AND position = ?"
                cursor.execute(f"{update} RETURNING name", (position, FOLLOWER, before))
            if cursor.fetchone() is None:
                return False
            for notice in notices:
                _put(cursor, notice, at)
            return True

        return self._write(work)

    def next(self, at: int) -> Outgoing | None:
        """See `Outbox.next`."""
        select = f"SELECT {_WAITING} FROM outbox WHERE due <= ? ORDER BY due, id LIMIT 1"
        rows = self._reading.rows(select, (at,))
        return _outgoing(rows[0]) if rows else None

    def take(self, id: str, address: str, day: int, most: int) -> Outgoing | None:
        """See `Outbox.take`."""

        def work(cursor: Cursor) -> Outgoing | None:
            taken = f"UPDATE outbox SET tries = tries + 1 WHERE id = ? RETURNING {_WAITING}"
            cursor.execute(taken, (id,))
            row = cursor.fetchone()
            if row is None:
                return None
            found = _outgoing(row)
            if found.tries == 1:  # another try is the same message
                _count(cursor, quota_keys(address)[0], day, most)
            return found

        try:
            return self._write(work)
        except Spent:
            return None

    def defer(self, id: str, due: int) -> None:
        """See `Outbox.defer`."""
        self._write(lambda cursor: cursor.execute("UPDATE outbox SET due = ? WHERE id = ?", (due, id)))

    def remove(self, id: str) -> None:
        """See `Outbox.remove`."""
        self._write(lambda cursor: cursor.execute("DELETE FROM outbox WHERE id = ?", (id,)))

    def waiting(self) -> int:
        """See `Outbox.waiting`."""
        return int(self._reading.rows("SELECT count(*) FROM outbox", ())[0][0])

    def _changed(self, statement: str, values: Sequence[Any]) -> bool:
        """Does a statement that returns the changed rows return one?"""

        def work(cursor: Cursor) -> bool:
            cursor.execute(statement, values)
            return cursor.fetchone() is not None

        return self._write(work)


def _of(cursor: Cursor, player: str) -> Subscription:
    cursor.execute(f"SELECT {_WANTED} FROM subscriptions WHERE person = ?", (player,))
    row = cursor.fetchone()
    return _subscription(row) if row else Subscription(player=player)


def _subscription(row: Sequence[Any]) -> Subscription:
    player, address, asked, state, said, often, matches, while_open, language, feed, seen = row
    return Subscription(
        player=player,
        address=address,
        asked=asked,
        state=state,
        said=said,
        often=often,
        matches=_matches(matches),
        while_open=bool(while_open),
        language=language,
        feed=feed,
        seen=seen,
    )


def _row(one: Subscription) -> tuple[Any, ...]:
    about = (one.player, one.address, one.asked, one.state, one.said, one.often, _json(one.matches))
    return (*about, int(one.while_open), one.language, one.feed, one.seen)


def _json(value: Mapping[str, str] | Sequence[Item]) -> str:
    return msgspec.json.encode(value).decode()


def _outgoing(row: Sequence[Any]) -> Outgoing:
    id, player, often, items, made, tries = row
    return Outgoing(id, player, often, _items(items), made, tries)


def _count(cursor: Cursor, key: bytes, day: int, most: int) -> None:
    """Count one more message.  Raises Spent: there were `most` on this day."""
    cursor.execute("DELETE FROM mail_quota WHERE day < ?", (day,))
    cursor.execute(_COUNT, (key, day, most))
    if cursor.fetchone() is None:
        raise Spent


def _ask(cursor: Cursor, one: Subscription, item: Item) -> None:
    """Put a message into the outbox that goes to an address before it is confirmed."""
    items = _json((item,))
    cursor.execute(_INSERT, (new_id("n"), one.player, "", items, one.asked, one.asked))


def _put(cursor: Cursor, notice: Notice, at: int) -> None:
    """Put a notice into the message of its player that waits with the same wish, else into a new one."""
    which = "person = ? AND often = ? AND tries = 0"
    cursor.execute(  # locks the row, so that no other worker takes the message in between
        f"UPDATE outbox SET tries = 0 WHERE {which} RETURNING id, items, due", (notice.player, notice.often)
    )
    row = cursor.fetchone()
    if row is not None:
        others = tuple(item for item in _items(row[1]) if not _replaces(notice, item))
        items, due = (*others, notice.item)[:MOST_ITEMS], min(row[2], notice.due)
        cursor.execute("UPDATE outbox SET items = ?, due = ? WHERE id = ?", (_json(items), due, row[0]))
        return
    select = "SELECT ?, person, ?, ?, ?, ?, 0 FROM subscriptions WHERE person = ? AND state = 'confirmed'"
    values = (new_id("n"), notice.often, _json((notice.item,)), at, notice.due, notice.player)
    insert = "INSERT INTO outbox (id, person, often, items, made, due, tries)"
    cursor.execute(f"{insert} {select}", values)


def _replaces(notice: Notice, other: Item) -> bool:
    """Does a planned notice say the same of a later move?  Else many would wait for a time far ahead."""
    one = notice.item
    same = (one.kind, one.match, one.seat) == (other.kind, other.match, other.seat)
    return notice.often.startswith(PLANNED) and same and one.move > other.move
