"""Authentication of a socket: by the token or cookie of the handshake, or the token of the first message."""

from __future__ import annotations

from contextlib import ExitStack, suppress

from starlette.requests import HTTPConnection

from api.http import decoding
from api.http.app_state import Services
from api.http.auth import Visitor, address
from api.http.decoding import bearer_of
from api.http.routing import Caller
from api.http.ws_messages import Enter, Entered
from api.store.interface import StoreError
from domain.kernel import Refused


class SocketCaller(Caller):
    """The caller of a socket command, who cannot send a token any more."""

    __slots__ = ()

    def no_person(self) -> Refused:
        """See `Caller.no_person`."""
        return Refused("unauthorized", "spectator")


class SocketAuth:
    """The visitor of one open socket.

    Args:
        services: what checks the tokens and counts the sockets.
        connection: the handshake.
    """

    def __init__(self, services: Services, connection: HTTPConnection) -> None:
        self._services, self._connection = services, connection
        self._named = bearer_of(connection) is not None  # by a token, or by the first message
        self.language = decoding.language_of(connection)
        self.visitor = Visitor(None, "")
        self._place = ExitStack()
        self.entered = False

    async def arrive(self) -> None:
        """Check the token or, without one, the cookie of the handshake.

        Raises:
            Refused: unauthorized, limit.
        """
        visitor = await self._services.tokens.visitor(self._connection)
        self._services.requests.take(visitor.counted)
        self._sit(visitor)
        self.entered = visitor.person is not None

    async def enter(self, said: Enter) -> Entered:
        """Authenticate with the first message, if the handshake had no token.

        A token wins over the cookie of the handshake; without a token, that counts.

        Raises:
            Refused: invalid, unauthorized, limit.
        """
        if self._named:
            raise Refused("invalid", "already-entered")
        if said.token is not None or not self.entered:
            self._sit(await self._services.tokens.owner(said.token, address(self._connection.scope)))
        self._named = self.entered = True
        if said.language is not None:
            self.language = decoding.language(said.language)
        person = self.visitor.person
        return Entered(person.id if person else None, person.role if person else None, self.language)

    def caller(self) -> Caller:
        """Return the visitor as a caller.

        Raises:
            Refused: unauthorized, if the visitor has not authenticated.
        """
        if not self.entered:
            raise Refused("unauthorized", "enter-first")
        return SocketCaller(self._services, self.visitor, self.language)

    async def check(self) -> None:
        """Check that token or session are still valid; if the store is not available, they count as valid.

        Raises:
            Refused: unauthorized.
        """
        if self.visitor.person is None:
            return
        tokens = self._services.tokens
        cached = tokens.cached(self.visitor.holder)
        if cached is not None:
            self.visitor = cached
            return
        with suppress(StoreError):
            self.visitor = await tokens.still(self.visitor)

    def leave(self) -> None:
        """Release the place of the socket."""
        self._place.close()

    def _sit(self, visitor: Visitor) -> None:
        """Count the socket as one of this visitor's.  Raises Refused: limit."""
        if visitor.counted != self.visitor.counted:
            self._services.sockets.check(visitor.counted)
            self._place.close()
            self._place.enter_context(self._services.sockets.one(visitor.counted))
        self.visitor = visitor
