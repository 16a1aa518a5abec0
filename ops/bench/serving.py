"""Durable moves over HTTP: a real server process, played by clients that play honest random matches.

The floor is the same load against bare ASGI with a raw group commit (`_bare`), as many prompts fetched.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from _bench import rate, say
from _load import CLIENTS, GAME, HERE, Load, Table, bare, load, server


def main() -> None:
    """Three lines: throughput, the server's CPU, and the latency of one client."""
    with tempfile.TemporaryDirectory() as scratch:
        store = str(Path(scratch) / "store")
        with server("-m", "api.cli.main", "serve", "--store", store, "--port", "0", "--empty") as real:
            alone, ours = load(Table, [real], 1), load(Table, [real], CLIENTS)
        with server(str(HERE / "_bare.py"), scratch) as floor_server:
            client = bare(ours.fetched)
            floor_alone, floor = load(client, [floor_server], 1), load(client, [floor_server], CLIENTS)
    say(
        f"durable moves over HTTP, {GAME}, {CLIENTS} clients",
        f"{rate(ours.per_second)} moves/s, {ours.fetched:.2f} prompts fetched with each;"
        f" floor: bare ASGI + raw group commit {rate(floor.per_second)}/s;"
        f" ratio {floor.per_second / ours.per_second:.1f}",
    )
    say(
        f"the server's CPU for a move over HTTP, {GAME}, {CLIENTS} clients",
        f"{ours.micros:.0f} µs, read models and prompts included; floor: {floor.micros:.0f} µs;"
        f" ratio {ours.micros / floor.micros:.1f}",
    )
    ratios = " and ".join(f"{alone.at(share) / floor_alone.at(share):.1f}" for share in (0.5, 0.99))
    say(
        f"a move of one client over HTTP, {GAME}",
        f"{_percentiles(alone)}; floor: {_percentiles(floor_alone)}; ratio {ratios}",
    )


def _percentiles(found: Load) -> str:
    return f"p50 {found.at(0.5):.2f} ms, p99 {found.at(0.99):.2f} ms"


if __name__ == "__main__":
    main()
