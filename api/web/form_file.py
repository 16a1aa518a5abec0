"""A form with one file, as a browser sends it without a script: `multipart/form-data` (RFC 7578)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from api.http.decoding import FORM_DATA, content_of, header_of
from api.http.routing import Call
from api.web.tournament_parts import MOST_FORM, form_of
from domain.kernel import Refused
from domain.refusals import QUOTED

_FIELDS = 40
_HEAD = 1_000  # bytes
_BOUNDARY = re.compile(r'boundary="?([0-9A-Za-z\'()+_,./:=?-]{1,70})"?')
_NAME = re.compile(rb'content-disposition: form-data; name="([a-z_]{1,40})"(; filename=)?', re.IGNORECASE)


async def form_with_file(call: Call, most: int) -> tuple[dict[str, str], bytes]:
    """Return the fields of a form and the bytes of its file, at most so many; none if no file was chosen.

    Fields left empty are left out.

    Raises:
        Refused: see `form_of`.
    """
    given = header_of(call.request.scope, b"content-type", "")
    if given.partition(";")[0].strip().lower() != FORM_DATA:
        return await form_of(call), b""
    call.person()
    boundary = _BOUNDARY.search(given)
    if boundary is None:
        raise _wrong("boundary")
    content = await content_of(call.request, most + MOST_FORM)
    form: dict[str, str] = {}
    file = b""
    for name, value, is_file in _parts(content, boundary[1].encode()):
        if name in form or (is_file and file):
            raise Refused("invalid", "parameter-twice", {"name": name})
        if is_file:
            file = value
        else:
            form[name] = _text(name, value)
    return {name: value for name, value in form.items() if value}, file


def _parts(content: bytes, boundary: bytes) -> Iterator[tuple[str, bytes, bool]]:
    """The name and the value of each part, and whether it is a file.  Raises Refused: invalid."""
    before, *parts = (b"\r\n" + content).split(b"\r\n--" + boundary, _FIELDS + 1)
    if before or not parts or parts.pop()[:2] != b"--":
        raise _wrong("end")
    for part in parts:
        head, blank, value = part.partition(b"\r\n\r\n")
        found = _NAME.search(head[:_HEAD])
        if not blank or found is None or len(head) > _HEAD:
            raise _wrong("head")
        yield found[1].decode(), value, found[2] is not None


def _text(name: str, value: bytes) -> str:
    """A field of a form.  Raises Refused: invalid."""
    if len(value) > MOST_FORM:
        raise _wrong(name)
    try:
        return value.decode().replace("\r\n", "\n").strip()
    except UnicodeDecodeError as error:
        raise _wrong(name) from error


def _wrong(what: str) -> Refused:
    return Refused("invalid", QUOTED, {"said": f"{FORM_DATA}: {what}"})
