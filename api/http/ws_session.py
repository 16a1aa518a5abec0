"""One open WebSocket: it hears messages, carries them out, replies, and pushes what is followed.

Commands to matches are carried out side by side, a few at once; everything else is answered before the next
message is read.  Replies and moves are sent only as fast as they are read.  So a client that does
not read is not read further, and neither its messages nor its moves pile up here.

However a socket ends, what was begun is carried out and replied to first, as long as there is somebody to
reply to.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from typing import Any

import msgspec
from msgspec import UNSET, Struct
from starlette.requests import HTTPConnection
from starlette.types import Message as Event
from starlette.types import Receive, Send

from api.gate import CachedMatch
from api.http import decoding
from api.http.app_state import Services
from api.http.auth import Visitor, address, shown
from api.http.middleware import answered, unforeseen
from api.http.permissions import must_be_there, receipt_of, view_of, viewer
from api.http.problems import problem
from api.http.routes import matches
from api.http.routes.event_stream import must_be_room, news
from api.http.routing import Caller, encode
from api.http.schemas import Moves, OpenSalt, Problem, Resignation, Sit, Takeback, TakebackAnswer
from api.http.views import LogView
from api.http.ws_messages import (
    AnswerTakeback,
    AskTakeback,
    Enter,
    Entered,
    Follow,
    Followed,
    Id,
    Leave,
    MatchOver,
    Message,
    Other,
    PlayAnswer,
    Prompt,
    Reply,
    Resign,
    SaltOpening,
    SitDown,
)
from api.store.interface import StoreError
from domain.kernel import Refused
from domain.match_base import Chair

# ── What a message of a player does: the very functions that answer the same request over HTTP ──

CREATED, OK, NOTHING = 201, 200, 204


class _Named(Struct):
    """The one field that is wanted of a message that cannot be read as a whole."""

    id: Id | None = None


_message = decoding.Shape(Message)
_named = msgspec.json.Decoder(_Named).decode


def heard(text: str | None) -> Message:
    """The message in a frame; None: the frame was a binary one.

    Raises:
        Refused: malformed, invalid.
    """
    if text is None:
        raise Refused("malformed", "message-not-text")
    message: Message = _message.decoded(text)
    return message


def id_of(text: str | None) -> Id | None:
    """The id in a message that is refused as a whole, if it can be found."""
    try:
        return _named(text or "").id
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None


def refused(message: Id | None, problem: Problem, retry_after: str | None = None) -> Reply:
    """The reply that refuses; `retry_after` in seconds."""
    wait = UNSET if retry_after is None else int(retry_after)
    return Reply(message, problem.status, problem=problem, retry_after=wait)


async def sit_down(call: Caller, said: SitDown) -> Reply:
    """Take a seat."""
    body = Sit(**{name: getattr(said, name) for name in Sit.__struct_fields__})
    return Reply(said.id, CREATED, await matches.sit_down(call, said.match, said.seat, body, said.key))


async def play(call: Caller, said: PlayAnswer) -> Reply:
    """Answer what one is asked."""
    body = Moves(said.expect, said.picks, said.answers)
    return Reply(said.id, CREATED, await matches.play(call, said.match, body, said.key))


async def ask_takeback(call: Caller, said: AskTakeback) -> Reply:
    """Ask to go back."""
    return Reply(said.id, CREATED, await matches.ask_takeback(call, said.match, Takeback(said.to), said.key))


async def answer_takeback(call: Caller, said: AnswerTakeback) -> Reply:
    """Answer a request to go back."""
    body = TakebackAnswer(said.agree)
    done = await matches.answer_takeback(call, said.match, said.request, body, said.key)
    return Reply(said.id, CREATED, done)


async def resign(call: Caller, said: Resign) -> Reply:
    """Give up."""
    return Reply(said.id, CREATED, await matches.resign(call, said.match, Resignation(), said.key))


async def open_salt(call: Caller, said: SaltOpening) -> Reply:
    """Open one's salt."""
    done = await matches.open_salt(call, said.match, said.seat, OpenSalt(said.salt), said.key)
    return Reply(said.id, CREATED, done)


async def read_prompt(call: Caller, said: Prompt) -> Reply:
    """What one is asked."""
    question = await matches.prompt_of(call, said.match)
    return Reply(said.id, OK, question) if question else Reply(said.id, NOTHING)


COMMANDS: dict[type, Callable[[Caller, Any], Awaitable[Reply]]] = {
    SitDown: sit_down,
    PlayAnswer: play,
    AskTakeback: ask_takeback,
    AnswerTakeback: answer_takeback,
    Resign: resign,
    SaltOpening: open_salt,
}


# ── The matches that a socket follows: each walks the committed log at its own pace ──
#
# What waits for a slow reader are numbers of moves, never moves: nothing is put into words before the socket
# takes it.


Say = Callable[[bytes], Awaitable[None]]
_EVIDENCE = frozenset(("at", "root", "draws", "keys", "salt"))
_log = logging.getLogger("glasnost.http")


class Following:
    """What one socket follows.

    Args:
        say: sends one message; waits while the reader is behind.
        welcome: may the reader still be told anything?
        failed: is called when a match cannot be told any more, for an unforeseen reason.
    """

    def __init__(self, say: Say, welcome: Callable[[], Awaitable[bool]], failed: Callable[[], None]) -> None:
        self._say, self._welcome, self._failed = say, welcome, failed
        self._matches: dict[str, asyncio.Task[None]] = {}

    async def follow(self, call: Caller, said: Follow) -> tuple[Reply, Callable[[], None]]:
        """The reply, and what begins to push once that is sent.

        Raises:
            Refused: unknown-match, invalid, unknown-seat, forbidden, unknown-move, limit.
        """
        if said.lean and said.proof:
            raise Refused("invalid", "proof-or-lean")
        cached = await call.gate.cached(said.match)
        seen_by = viewer(cached.match, call.player, said.view)
        must_be_there(cached.match, said.after)
        if said.match in self._matches:
            raise Refused("invalid", "already-following")
        call.services.streams.check(call.visitor.holder)
        must_be_room(call.gate, cached)

        def begin() -> None:
            pushing = self._push(call, cached, seen_by, said)
            self._matches[said.match] = task = asyncio.create_task(pushing)
            task.add_done_callback(lambda _: self._matches.pop(said.match, None))

        return Reply(said.id, OK, Followed(cached.match.move, receipt_of(call, cached) or UNSET)), begin

    async def leave(self, said: Leave) -> Reply:
        """Nothing of this match is pushed after the reply; also where it was not followed."""
        await _cancelled([self._matches[said.match]] if said.match in self._matches else [])
        return Reply(said.id, NOTHING)

    async def stop(self) -> None:
        """Follow nothing more."""
        await _cancelled(list(self._matches.values()))

    async def _push(self, call: Caller, cached: CachedMatch, seen_by: Chair | None, said: Follow) -> None:
        services, told = call.services, said.after
        heartbeat = services.settings.heartbeat_seconds
        try:
            with services.streams.one(call.visitor.holder), cached.used():
                async for numbers in news(cached, told, heartbeat, lambda: call.gate.stopping):
                    if not await self._welcome():
                        return
                    for number in numbers:
                        await self._say(pushed(view_of(cached, seen_by, said.proof), number, said.lean))
                        told = number
                if cached.match.closed and told == cached.match.move:
                    await self._say(encode(MatchOver(said.match)))
        except OSError:  # the reader is gone
            return
        except Exception:
            _log.error("error in the server", exc_info=True, extra={"match": said.match})
            self._failed()


def pushed(view: LogView, number: int, lean: bool) -> bytes:
    """The message that tells a move; `lean`: without what only serves to check it."""
    move = view.move(number)
    if lean:
        move = {name: value for name, value in move.items() if name not in _EVIDENCE}
    return b'{"match":"%b","move":%b}' % (view.match.id.encode(), encode(move))


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    for task in tasks:
        with suppress(asyncio.CancelledError):
            await task


# ── Who sits at the other end of a socket: by the token of the handshake, or of his first message ──


class SocketCaller(Caller):
    """Somebody who asks for something by a socket: there he cannot show a token any more."""

    __slots__ = ()

    def nobody(self) -> Refused:
        """See `Caller.nobody`."""
        return Refused("unauthorized", "spectator")


class SocketAuth:
    """One visitor for as long as his socket is open.

    Args:
        services: whom the tokens are shown to.
        connection: the handshake.
    """

    def __init__(self, services: Services, connection: HTTPConnection) -> None:
        self._services, self._address = services, address(connection)
        self._token = shown(connection)
        self.language = decoding.language(connection.headers.get("accept-language", ""))
        self.visitor = Visitor(None, "")
        self._place = ExitStack()
        self.entered = False

    async def arrive(self) -> None:
        """Look at the token of the handshake.

        Raises:
            Refused: unauthorized, limit.
        """
        visitor = await self._services.tokens.owner(self._token, self._address)
        self._services.requests.take(visitor.holder)
        self._sit(visitor)
        self.entered = self._token is not None

    async def enter(self, said: Enter) -> Entered:
        """The first message of somebody whose handshake showed no token.

        Raises:
            Refused: invalid, unauthorized, limit.
        """
        if self.entered:
            raise Refused("invalid", "already-entered")
        self._sit(await self._services.tokens.owner(said.token, self._address))
        self._token, self.entered = said.token, True
        if said.language is not None:
            self.language = decoding.language(said.language)
        person = self.visitor.person
        return Entered(person.id if person else None, person.role if person else None, self.language)

    def caller(self) -> Caller:
        """The visitor as a caller.

        Raises:
            Refused: unauthorized, where he has not entered.
        """
        if not self.entered:
            raise Refused(
                "unauthorized",
                "enter-first",
            )
        return SocketCaller(self._services, self.visitor, self.language)

    async def check(self) -> None:
        """See whether his token is still good; while the store is away, he is who he was.

        Raises:
            Refused: unauthorized, limit.
        """
        if self._token is not None:
            with suppress(StoreError):
                self.visitor = await self._services.tokens.owner(self._token, self._address)

    def leave(self) -> None:
        """He has gone."""
        self._place.close()

    def _sit(self, visitor: Visitor) -> None:
        """His socket counts as one of this visitor's.  Raises Refused: limit."""
        if visitor.holder != self.visitor.holder:
            self._services.sockets.check(visitor.holder)
            self._place.close()
            self._place.enter_context(self._services.sockets.one(visitor.holder))
        self.visitor = visitor


# ── One open socket: it hears messages, carries them out, replies, and pushes what is followed ──


PATH = "/v1/socket"
_OTHER = "other"  # what a message is called in the metrics that was refused before it was understood


class Ending(Struct, frozen=True):
    """Why a socket is closed: a code of RFC 6455, and a reason in words."""

    code: int
    reason: str


STOPPING = Ending(1001, "the server is stopping")
NOBODY = Ending(1008, "nobody entered in time")
UNWELCOME = Ending(1008, "the token is no longer good")
BROKEN = Ending(1011, "error in the server")
GONE = Ending(1006, "")  # the client is gone


class Session:
    """See above.

    Args:
        services: what the messages work with.
        auth: who is at the other end.
        receive: gives the next event of the socket; see ASGI.
        send: takes one; see ASGI.
    """

    def __init__(self, services: Services, auth: SocketAuth, receive: Receive, send: Send) -> None:
        self._services, self._auth, self._receive, self._send = services, auth, receive, send
        self._room = asyncio.Semaphore(services.settings.commands_in_flight)
        self._under_way: set[asyncio.Task[None]] = set()
        self._listening = False  # nothing is half done: reading may be broken off
        self._ended: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self._following = Following(self._say, self._welcome, lambda: self.end(BROKEN))

    def end(self, ending: Ending) -> None:
        """Close the socket as soon as what was begun is done."""
        if not self._ended.done():
            self._ended.set_result(ending)

    async def run(self) -> None:
        """Serve until either side ends it."""
        loop, seconds = asyncio.get_running_loop(), self._services.settings.entering_seconds
        reading = asyncio.create_task(self._read())
        late = loop.call_later(seconds, self._look_who_is_there)
        try:
            ending = await self._ended
            if self._listening:
                reading.cancel()
            await asyncio.wait((reading,))
            while self._under_way:
                await asyncio.wait(self._under_way)
            await self._following.stop()
            if ending != GONE:
                await self._event({"type": "websocket.close", "code": ending.code, "reason": ending.reason})
        except OSError:  # he has gone meanwhile
            pass
        finally:
            late.cancel()
            for task in (reading, *self._under_way):
                task.cancel()
            await self._following.stop()

    def _look_who_is_there(self) -> None:
        if not self._auth.entered:
            self.end(NOBODY)

    async def _welcome(self) -> bool:
        """May anything still be sent to the visitor?  If not, that is the end."""
        try:
            await self._auth.check()
        except Refused as error:
            if error.kind == "unauthorized":
                self.end(UNWELCOME)
                return False
        return True

    async def _read(self) -> None:
        try:
            while not self._ended.done():
                self._listening = True
                event = await self._receive()
                self._listening = False
                if event["type"] != "websocket.receive":
                    self.end(GONE)
                    return
                await self._hear(event)
        except OSError:  # the client is gone
            self.end(GONE)
        except Exception:
            _log.error("error in the server", exc_info=True, extra={"route": PATH})
            self.end(BROKEN)

    async def _hear(self, event: Event) -> None:
        """One message."""
        begun, text = time.perf_counter(), event.get("text")
        try:
            await self._auth.check()
            self._services.requests.take(self._auth.visitor.holder)
            said = heard(text)
        except Refused as error:
            reply = await self._refused(id_of(text), error)
            await self._tell(_OTHER, reply, begun)
            if error.kind == "unauthorized":
                self.end(UNWELCOME)
            return
        if isinstance(said, Other):
            await self._answer(said, begun)
            return
        command = COMMANDS[type(said)]
        await self._room.acquire()
        doing = self._carry_out(said, lambda: command(self._auth.caller(), said), begun)
        task = asyncio.create_task(doing)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _carry_out(self, said: Message, work: Callable[[], Awaitable[Reply]], begun: float) -> None:
        """A command; the reply frees its place."""
        try:
            await self._tell(_name(said), await self._tried(said.id, work), begun)
        except OSError:  # the reader is gone; the command was carried out all the same
            self.end(GONE)
        finally:
            self._room.release()

    async def _answer(self, said: Other, begun: float) -> None:
        """Whatever is no command to a match."""
        start: Callable[[], None] | None = None

        async def work() -> Reply:
            nonlocal start
            if isinstance(said, Enter):
                return Reply(said.id, OK, await self._auth.enter(said))
            caller = self._auth.caller()
            if isinstance(said, Follow):
                reply, start = await self._following.follow(caller, said)
                return reply
            if isinstance(said, Leave):
                return await self._following.leave(said)
            return await read_prompt(caller, said)

        await self._tell(_name(said), await self._tried(said.id, work), begun)
        if start is not None:
            start()

    async def _tried(self, message: Id | None, work: Callable[[], Awaitable[Reply]]) -> Reply:
        """What the work replies, or why it was refused."""
        try:
            return await work()
        except (Refused, StoreError) as error:
            return await self._refused(message, error)
        except Exception:
            _log.error("error in the server", exc_info=True, extra={"route": PATH})
            return refused(message, unforeseen(self._auth.language))

    async def _refused(self, message: Id | None, error: Refused | StoreError) -> Reply:
        about, headers = await problem(error, self._services, self._auth.language)
        return refused(message, about, headers.get("retry-after"))

    async def _tell(self, name: str, reply: Reply, begun: float) -> None:
        answered(self._services.metrics, name, PATH, reply.status, time.perf_counter() - begun)
        await self._say(encode(reply))

    async def _say(self, text: bytes) -> None:
        await self._event({"type": "websocket.send", "text": text.decode()})

    async def _event(self, event: Event) -> None:
        """Raises OSError: the socket is closed, by whichever side."""
        try:
            await self._send(event)
        except RuntimeError as error:  # uvicorn closed it: a message that was too long, a ping without answer
            raise ConnectionAbortedError from error


def _name(said: Message) -> str:
    """What a message is called in the metrics."""
    return str(said.__struct_config__.tag)
