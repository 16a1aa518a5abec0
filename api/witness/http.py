"""The HTTP interface of a witness: `add-checkpoint` (C2SP `tlog-witness`), and what it cosigned.

    POST /add-checkpoint          a checkpoint with a consistency proof; answers with the cosignature
    GET  /checkpoint?origin=LOG   the checkpoint of a log that was cosigned last, with a cosignature of now
    GET  /                        the key of the witness, and the logs that it has seen

A stranger can make it check one signature for a request of at most 68 KiB; only a checkpoint that a known log
signed makes it write.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from api.witness.memory import CannotRemember
from api.witness.witness import NotCosigned, OutOfDate, Witness
from domain.log import Damaged
from domain.signed_notes import visible
from replay.transparency.findings import AnyFinding
from replay.transparency.following import Caught
from replay.transparency.submission import CONFLICT, MOST_BYTES, SIZE_TYPE, Submission

BODY_SECONDS = 10.0  # until the whole request has come
MOST_LISTED = 1_000  # logs on the first page


def application(witness: Witness, caught: Callable[[AnyFinding], None]) -> Starlette:
    """Return the application; `caught` is called with each finding, in a thread."""

    async def add_checkpoint(request: Request) -> Response:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _body(request)
            given = Submission.parse(body)
            return PlainTextResponse(await run_in_threadpool(witness.add, given))
        except TimeoutError:
            return _refused(408, f"the request must come within {BODY_SECONDS:.0f} seconds")
        except ClientDisconnect:
            return _refused(400, "the request was cut off")
        except _TooLong:
            return _refused(413, f"longer than {MOST_BYTES} bytes")
        except Damaged as error:
            return _refused(400, str(error))
        except OutOfDate as error:
            return Response(f"{error.size}\n", CONFLICT, media_type=SIZE_TYPE)
        except NotCosigned as error:
            return _refused(error.status, str(error))
        except Caught as error:
            await run_in_threadpool(caught, error.finding)
            return _refused(CONFLICT, "another root was cosigned over as many leaves")
        except CannotRemember:
            return _refused(503, "the witness cannot write its file")

    async def checkpoint(request: Request) -> Response:
        origins = list(witness.seen())
        asked = request.query_params.get("origin", origins[0] if len(origins) == 1 else "")
        found = await run_in_threadpool(witness.cosigned, asked)
        if found is None:
            return _refused(404, "no checkpoint of this log was cosigned: name it with ?origin=")
        return PlainTextResponse(found, headers={"cache-control": "no-store"})

    async def index(request: Request) -> Response:
        logs = sorted(witness.seen().items())[:MOST_LISTED]
        lines = [witness.key, *(f"{visible(origin)} {seen.size} {seen.root}" for origin, seen in logs)]
        return PlainTextResponse("\n".join(lines) + "\n")

    return Starlette(
        routes=[
            Route("/add-checkpoint", add_checkpoint, methods=["POST"]),
            Route("/checkpoint", checkpoint, methods=["GET"]),
            Route("/", index, methods=["GET"]),
        ]
    )


class _TooLong(Exception):
    """A request is longer than any checkpoint with its proof."""


async def _body(request: Request) -> bytes:
    found = bytearray()
    async for some in request.stream():
        found += some
        if len(found) > MOST_BYTES:
            raise _TooLong
    return bytes(found)


def _refused(status: int, why: str) -> Response:
    return PlainTextResponse(f"{why}\n", status)
