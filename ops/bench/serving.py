"""Durable moves over HTTP: a real server process, and clients that play random matches by the rules.

The floor is the same load against bare ASGI with a raw group commit (`_bare`), as many prompts fetched.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from _bench import rate, say
from _judged import judged
from _load import CLIENTS, GAME, HERE, Asking, Table, bare, latency, load, server


def main() -> None:
    """Three lines: throughput, the server's CPU, and the latency of one client."""
    with tempfile.TemporaryDirectory() as scratch:
        store = str(Path(scratch) / "store")
        with server("-m", "api.cli.main", "serve", "--store", store, "--port", "0", "--empty") as real:
            alone, ours = load(Table, [real], 1), load(Table, [real], CLIENTS)
            asking = load(Asking, [real], CLIENTS)
        with server(str(HERE / "_bare.py"), scratch) as floor_server:
            client = bare(ours.fetched)
            floor_alone, floor = load(client, [floor_server], 1), load(client, [floor_server], CLIENTS)
    prompts, least = ours.fetched * asking.micros, max(floor.micros, 1)  # a short run takes no tick
    say(
        f"durable moves over HTTP, {GAME}, {CLIENTS} clients",
        f"{rate(ours.per_second)} moves/s, {ours.fetched:.2f} prompts fetched with each;"
        f" floor: bare ASGI + raw group commit {rate(floor.per_second)}/s;"
        f" ratio {floor.per_second / ours.per_second:.1f}",
    )
    say(
        f"the server's CPU for a move over HTTP, {GAME}, {CLIENTS} clients",
        f"{ours.micros:.0f} µs, read models and prompts included; {ours.micros - prompts:.0f} µs without the"
        f" prompts, which take {asking.micros:.0f} µs each; judging and record alone"
        f" {judged(GAME):.0f} µs; floor: {floor.micros:.0f} µs; ratio {ours.micros / least:.1f}",
    )
    say(f"a move of one client over HTTP, {GAME}", latency(alone, floor_alone))


if __name__ == "__main__":
    main()
