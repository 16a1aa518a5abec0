"""Decoding of requests: bodies within their limits, strict JSON, and what the headers ask for."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect
from starlette.requests import HTTPConnection, Request
from starlette.types import Scope

from api.settings import Settings
from domain.kernel import Refused
from domain.refusals import QUOTED
from domain.texts import LANGUAGES

# Duplicate keys in a JSON object: JSON does not define which of the two counts, so they are refused.  msgspec
# takes the last one, so the standard library parses the body once more: 4 us for a move.


def _names_must_differ(content: bytes | str) -> None:
    """Refuse duplicate keys in valid JSON; numbers are not converted, because Python limits their length.

    Raises:
        Refused: invalid.
    """
    text = content if isinstance(content, str) else content.decode()
    _strictly(text.lstrip(_BLANK))


def _must_differ(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict[str, Any]()
    for name, value in pairs:
        if name in found:
            raise Refused("invalid", "member-twice", {"name": repr(name[:40])})
        found[name] = value
    return found


_strictly = json.JSONDecoder(object_pairs_hook=_must_differ, parse_int=str, parse_float=str).raw_decode
_BLANK = " \t\n\r"  # what JSON allows before a value


def _parts(shape: Any) -> Iterator[inspect.Type]:
    """A shape and all types in it."""
    waiting = [inspect.type_info(shape)]
    while waiting:
        kind = waiting.pop(0)
        yield kind
        if isinstance(kind, inspect.StructType):
            waiting += [field.type for field in kind.fields]
        elif isinstance(kind, inspect.UnionType):
            waiting += kind.types
        elif isinstance(kind, inspect.VarTupleType | inspect.ListType):
            waiting.append(kind.item_type)
        elif isinstance(kind, inspect.Metadata):
            waiting.append(kind.type)


def words_of(shape: Any, name: str) -> list[str]:
    """Return the words that a field of this name may hold, or its tags; empty if the shape lists none."""
    found = list[str]()
    for kind in _parts(shape):
        if isinstance(kind, inspect.StructType):
            if kind.tag_field == name and isinstance(kind.tag, str):
                found.append(kind.tag)
            for field in kind.fields:
                if field.encode_name == name and isinstance(field.type, inspect.LiteralType):
                    found += [str(value) for value in field.type.values]
    return list(dict.fromkeys(found))


# ── What the headers of a request ask for: a language, a media type, an encoding, a token ──

JSON, LINES, EVENTS = "application/json", "application/x-ndjson", "text/event-stream"
CHALLENGE = {"www-authenticate": "Bearer"}
D = TypeVar("D", str, None)
_READ = 500  # characters of a header that are read


def header_of(scope: Scope, name: bytes, default: D) -> str | D:
    """Return the first header of this name, which is in lower case; `default` if a request has none."""
    for known, value in scope["headers"]:
        if known == name:
            return bytes(value).decode("latin-1")
    return default


@lru_cache(maxsize=1_000)
def language(accept_language: str) -> str:
    """Return the best of our languages for an Accept-Language header; by default English."""
    for tag in _preferred(accept_language):
        known = tag.split("-")[0]
        if known in LANGUAGES:
            return known
    return LANGUAGES[0]


def language_of(request: HTTPConnection) -> str:
    """Return the best of our languages for a request."""
    return language(request.headers.get("accept-language", ""))


@lru_cache(maxsize=1_000)
def media_type(accept: str, offered: Sequence[str] = (JSON, LINES, EVENTS)) -> str:
    """Return the best offered media type for an Accept header; by default the first."""
    return next((kind for kind in _preferred(accept) if kind in offered), offered[0])


def takes_gzip(accept_encoding: str) -> bool:
    """Return whether an Accept-Encoding header prefers gzip to the plain bytes; without one, it does not."""
    weights = {name: weight for weight, name in map(_weighed, accept_encoding[:_READ].split(","))}
    weight = weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0)))
    return weight > 0 and weight >= weights.get("identity", 0.0)


def bearer(authorization: str) -> str | None:
    """Return the token of an Authorization header; None if it is of another scheme."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def bearer_of(request: HTTPConnection) -> str | None:
    """Return the token of a request; None if it has none.

    Raises:
        Refused: unauthorized, if the header holds no bearer token.
    """
    header = header_of(request.scope, b"authorization", None)
    token = bearer(header) if header is not None else None
    if header is not None and token is None:
        raise Refused("unauthorized", "authorization-header", headers=CHALLENGE)
    return token


def _preferred(header: str) -> list[str]:
    """The items of a header with weights, the best first; those with weight 0 are left out."""
    weighed = [_weighed(item) for item in header[:_READ].split(",")]
    return [name for weight, name in sorted(weighed, key=lambda pair: -pair[0]) if weight > 0]


def _weighed(item: str) -> tuple[float, str]:
    name, *parameters = (part.strip() for part in item.lower().split(";"))
    weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
    try:
        return float(weight), name
    except ValueError:
        return 0.0, name


# ── Bodies of requests: read within the limit, of the right type, and decoded into exactly one shape ──


FORM = "application/x-www-form-urlencoded"
FORM_DATA = "multipart/form-data"  # of a form with a file
# Bytes beyond a limit that are still read: a client that is sending does not read the answer.
_DRAINED = 1024 * 1024

_NONE_OF = re.compile(r"Invalid (?:enum )?value (?P<given>.+) - at `(?:.*\.)?(?P<name>\w+)`", re.DOTALL)
_HALF = r"\\u[dD](?:[89aAbB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|[c-fC-F][0-9a-fA-F]{2})"
_PAIR = r"\\u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"

Reader = Callable[[Request, Settings], Awaitable[Any]]


def reader(body: Any) -> Reader:
    """Return the decoder of the bodies of a route: `body` is a struct, or a media type for plain bytes.

    A struct that may be larger than other bodies says so by `most_bytes`.
    """
    if isinstance(body, str):
        return _bytes_reader(body)
    shape, may_be_empty, own = Shape(body), optional(body), getattr(body, "most_bytes", 0)

    async def read(request: Request, settings: Settings) -> Any:
        content = await content_of(request, max(own, settings.body_bytes))
        if content or not may_be_empty:
            _must_be(request, JSON)
        return shape.decoded(content or (b"{}" if may_be_empty else b""))

    return read


def optional(body: Any) -> bool:
    """Return whether a body of this type may be left out: all its fields have defaults."""
    return isinstance(body, type) and all(not field.required for field in msgspec.structs.fields(body))


def _bytes_reader(media_type: str) -> Reader:
    async def read(request: Request, settings: Settings) -> bytes:
        _must_be(request, media_type)
        return await content_of(request, settings.file_bytes)

    return read


def _must_be(request: Request, media_type: str) -> None:
    """Refuse a body of another media type.  No type is accepted, and so is that of a form, curl's default.

    That is safe: a form of a foreign page cannot carry the token, which is a header.
    """
    packed = header_of(request.scope, b"content-encoding", "identity").strip().lower()
    if packed != "identity":
        unpacked = {"accept-encoding": "identity"}
        raise Refused("media-type", "content-encoding", {"given": packed[:40]}, unpacked)
    given = header_of(request.scope, b"content-type", media_type).partition(";")[0].strip().lower()
    if given not in (media_type, FORM):
        raise Refused(
            "media-type",
            "wrong-media-type",
            {"wanted": media_type, "given": given[:80] or "nothing"},
            {"accept": media_type},
        )


async def content_of(request: Request, most: int) -> bytes:
    """Read the body of at most `most` bytes.  Raises Refused: too-large, malformed."""
    if int(header_of(request.scope, b"content-length", "0")) > most + _DRAINED:
        raise _too_large(most)
    content, read = bytearray(), 0
    more = True
    while more and read <= most + _DRAINED:
        message = await request.receive()
        if message["type"] != "http.request":
            raise Refused("malformed", "body-cut-off")
        chunk, more = message.get("body", b""), message.get("more_body", False)
        read += len(chunk)
        if read <= most:
            content += chunk
    if read > most:
        raise _too_large(most)
    return bytes(content)


def _too_large(most: int) -> Refused:
    return Refused("too-large", "body-too-large", {"most": most}, {"connection": "close"})


class Shape:
    """Decodes JSON from outside into one shape: a struct, or several with tags."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._decode: Callable[[bytes | str], Any] = msgspec.json.Decoder(kind).decode

    def decoded(self, content: bytes | str) -> Any:
        """Return the decoded content.

        Raises:
            Refused: invalid, malformed.
        """
        try:
            found = self._decode(content)
            _names_must_differ(content)
        except msgspec.ValidationError as error:
            raise self._listed(str(error)) from error
        except msgspec.DecodeError as error:
            raise _malformed(content, str(error)) from error
        except UnicodeDecodeError as error:
            raise Refused("malformed", "body-not-utf-8") from error
        except RecursionError as error:
            raise Refused("malformed", "nested-too-deeply") from error
        return found

    def _listed(self, said: str) -> Refused:
        """The refusal of a validation error; for an unknown word, with the known ones."""
        found = _NONE_OF.fullmatch(said)
        words = words_of(self._kind, found["name"]) if found else []
        if found is None or not words:
            return Refused("invalid", QUOTED, {"said": said})
        about = {"name": found["name"], "value": found["given"][:40], "known": words}
        return Refused("invalid", "no-such-value", about)


def _malformed(content: bytes | str, said: str) -> Refused:
    """The refusal of malformed JSON, in our own words where msgspec is misleading."""
    if not content:
        return Refused("malformed", "body-empty")
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    if re.search(_HALF, re.sub(_PAIR, "", text)):
        return Refused("malformed", "lone-surrogate")
    return Refused("malformed", QUOTED, {"said": said})
