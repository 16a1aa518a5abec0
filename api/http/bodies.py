"""Bodies of requests: read within the limit, of the right type, and decoded into exactly one shape."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
from starlette.requests import Request

from api.http import negotiation, once
from api.http.problems import Failed
from api.settings import Settings

_FORM = "application/x-www-form-urlencoded"
_DRAINED = 1024 * 1024  # bytes beyond a limit that are read on: whoever is still sending hears no answer

_NONE_OF = re.compile(r"Invalid (?:enum )?value (?P<given>.+) - at `(?:.*\.)?(?P<name>\w+)`", re.DOTALL)
_HALF = r"\\u[dD](?:[89aAbB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|[c-fC-F][0-9a-fA-F]{2})"
_PAIR = r"\\u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"

Reader = Callable[[Request, Settings], Awaitable[Any]]


def reader(body: Any) -> Reader:
    """Reads and decodes the bodies of a route: `body` is a struct, or a media type for plain bytes."""
    if isinstance(body, str):
        return _bytes_reader(body)
    shape, may_be_empty = Shape(body), optional(body)

    async def read(request: Request, settings: Settings) -> Any:
        content = await _content(request, settings.body_bytes)
        if content or not may_be_empty:
            _must_be(request, negotiation.JSON)
        return shape.decoded(content or (b"{}" if may_be_empty else b""))

    return read


def optional(body: Any) -> bool:
    """May a body of this type be left out?"""
    return all(not field.required for field in msgspec.structs.fields(body))


def _bytes_reader(media_type: str) -> Reader:
    async def read(request: Request, settings: Settings) -> bytes:
        _must_be(request, media_type)
        return await _content(request, settings.file_bytes)

    return read


def _must_be(request: Request, media_type: str) -> None:
    """A body without a type is taken for what it should be; so is curl's, which calls every body a form.

    Nothing is lost by that: a form of a foreign page cannot carry the token, which is a header.
    """
    packed = request.headers.get("content-encoding", "identity").strip().lower()
    if packed != "identity":
        told = f"the bytes as they are, not with Content-Encoding {packed[:40]}"
        raise Failed("media-type", told, {"accept-encoding": "identity"})
    given = request.headers.get("content-type", media_type).partition(";")[0].strip().lower()
    if given not in (media_type, _FORM):
        raise Failed("media-type", f"{media_type}, not {given[:80] or 'nothing'}", {"accept": media_type})


async def _content(request: Request, most: int) -> bytes:
    """The body, of at most `most` bytes; what is longer is not kept."""
    if int(request.headers.get("content-length", "0")) > most + _DRAINED:
        raise _too_large(most)
    content, read = bytearray(), 0
    more = True
    while more and read <= most + _DRAINED:
        message = await request.receive()
        if message["type"] != "http.request":
            raise Failed("malformed", "the body ends too early")
        chunk, more = message.get("body", b""), message.get("more_body", False)
        read += len(chunk)
        if read <= most:
            content += chunk
    if read > most:
        raise _too_large(most)
    return bytes(content)


def _too_large(most: int) -> Failed:
    return Failed("too-large", f"at most {most} bytes", {"connection": "close"})


class Shape:
    """Decodes JSON from outside into one shape.

    Args:
        kind: the struct, or several with tags.
        watched: the names that must not stand twice; none: all of them.
    """

    def __init__(self, kind: Any, watched: Sequence[str] = ()) -> None:
        self._kind = kind
        self._decode: Callable[[bytes | str], Any] = msgspec.json.Decoder(kind).decode
        self._must_stand_once = once.look(kind, watched)

    def decoded(self, content: bytes | str) -> Any:
        """What the bytes say.

        Raises:
            Failed: invalid, malformed.
        """
        try:
            found = self._decode(content)
            self._must_stand_once(content)
        except msgspec.ValidationError as error:
            raise Failed("invalid", self._listed(str(error))) from error
        except msgspec.DecodeError as error:
            raise Failed("malformed", _why(content, str(error))) from error
        except UnicodeDecodeError as error:
            raise Failed("malformed", "the body is not UTF-8") from error
        except RecursionError as error:
            raise Failed("malformed", "nested too deeply") from error
        return found

    def _listed(self, said: str) -> str:
        """Where a word is none of several: with those."""
        found = _NONE_OF.fullmatch(said)
        words = once.words_of(self._kind, found["name"]) if found else []
        if found is None or not words:
            return said
        return f"no {found['name']} {found['given'][:40]}; there are: {', '.join(words)}"


def _why(content: bytes | str, said: str) -> str:
    """Why JSON cannot be read, where msgspec tells something else."""
    if not content:
        return "the body is empty: send a JSON object"
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    if re.search(_HALF, re.sub(_PAIR, "", text)):
        return "a lone surrogate (\\ud800 to \\udfff) is half a character, and no text"
    return said
