"""Counts the files and functions of ours that one posted move passes, from its request to its answer.

A server is started by its entry point with a profile hook in every thread; a match of 13 Minutes is opened
over HTTP, and one answer is posted over HTTP and one over the socket.

    python ops/walk.py           the counts
    python ops/walk.py --list    with each function
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

ROOT = Path(__file__).resolve().parents[1]

# SIGUSR1 begins a count; SIGUSR2 writes down what was called since then.
_PRELUDE = """
import importlib.metadata, json, os, signal, sys, threading
root, out = sys.argv[1] + "/", sys.argv[2]
ours = tuple(root + package + "/" for package in ("api", "domain", "projections", "replay"))
called, counting = set(), False
def hook(frame, event, argument):
    if counting and event == "call" and frame.f_code.co_filename.startswith(ours):
        called.add((frame.f_code.co_filename.removeprefix(root), frame.f_code.co_qualname))
def begin(*_):
    global counting
    called.clear()
    counting = True
def end(*_):
    global counting
    counting = False
    with open(out + ".part", "w") as file:
        json.dump(sorted(called), file)
    os.rename(out + ".part", out)
signal.signal(signal.SIGUSR1, begin)
signal.signal(signal.SIGUSR2, end)
threading.setprofile(hook)
sys.setprofile(hook)
(entry,) = importlib.metadata.entry_points(group="console_scripts", name="glasnost")
sys.argv = ["glasnost", *sys.argv[3:]]
sys.exit(entry.load()())
"""


class Server:
    """A server under the hook, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._out = folder / "called.json"
        self._log = (folder / "log").open("wb")
        command = [sys.executable, "-c", _PRELUDE, str(ROOT), str(self._out)]
        command += ["serve", "--empty", "--port", "0", "--store", str(folder / "store")]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline().decode().rpartition(":")[2])
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """One request; its answer, decoded."""
        head = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
        self._connection.request(method, path, None if body is None else json.dumps(body), head)
        return json.loads(self._connection.getresponse().read() or "null")

    def begin(self) -> None:
        """Start a count, after a pause in which the work of earlier commands ends."""
        time.sleep(1.0)
        os.kill(self._process.pid, signal.SIGUSR1)
        time.sleep(0.1)

    def called(self) -> list[tuple[str, str]]:
        """The functions called since `begin`, as (file, qualified name)."""
        os.kill(self._process.pid, signal.SIGUSR2)
        while not self._out.exists():
            time.sleep(0.01)
        found = [(file, name) for file, name in json.loads(self._out.read_text("utf-8"))]
        self._out.unlink()
        return found

    def stop(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait(60)
        self._log.close()


def walk(server: Server) -> dict[str, list[tuple[str, str]]]:
    """Return, by transport, the functions that one posted move calls."""
    tokens = [server.ask("POST", "/v1/players", {"name": name})["token"] for name in ("Ann", "Ben")]
    match = server.ask("POST", "/v1/matches", {"game": "thirteen_minutes"}, tokens[0])["match"]
    path = f"/v1/matches/{match}"
    for seat, token in zip(("us", "ussr"), tokens, strict=True):
        server.ask("POST", f"{path}/seats/{seat}", {}, token)
    found = {}
    token, body = _asked(server, path, tokens)
    server.begin()
    assert "move" in server.ask("POST", f"{path}/moves", body, token)
    found["HTTP"] = server.called()
    token, body = _asked(server, path, tokens)
    with connect(
        f"ws://127.0.0.1:{server.port}/v1/socket", additional_headers={"Authorization": f"Bearer {token}"}
    ) as socket:
        socket.send(json.dumps({"do": "follow", "id": 1, "match": match, "after": body["expect"]}))
        socket.recv(timeout=60)
        server.begin()
        socket.send(json.dumps({"do": "play", "id": 2, "match": match, **body}))
        while json.loads(socket.recv(timeout=60)).get("id") != 2:
            pass
        found["socket"] = server.called()
    return found


def _asked(server: Server, path: str, tokens: list[str]) -> tuple[str, dict[str, Any]]:
    """Return the token of a player who is asked, and a legal answer."""
    for token in tokens:
        question = server.ask("GET", f"{path}/prompt", None, token)
        if question and "options" in question:
            picks = [option["pick"] for option in question["options"]][: max(question["least"], 1)]
            return token, {"expect": question["move"], "picks": picks}
    raise AssertionError("no seat is asked")


def main() -> None:
    """Print the counts."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            found = walk(server)
        finally:
            server.stop()
    for transport, called in found.items():
        files = {file for file, _ in called}
        print(f"{transport}: {len(files)} files, {len(called)} functions")
        for package in sorted({file.split("/")[0] for file in files}):
            within = [file for file, _ in called if file.startswith(f"{package}/")]
            print(f"    {package}: {len(set(within))} files, {len(within)} functions")
        if "--list" in sys.argv:
            print(*(f"        {file} {name}" for file, name in called), sep="\n")


if __name__ == "__main__":
    main()
