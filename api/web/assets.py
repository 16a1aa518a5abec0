"""Static files: all that `static/` holds, and its style sheets joined, at addresses that name their content.

The address of the folder holds the hash of everything in it, so a browser may keep each file for ever, and a
page never mixes the files of two versions.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.resources
from collections.abc import Iterator
from importlib.resources.abc import Traversable

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from api.http.decoding import takes_gzip
from api.web import verify_page
from replay.boards.drawing import BOARDS, own_style, stylesheet

PREFIX = "/static"
FOREVER = "public, max-age=31536000, immutable"
SHEETS = {
    "text": ("tokens", "page"),
    "lists": ("tokens", "page", "lists"),
    "tournament": ("tokens", "page", "lists", "tournament"),
    "audit": ("tokens", "page", "audit"),
    "match": ("tokens", "page", "board", "parts", "chart", "question", "narrow"),
    "embed": ("tokens", "page", "board", "parts", "narrow"),
}
"""The style sheets of each kind of page.  They are served as one: a browser waits for each of them."""
_HASH = 16  # hexadecimal digits of the folder's name
_LEVEL = 9
_MEDIA = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


class Asset(Struct, frozen=True):
    """One file: its bytes, the same in gzip, and its media type."""

    body: bytes
    packed: bytes
    media: str


class Assets:
    """All static files, read once."""

    def __init__(self) -> None:
        found = dict(_files(importlib.resources.files("api.web") / "static"))
        boards = {game: stylesheet(board({})).encode() for game, board in BOARDS.items()}
        for kind, names in SHEETS.items():
            sheet = b"".join(found[f"{name}.css"] for name in names)
            found[f"sheets/{kind}.css"] = sheet
            if "board" not in names:
                found[f"sheets/{kind}.css"] += b"".join(own_style(game).encode() for game in BOARDS)
            else:
                found |= {f"sheets/{kind}-{game}.css": sheet + style for game, style in boards.items()}
        found["verifier.js"] = verify_page.verifier().encode()
        digest = hashlib.sha256()
        for name, body in sorted(found.items()):
            digest.update(b"%d %b\0%d\0%b" % (len(name), name.encode(), len(body), body))
        self.folder = f"{PREFIX}/{digest.hexdigest()[:_HASH]}"
        self._assets = {
            name: Asset(body, gzip.compress(body, _LEVEL, mtime=0), _media(name))
            for name, body in found.items()
        }

    def url(self, name: str) -> str:
        """Return the address of a file.

        Raises:
            KeyError: there is no such file.
        """
        if name not in self._assets:
            raise KeyError(name)
        return f"{self.folder}/{name}"

    async def serve(self, request: Request) -> Response:
        """Return a file of this version; 404 for any other address."""
        folder, _, name = request.path_params["path"].partition("/")
        asset = self._assets.get(name)
        if asset is None or f"{PREFIX}/{folder}" != self.folder:
            return Response(status_code=404, headers={"cache-control": "no-store"})
        head = {
            "cache-control": FOREVER,
            "vary": "accept-encoding",
            "x-content-type-options": "nosniff",
            "content-type": asset.media,
        }
        if takes_gzip(request.headers.get("accept-encoding", "")):
            return Response(asset.packed, headers={**head, "content-encoding": "gzip"})
        return Response(asset.body, headers=head)


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """The files of a folder with a known media type, by their path in it."""
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        elif _media(entry.name):
            yield f"{prefix}{entry.name}", entry.read_bytes()


def _media(name: str) -> str:
    return _MEDIA.get(name[name.rfind(".") :], "")
