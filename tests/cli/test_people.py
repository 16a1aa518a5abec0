"""`glasnost people`: what the owner of a store does with its people."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from api.cli.people import people
from api.store.interface import Subscription
from api.store.sqlite import SqliteStore
from tests.api.store.test_outbox import ADDRESS, next_one, notice, subscribed, told
from tests.api.store.test_sessions import BOUNDS, NOW, player_of, signed_in
from tests.cli.program import Program


@pytest.fixture
def ann(glasnost: Program) -> str:
    """A player in the store `s`, where there is no administrator."""
    store = SqliteStore.open(Path("s"))
    try:
        return store.people.add("Ann", "player")[0].id
    finally:
        store.close()


def test_a_player_is_found_shown_renamed_and_forgotten(glasnost: Program, ann: str) -> None:
    assert glasnost("people", "find", "--store", "s", "ANN").ok().out == f"{ann}  Ann\n"
    assert glasnost("people", "find", "--store", "s", "--prefix", "x").ok().out == ""
    assert glasnost("people", "show", "--store", "s", ann).ok().out == f"{ann}  Ann, player, tokens: 1\n"
    renamed = glasnost("people", "rename", "--store", "s", ann, "Bea", "--reason", "typing error").ok()
    assert renamed.out == f"renamed: {ann}  Bea, player, tokens: 1\n"
    again = glasnost("people", "rename", "--store", "s", ann, "Bea").ok()
    assert again.out.startswith("has that name already: ")
    assert glasnost("people", "revoke", "--store", "s", ann).ok().out.endswith("Bea, player, tokens: 0\n")
    told = glasnost("people", "forget", "--store", "s", ann, "--json").json
    assert told == {"player": ann, "name": None, "forgotten": True, "role": "player", "tokens": 0}
    assert glasnost("people", "forget", "--store", "s", ann).ok().out.startswith("was forgotten before: ")
    actions = glasnost("people", "audit", "--store", "s").ok().out.splitlines()
    assert [line.split("  ")[1:] for line in actions] == [
        [action, ann, "by the owner of the store"] for action in ("forget", "revoke", "rename")
    ]
    for file in Path("s").iterdir():
        assert b"Bea" not in file.read_bytes()


def test_sessions_addresses_wishes_and_mail_move_with_the_store_and_end_with_the_player(
    glasnost: Program, tmp_path: Path
) -> None:
    """The commands of an operator: `migrate` brings them along, `people forget` removes them."""
    with closing(SqliteStore.open(Path("s"))) as store:
        ann, token = store.people.add("Ann", "player")
        secret = signed_in(store, token).secret
        subscribed(store, ann.id)
        store.outbox.change(replace(store.outbox.of(ann.id), often="daily", matches={"m1": "never"}), 3)
        told(store, notice(ann.id))
        wishes, waits = store.outbox.of(ann.id), next_one(store)
    glasnost("migrate", "--from", "s", "--to", "t", "--to-keys", "t.keys").ok()
    with closing(SqliteStore.open(Path("t"), keys=Path("t.keys"))) as moved:
        assert player_of(moved, secret) == ann.id
        assert (moved.outbox.of(ann.id), next_one(moved)) == (wishes, waits)
    glasnost("people", "forget", "--store", "s", ann.id).ok()
    with closing(SqliteStore.open(Path("s"))) as store:
        assert player_of(store, secret) is None
        assert store.people.sessions(ann.id, NOW, BOUNDS) == []
        assert store.outbox.of(ann.id) == Subscription(player=ann.id)
        assert store.outbox.waiting() == 0
    for file in Path("s").iterdir():
        assert ADDRESS.encode() not in file.read_bytes()


def test_a_new_token_is_printed_once(glasnost: Program, ann: str) -> None:
    done = glasnost("people", "new-token", "--store", "s", ann)
    assert done.code == 0
    assert done.out.strip() not in done.err
    store = SqliteStore.open(Path("s"))
    person = store.people.by_token(done.out.strip())
    store.close()
    assert person is not None
    assert person.id == ann
    assert set(glasnost("people", "new-token", "--store", "s", ann, "--json").json) == {"player", "token"}


@pytest.mark.parametrize("command", ["forget", "rename", "revoke", "new-token", "show"])
def test_an_unknown_player_is_refused(glasnost: Program, ann: str, command: str) -> None:
    name = ["X"] if command == "rename" else []
    glasnost("people", command, "--store", "s", "nobody", *name).refused(2, "no player 'nobody'")
    glasnost("people", command, "--store", "mistyped", ann, *name).refused(2, "there is no store")


@pytest.mark.parametrize("name", ["", "bot:x", "x" * 65, "a\u202eb"])
def test_names_that_are_none_are_refused(glasnost: Program, ann: str, name: str) -> None:
    glasnost("people", "rename", "--store", "s", ann, name).refused(2, "a name")


def test_the_name_of_forgotten_players_is_refused(glasnost: Program, ann: str) -> None:
    glasnost("people", "rename", "--store", "s", ann, "(name forgotten)").refused(2, "cannot be chosen")


def test_the_last_administrator_stays(glasnost: Program, ann: str) -> None:
    admin = glasnost("admin-token", "--store", "s", "--json").json["player"]
    for command in ("forget", "revoke"):
        glasnost("people", command, "--store", "s", admin).refused(2, "last administrator", "admin-token")


def test_a_store_that_is_held_is_changed_over_http_and_looked_at_all_the_same(
    glasnost: Program, ann: str
) -> None:
    held = SqliteStore.open(Path("s"))
    try:
        glasnost("people", "forget", "--store", "s", ann).refused(2, "POST /v1/players/PLAYER/forgetting")
        assert glasnost("people", "find", "--store", "s", "ann").ok().out == f"{ann}  Ann\n"
    finally:
        held.close()


def test_in_a_database_it_works_while_it_is_served(
    glasnost: Program, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from api.store.postgres import PostgresStore

    monkeypatch.setenv("GLASNOST_KEYS", "k")
    held = PostgresStore.open(database)
    try:
        person, token = held.people.add("Ann", "player")
        assert glasnost("people", "forget", "--store", database, person.id).ok().out.startswith("forgotten: ")
        assert held.people.by_token(token) is None
    finally:
        held.close()


@pytest.mark.parametrize("command", people.commands)
def test_the_help_of_each_shows_an_example(glasnost: Program, command: str) -> None:
    assert f"\n    glasnost people {command}" in glasnost("people", command, "--help").ok().out
