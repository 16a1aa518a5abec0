"""Saved queries, positions and downloads through a server: what is answered, and what is refused."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
import pytest
from msgspec.structs import replace

import replay.dataset as glasnost
from api.data import answers
from api.http.data_schemas import (
    ExplorerAnswer,
    OpeningMatches,
    PositionsAnswer,
    QueryAnswer,
    QueryMatches,
    SavedQueries,
)
from domain.games import GAMES
from domain.kernel import Refused
from replay.dataset import DataSet
from replay.dataset.manifest import Manifest
from replay.dataset.queries import COMMON, Query, queries
from tests.api.data.conftest import Small
from tests.api.http.served import Answer, Served
from tests.matches import finished
from tests.replay.dataset.stores import LARGE, built, opened, put


def get(server: Served, path: str, **headers: str) -> Answer:
    return server.client().get(path, **headers)


def test_the_manifest_is_the_bytes_whose_hash_is_the_snapshot(asked: Served, small: Small) -> None:
    answer = get(asked, "/v1/data")
    assert answer.body == small.manifest.data
    assert answer.headers["glasnost-snapshot"] == small.manifest.snapshot
    assert f"sha256:{hashlib.sha256(answer.body).hexdigest()}" == small.manifest.snapshot
    assert get(asked, "/v1/data", if_none_match=answer.headers["etag"]).status == 304


def test_every_part_can_be_had_by_its_hash_also_a_piece_of_it(asked: Served, small: Small) -> None:
    client = asked.client()
    for part in small.manifest.parts[:5]:
        answer = client.get(f"/v1/data/parts/{part.sha256}")
        assert hashlib.sha256(answer.body).hexdigest() == part.sha256
        assert "immutable" in answer.headers["cache-control"]
    piece = client.get(f"/v1/data/parts/{part.sha256}", range="bytes=4-9")
    assert (piece.status, piece.body) == (206, answer.body[4:10])
    assert piece.headers["content-range"] == f"bytes 4-9/{part.bytes}"
    schema = client.get(f"/v1/data/parts/{small.manifest.schema}")
    assert hashlib.sha256(schema.body).hexdigest() == small.manifest.schema
    head = client.send("HEAD", f"/v1/data/parts/{part.sha256}")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(part.bytes))
    client.get(f"/v1/data/parts/{part.sha256}", range="bytes=99999999-").problem(416, "range")
    client.get(f"/v1/data/parts/{part.sha256}", range="bytes=z").problem(400, "malformed")
    client.get(f"/v1/data/parts/{'0' * 64}").problem(404, "not-found")
    client.get("/v1/data/parts/..%2F..%2Fmanifest.json").problem(404, "not-found")
    client.get("/v1/data/parts/manifest.json").problem(422, "invalid")


def test_the_dictionary_describes_every_table(asked: Served) -> None:
    answer = get(asked, "/v1/data/dictionary")
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "## `ts_positions`" in answer.body.decode() or "ts_positions" in answer.body.decode()


def test_the_saved_queries_are_listed_with_all_that_a_form_needs(asked: Served) -> None:
    told = {one["name"]: one for one in get(asked, "/v1/queries").json["queries"]}
    assert list(told) == list(queries())
    win = told["win_rate"]
    assert (win["game"], win["rates"], win["means"]) == ("twilight_struggle", {"us": "n"}, {})
    assert told["player_luck"]["means"] == {"mean": "luck_vp"}
    assert win["columns"][0] == "pool"
    assert {one["name"] for one in win["parameters"]} == set(COMMON)
    assert all(one["en"] and one["ru"] for one in [win, *win["parameters"]])
    assert win["sql"] == queries()["win_rate"].statement({}).sql
    assert "{space}" in told["is_space_life"]["sql"]
    space = next(one for one in told["is_space_life"]["parameters"] if one["name"] == "space")
    assert space["required"]
    assert len(space["choices"]) > 10


@pytest.mark.parametrize("name", ["win_rate", "headlines", "cvk_win_rate", "tm_win_rate"])
def test_each_row_leads_to_exactly_as_many_matches_as_it_counts(asked: Served, name: str) -> None:
    client = asked.client()
    whole = client.get(f"/v1/queries/{name}").json
    names = [column["name"] for column in whole["columns"]]
    assert whole["rows"]
    for row in whole["rows"][:6]:
        values = dict(zip(names, row, strict=True))
        keys = {key: values[key] for key in queries()[name].keys} | {"in_pool": values["pool"]}
        chosen = "&".join(
            f"{key}={quote(str('' if value is None else value))}" for key, value in keys.items()
        )
        behind = client.get(f"/v1/queries/{name}?matches=1&{chosen}").json
        assert len(behind["matches"]) == values["n"]
        for one in behind["matches"]:
            assert one["replay"] == f"/m/{one['match']}?move={one['move']}"


def test_an_answer_says_on_what_it_rests(asked: Served, small: Small) -> None:
    told = get(asked, "/v1/queries/win_rate").json
    assert told["snapshot"] == small.manifest.snapshot
    assert told["rules"] == small.manifest.rules["twilight_struggle"]
    assert told["arguments"]["pool"] == "live"
    counts = {"matches": 1, "counted": 1, "void": 0, "no_result": 0, "unproven": 0}
    assert told["pools"] == [{"pool": "live", **counts}]
    assert told["other_pools"] == {"bots": 1, "imported": 1}
    assert (told["mixed"], told["selection_unknown"]) == (False, False)
    assert len(told["sql_sha256"]) == 64
    assert told["comparisons"] == len(told["rows"])


def test_the_counts_of_a_data_set_are_never_those_of_another_one(small: Small) -> None:
    whole = glasnost.open(small.folder)
    parts = tuple(part for part in small.manifest.parts if part.pool != "bots")
    fewer = DataSet(small.folder, replace(small.manifest, parts=parts), whole.schema)
    win_rate = answers.asked(queries()["win_rate"], {})
    for _ in range(2):  # the second time they are kept
        told = [win_rate.answer(data) for data in (whole, fewer)]
        assert [one.other_pools for one in told] == [{"bots": 1, "imported": 1}, {"imported": 1}]


def pools_in(told: Any) -> list[str]:
    return [row[0] for row in told["rows"]]


def test_pools_are_never_mixed_unless_the_caller_says_so(asked: Served) -> None:
    client = asked.client()
    assert pools_in(client.get("/v1/queries/win_rate").json) == ["live"]
    both = client.get("/v1/queries/win_rate?pool=live,bots").json
    assert sorted(pools_in(both)) == ["bots", "live"]
    assert not both["mixed"]
    mixed = client.get("/v1/queries/win_rate?pool=*").json
    assert set(pools_in(mixed)) == {"*"}
    assert mixed["mixed"]
    assert [one["pool"] for one in mixed["pools"]] == ["bots", "imported", "live"]
    assert mixed["selection_unknown"]


def test_imported_matches_are_in_no_answer_that_does_not_ask_for_them(asked: Served, small: Small) -> None:
    """AN9: they are named as left out, and counted only where the caller asks for their pool."""
    client = asked.client()
    for name in ("win_rate", "headlines", "coups", "vp_path"):
        told = client.get(f"/v1/queries/{name}?matches=1")
        assert told.json["matches"]
        assert small.imported.encode() not in told.body
    default = client.get("/v1/positions?where=turn%20%3E%200&limit=10000")
    assert small.imported.encode() not in default.body
    assert default.json["other_pools"]["imported"] == 1
    unproven = client.get("/v1/positions?where=turn%20%3E%200&pool=imported").json
    assert (unproven["hits"], unproven["pools"][0]["unproven"]) == ([], 1)
    named = client.get("/v1/positions?where=turn%20%3E%200&pool=imported&unproven=1").json
    assert {hit["match"] for hit in named["hits"]} == {small.imported}
    assert named["selection_unknown"]


OPTIONS = {"twilight_struggle": "finland", "cia_vs_kgb": "pass", "thirteen_minutes": "event"}


def arguments_of(query: Query, players: list[str]) -> Iterator[str]:
    """Every way in which a query is asked here: once, or for each player of the data set."""
    given = {"option": OPTIONS.get(query.game, "end"), "space": "antigua"}
    needed = [name for name, one in query.own.items() if one.required]
    if {"a", "b"} <= {*needed}:
        yield from (f"a={one}&b={other}" for one, other in permutations(players, 2))
    elif "player" in needed:
        yield from (f"player={one}" for one in players)
    else:
        yield urlencode({name: given[name] for name in needed})


@pytest.mark.long
def test_an_imported_match_is_in_no_default_answer_of_any_saved_query(asked: Served, small: Small) -> None:
    """AN9: every query, with every player, and the matches behind every row; its own pool shows it."""
    client, data = asked.client(), glasnost.open(small.folder)
    seats = data.sql("SELECT DISTINCT player, pool = 'imported' FROM seats").fetchall()
    players = [player for player, _ in seats if player]
    assert any(came for _, came in seats)
    found: Counter[str] = Counter()
    for name, query in queries().items():
        for chosen in arguments_of(query, players):
            for more in ("", "&matches=1"):
                told = client.get(f"/v1/queries/{name}?{chosen}{more}")
                assert told.status == 200, told
                assert small.imported.encode() not in told.body, (name, chosen)
                assert "imported" not in {one["pool"] for one in told.json["pools"]}
            named = client.get(f"/v1/queries/{name}?{chosen}&matches=1&pool=imported&unproven=1")
            found[name] += named.body.count(small.imported.encode())
    assert len([name for name, n in found.items() if n and queries()[name].game == "twilight_struggle"]) > 10
    assert not any(n for name, n in found.items() if queries()[name].game != "twilight_struggle")
    assert not found["held"] + found["not_taken"] + found["could_coup"]  # what was hidden is not known


def test_positions_are_found_with_match_move_players_result_and_a_link(asked: Served) -> None:
    client = asked.client()
    told = client.get("/v1/positions?where=turn%20%3C%203&limit=2").json
    hit = told["hits"][0]
    assert hit["time"]["turn"] < 3
    assert hit["players"] == {"us": "p-us", "ussr": "p-ussr"}
    assert hit["replay"] == f"/m/{hit['match']}?move={hit['move']}"
    assert (len(told["hits"]), told["truncated"], told["seats"]) == (2, True, ["us", "ussr"])
    (summary,) = told["summary"]
    assert (summary["matches"], summary["n"]) == (1, 1)
    assert 0 <= summary["lo"] <= summary["won_a"] <= summary["hi"] <= 1
    first = client.get("/v1/positions?where=turn%20%3C%203&first=1").json
    assert (len(first["hits"]), first["truncated"]) == (1, False)
    other = client.get("/v1/positions?game=cia_vs_kgb&where=turn%20%3E%200&first=1").json
    assert other["seats"] == list(GAMES["cia_vs_kgb"].seats)


def test_csv_and_ndjson_hold_the_rows_of_the_json(asked: Served) -> None:
    client = asked.client()
    whole = client.get("/v1/queries/headlines").json
    names = [column["name"] for column in whole["columns"]]
    table = client.get("/v1/queries/headlines", accept="text/csv")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.reader(io.StringIO(table.body.decode())))
    assert rows[0] == names
    assert [row[:4] for row in rows[1:]] == [[str(cell) for cell in row[:4]] for row in whole["rows"]]
    lines = client.get("/v1/queries/headlines", accept="application/x-ndjson").body.splitlines()
    assert [list(json.loads(line).values()) for line in lines] == whole["rows"]


def test_an_answer_is_kept_by_what_it_follows_from(asked: Served) -> None:
    client = asked.client()
    answer = client.get("/v1/queries/win_rate?pool=live")
    again = client.get("/v1/queries/win_rate?pool=live", if_none_match=answer.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert client.get("/v1/queries/win_rate").body == answer.body
    other = client.get("/v1/queries/win_rate?pool=bots", if_none_match=answer.headers["etag"])
    assert other.status == 200


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("/v1/queries/no_such_query", 404, "not-found"),
        ("/v1/queries/WinRate", 422, "invalid"),
        ("/v1/queries/win_rate?country=iran", 422, "invalid"),
        ("/v1/queries/win_rate?pool=live&pool=bots", 422, "invalid"),
        ("/v1/queries/win_rate?pool=live'", 422, "invalid"),
        ("/v1/queries/win_rate?since=yesterday", 422, "invalid"),
        ("/v1/queries/win_rate?matches=2", 422, "invalid"),
        (f"/v1/queries/win_rate?edition={'x' * 201}", 422, "invalid"),
        ("/v1/queries/win_rate?" + "&".join(f"a{n}=1" for n in range(41)), 422, "invalid"),
        ("/v1/queries/is_space_life", 422, "invalid"),
        ("/v1/queries/is_space_life?space=antigua'", 422, "invalid"),
        ("/v1/queries/win_rate?edition=%00", 422, "invalid"),
        ("/v1/positions", 422, "invalid"),
        ("/v1/positions?where=turn%20%3C", 422, "invalid"),
        ("/v1/positions?where=turn%20%3C%203&limit=10001", 422, "invalid"),
        ("/v1/positions?where=turn%20%3C%203&min_n=2", 422, "invalid"),
        ("/v1/positions?where=turn%20%3C%203&game=chess", 404, "unknown-game"),
        (f"/v1/positions?where={'(' * 41}", 422, "invalid"),
        ("/v1/positions?where=vp%20%3D%201);DROP%20TABLE%20matches", 422, "invalid"),
        (f"/v1/positions?where={'x' * 2001}", 422, "invalid"),
        ("/v1/data?x=1", 422, "invalid"),
    ],
)
def test_what_is_not_legal_is_refused_in_both_languages(
    asked: Served, path: str, status: int, kind: str
) -> None:
    client = asked.client()
    english, russian = (client.get(path, accept_language=one).problem(status, kind) for one in ("en", "ru"))
    assert english["title"] != russian["title"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/v1/data", Manifest),
        ("/v1/queries", SavedQueries),
        ("/v1/queries/headlines?pool=*", QueryAnswer),
        ("/v1/queries/headlines?matches=1", QueryMatches),
        ("/v1/positions?where=turn%20%3E%200", PositionsAnswer),
        ("/v1/explorer?game=thirteen_minutes", ExplorerAnswer),
        ("/v1/explorer?game=thirteen_minutes&matches=1", OpeningMatches),
    ],
)
def test_an_answer_has_the_shape_that_the_document_says(asked: Served, path: str, kind: type) -> None:
    answer = get(asked, path)
    game = "thirteen_minutes" if "game=" in path else "twilight_struggle"
    assert answer.json.get("rules_seen", [GAMES[game].rules]) == [GAMES[game].rules]
    decoded: object = msgspec.json.decode(answer.body, type=kind)
    assert json.loads(msgspec.json.encode(decoded)) == answer.json


def test_forced_moves_are_not_counted_in_a_data_set_without_decisions(tmp_path: Path) -> None:
    with opened(tmp_path / "games") as store:
        put(store, finished(GAMES["thirteen_minutes"], 1, name="m1"))
        built(store, tmp_path / "club", cut=LARGE, without=("decisions",))
    data, asks = glasnost.open(tmp_path / "club"), {"player": "p-us"}
    forced = queries()["tm_player_forced"]
    for prepared in (
        answers.asked(forced, asks),
        answers.behind(forced, asks),
    ):
        with pytest.raises(Refused, match="built with `--without decisions`") as refused:
            prepared.answer(data)
        assert refused.value.kind == "not-found"
    told = answers.asked(queries()["tm_player_record"], asks).answer(data)
    assert isinstance(told, QueryAnswer)
    assert len(told.rows) == 1


def test_a_malformed_search_names_the_column(asked: Served) -> None:
    told = get(asked, "/v1/positions?where=turn%20%3C%203%20and%20ussr%20controls%20atlantis")
    assert "column 28" in told.problem(422, "invalid")["detail"]


def test_the_explorer_shows_the_root_of_a_tree_and_hides_small_nodes(asked: Served) -> None:
    client = asked.client()
    told = client.get("/v1/explorer").json
    assert [tree["name"] for tree in told["trees"]] == ["headlines", "setup"]
    node = told["node"]
    assert (node["n"], node["children"], node["hidden"]) == (1, [], 1)
    assert (told["pools"][0]["pool"], told["path"]) == ("live", [])
    assert client.get("/v1/explorer?path=setup").json["path"] == ["setup"]
    assert client.get("/v1/explorer?turn=2").json["arguments"]["turn"] == 2
    client.get("/v1/explorer?path=setup&turn=2").problem(422, "invalid")
    (behind,) = client.get("/v1/explorer?matches=1").json["matches"]
    assert behind["replay"] == f"/m/{behind['match']}?move=1"
    for count in ("n", "ended", "n_ahead"):
        told = client.get(f"/v1/explorer?matches=1&count={count}").json
        assert (len(told["matches"]), told["arguments"]["count"]) == (node[count], count)
    hidden = client.get("/v1/explorer?matches=1&count=hidden").problem(422, "invalid")
    assert "have no list of their own" in hidden["detail"]
    client.get("/v1/explorer?matches=1&count=x").problem(422, "invalid")
    client.get("/v1/explorer?count=ended").problem(422, "invalid")
    small = client.get("/v1/explorer?min_n=4").problem(422, "invalid")
    assert small["detail"] == "query min_n: at least 5, not 4"
    assert client.get("/v1/explorer?min_n=5").json["node"] == node
    client.get("/v1/explorer?path=fidel").problem(404, "not-found")
    client.get("/v1/explorer?path=fidel&matches=1").problem(404, "not-found")
    client.get("/v1/explorer?matches=2").problem(422, "invalid")
    client.get("/v1/explorer?game=chess").problem(404, "not-found")
    client.get("/v1/explorer?pool=live,bots").problem(422, "invalid")
    client.get("/v1/explorer?game=cia_vs_kgb&bid=2").problem(422, "invalid")
    client.get("/v1/explorer?path=" + "/".join("a" * 41)).problem(422, "invalid")
    assert client.get("/v1/explorer?game=cia_vs_kgb&pool=*").json["mixed"]
