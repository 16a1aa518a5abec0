"""Posts that must change nothing, each made by a function of its own."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from msgspec import Struct

_LINE = b"\r\n"


class Target(Struct, frozen=True):
    """A match under attack: what is asked, a legal answer, and who must not give it.

    `asked` is the token of the seat that is asked; `foreign` are tokens of all who are not; `key` was used
    by `asked` with another body.  Of a match that is over, `expect` is its last question.
    """

    match: str
    seats: tuple[str, ...]
    expect: int
    picks: tuple[str, ...]
    asked: str
    foreign: tuple[str, ...]
    key: str


class Post(Struct, frozen=True):
    """One request; nothing can follow one that is `last` on its connection."""

    content: bytes
    last: bool = False


Attack = Callable[[random.Random, Target], Post]


def request(path: str, token: str, body: object, *headers: str, method: str = "POST") -> bytes:
    """A request as it goes over the line; a body that is bytes goes as it is."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "host: localhost", "content-type: application/json", *headers]
    lines += [f"authorization: Bearer {token}"] if token else []
    lines += [f"content-length: {len(content)}"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + content


def play(to: Target, token: str, body: object, *headers: str) -> Post:
    """A post to the moves of a match."""
    return Post(request(f"/v1/matches/{to.match}/moves", token, body, *headers))


# ── attacks ──


def _illegal(source: random.Random, to: Target) -> Post:
    picks = [source.choice(["", "?", "house", "stop\0", "card-99", "ход", "x" * 200, "\ud800"]) for _ in "ab"]
    return play(to, to.asked, {"expect": to.expect, "picks": picks})


def _too_many(source: random.Random, to: Target) -> Post:
    picks = [*to.picks, *to.picks, "again"] * source.choice((1, 10, 1_000))
    return play(to, to.asked, {"expect": to.expect, "picks": picks})


def _stale(source: random.Random, to: Target) -> Post:
    expect = source.choice([1, 2, to.expect - 1, to.expect + 1, 10**6, 2**31, 2**53 - 1])
    return play(to, to.asked, {"expect": expect, "picks": to.picks})


def _foreign(source: random.Random, to: Target) -> Post:
    token = source.choice([*to.foreign, "", "forged", to.asked[:-1], to.asked + "x", "\xff" * 40])
    return play(to, token, {"expect": to.expect, "picks": to.picks})


def _key_reused(source: random.Random, to: Target) -> Post:
    return play(to, to.asked, {"expect": to.expect, "picks": to.picks}, f"idempotency-key: {to.key}")


def _batch(source: random.Random, to: Target) -> Post:
    return play(to, to.asked, {"expect": to.expect, "answers": [["nothing"]] * source.choice((1, 3, 300))})


def _wrong_type(source: random.Random, to: Target) -> Post:
    wrong: object = source.choice([None, True, -1, 0, 1.5, 10**40, "5", [], {}, [1], [[["x"]]], {"a": {}}])
    field = source.choice(["expect", "picks", "answers", "more"])
    return play(to, to.asked, {"expect": to.expect, "picks": ["nothing"], field: wrong})


def _garbage(source: random.Random, to: Target) -> Post:
    body = source.choice(
        (
            b"",
            b"{",
            b"[" * 5_000,
            b"\xff" * 20,
            b"\xef\xbb\xbf{}",
            b'{"expect": 1e999, "picks": []}',
            b'{"expect": NaN, "picks": []}',
            b'{"picks": "' + "Юникод\u202e\u0000".encode() * 50 + b'"}',
            source.randbytes(200),
        )
    )
    return play(to, to.asked, body)


def _command(source: random.Random, to: Target) -> Post:
    path, body = source.choice(
        (
            ("takebacks", {"to": source.choice([-1, 0, 10**9, "1", 1.5])}),
            ("takebacks/1/answer", {"agree": source.choice([True, 1, None])}),
            ("takebacks/99999999999999999999/answer", {"agree": True}),
            (
                f"seats/{source.choice(to.seats)}",
                source.choice([{}, {"bot": "random"}, {"salt": "x" * 5_000}]),
            ),
            ("seats/nobody", {}),
            ("rulings", {"reason": "mine", "void": True}),
            ("rulings", {"reason": "mine", "back_to": 1}),
            ("resignation", {"really": True}),
        )
    )
    return Post(request(f"/v1/matches/{to.match}/{path}", source.choice([to.asked, "forged", ""]), body))


def _path(source: random.Random, to: Target) -> Post:
    match = source.choice(
        ["m0", "%00", "..", "../players", "%2e%2e%2f", "x" * 5_000, to.match.upper(), "ю", ""]
    )
    path = source.choice(["/v1/matches/{}/moves", "/v1//matches/{}/moves", "//{}", "/v1/matches/{}/movez"])
    query = source.choice(["", "?at=1", "?" + "a=1&" * 500, "#x", "?%00"])
    return Post(request(path.format(match) + query, to.asked, {"expect": to.expect, "picks": to.picks}))


def _elsewhere(source: random.Random, to: Target) -> Post:
    path, body = source.choice(
        (
            ("/v1/players", {"name": 5}),
            ("/v1/players", {"name": "Ann", "role": "admin"}),
            ("/v1/matches", {"game": "chess"}),
            ("/v1/matches", {"game": "cia_vs_kgb", "options": {"score_limit": 10**30}}),
            ("/v1/matches", {"game": "cia_vs_kgb", "edition": "../x"}),
            ("/v1/streams/tickets", {"match": "\u0000", "view": "x"}),
            ("/v1/replays", source.randbytes(300)),
            ("/v1/replays", {}),
            ("/v1/games", {}),
            ("/metrics", {}),
        )
    )
    return Post(request(path, to.asked, body))


def _header(source: random.Random, to: Target) -> Post:
    header = source.choice(
        (
            "idempotency-key: ",
            "idempotency-key: " + "k" * 5_000,
            "content-type: application/xml",
            "accept: " + "text/html;q=0.1," * 300,
            "accept-language: ru;q=99, *;q=-1, \xff",
            "last-event-id: -1",
            "x-forwarded-for: 1.2.3.4, ::1, x",
            "authorization: Basic eDp4",
            "expect: 100-continue",
            "cookie: " + "a=b; " * 1_000,
        )
    )
    return play(to, "forged", {"expect": to.expect, "picks": to.picks}, header)


def _method(source: random.Random, to: Target) -> Post:
    method = source.choice(["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
    return Post(request(f"/v1/matches/{to.match}/moves", to.asked, {"expect": to.expect}, method=method))


def broken(source: random.Random, to: Target) -> Post:
    """What no server can make sense of: nothing is understood after it."""
    whole = play(to, "forged", {"expect": to.expect, "picks": to.picks}).content
    head, _, body = whole.partition(_LINE * 2)
    endless = play(to, to.asked, {}).content.replace(b"content-length: 2", b"content-length: 1000000000000")
    return Post(
        source.choice(
            (
                source.randbytes(100) + _LINE * 2,
                whole[: source.randrange(1, len(whole))],
                whole.replace(b"POST ", b"NONSENSE "),
                whole.replace(b"HTTP/1.1", b"HTTP/9.9"),
                whole.replace(b"content-length: ", b"content-length: -"),
                endless,
                head + b"\r\ncontent-length: 5" + _LINE * 2 + body,
                head + b"\r\ntransfer-encoding: chunked" + _LINE * 2 + b"zz\r\n" + body,
                b"GET / HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n" + source.randbytes(50),
                b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                b"\x16\x03\x01\x02\x00\x01\x00" + source.randbytes(100),
            )
        ),
        last=True,
    )


ATTACKS: tuple[Attack, ...] = (
    _illegal,
    _too_many,
    _stale,
    _foreign,
    _key_reused,
    _batch,
    _wrong_type,
    _garbage,
    _command,
    _path,
    _elsewhere,
    _header,
    _method,
)
