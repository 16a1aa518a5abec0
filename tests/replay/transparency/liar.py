"""A server of the tests' own that shows a log and some matches, and lies where a test tells it to.

Its tiles are computed from their definition in C2SP tlog-tiles, with nothing of the project.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.signed_notes import Checkpoint, SigningKey

NAME = "games.example"
MINUTE = 60_000_000  # microseconds


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def private(number: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)


def mth(leaves: list[bytes]) -> bytes:
    """The Merkle tree hash, by the definition of RFC 6962, section 2.1."""
    if len(leaves) < 2:
        return hashlib.sha256(b"\x00" + leaves[0] if leaves else b"").digest()
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + mth(leaves[:k]) + mth(leaves[k:])).digest()


def tile(leaves: list[bytes], level: int, number: int, width: int) -> bytes:
    """The hashes of a tile, by the definition of C2SP tlog-tiles."""
    span = 256**level
    starts = [(number * 256 + i) * span for i in range(width)]
    return b"".join(mth(leaves[start : start + span]) for start in starts if start + span <= len(leaves))


@dataclass
class Match:
    """A match of the server: the leaves of its own log, and what the server says of it."""

    id: str
    player: str
    leaves: list[bytes]
    over: bool = False


@dataclass
class Liar:
    """The server: what it shows can be changed between two looks."""

    key: SigningKey = field(default_factory=lambda: SigningKey(NAME, private(1)))
    leaves: list[bytes] = field(default_factory=list)
    matches: dict[str, Match] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)  # matches that it does not show
    retired: list[str] = field(default_factory=list)
    rotations: list[str] = field(default_factory=list)
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)  # by path, instead
    asked: list[str] = field(default_factory=list)
    now: int = 1_700_000_000_000_000

    # ── honest steps ──

    def opens(self, id: str, player: str = "p1", *, logged: bool = True) -> Match:
        """Open a match, a minute and a half after the last thing that happened."""
        self.now += 90_000_000
        opening = canonical({"at": self.now, "kind": "opened", "match": id, "move": 1})
        match = self.matches[id] = Match(id, player, [opening])
        if logged:
            self.log(
                kind="opened", match=id, opener=player, commitment=b64(bytes(32)), root=b64(mth(match.leaves))
            )
        return match

    def plays(self, id: str, moves: int = 1) -> None:
        """Append moves to a match."""
        match = self.matches[id]
        for _ in range(moves):
            match.leaves.append(canonical({"kind": "played", "match": id, "move": len(match.leaves) + 1}))

    def closes(self, id: str) -> None:
        """End a match, with its last move."""
        self.now += 90_000_000
        self.plays(id)
        match = self.matches[id]
        match.over = True
        self.log(
            kind="closed",
            match=id,
            opening=b64(mth(match.leaves[:1])),
            size=len(match.leaves),
            root=b64(mth(match.leaves)),
        )

    def rotates(self, *, at: int | None = None, logged: bool = True) -> str:
        """Replace the key; return the signed note."""
        self.now += 90_000_000
        old, number = self.key, len(self.rotations) + 1
        self.key = SigningKey(NAME, private(100 + number))
        new, time = self.key.verifying, self.now if at is None else at
        note = old.sign(f"glasnost key rotation\n{old.verifying.text}\n{new.text}\n{time}\n")
        self.retired.append(old.verifying.text)
        self.rotations.append(note)
        if logged:
            digest = hashlib.sha256(note.encode()).digest()
            self.log(kind="key", number=number, before=old.verifying.id, key=new.id, note=b64(digest))
        return note

    def log(self, **leaf: Any) -> None:
        """Append a leaf."""
        self.leaves.append(canonical({"at": self.now, **leaf}))

    def many(self, count: int) -> None:
        """Open so many matches of others, of which none is shown."""
        for _ in range(count):
            self.opens(f"x{len(self.leaves)}", "other")

    # ── what it signs and shows ──

    @property
    def point(self) -> str:
        """The signed checkpoint of the log."""
        return self.key.sign(Checkpoint(f"{NAME}/log", len(self.leaves), mth(self.leaves)).text)

    def match_point(self, id: str, move: int | None = None) -> str:
        """The signed checkpoint of a match."""
        leaves = self.matches[id].leaves[:move]
        return self.key.sign(Checkpoint(f"{NAME}/match/{id}", len(leaves), mth(leaves)).text)

    def answer(self, target: str) -> tuple[int, dict[str, str], bytes]:
        """Answer a request."""
        url = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        self.asked.append(url.path)
        if url.path in self.answers:
            return self.answers[url.path]
        body = self._body(url.path, query)
        return (404, {}, b'{"status":404}') if body is None else (200, {}, body)

    def _body(self, path: str, query: dict[str, str]) -> bytes | None:
        if path == "/log/checkpoint":
            return self.point.encode()
        if path == "/v1/keys":
            shown = {"present": self.key.verifying.text, "retired": self.retired, "rotations": self.rotations}
            return canonical(shown)
        if found := re.fullmatch(r"/log/tile/(entries|\d+)/((?:x\d{3}/)*\d{3})(?:\.p/(\d+))?", path):
            number, width = int(found[2].replace("x", "").replace("/", "")), int(found[3] or 256)
            if found[1] == "entries":
                some = self.leaves[number * 256 : number * 256 + width]
                return b"".join(len(one).to_bytes(2, "big") + one for one in some)
            return tile(self.leaves, int(found[1]), number, width)
        if path == "/v1/matches":
            return self._list(query.get("player"))
        if found := re.fullmatch(r"/v1/matches/(\w+)(/checkpoint|/moves)?", path):
            return self._match(found[1], found[2], query)
        return None

    def _list(self, player: str | None) -> bytes:
        shown = [
            {
                "match": one.id,
                "origin": "live",
                "status": "over" if one.over else "running",
                "opened_at": json.loads(one.leaves[0])["at"],
                "closed_at": self.now if one.over else None,
                "move": len(one.leaves),
            }
            for one in self.matches.values()
            if one.id not in self.hidden and player in (None, one.player)
        ]
        return canonical({"matches": shown, "names": {}, "next": None})

    def _match(self, id: str, what: str | None, query: dict[str, str]) -> bytes | None:
        if id not in self.matches or id in self.hidden:
            return None
        match, move = self.matches[id], query.get("move")
        if what == "/checkpoint":
            return self.match_point(id, int(move) if move else None).encode()
        if what == "/moves":
            return canonical({"moves": [{"move": 1, "leaf": match.leaves[0].decode()}]})
        return canonical(
            {"match": id, "move": len(match.leaves), "status": "over" if match.over else "running"}
        )

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve on a free port; gives the URL of the server."""
        liar = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, headers, body = liar.answer(self.path)
                self.send_response(status)
                for name, value in {"content-length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
