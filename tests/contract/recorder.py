"""Writes down requests and answers, so that two versions of the program can be compared line by line.

What may differ between two versions that answer alike is written as a name: a hash, a signature or a salt by
the order in which it was first seen, the hash of a game's rules by nothing at all.
"""

from __future__ import annotations

import hashlib
import http.client
import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

from tests.contract import program

_LONGEST, _LONGEST_PRINTED = 700, 6_000  # characters that are written out; of a longer text the SHA-256
_KEPT = ("content-type", "cache-control", "location", "vary", "allow", "www-authenticate", "retry-after")
_BEFORE = r"(?:(?<=\\n)|(?<![A-Za-z0-9+/=]))"  # a line may begin inside of JSON
_HASH = re.compile(_BEFORE + r"(?:[A-Za-z0-9+/]{43}=|[0-9a-f]{64})(?![A-Za-z0-9+/=])")
_SIGNATURE = re.compile(_BEFORE + r"[A-Za-z0-9+/]{90,92}={0,2}(?![A-Za-z0-9+/=])")
_RULES = re.compile(r'(rules\\?": ?\\?"|decided under |today\'s are )[0-9a-f]{8,64}')
_KEY = re.compile(r"\+[0-9a-f]{8}\b")


class Recorder:
    """One recording: exchanges in their order, each as a few lines of text."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[str, str] = {}

    def heading(self, text: str) -> None:
        """Begin a chapter."""
        self.lines += ["", f"# {text}"]

    def exchange(self, asked: str, answered: str, body: str, longest: int = _LONGEST) -> None:
        """What was asked, how the answer begins, and its body."""
        self.lines += ["", f"> {self.named(asked)}", f"< {self.named(answered)}"]
        shown = self.named(body)
        if len(shown) > longest:
            shown = f"({len(shown)} characters, SHA-256 {hashlib.sha256(shown.encode()).hexdigest()})"
        self.lines += shown.rstrip("\n").split("\n") if shown else []

    def named(self, text: str) -> str:
        """`text` with names for what may differ."""
        text = _RULES.sub(r"\1RULES", text)
        text = _SIGNATURE.sub(lambda found: self._name("signature", found[0]), text)
        text = _HASH.sub(lambda found: self._name("hash", found[0]), text)
        return _KEY.sub(lambda found: self._name("key", found[0]), text)

    def _name(self, kind: str, value: str) -> str:
        return self._names.setdefault(value, f"<{kind} {len(self._names) + 1}>")

    @property
    def text(self) -> str:
        """The whole recording."""
        return "\n".join(self.lines).lstrip("\n") + "\n"


class Caller:
    """A client that asks a server over HTTP, in one language; each exchange is recorded."""

    def __init__(self, recorder: Recorder, port: int, who: str = "anyone", language: str = "en") -> None:
        self.who, self.token, self.player = who, "", ""
        self._recorder, self._port, self._language = recorder, port, language
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def speaking(self, language: str) -> Caller:
        """The same person in another language."""
        other = Caller(self._recorder, self._port, self.who, language)
        other.token, other.player = self.token, self.player
        return other

    def get(self, path: str, **headers: str) -> Any:
        """GET; the body, decoded where it is JSON."""
        return self.send("GET", path, None, headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """POST of JSON (bytes are sent as they are)."""
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        return self.send("POST", path, raw, {"content_type": "application/json", **headers})

    def send(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Any:
        """One request, recorded with its answer."""
        head = {name.replace("_", "-"): value for name, value in headers.items()}
        head.setdefault("accept-language", self._language)
        if self.token:
            head.setdefault("authorization", f"Bearer {self.token}")
        self._connection.request(method, path, body, head)
        answer = self._connection.getresponse()
        content = answer.read()
        told = {name: value for name in _KEPT if (value := answer.getheader(name))}
        sent = {
            name: value for name, value in head.items() if name not in ("authorization", "accept-language")
        }
        sent.pop("content-type", None) if sent.get("content-type") == "application/json" else None
        asked = f"{method} {path} {self.who} {self._language}"
        asked += f" {json.dumps(sent)}" if sent else ""
        if body is not None:
            asked += (
                f" {body.decode(errors='backslashreplace')}" if len(body) < 2_000 else f" ({len(body)} bytes)"
            )
        self._recorder.exchange(asked, f"{answer.status} {json.dumps(told)}", _as_text(content))
        try:
            return json.loads(content)
        except ValueError:
            return content


class SocketCaller:
    """A client of the socket; each reply is recorded with the pushes that belong to it."""

    def __init__(self, recorder: Recorder, port: int, caller: Caller) -> None:
        self._recorder, self._who = recorder, caller.who
        bearer = {"Authorization": f"Bearer {caller.token}"} if caller.token else {}
        self._socket = connect(
            f"ws://127.0.0.1:{port}/v1/socket", additional_headers=bearer, compression=None
        )
        self._pushed: list[Any] = []

    def say(self, message: Any) -> Any:
        """One message, recorded with its reply."""
        text = message if isinstance(message, str) else json.dumps(message)
        self._socket.send(text)
        while "status" not in (told := json.loads(self._socket.recv(timeout=120))):
            self._pushed.append(told)
        self._recorder.exchange(
            f"socket {self._who} {text}", str(told["status"]), json.dumps(told, ensure_ascii=False)
        )
        return told

    def pushed(self) -> None:
        """Record what was pushed and what comes until a quarter of a second is quiet."""
        with suppress(TimeoutError):
            while True:
                self._pushed.append(json.loads(self._socket.recv(timeout=0.25)))
        for message in self._pushed:
            self._recorder.exchange(f"pushed to {self._who}", "", json.dumps(message, ensure_ascii=False))
        self._pushed.clear()

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


def command(recorder: Recorder, folder: Path, *arguments: str) -> None:
    """One command of the command line, recorded with what it printed."""
    code, out, err = program.run(folder, *arguments)
    printed = out + (f"stderr: {err}" if err else "")
    recorder.exchange(f"$ glasnost {' '.join(arguments)}", f"exit code {code}", printed, _LONGEST_PRINTED)


def _as_text(content: bytes) -> str:
    """A body as text; of a match file the parts."""
    if content.startswith(b"PK"):
        return "\n".join(_parts(content))
    return content.decode(errors="backslashreplace")


def _parts(content: bytes) -> Iterator[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for info in archive.infolist():
            yield f"--- {info.filename}"
            yield archive.read(info).decode()
