"""One open socket: it hears messages, carries them out, replies, and pushes what is followed.

Commands to matches are carried out side by side, a few at once; everything else is answered before the next
message is read.  Replies and moves are sent only as fast as they are read.  So whoever does not read is
heard no further, and neither his messages nor his moves pile up here.

However a socket ends, what was begun is carried out and replied to first, as long as there is somebody to
reply to.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from msgspec import Struct
from starlette.types import Message as Event
from starlette.types import Receive, Send

from api.gate import Denied
from api.http.edge import encode
from api.http.problems import Failed
from api.http.refusing import problem
from api.http.services import Services
from api.http.sockets.doing import COMMANDS, OK, heard, id_of, read_prompt, refused
from api.http.sockets.following import Following
from api.http.sockets.guest import Guest
from api.http.sockets.shapes import Enter, Follow, Id, Leave, Message, Other, Reply
from api.http.watch import answered, unforeseen
from api.store.seam import StoreError

PATH = "/v1/socket"
_OTHER = "other"  # what a message is called in the metrics that was refused before it was understood
_log = logging.getLogger("glasnost.http")


class Ending(Struct, frozen=True):
    """Why a socket is closed: a code of RFC 6455, and a reason in words."""

    code: int
    reason: str


STOPPING = Ending(1001, "the server is stopping")
NOBODY = Ending(1008, "nobody entered in time")
UNWELCOME = Ending(1008, "the token is no longer good")
BROKEN = Ending(1011, "error in the server")
GONE = Ending(1006, "")  # nobody is there to be told


class Session:
    """See above.

    Args:
        services: what the messages work with.
        guest: who is there.
        receive: gives the next event of the socket; see ASGI.
        send: takes one; see ASGI.
    """

    def __init__(self, services: Services, guest: Guest, receive: Receive, send: Send) -> None:
        self._services, self._guest, self._receive, self._send = services, guest, receive, send
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
        if not self._guest.entered:
            self.end(NOBODY)

    async def _welcome(self) -> bool:
        """May the guest still be told anything?  If not, that is the end."""
        try:
            await self._guest.check()
        except Failed as error:
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
        except OSError:  # nobody reads the reply
            self.end(GONE)
        except Exception:
            _log.error("error in the server", exc_info=True, extra={"route": PATH})
            self.end(BROKEN)

    async def _hear(self, event: Event) -> None:
        """One message."""
        begun, text = time.perf_counter(), event.get("text")
        try:
            await self._guest.check()
            self._services.requests.take(self._guest.visitor.holder)
            said = heard(text)
        except Failed as error:
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
        doing = self._carry_out(said, lambda: command(self._guest.caller(), said), begun)
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
                return Reply(said.id, OK, await self._guest.enter(said))
            caller = self._guest.caller()
            if isinstance(said, Follow):
                reply, start = await self._following.follow(caller, said)
                return reply
            if isinstance(said, Leave):
                return await self._following.leave(said)
            return await read_prompt(caller, said)

        await self._tell(_name(said), await self._tried(said.id, work), begun)
        if start is not None:
            start()

    async def _tried(self, told: Id | None, work: Callable[[], Awaitable[Reply]]) -> Reply:
        """What the work replies, or why it was refused."""
        try:
            return await work()
        except (Failed, Denied, StoreError) as error:
            return await self._refused(told, error)
        except Exception:
            _log.error("error in the server", exc_info=True, extra={"route": PATH})
            return refused(told, unforeseen(self._guest.language))

    async def _refused(self, told: Id | None, error: Failed | Denied | StoreError) -> Reply:
        about, headers = await problem(error, self._services, self._guest.language)
        return refused(told, about, headers.get("retry-after"))

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
