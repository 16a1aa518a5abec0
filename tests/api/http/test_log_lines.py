"""Log lines: written by a separate thread, so that a slow reader of them delays no match."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from typing import Any

from api.http.log_lines import Aside, Lines
from tests.waiting import PATIENCE

MANY = 3_000  # lines: more than a pipe and the queue hold


class Reader(threading.Thread):
    """Reads a pipe to its end."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self.lines: list[dict[str, Any]] = []

    def run(self) -> None:
        """See `Thread.run`."""
        with os.fdopen(self._descriptor) as pipe:
            self.lines = [json.loads(line) for line in pipe]


def _aside(descriptor: int, most: int) -> Aside:
    aside = Aside(descriptor, most)
    aside.setFormatter(Lines())
    return aside


def _record(number: int) -> logging.LogRecord:
    told = {"name": "glasnost.test", "msg": "x" * 200, "levelname": "INFO", "number": number}
    return logging.makeLogRecord(told)


def test_blocked_log_pipe_delays_no_request_and_lost_lines_are_counted() -> None:
    out, into = os.pipe()
    aside = _aside(into, most=10)
    for number in range(MANY):
        aside.handle(_record(number))
    reader = Reader(out)
    reader.start()
    aside.flush()
    aside.handle(_record(MANY))
    aside.flush()
    os.close(into)
    reader.join(PATIENCE)
    written = [line["number"] for line in reader.lines if "number" in line]
    lost = [line for line in reader.lines if "lost" in line]
    assert written == sorted(set(written))
    assert {(line["event"], line["level"]) for line in lost} == {("lines lost", "warning")}
    assert len(written) + sum(line["lost"] for line in lost) == MANY + 1
    assert written[-1] == MANY


def test_closed_log_pipe_loses_only_log_lines() -> None:
    out, into = os.pipe()
    aside = _aside(into, most=1)
    os.close(out)
    for number in range(5):
        aside.handle(_record(number))
        aside.flush()
    out, again = os.pipe()
    os.dup2(again, into)  # a reader is back
    os.close(again)
    aside.handle(_record(5))
    aside.flush()
    os.close(into)
    reader = Reader(out)
    reader.start()
    reader.join(PATIENCE)
    assert [line["number"] for line in reader.lines] == [5]


_LIBRARY = """
import asyncio
import logging
from api.http import server

async def fail():
    raise ValueError("the hidden card")

async def forget():
    task = asyncio.create_task(fail())
    await asyncio.wait([task])
    del task

server.set_up("debug")
asyncio.run(forget())
logging.getLogger("a.library").warning("the token is %s", "a-secret")
logging.getLogger("a.library").info("chatter")
logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
"""


def test_library_log_record_is_json_and_holds_no_secret() -> None:
    said = subprocess.run([sys.executable, "-c", _LIBRARY], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in said.stderr.splitlines()]
    assert [(line["level"], line["event"]) for line in lines] == [
        ("error", "logged by asyncio"),
        ("warning", "logged by a.library"),
        ("warning", "Invalid HTTP request received."),
    ]
    assert lines[0]["error"] == "ValueError"
    assert lines[0]["where"][-1].startswith("fail:")
