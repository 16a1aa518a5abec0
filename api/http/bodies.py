"""Bodies of requests: read within the limit, of the right type, and decoded into exactly one shape."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import Request

from api.http import negotiation
from api.http.problems import Failed
from api.settings import Settings

_FORM = "application/x-www-form-urlencoded"
_DRAINED = 1024 * 1024  # bytes beyond a limit that are read on: whoever is still sending hears no answer

Reader = Callable[[Request, Settings], Awaitable[Any]]


def reader(body: Any) -> Reader:
    """Reads and decodes the bodies of a route: `body` is a struct, or a media type for plain bytes."""
    if isinstance(body, str):
        return _bytes_reader(body)
    decode, may_be_empty = msgspec.json.Decoder(body).decode, optional(body)

    async def read(request: Request, settings: Settings) -> Any:
        content = await _content(request, settings.body_bytes)
        if content or not may_be_empty:
            _must_be(request, negotiation.JSON)
        return decoded(decode, content or (b"{}" if may_be_empty else b""))

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


def decoded(decode: Callable[[Any], Any], content: bytes | str) -> Any:
    """What a decoder makes of bytes from outside.

    Raises:
        Failed: invalid, malformed.
    """
    try:
        return decode(content)
    except msgspec.ValidationError as error:
        raise Failed("invalid", str(error)) from error
    except msgspec.DecodeError as error:
        raise Failed("malformed", str(error)) from error
    except UnicodeDecodeError as error:
        raise Failed("malformed", "the body is not UTF-8") from error
    except RecursionError as error:
        raise Failed("malformed", "nested too deeply") from error
