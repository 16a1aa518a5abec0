"""Who sits at the other end of a socket: by the token of the handshake, or of his first message."""

from __future__ import annotations

from contextlib import ExitStack, suppress

from starlette.requests import HTTPConnection

from api.http import negotiation
from api.http.access import Visitor, address, shown
from api.http.edge import Caller
from api.http.problems import Failed
from api.http.services import Services
from api.http.sockets.shapes import Enter, Entered
from api.store.seam import StoreError


class SocketCaller(Caller):
    """Somebody who asks for something by a socket: there he cannot show a token any more."""

    __slots__ = ()

    def nobody(self) -> Failed:
        """See `Caller.nobody`."""
        return Failed("unauthorized", "a spectator only looks: open a socket with a token")


class Guest:
    """One visitor for as long as his socket is open.

    Args:
        services: whom the tokens are shown to.
        connection: the handshake.
    """

    def __init__(self, services: Services, connection: HTTPConnection) -> None:
        self._services, self._address = services, address(connection)
        self._token = shown(connection)
        self.language = negotiation.language(connection.headers.get("accept-language", ""))
        self.visitor = Visitor(None, "")
        self._place = ExitStack()
        self.entered = False

    async def arrive(self) -> None:
        """Look at the token of the handshake.

        Raises:
            Failed: unauthorized, limit.
        """
        visitor = await self._services.tokens.owner(self._token, self._address)
        self._services.requests.take(visitor.holder)
        self._sit(visitor)
        self.entered = self._token is not None

    async def enter(self, said: Enter) -> Entered:
        """The first message of somebody whose handshake showed no token.

        Raises:
            Failed: invalid, unauthorized, limit.
        """
        if self.entered:
            raise Failed("invalid", "you have entered already")
        self._sit(await self._services.tokens.owner(said.token, self._address))
        self._token, self.entered = said.token, True
        if said.language is not None:
            self.language = negotiation.language(said.language)
        person = self.visitor.person
        return Entered(person.id if person else None, person.role if person else None, self.language)

    def caller(self) -> Caller:
        """The guest as who asks for something.

        Raises:
            Failed: unauthorized, where he has not entered.
        """
        if not self.entered:
            raise Failed(
                "unauthorized",
                "the handshake shows no token: the first message is enter, with a token or as a spectator",
            )
        return SocketCaller(self._services, self.visitor, self.language)

    async def check(self) -> None:
        """See whether his token is still good; while the store is away, he is who he was.

        Raises:
            Failed: unauthorized, limit.
        """
        if self._token is not None:
            with suppress(StoreError):
                self.visitor = await self._services.tokens.owner(self._token, self._address)

    def leave(self) -> None:
        """He has gone."""
        self._place.close()

    def _sit(self, visitor: Visitor) -> None:
        """His socket counts as one of this visitor's.  Raises Failed: limit."""
        if visitor.holder != self.visitor.holder:
            self._services.sockets.check(visitor.holder)
            self._place.close()
            self._place.enter_context(self._services.sockets.one(visitor.holder))
        self.visitor = visitor
