"""Sessions: how a browser stays signed in, without the token being kept in it.

A session is made with a token, or with the code of a link, which another device of the player (or an
administrator) made.  Of the secret of a session and of the code of a link only the SHA-256 is stored: they
have 256 and 128 random bits.  A session ends some time after its last use; a link opens one session, soon.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from api.store.accounts import Cursor, SqlPeople, enter_action, hash_of, must_not_name, new_id, remembered
from api.store.interface import Act, NewSession, Person, Session, SessionBounds, StoreError

USED_EACH = 3_600_000_000  # microseconds: a use is stored if the stored one is older than this
_WHOSE = (
    "SELECT people.id, name, role, sessions.id, hash, used FROM people"
    " JOIN sessions ON sessions.person = people.id WHERE used > ? AND "
)
_KEEP_NEWEST = (  # of the rows of one player, before another one is added
    "DELETE FROM {table} WHERE person = ? AND hash NOT IN"
    " (SELECT hash FROM {table} WHERE person = ? ORDER BY {since} DESC, hash LIMIT ?)"
)


class SqlSessions(SqlPeople):
    """The people of one store, with their sessions; see `api.store.interface.People`."""

    def sign_in(
        self, token: str, device: str, at: int, bounds: SessionBounds, replaced: str = ""
    ) -> NewSession | None:
        """See `People.sign_in`."""

        def owner(cursor: Cursor) -> Any:
            cursor.execute("SELECT person FROM tokens WHERE hash = ?", (hash_of(token),))
            return _first(cursor)

        return self._made(owner, device, at, bounds, replaced)

    def sign_in_by_link(
        self, code: str, device: str, at: int, bounds: SessionBounds, replaced: str = ""
    ) -> NewSession | None:
        """See `People.sign_in_by_link`."""

        def owner(cursor: Cursor) -> Any:
            values = (hash_of(code), at - bounds.link_lasts)
            cursor.execute("DELETE FROM links WHERE hash = ? AND made > ? RETURNING person", values)
            return _first(cursor)

        return self._made(owner, device, at, bounds, replaced)

    def _made(
        self,
        owner: Callable[[Cursor], Any],
        device: str,
        at: int,
        bounds: SessionBounds,
        replaced: str,
    ) -> NewSession | None:
        """Make a session for the owner (an id, or None), after all other changes of people, so that none of
        them is undone by it.
        """
        secret, session = secrets.token_urlsafe(32), new_id("s")
        outdated = set[str]()  # players of sessions that end by this

        def work(cursor: Cursor) -> NewSession | None:
            player = owner(cursor)
            if player is None:
                return None
            found = remembered(cursor, player)
            cursor.execute("DELETE FROM sessions WHERE used <= ?", (at - bounds.lasts,))
            cursor.execute("DELETE FROM sessions WHERE hash = ? RETURNING person", (hash_of(replaced),))
            outdated.update(_all(cursor))
            keep = _KEEP_NEWEST.format(table="sessions", since="used")
            cursor.execute(f"{keep} RETURNING person", (player, player, bounds.most - 1))
            outdated.update(_all(cursor))
            row = (hash_of(secret), session, player, device, at, at)
            cursor.execute(
                "INSERT INTO sessions (hash, id, person, device, made, used) VALUES (?, ?, ?, ?, ?, ?)", row
            )
            for one in outdated:
                self._announce(cursor, one)
            return NewSession(session, secret, Person(found.id, found.name, found.role))

        made = self._in_turn(work)
        for one in outdated:
            self._tell(one)
        return made

    def by_session(self, secret: str, at: int, bounds: SessionBounds) -> tuple[Person, str] | None:
        """See `People.by_session`."""
        return self._in_session(at, bounds, "hash = ?", hash_of(secret))

    def by_session_holder(self, holder: str, at: int, bounds: SessionBounds) -> tuple[Person, str] | None:
        """See `People.by_session_holder`."""
        begin = bytes.fromhex(holder)
        return self._in_session(at, bounds, "hash BETWEEN ? AND ?", begin + bytes(16), begin + b"\xff" * 16)

    def _in_session(
        self, at: int, bounds: SessionBounds, which: str, *values: bytes
    ) -> tuple[Person, str] | None:
        rows = self._reading.rows(_WHOSE + which, (at - bounds.lasts, *values))
        if not rows:
            return None
        player, name, role, session, hashed, used = rows[0]
        if used <= at - USED_EACH:
            with suppress(StoreError):  # the store is only read, or cannot be written now
                self._write()(lambda cursor: _note_use(cursor, hashed, at))
        return Person(player, name, role), session

    def sessions(self, player: str, at: int, bounds: SessionBounds) -> list[Session]:
        """See `People.sessions`."""
        select = "SELECT id, device, made, used FROM sessions WHERE person = ? AND used > ?"
        rows = self._reading.rows(f"{select} ORDER BY used DESC, id", (player, at - bounds.lasts))
        return [Session(*row) for row in rows]

    def end_session(self, player: str, session: str) -> bool:
        """See `People.end_session`."""

        def work(cursor: Cursor) -> bool:
            values = (session, player)
            cursor.execute("DELETE FROM sessions WHERE id = ? AND person = ? RETURNING id", values)
            return _first(cursor) is not None

        return self._change(player, work)

    def new_link(self, player: str, act: Act, bounds: SessionBounds) -> str:
        """See `People.new_link`."""
        code = secrets.token_urlsafe(16)

        def work(cursor: Cursor) -> None:
            found = remembered(cursor, player)
            cursor.execute("DELETE FROM links WHERE made <= ?", (act.at - bounds.link_lasts,))
            keep = _KEEP_NEWEST.format(table="links", since="made")
            cursor.execute(keep, (player, player, bounds.most_links - 1))
            row = (hash_of(code), player, act.at)
            cursor.execute("INSERT INTO links (hash, person, made) VALUES (?, ?, ?)", row)
            if act.by != player:
                must_not_name(found, act)
                enter_action(cursor, "link", player, act)

        self._in_turn(work)
        return code


def _note_use(cursor: Cursor, hashed: bytes, at: int) -> None:
    cursor.execute("UPDATE sessions SET used = ? WHERE hash = ? AND used < ?", (at, hashed, at))


def _all(cursor: Cursor) -> list[Any]:
    """The only column of all rows."""
    found = list[Any]()
    while (row := cursor.fetchone()) is not None:
        found.append(row[0])
    return found


def _first(cursor: Cursor) -> Any:
    """The only column of the next row; None if there is no row."""
    row = cursor.fetchone()
    return row[0] if row else None
