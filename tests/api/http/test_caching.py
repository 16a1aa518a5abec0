"""HTTP caching: no client gets the answer for another one, and nothing unchanged is sent twice."""

from __future__ import annotations

import asyncio
import gzip
import random
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pytest
from msgspec import Struct

from api.http import caching
from api.http.caching import Packed
from api.http.decoding import takes_gzip
from tests.api.http.served import Answer, Client, Served
from tests.api.http.streaming import Listener
from tests.api.http.test_commands import bid

SAME_FOR_ALL = ("/v1/games", "/v1/games/toy", "/v1/keys", "/problems/stale", "/openapi.json", "/docs")
OF_A_MATCH = (
    "",
    "?view=all",
    "?at=3",
    "/turns",
    "/moves",
    "/moves?after=1&limit=2",
    "/positions",
    "/scene",
    "/file",
    "/checkpoint",
)
ZIPPED = {"accept_encoding": "gzip"}


def over(server: Served) -> tuple[str, list[Client]]:
    """A match that has ended: its address, and its players."""
    match, players = server.table()
    address = bid(match, players)
    assert players[1].post(f"{address}/resignation").status == 201
    return address, players


def addresses(server: Served) -> list[str]:
    """The addresses whose answers do not change, also those of a finished match."""
    address, _ = over(server)
    return [*SAME_FOR_ALL, *(address + more for more in OF_A_MATCH)]


# ── ETags ──


def test_unchanged_response_is_answered_with_304(server: Served) -> None:
    client = server.client()
    for address in addresses(server):
        first = client.get(address)
        tag = first.headers["etag"]
        assert (first.status, first.headers["cache-control"]) == (200, "public, no-cache"), address
        assert not tag.startswith("W/"), address
        for asked in (tag, f"W/{tag}", "*", f'"x", W/"y",{tag}', ", ".join(['"0123456789"'] * 4_000 + [tag])):
            for method in ("GET", "HEAD"):
                again = client.send(method, address, None, {"if-none-match": asked})
                assert (again.status, again.body) == (304, b""), (address, asked[:40])
                kept = ("etag", "vary", "cache-control")
                assert [again.headers.get(name) for name in kept] == [
                    first.headers.get(name) for name in kept
                ]
        for asked in ('"x"', "x", tag.strip('"'), "", "W/", '"', f"{tag[:-1]} ", '"' * 3_001, "**"):
            assert client.get(address, if_none_match=asked).body == first.body, (address, asked[:40])
        head = client.send("HEAD", address)
        assert (head.status, head.headers["etag"], head.body) == (200, tag, b"")


def test_etag_in_a_second_if_none_match_header_is_honoured(server: Served) -> None:
    client = server.client()
    tag = client.get("/v1/games").headers["etag"]
    connection = client._connection
    connection.putrequest("GET", "/v1/games")
    for value in ('"x"', tag):
        connection.putheader("If-None-Match", value)
    connection.endheaders()
    assert client.answer().status == 304


def test_json_lines_have_a_weak_etag_only_after_the_match_is_over(server: Served) -> None:
    match, players = server.table()
    address = f"{bid(match, players)}/moves"
    lines = {"accept": "application/x-ndjson"}
    running = players[0].send("GET", address, None, lines)
    assert (running.headers["cache-control"], "etag" in running.headers) == ("no-store", False)
    players[1].post(f"/v1/matches/{match}/resignation")
    tags = set()
    for more in ("", "?view=left", "?view=all", "?proof=true", "?after=1", "?limit=1"):
        told = server.client().send("GET", address + more, None, lines)
        tags.add(tag := told.headers["etag"])
        assert tag.startswith('W/"')
        again = server.client().send("GET", address + more, None, {**lines, "if-none-match": tag})
        assert (again.status, again.body) == (304, b"")
    assert len(tags) == 6


def test_etag_changes_exactly_when_the_body_changes(server: Served) -> None:
    match, (ann, ben) = server.table()
    address = f"/v1/matches/{match}"
    looks: list[tuple[Client, str, dict[str, str]]] = [
        (who, address + more, {"accept_language": language})
        for who, more, language in product(
            (ann, ben, server.client()), ("", "?at=3", "/moves", "/turns", "/file"), ("en", "ru")
        )
    ]

    def told() -> list[Answer]:
        return [who.get(path, **headers) for who, path, headers in looks]

    def must_be_true(answers: Iterable[Answer]) -> None:
        known: dict[str, bytes] = {}
        for answer in answers:
            assert known.setdefault(answer.headers["etag"], answer.body) == answer.body
        assert len(known) == len(set(known.values()))

    before = told()
    bid(match, [ann, ben])
    must_be_true([*before, *told()])


def test_forbidden_view_is_refused_even_with_a_matching_etag(server: Served) -> None:
    match, (ann, ben) = server.table()
    address = f"/v1/matches/{match}"
    for own in ("", "?view=left", "/moves", "/moves?view=left"):
        tag = ann.get(address + own).headers["etag"]
        path = address + own.split("?")[0] + "?view=left"
        for who, asked in product((ben, server.client(), server.player()), (tag, f"W/{tag}", "*")):
            assert who.get(path, if_none_match=asked).problem(403, "forbidden")
    ann.get("/v1/matches/m0", if_none_match="*").problem(404, "unknown-match")
    server.client("nonsense").get("/v1/games", if_none_match="*").problem(401, "unauthorized")


# ── Cache-Control and Vary ──


def vary(answer: Answer) -> set[str]:
    """The request headers on which an answer depends."""
    return {name.strip().lower() for name in answer.headers.get("vary", "").split(",")} - {""}


def test_response_for_one_player_is_private(server: Served) -> None:
    match, (ann, _) = server.table()
    for path in ("", "?view=spectator", "?at=2", "/prompt", "/moves"):
        own = ann.get(f"/v1/matches/{match}{path}")
        assert own.headers["cache-control"] == "private, no-cache", path
        assert {"authorization", "accept-language"} <= vary(own)
        theirs = server.client().get(f"/v1/matches/{match}{path}")
        assert theirs.headers["cache-control"] == "public, no-cache"
        assert vary(theirs) == vary(own)
    assert ann.get("/v1/matches").headers["cache-control"] == "private, no-cache"
    assert ann.get("/v1/games").headers["cache-control"] == "public, no-cache"
    assert vary(ann.get(f"/v1/matches/{match}/moves")) == {
        "accept",
        "accept-language",
        "authorization",
        "cookie",
    }


def test_commands_tokens_refusals_and_live_data_are_not_cached(server: Served) -> None:
    match, (ann, _) = server.table()
    ticket = ann.post("/v1/streams/tickets", {"match": match})
    answers = [
        server.client().post("/v1/players", {"name": "Eve"}),
        ticket,
        ann.post("/v1/matches", {"game": "toy"}),
        ann.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["1"]}),
        ann.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["1"]}),
        ann.get("/v1/matches/m0"),
        server.person("admin").get("/v1/refusals"),
        *(ann.get(path) for path in ("/healthz", "/readyz", "/metrics", "/nonsense")),
        ann.send("HEAD", f"/v1/matches/{match}/moves", None, {"accept": "text/event-stream"}),
    ]
    assert [answer.headers["cache-control"] for answer in answers] == ["no-store"] * len(answers)
    assert not [answer for answer in answers if "etag" in answer.headers]
    for token in (None, ann.token):
        own = {} if token is None else {"authorization": f"Bearer {token}"}
        stream = Listener(server.port, f"/v1/matches/{match}/moves", own)
        assert stream.answer.headers["cache-control"] == "no-store"
        assert "accept" in stream.answer.headers["vary"]
        stream.close()


class Shared:
    """A shared cache: it keeps what it may, revalidates it, and serves it to all clients.

    `careless`: it knows nothing of `Vary`, as some do not.
    """

    def __init__(self, careless: bool) -> None:
        self._careless, self._kept = careless, dict[object, list[tuple[dict[str, str | None], Answer]]]()
        self.spared = 0

    def get(self, who: Client, path: str, **headers: str) -> Answer:
        """What the cache answers."""
        asked = {name.replace("_", "-"): value for name, value in headers.items()}
        asked |= {"authorization": f"Bearer {who.token}"} if who.token else {}
        kept = [
            answer
            for given, answer in self._kept.get(path, [])
            if self._careless or all(asked.get(name) == value for name, value in given.items())
        ]
        tags = {"if-none-match": ", ".join(answer.headers["etag"] for answer in kept)} if kept else {}
        told = who.send("GET", path, None, {**asked, **tags})
        if told.status == 304:
            self.spared += 1
            return next(answer for answer in kept if answer.headers["etag"] == told.headers["etag"])
        control = told.headers.get("cache-control", "")
        if (
            told.status == 200
            and "etag" in told.headers
            and "private" not in control
            and control != "no-store"
        ):
            given = {name: asked.get(name) for name in vary(told)}
            self._kept.setdefault(path, []).append((given, told))
        return told

    def holds(self, secret: bytes) -> bool:
        """Does anything that is kept hold these bytes?"""
        return any(secret in answer.body for kept in self._kept.values() for _, answer in kept)


@pytest.mark.parametrize("careless", [False, True])
def test_shared_cache_never_serves_one_client_the_response_of_another(server: Served, careless: bool) -> None:
    cache, source = Shared(careless), random.Random(3)
    match, players = server.table()
    address = bid(match, players)
    hands = [str(player.get(address).json["table"]["hands"]) for player in players]
    assert hands[0] != hands[1]
    looks = ["", "?at=3", "?view=spectator", "/moves", "/prompt", "/turns", "/file", "/checkpoint"]
    everybody = [*players, server.client(), server.player("Eve")]
    for _ in range(2):
        for _ in range(120):
            who, more = source.choice(everybody), source.choice(looks)
            headers = {"accept_language": source.choice(("en", "ru")), "accept_encoding": "identity"}
            assert cache.get(who, address + more, **headers).body == who.get(address + more, **headers).body
        if not server.client().get(address).json["result"]:
            for player in players:
                for card in player.get(address).json["table"]["hands"].values():
                    own = [name for name in card if name != "?"]
                    assert not own or not cache.holds(str(own).replace("'", '"').replace(" ", "").encode())
            players[0].post(f"{address}/resignation")
    assert cache.spared > 10


# ── gzip ──


def test_public_final_response_is_compressed_if_the_client_accepts_it(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = list[int]()
    compress: Callable[..., bytes] = gzip.compress

    def counted(body: bytes, *given: Any, **named: Any) -> bytes:
        done.append(len(body))
        return compress(body, *given, **named)

    monkeypatch.setattr(caching, "_LEAST", 1)
    monkeypatch.setattr(gzip, "compress", counted)
    client, (address, players) = server.client(), over(server)
    paths = [*SAME_FOR_ALL, *(address + more for more in ("", "?view=all", "/turns", "/moves"))]
    paths.remove("/v1/keys")  # which are few, and change when one is rotated
    for path in paths:
        plain, before = client.get(path), len(done)
        for who, _ in product((client, players[0]), range(2)):
            zipped = who.get(path, **ZIPPED)
            if who is client or "v1/matches" not in path:
                assert gzip.decompress(zipped.body) == plain.body, path
            assert zipped.headers["content-encoding"] == "gzip"
            assert zipped.headers["content-length"] == str(len(zipped.body))
        tag = zipped.headers["etag"]
        assert tag != plain.headers["etag"]
        assert "accept-encoding" in vary(plain)
        assert vary(plain) == vary(zipped)
        assert players[0].get(path, if_none_match=tag, **ZIPPED).status == 304
        assert players[0].get(path, if_none_match=tag).status == 200
        head = client.send("HEAD", path, None, {"accept-encoding": "gzip"})
        assert (head.headers["content-encoding"], head.body) == ("gzip", b"")
        assert len(done) - before <= 2  # one for each viewer


def test_running_match_and_files_are_not_compressed(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching, "_LEAST", 1)
    match, players = server.table()
    address = bid(match, players)
    paths = ["", "?at=3", "?view=spectator", "/prompt", "/moves", "/turns", "/file", "/checkpoint"]
    for who, more in product((*players, server.client()), paths):
        plain, asked = who.get(address + more), who.get(address + more, **ZIPPED)
        assert "content-encoding" not in asked.headers, more
        assert "accept-encoding" not in vary(asked)
        assert asked.body == plain.body
    players[0].post(f"{address}/resignation")
    for more in ("/file", "/checkpoint"):
        assert "content-encoding" not in players[0].get(address + more, **ZIPPED).headers
    lines = {"accept": "application/x-ndjson", "accept-encoding": "gzip"}
    assert "content-encoding" not in players[0].send("GET", f"{address}/moves", None, lines).headers
    assert "content-encoding" not in players[0].get("/v1/matches", **ZIPPED).headers


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("", False),
        ("gzip", True),
        ("GZIP", True),
        ("x-gzip", True),
        ("br, gzip;q=0.5", True),
        ("gzip;q=0", False),
        ("gzip;q=0.000", False),
        ("*", True),
        ("*;q=0", False),
        ("gzip;q=0, *", False),
        ("identity", False),
        ("identity, gzip;q=0.5", False),
        ("identity;q=0.5, gzip", True),
        ("identity;q=0", False),
        ("br, deflate", False),
        ("gzip;q=nan", False),
        ("gzip;q=soon", False),
        ("gzip;q=-1", False),
        (",;=,;q=1," * 10_000, False),
    ],
)
def test_accept_encoding_weights_decide_about_compression(asked: str, wanted: bool) -> None:
    assert takes_gzip(asked) is wanted


def test_cache_of_compressed_bodies_is_bounded_in_bytes() -> None:
    async def filled() -> Packed:
        packed = Packed(most=20_000)
        source = random.Random(5)
        for number in range(40):
            body = source.randbytes(3_000)
            found = await packed.of(str(number), body)
            assert found is not None
            assert gzip.decompress(found) == body
            assert sum(map(len, packed._kept.values())) <= 20_000
        return packed

    assert list(asyncio.run(filled())._kept)[-1] == "39"


def test_body_is_sent_uncompressed_if_too_small_too_large_or_compressor_is_busy() -> None:
    async def given() -> list[Any]:
        packed = Packed()
        sent = [await packed.of("small", b"x" * 100), await packed.of("large", b"x" * (4 * 1024 * 1024 + 1))]
        return [*sent, *await asyncio.gather(*(packed.of(str(n), b"x" * 100_000) for n in range(3)))]

    small, large, first, second, third = asyncio.run(given())
    assert (small, large, second, third) == (None, None, None, None)
    assert gzip.decompress(first) == b"x" * 100_000


def test_compressed_request_body_is_refused(server: Served) -> None:
    match, (ann, _) = server.table()
    for coding in ("gzip", "x-gzip", "br", "gzip, identity"):
        headers = {"content-type": "application/json", "content-encoding": coding}
        body = gzip.compress(b'{"expect": 3, "picks": ["1"]}')
        for path in (f"/v1/matches/{match}/moves", "/v1/replays", "/v1/players"):
            refused = ann.send("POST", path, body, headers)
            told = refused.problem(415, "media-type")["detail"]
            assert told == f"the bytes as they are, not with Content-Encoding {coding}"
            assert refused.headers["accept-encoding"] == "identity"
    told = ann.send("POST", "/v1/players", body, {**headers, "accept-language": "ru"}).json["detail"]
    assert told == "Тело должно быть несжатым, без Content-Encoding gzip, identity"
    sent = {"content-type": "application/json", "content-encoding": "identity"}
    body = b'{"expect": 3, "picks": ["1"]}'
    assert ann.send("POST", f"/v1/matches/{match}/moves", body, sent).status == 201


# ── the event stream ──


class Block(Struct):
    """What stands between two empty lines of a stream, its comments left out."""

    fields: list[str]


def test_stream_event_always_has_data(server: Served) -> None:
    match, players = server.table()
    stream = Listener(server.port, f"/v1/matches/{match}/moves")
    lines = stream.lines()
    first = next(lines)
    bid(match, players)
    players[0].post(f"/v1/matches/{match}/resignation")
    blocks, fields = list[Block](), list[str]()
    for line in (first, *lines):
        if line:
            fields += [] if line.startswith(b":") else [line.partition(b":")[0].decode()]
        else:
            blocks.append(Block(fields))
            fields = []
    assert first.startswith(b":")
    moves = server.client().get(f"/v1/matches/{match}").json["move"]
    assert [block.fields for block in blocks] == [["retry", "id", "data"], *[["id", "data"]] * (moves - 1)]
    assert fields == []
    stream.close()
