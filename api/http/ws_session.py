"""One open WebSocket: it reads messages, carries them out, replies, and pushes the moves of followed matches.

A message is handled in the turn of the event loop in which it comes, as far as it need not wait; a command
waits once, for its commit.  Commands to matches are carried out concurrently, a few at once; everything else
is answered before the next message is read.  Replies and moves are sent only as fast as the client reads
them.  If a client does not read, its messages are not read either, so neither they nor its moves pile up.

However a socket ends, commands that were begun are carried out first, and answered if the client is still
connected.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import ExitStack, suppress
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct
from starlette.types import Receive, Send

from api.gate import CachedMatch
from api.http import decoding
from api.http.app_state import Services
from api.http.exception_handlers import problem
from api.http.live_positions import Wanted
from api.http.lobby_feed import Listener
from api.http.middleware import answered, unforeseen
from api.http.permissions import must_be_there, receipt_of, view_of, viewer
from api.http.request_schemas import (
    ClockChange,
    Freezing,
    Moves,
    OpenSalt,
    Resignation,
    Sit,
    Takeback,
    TakebackAnswer,
)
from api.http.routes import matches, officials
from api.http.routes.event_stream import must_be_room, positions_of, wanted_by
from api.http.routes.lobby import lobby_of
from api.http.routing import Caller, encode
from api.http.schemas import Problem, PromptView
from api.http.views import LogView, Positions, with_position
from api.http.ws_auth import SocketAuth
from api.http.ws_messages import (
    PATH,
    AnswerTakeback,
    AskTakeback,
    Command,
    Enter,
    Follow,
    Followed,
    FollowTournament,
    Freeze,
    Id,
    Leave,
    LeaveTournament,
    ListenToLobby,
    MatchOver,
    Message,
    Other,
    PlayAnswer,
    Prompt,
    Reply,
    Resign,
    SaltOpening,
    SetClock,
    SitDown,
)
from api.http.ws_protocol import SocketProtocol
from api.http.ws_tournaments import FollowedTournaments
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
    """Answer the prompt."""
    body = Moves(said.expect, said.picks, said.answers)
    return Reply(said.id, CREATED, await matches.play(call, said.match, body, said.key))


async def ask_takeback(call: Caller, said: AskTakeback) -> Reply:
    """Ask for a takeback."""
    return Reply(said.id, CREATED, await matches.ask_takeback(call, said.match, Takeback(said.to), said.key))


async def answer_takeback(call: Caller, said: AnswerTakeback) -> Reply:
    """Answer a takeback request."""
    body = TakebackAnswer(said.agree)
    done = await matches.answer_takeback(call, said.match, said.request, body, said.key)
    return Reply(said.id, CREATED, done)


async def resign(call: Caller, said: Resign) -> Reply:
    """Resign."""
    return Reply(said.id, CREATED, await matches.resign(call, said.match, Resignation(), said.key))


async def set_clock(call: Caller, said: SetClock) -> Reply:
    """Give time, or set or pause clocks."""
    body = ClockChange(**{name: getattr(said, name) for name in ClockChange.__struct_fields__})
    return Reply(said.id, CREATED, await officials.set_clock(call, said.match, body, said.key))


async def freeze(call: Caller, said: Freeze) -> Reply:
    """Freeze or release a match."""
    body = Freezing(said.reason, said.frozen, said.expect)
    return Reply(said.id, CREATED, await officials.freeze(call, said.match, body, said.key))


async def open_salt(call: Caller, said: SaltOpening) -> Reply:
    """Open the own salt."""
    done = await matches.open_salt(call, said.match, said.seat, OpenSalt(said.salt), said.key)
    return Reply(said.id, CREATED, done)


async def read_prompt(call: Caller, said: Prompt) -> Reply:
    """Read the prompt."""
    question = await matches.prompt_of(call, said.match)
    return Reply(said.id, OK, question) if question else Reply(said.id, NOTHING)


COMMANDS: dict[type, Callable[[Caller, Any], Awaitable[Reply]]] = {
    SitDown: sit_down,
    PlayAnswer: play,
    AskTakeback: ask_takeback,
    AnswerTakeback: answer_takeback,
    Resign: resign,
    SetClock: set_clock,
    Freeze: freeze,
    SaltOpening: open_salt,
}


# ── The matches that a socket follows: each walks the committed log at its own pace ──
#
# For a slow reader, only the numbers of moves wait, never moves: nothing is encoded before the socket can
# take it.


_AT_ONCE = 64  # moves in a row before other sockets get their turn
_POSITIONS = 8  # the same with their positions, each of which takes about half a millisecond
_EVIDENCE = frozenset(("at", "root", "draws", "keys", "salt"))
_log = logging.getLogger("glasnost.http")


class Follower:
    """One match that a socket follows.

    Args:
        session: the socket.
        call: who follows.
        cached: the match.
        seen_by: as whom.
        said: what was asked for.
    """

    def __init__(
        self, session: Session, call: Caller, cached: CachedMatch, seen_by: Chair | None, said: Follow
    ) -> None:
        self._session, self._call, self._cached = session, call, cached
        self._seen_by, self._said, self._sent = seen_by, said, said.after
        self._open = ExitStack()
        self._pushing: asyncio.Future[None] | None = None

    def begin(self) -> None:
        """Push the stored moves, and from now on each committed move."""
        self._open.enter_context(self._call.services.streams.one(self._call.visitor.counted))
        self._open.enter_context(self._cached.used())
        self._open.enter_context(self._cached.followed(self._news))
        self._news()

    def close(self) -> None:
        """Stop receiving commits."""
        self._open.close()

    async def stop(self) -> None:
        """Push nothing more."""
        self.close()
        if self._pushing is not None:
            self._pushing.cancel()
            with suppress(asyncio.CancelledError):
                await self._pushing

    def _news(self) -> None:
        """Push new moves, after those that are being pushed now."""
        if self._pushing is None or self._pushing.done():
            self._pushing = start(self._push())

    async def _push(self) -> None:
        session, match = self._session, self._said.match
        try:
            while self._sent < self._cached.match.move and not self._call.gate.stopping:
                if not await session.is_welcome():
                    return
                said = self._said
                wanted = await wanted_by(self._call, self._cached, scene=said.scene, sentences=said.sentences)
                last = min(self._cached.match.move, self._sent + (_POSITIONS if wanted else _AT_ONCE))
                while self._sent < last:
                    await session.say(self._message(self._sent + 1, wanted))
                    self._sent += 1
                if last < self._cached.match.move:
                    await asyncio.sleep(0)
            if self._cached.match.closed and self._sent == self._cached.match.move:
                await session.say(encode(MatchOver(match)))
                session.forget(match)
        except OSError:  # the reader is gone
            return
        except Exception:
            _log.error("error in the server", exc_info=True, extra={"match": match})
            session.end(BROKEN)

    def _message(self, number: int, wanted: Wanted) -> bytes:
        """The message of a move; of the latest one with what the follower is asked, if they want to know."""
        view = view_of(self._cached, self._seen_by, self._said.proof)
        is_asked = self._said.prompt and number == self._cached.match.move
        question = matches.question(self._call, self._cached) if is_asked else None
        positions = positions_of(self._call, self._cached, self._seen_by, wanted)
        return pushed(view, number, self._said.lean, question, positions)


def pushed(
    view: LogView,
    number: int,
    lean: bool,
    question: PromptView | None = None,
    positions: Positions | None = None,
) -> bytes:
    """The message that pushes a move.

    Args:
        lean: without what only serves to check it.
        question: what the follower is asked after it.
        positions: returns the position of the move, if it is to be sent.
    """
    move = view.move(number)
    if lean:
        move = {name: value for name, value in move.items() if name not in _EVIDENCE}
    move = with_position(move, number, positions)
    prompt = b',"prompt":%b' % encode(question) if question else b""
    return b'{"match":"%b","move":%b%b}' % (view.match.id.encode(), encode(move), prompt)


class LobbyListener:
    """The lobby that a socket listens to.

    Args:
        session: the socket.
        call: whose lobby it is.
    """

    def __init__(self, session: Session, call: Caller) -> None:
        self._session, self._feed = session, call.services.lobby_feed
        self._listener = Listener(call.player, call.language, self._news)
        self._pushing: asyncio.Future[None] | None = None
        self._is_open = False
        self._feed.add(self._listener)

    def begin(self) -> None:
        """Push the changes since it was made, and from now on each change."""
        self._is_open = True
        self._news()

    async def stop(self) -> None:
        """Push nothing more."""
        self._is_open = False
        self._feed.remove(self._listener)
        if self._pushing is not None:
            self._pushing.cancel()
            with suppress(asyncio.CancelledError):
                await self._pushing

    def _news(self) -> None:
        if self._is_open and (self._pushing is None or self._pushing.done()):
            self._pushing = start(self._push())

    async def _push(self) -> None:
        session = self._session
        try:
            while (message := self._listener.take()) is not None:
                if not await session.is_welcome():
                    return
                await session.say(message)
        except OSError:  # the reader is gone
            return


# ── One open socket: it reads messages, carries them out, replies, and pushes followed moves ──


_OTHER = "other"  # the name in the metrics of a message that was refused before it was decoded


class Ending(Struct, frozen=True):
    """Why a socket is closed: a code of RFC 6455, and a reason in words."""

    code: int
    reason: str


STOPPING = Ending(1001, "the server is stopping")
NOT_ENTERED = Ending(1008, "no authentication in time")
UNWELCOME = Ending(1008, "the token is no longer good")
BROKEN = Ending(1011, "error in the server")
GONE = Ending(1006, "")  # the client is gone


class Session:
    """See above.

    Args:
        services: what the messages work with.
        auth: who is at the other end.
        connection: the client.
    """

    def __init__(self, services: Services, auth: SocketAuth, connection: SocketProtocol) -> None:
        self._services, self._auth, self._connection = services, auth, connection
        self.say = connection.say
        self._room = asyncio.Semaphore(services.settings.commands_in_flight)
        self._under_way: set[asyncio.Task[None]] = set()
        self._message: asyncio.Future[None] | None = None  # the message that is being handled
        self._ended: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self._followers: dict[str, Follower] = {}
        self._lobby: LobbyListener | None = None
        self._tournaments = FollowedTournaments(self.say, self.is_welcome)

    def end(self, ending: Ending) -> None:
        """Close the socket as soon as the commands under way are done."""
        if not self._ended.done():
            self._ended.set_result(ending)

    async def run(self, receive: Receive, send: Send) -> None:
        """Serve until either side ends it.

        Args:
            receive: gives the end of the connection; see ASGI.
            send: closes it; see ASGI.
        """
        loop = asyncio.get_running_loop()
        late = loop.call_later(self._services.settings.entering_seconds, self._look_who_is_there)
        gone = asyncio.create_task(self._wait_for_the_end(receive))
        heart = asyncio.create_task(self._look_at_the_token())
        self._connection.attach(self)
        try:
            ending = await self._ended
            while waiting := {*self._under_way, *self._at_work()}:
                await asyncio.wait(waiting)
            await self._follow_nothing()
            if ending != GONE:
                await send({"type": "websocket.close", "code": ending.code, "reason": ending.reason})
        except (OSError, RuntimeError):  # either side has closed the connection meanwhile
            pass
        finally:
            late.cancel()
            for task in (gone, heart, *self._under_way, *self._at_work()):
                task.cancel()
            await self._follow_nothing()

    def _at_work(self) -> list[asyncio.Future[None]]:
        return [self._message] if self._message is not None else []

    def _look_who_is_there(self) -> None:
        if not self._auth.entered:
            self.end(NOT_ENTERED)

    async def _wait_for_the_end(self, receive: Receive) -> None:
        while (await receive())["type"] != "websocket.disconnect":
            pass
        self.end(GONE)

    async def _look_at_the_token(self) -> None:
        """Close a socket that sends nothing once its token is revoked."""
        while True:
            await asyncio.sleep(self._services.settings.heartbeat_seconds)
            await self.is_welcome()

    async def is_welcome(self) -> bool:
        """Return whether the token is still valid; if not, end the socket."""
        try:
            await self._auth.check()
        except Refused as error:
            if error.kind == "unauthorized":
                self.end(UNWELCOME)
                return False
        return True

    # ── messages ──

    @property
    def is_busy(self) -> bool:
        """See `api.http.ws_protocol.Receiver`."""
        return self._message is not None or self._ended.done()

    def hear(self, text: str | None) -> None:
        """See `api.http.ws_protocol.Receiver`."""
        work = start(self._heard(text))
        if not work.done():
            self._message = work
            work.add_done_callback(self._go_on)

    def _go_on(self, work: asyncio.Future[None]) -> None:
        self._message = None
        self._connection.read_on()

    async def _heard(self, text: str | None) -> None:
        """Handle one message."""
        begun = time.perf_counter()
        try:
            try:
                await self._auth.check()
                self._services.requests.take(self._auth.visitor.counted)
                said = heard(text)
            except Refused as error:
                await self._reply(_OTHER, await self._refused(id_of(text), error), begun)
                if error.kind == "unauthorized":
                    self.end(UNWELCOME)
                return
            if isinstance(said, Other):
                await self._answer(said, begun)
                return
            await self._room.acquire()
            carrying_out = asyncio.create_task(self._carry_out(said, begun))
            self._under_way.add(carrying_out)
            carrying_out.add_done_callback(self._under_way.discard)
        except OSError:  # the client is gone
            self.end(GONE)
        except Exception:
            _log.error("error in the server", exc_info=True, extra={"route": PATH})
            self.end(BROKEN)

    async def _carry_out(self, said: Command, begun: float) -> None:
        """A command to a match; the reply frees its place."""
        try:
            reply = await self._tried(said.id, COMMANDS[type(said)], said)
            await self._reply(_name(said), reply, begun)
        except OSError:  # the client is gone; the command was carried out nevertheless
            self.end(GONE)
        finally:
            self._room.release()

    async def _answer(self, said: Other, begun: float) -> None:
        """Handle a message that is not a command to a match."""
        reply = await self._tried(said.id, self._done, said)
        await self._reply(_name(said), reply, begun)
        if isinstance(said, Follow) and reply.status == OK:
            self._followers[said.match].begin()
        if isinstance(said, FollowTournament) and reply.status == OK:
            self._tournaments.begin(said.tournament)
        if isinstance(said, ListenToLobby) and self._lobby is not None:
            self._lobby.begin()

    async def _done(self, call: Caller, said: Other) -> Reply:
        if isinstance(said, Follow):
            return await self._follow(call, said)
        if isinstance(said, Leave):
            return await self._leave(said)
        if isinstance(said, FollowTournament):
            return Reply(said.id, OK, await self._tournaments.follow(call, said))
        if isinstance(said, LeaveTournament):
            await self._tournaments.leave(said.tournament)
            return Reply(said.id, NOTHING)
        if isinstance(said, ListenToLobby):
            self._lobby = self._lobby or LobbyListener(self, call)
            return Reply(said.id, OK, await lobby_of(call))
        assert isinstance(said, Prompt), "entering is done by who has no caller yet"
        return await read_prompt(call, said)

    async def _tried(
        self, message: Id | None, work: Callable[[Caller, Any], Awaitable[Reply]], said: Message
    ) -> Reply:
        """Return the reply of the work, or its refusal."""
        try:
            if isinstance(said, Enter):
                return Reply(said.id, OK, await self._auth.enter(said))
            return await work(self._auth.caller(), said)
        except (Refused, StoreError) as error:
            return await self._refused(message, error)
        except Exception:
            _log.error("error in the server", exc_info=True, extra={"route": PATH})
            return refused(message, unforeseen(self._auth.language))

    async def _refused(self, message: Id | None, error: Refused | StoreError) -> Reply:
        about, headers = await problem(error, self._services, self._auth.language)
        return refused(message, about, headers.get("retry-after"))

    async def _reply(self, name: str, reply: Reply, begun: float) -> None:
        answered(self._services.metrics, name, PATH, reply.status, time.perf_counter() - begun)
        await self.say(encode(reply))

    # ── the matches that are followed ──

    async def _follow(self, call: Caller, said: Follow) -> Reply:
        """Return the reply to `follow`; moves are pushed after it is sent.

        Raises:
            Refused: unknown-match, invalid, unknown-seat, forbidden, unknown-move, limit.
        """
        if said.lean and said.proof:
            raise Refused("invalid", "proof-or-lean")
        cached = await call.gate.cached(said.match)
        seen_by = viewer(cached.match, call.player, said.view)
        must_be_there(cached.match, said.after)
        if said.match in self._followers:
            raise Refused("invalid", "already-following")
        call.services.streams.check(call.visitor.counted)
        must_be_room(call.gate, cached)
        self._followers[said.match] = Follower(self, call, cached, seen_by, said)
        return Reply(said.id, OK, Followed(cached.match.move, receipt_of(call, cached) or UNSET))

    async def _leave(self, said: Leave) -> Reply:
        """Stop following: no move is pushed after the reply.  A match that is not followed is no error."""
        follower = self._followers.pop(said.match, None)
        if follower is not None:
            await follower.stop()
        return Reply(said.id, NOTHING)

    def forget(self, match: str) -> None:
        """Stop following a match that is over."""
        self._followers.pop(match).close()

    async def _follow_nothing(self) -> None:
        await self._tournaments.leave_all()
        if self._lobby is not None:
            lobby, self._lobby = self._lobby, None
            await lobby.stop()
        while self._followers:
            _, follower = self._followers.popitem()
            await follower.stop()


def _name(said: Message) -> str:
    """Return the name of a message in the metrics."""
    return str(said.__struct_config__.tag)


# ── Work that begins at once, in the loop turn in which it is requested ──
#
# Most messages and pushes need not wait, and so need no task.  `asyncio` can do so itself from Python 3.12 on
# (`eager_start`); then this can go.  Commands are tasks nevertheless: those of one turn are judged one after
# the other when all have been read, while the writing thread does not compete for the interpreter.

T = TypeVar("T")


class _Begun:
    """A coroutine that has begun, and waits."""

    def __init__(self, work: Coroutine[Any, Any, T], waits_for: Any) -> None:
        self._work, self._waits_for = work, waits_for

    def __await__(self) -> Generator[Any, Any, Any]:
        waits_for = self._waits_for
        while True:
            try:
                yield waits_for
            except BaseException as error:
                try:
                    waits_for = self._work.throw(error)
                except StopIteration as ended:
                    return ended.value
            else:
                return (yield from self._work.__await__())


def start(work: Coroutine[Any, Any, T]) -> asyncio.Future[T]:
    """Begin `work` at once; returns its result as a future, which is a task if it has to wait.

    Until it waits for the first time, it has no task of its own (`asyncio.current_task`).
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    try:
        waits_for = work.send(None)
    except StopIteration as ended:
        done.set_result(ended.value)
        return done
    except Exception as error:
        done.set_exception(error)
        return done
    return loop.create_task(_rest(work, waits_for))


async def _rest(work: Coroutine[Any, Any, T], waits_for: Any) -> Any:
    return await _Begun(work, waits_for)
