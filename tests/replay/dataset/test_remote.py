"""A data set that a server offers: what is fetched and kept, and servers that lie or never end."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from msgspec.structs import replace

import replay.dataset as glasnost
from replay.dataset import DataSet, remote
from replay.dataset.manifest import Manifest, Part
from replay.fetching import CannotFetch
from tests.replay.dataset.conftest import Club

QUERY = "SELECT reason, count(*) FROM matches GROUP BY ALL ORDER BY ALL"
Handler = BaseHTTPRequestHandler
Answering = Callable[[Handler], bool]


class Offer:
    """A server with the data set of a folder; `asked` are the paths that were asked for.

    `lies` is called first; if it returns true, it has answered.
    """

    def __init__(self, club: Club) -> None:
        self.schema = (club.folder / "schema.json").read_bytes()
        self._parts = {part.sha256: club.folder / part.path for part in club.manifest.parts}
        self.forge(club.manifest)
        self.asked: list[str] = []
        self.lies: Answering = lambda handler: False
        self.address = ""

    def answer(self, handler: Handler) -> None:
        """Answer a GET."""
        self.asked.append(handler.path)
        if self.lies(handler):
            return
        part = self._parts.get(handler.path.rpartition("/")[2])
        body = part.read_bytes() if part else self.files.get(handler.path)
        handler.send_response(404 if body is None else 200)
        handler.end_headers()
        handler.wfile.write(body or b"")

    def forge(self, manifest: Manifest, schema: bytes | None = None) -> None:
        """Offer a manifest with its schema."""
        schema = self.schema if schema is None else schema
        named = replace(manifest, schema=hashlib.sha256(schema).hexdigest())
        self.files = {"/v1/data": named.data, f"/v1/data/parts/{named.schema}": schema}


@contextmanager
def serving(offer: Offer) -> Iterator[None]:
    """Answer until the context ends; a client that goes away early is no error."""

    class Own(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                offer.answer(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is logged."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Own) as listener:
        listener.daemon_threads, listener.block_on_close = True, False
        threading.Thread(target=listener.serve_forever, args=(0.01,), daemon=True).start()
        offer.address = f"http://127.0.0.1:{listener.server_address[1]}"
        yield
        listener.shutdown()


@pytest.fixture
def offer(club: Club) -> Iterator[Offer]:
    """A server with the data set of the small store."""
    offer = Offer(club)
    with serving(offer):
        yield offer


def parts_asked(offer: Offer) -> set[str]:
    """The hashes of the parts that were asked for, without the schema."""
    return {path.rpartition("/")[2] for path in offer.asked if "/parts/" in path and path not in offer.files}


def hashes(club: Club, table: str) -> set[str]:
    """The hashes of the parts of a table."""
    return {part.sha256 for part in club.manifest.parts if part.table == table}


# ── what is fetched ──


def test_a_server_gives_the_same_rows_as_the_folder(
    club: Club, opened_club: DataSet, offer: Offer, tmp_path: Path
) -> None:
    for path in ("/", "/v1/data", "/v1/data/", ""):
        data = glasnost.open(offer.address + path, cache=tmp_path)
        assert data.snapshot == club.manifest.snapshot
    assert data.sql(QUERY).fetchall() == opened_club.sql(QUERY).fetchall()


def test_only_the_tables_that_are_asked_for_are_fetched_and_only_once(
    club: Club, offer: Offer, tmp_path: Path
) -> None:
    data = glasnost.open(offer.address, cache=tmp_path, snapshot=club.manifest.snapshot)
    assert parts_asked(offer) == set()
    data.sql("SELECT count(*) FROM Matches JOIN seats USING (match)").fetchall()
    assert parts_asked(offer) == hashes(club, "matches") | hashes(club, "seats")
    assert [row.match for row in data.match("m-ruled").rows("rulings")] == ["m-ruled", "m-ruled"]
    assert parts_asked(offer) > hashes(club, "rulings")
    offer.asked.clear()
    assert glasnost.open(offer.address, cache=tmp_path).sql(QUERY).fetchall()
    assert offer.asked == list(offer.files)


def test_a_damaged_file_of_the_cache_is_fetched_again(club: Club, offer: Offer, tmp_path: Path) -> None:
    expected = glasnost.open(offer.address, cache=tmp_path).sql(QUERY).fetchall()
    kept = sorted((tmp_path / "parts").iterdir())
    assert len(kept) == len(hashes(club, "matches"))
    kept[0].write_bytes(kept[0].read_bytes()[:-1] + b"x")
    kept[1].write_bytes(b"")
    offer.asked.clear()
    assert glasnost.open(offer.address, cache=tmp_path).sql(QUERY).fetchall() == expected
    assert parts_asked(offer) == {path.stem for path in kept[:2]}


def test_the_cache_drops_what_was_not_used_for_longest(club: Club, offer: Offer, tmp_path: Path) -> None:
    parts = sorted(club.manifest.parts, key=lambda part: part.bytes)[-4:]
    room = sum(part.bytes for part in parts[1:])
    for part in parts:
        remote.Server(offer.address, tmp_path, room).part(part)
    left = {path.stem for path in (tmp_path / "parts").iterdir()}
    assert parts[0].sha256 not in left
    assert parts[3].sha256 in left
    server = remote.Server(offer.address, tmp_path, room)
    for part in parts[1:]:
        server.part(part)
    with pytest.raises(glasnost.BadDataSet, match=r"take more than the 0\.0 GB of the cache"):
        server.part(parts[0])  # the others are in use


# ── servers that lie or never end ──


def _other_bytes(handler: Handler) -> bool:
    return _body(handler, lambda size: b"x" * size)


def _shorter(handler: Handler) -> bool:
    return _body(handler, lambda size: b"PAR1")


def _endless(handler: Handler) -> bool:
    return _body(handler, lambda size: bytes(1 << 24))


def _elsewhere(handler: Handler) -> bool:
    handler.send_response(302)
    handler.send_header("location", "http://localhost:1/v1/data")
    handler.end_headers()
    return True


def _compressed(handler: Handler) -> bool:
    handler.send_response(200)
    handler.send_header("content-encoding", "gzip")
    handler.end_headers()
    handler.wfile.write(b"\x1f\x8b" + bytes(60))
    return True


def _body(handler: Handler, body: Callable[[int], bytes]) -> bool:
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(body(700))
    return True


@pytest.mark.parametrize(
    ("lies", "error", "text"),
    [
        (_other_bytes, glasnost.BadDataSet, "other bytes than the manifest says"),
        (_shorter, glasnost.BadDataSet, "other bytes than the manifest says"),
        (_endless, CannotFetch, "more than [0-9]+ bytes"),
        (_elsewhere, CannotFetch, "leads to another host"),
        (_compressed, glasnost.BadDataSet, "other bytes than the manifest says"),
    ],
)
def test_a_part_that_is_not_as_the_manifest_says_is_refused_and_not_kept(
    lies: Answering, error: type[Exception], text: str, offer: Offer, tmp_path: Path
) -> None:
    data = glasnost.open(offer.address, cache=tmp_path)
    offer.lies = lies
    with pytest.raises(error, match=text):
        data.sql(QUERY)
    assert not list(tmp_path.rglob("*.*"))


def test_an_endless_manifest_is_cut(offer: Offer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "MOST_MANIFEST", 1 << 20)

    def endless(handler: Handler) -> bool:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(bytes(1 << 16))

    offer.lies = endless
    with pytest.raises(CannotFetch, match="more than 1048576 bytes"):
        glasnost.open(offer.address, cache=tmp_path)


@pytest.mark.parametrize("beginning", [b"HTTP/1.1 200 OK\r\nx-slow: ", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_server_that_drips_is_given_up(
    beginning: bytes, offer: Offer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "SECONDS", 0.2)
    monkeypatch.setattr(remote, "SLOWEST", 1 << 40)
    held = threading.Event()

    def drip(handler: Handler) -> bool:
        handler.wfile.write(beginning)
        while not held.wait(0.02):
            handler.wfile.write(b"x")
        return True

    offer.lies = drip
    with pytest.raises(CannotFetch, match="no answer within 0 seconds"):
        glasnost.open(offer.address, cache=tmp_path)
    held.set()


def test_a_manifest_that_leads_out_of_the_folder_is_refused(club: Club, offer: Offer, tmp_path: Path) -> None:
    first, *others = club.manifest.parts
    for evil in (
        replace(first, path="../../../home/x.parquet"),
        replace(first, sha256="../" * 21 + "x"),
        replace(first, table="matches') --"),
        replace(first, pool="live', '/etc/passwd"),
        replace(first, bytes=-1),
    ):
        offer.forge(replace(club.manifest, parts=(evil, *others)))
        with pytest.raises(glasnost.BadDataSet, match="a name that no part of a data set has"):
            glasnost.open(offer.address, cache=tmp_path)


@pytest.mark.parametrize("name", ["match\" FROM matches; COPY (SELECT 1) TO 'x' --", "Match", "a b", ""])
def test_names_of_a_schema_cannot_become_other_sql(
    name: str, club: Club, offer: Offer, tmp_path: Path
) -> None:
    for where in ("table", "column"):
        schema = json.loads((club.folder / "schema.json").read_bytes())
        target = schema["tables"][0] if where == "table" else schema["tables"][0]["columns"][0]
        target["name"] = name
        offer.forge(club.manifest, json.dumps(schema).encode())
        with pytest.raises(glasnost.BadDataSet, match="no name that a table or column has"):
            glasnost.open(offer.address, cache=tmp_path)


def test_a_schema_that_the_parts_do_not_have_is_an_error_of_the_data_set(
    club: Club, offer: Offer, tmp_path: Path
) -> None:
    schema = json.loads((club.folder / "schema.json").read_bytes())
    schema["tables"][0]["columns"][0]["name"] = "other"
    offer.forge(club.manifest, json.dumps(schema).encode())
    with pytest.raises(glasnost.BadDataSet, match="the table matches cannot be read"):
        glasnost.open(offer.address, cache=tmp_path).sql("SELECT * FROM matches")


def test_another_schema_than_the_manifest_names_is_refused(offer: Offer, tmp_path: Path) -> None:
    *_, schema = offer.files
    offer.files[schema] += b" "
    with pytest.raises(glasnost.BadDataSet, match="not the schema"):
        glasnost.open(offer.address, cache=tmp_path)


def test_another_snapshot_than_the_one_that_was_named_is_refused(
    club: Club, offer: Offer, tmp_path: Path
) -> None:
    offer.forge(replace(club.manifest, to=club.manifest.to + 1))
    for place in (offer.address, club.folder):
        with pytest.raises(glasnost.BadDataSet, match="not sha256:00"):
            glasnost.open(place, cache=tmp_path, snapshot="sha256:00")
    with pytest.raises(glasnost.BadDataSet, match=f"not {club.manifest.snapshot}"):
        glasnost.open(offer.address, cache=tmp_path, snapshot=club.manifest.snapshot)


def test_more_bytes_than_the_cache_may_take_are_not_asked_for(
    club: Club, offer: Offer, tmp_path: Path
) -> None:
    def huge(part: Part) -> Part:
        return replace(part, bytes=1 << 50) if part.table == "matches" else part

    offer.forge(replace(club.manifest, parts=tuple(map(huge, club.manifest.parts))))
    data = glasnost.open(offer.address, cache=tmp_path)
    with pytest.raises(glasnost.BadDataSet, match=r"take more than the 8\.6 GB of the cache"):
        data.sql(QUERY)
    assert parts_asked(offer) == set()


@pytest.mark.parametrize("address", ["ftp://127.0.0.1", "file:///etc", "http://127.0.0.1:1"])
def test_only_http_is_fetched_and_a_server_that_is_not_there_is_said(address: str, tmp_path: Path) -> None:
    with pytest.raises(CannotFetch, match=r"only http|refused"):
        glasnost.open(address, cache=tmp_path)


@pytest.mark.parametrize("address", ["http://ann:secret@127.0.0.1", "http://127.0.0.1?x=1", "http://h/#x"])
def test_an_address_with_more_than_a_place_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(glasnost.BadDataSet) as found:
        glasnost.open(address, cache=tmp_path)
    assert "secret" not in str(found.value)
