"""The example with containers, and its proxy: they fit each other and the program."""

from __future__ import annotations

import importlib
import re
import tomllib
from typing import Any

import pytest

from api.settings import Settings
from tests.ops import nginx
from tests.ops.examples import OPS, ROOT, STOPPING, must_be_understood, port_of, seconds

yaml: Any = importlib.import_module("yaml")  # it comes with the test extra, without types
WORKERS = ("worker-1", "worker-2")


@pytest.fixture
def compose() -> Any:
    """The file as docker compose reads it; no key stands there twice."""
    text = (OPS / "compose.yaml").read_text("utf-8")
    once(yaml.compose(text, yaml.SafeLoader))
    return yaml.safe_load(text)


def once(node: Any) -> None:
    """Raises where a mapping has a key twice."""
    if isinstance(node, yaml.MappingNode):
        names = [key.value for key, _ in node.value]
        assert len(names) == len(set(names)), names
    for inner in getattr(node, "value", ()) if not isinstance(node, yaml.ScalarNode) else ():
        for part in inner if isinstance(inner, tuple) else (inner,):
            once(part)


@pytest.fixture
def proxy() -> nginx.Directive:
    """The proxy's configuration."""
    return nginx.parsed((OPS / "nginx.conf").read_text("utf-8")).one("http")


def plain(environment: dict[str, str]) -> dict[str, str]:
    """The settings, with what the operator sets filled in."""
    return {name: re.sub(r"\$\{\w+:?[?-][^}]*\}", "set", value) for name, value in environment.items()}


def test_the_services_are_a_proxy_two_workers_a_database_and_redis(compose: Any) -> None:
    assert list(compose["services"]) == ["proxy", *WORKERS, "database", "redis"]


def test_images_have_plain_names_and_a_version(compose: Any) -> None:
    images = {name: service["image"] for name, service in compose["services"].items()}
    built = [images.pop(name) for name in WORKERS]
    assert built == ["glasnost", "glasnost"]
    assert all(re.fullmatch(r"[a-z]+:\d+(\.\d+)?", image) for image in images.values())


def test_what_a_service_names_is_declared(compose: Any) -> None:
    for service in compose["services"].values():
        assert set(service["networks"]) <= set(compose["networks"])
        assert set(service.get("depends_on", ())) <= set(compose["services"])
        for mount in service.get("volumes", ()):
            source = mount.split(":")[0]
            assert source in compose["volumes"] or (OPS / source).is_file()


def test_only_the_proxy_can_be_reached_from_outside(compose: Any) -> None:
    assert compose["networks"]["inside"] == {"internal": True}
    for name, service in compose["services"].items():
        assert ("ports" in service, "outside" in service["networks"]) == ((name == "proxy"),) * 2
    assert compose["services"]["proxy"]["ports"] == ["127.0.0.1:8000:80"]


def test_no_password_is_written_down(compose: Any) -> None:
    wanted = "${DATABASE_PASSWORD:?set DATABASE_PASSWORD}"
    assert compose["services"]["database"]["environment"]["POSTGRES_PASSWORD"] == wanted
    for name in WORKERS:
        told = compose["services"][name]["environment"]
        assert told["PGPASSWORD"] == wanted
        assert ":" not in told["GLASNOST_STORE"].removeprefix("postgresql://")


@pytest.mark.parametrize("name", WORKERS)
def test_every_setting_of_a_container_is_known(compose: Any, name: str) -> None:
    worker = compose["services"][name]
    told = plain(worker["environment"])
    must_be_understood(told)
    assert port_of(worker["command"]) == 8000
    assert told["GLASNOST_STORE"] == "postgresql://glasnost@database/glasnost"
    installing = worker["build"]["dockerfile_inline"].partition("RUN ")[0]
    assert "\nENV GLASNOST_EXTRAS=postgres\n" in installing
    assert "127.0.0.1:8000/readyz" in worker["healthcheck"]["test"][-1]
    assert seconds(worker["stop_grace_period"]) > STOPPING


def test_workers_share_redis_and_start_without_it(compose: Any) -> None:
    for name in WORKERS:
        worker = compose["services"][name]
        assert worker["environment"]["GLASNOST_REDIS"] == "redis://redis:6379/0"
        assert "redis" not in worker["depends_on"]


def test_redis_keeps_nothing_and_is_shut_in(compose: Any) -> None:
    redis = compose["services"]["redis"]
    command = " ".join(redis["command"])
    assert command.startswith("redis-server --save  --appendonly no ")  # an empty word: no snapshots
    assert "volumes" not in redis
    assert (redis["read_only"], redis["cap_drop"]) == (True, ["ALL"])


def test_workers_share_keys(compose: Any) -> None:
    told = [compose["services"][name]["environment"] for name in WORKERS]
    assert {one["GLASNOST_KEYS"] for one in told} == {"/data/keys"}
    assert {tuple(compose["services"][name]["volumes"]) for name in WORKERS} == {("data:/data",)}


@pytest.mark.parametrize("name", WORKERS)
def test_a_worker_is_shut_in(compose: Any, name: str) -> None:
    worker = compose["services"][name]
    assert worker["read_only"] is True
    assert worker["cap_drop"] == ["ALL"]
    assert worker["security_opt"] == ["no-new-privileges:true"]
    assert "\nUSER glasnost\n" in worker["build"]["dockerfile_inline"]


def test_the_image_holds_the_program_and_nothing_of_the_stores(compose: Any) -> None:
    recipe = compose["services"]["worker-1"]["build"]["dockerfile_inline"]
    copied = {word for line in re.findall(r"^COPY (.*) \S+$", recipe, re.MULTILINE) for word in line.split()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = {
        name.removesuffix("*") for name in project["tool"]["setuptools"]["packages"]["find"]["include"]
    }
    assert copied == packages | {"pyproject.toml", project["project"]["readme"], "ops"}
    assert all((ROOT / name).exists() for name in copied)


# ── the proxy ──


def test_the_proxy_knows_the_workers(compose: Any, proxy: nginx.Directive) -> None:
    servers = [server.values[0] for server in proxy.one("upstream", "workers").all("server")]
    assert servers == [f"{name}:8000" for name in WORKERS]
    assert proxy.one("server").one("listen").values == ("80",)
    assert compose["services"]["proxy"]["volumes"] == ["./nginx.conf:/etc/nginx/nginx.conf:ro"]


def test_a_visitor_stays_at_one_worker(proxy: nginx.Directive) -> None:
    assert proxy.one("upstream", "workers").one("hash").values == ("$remote_addr", "consistent")


def test_an_address_that_the_visitor_sends_is_replaced(proxy: nginx.Directive) -> None:
    place = proxy.one("server").one("location", "/")
    assert place.one("proxy_set_header", "X-Forwarded-For").values[1] == "$remote_addr"


def test_events_pass_at_once_and_streams_outlast_their_heartbeat(proxy: nginx.Directive) -> None:
    place = proxy.one("server").one("location", "/")
    assert place.one("proxy_buffering").values == ("off",)
    assert place.one("proxy_http_version").values == ("1.1",)
    assert seconds(place.one("proxy_read_timeout").values[0]) >= 2 * Settings().heartbeat_seconds


def test_the_handshake_of_a_socket_passes_and_other_connections_are_kept(proxy: nginx.Directive) -> None:
    place = proxy.one("server").one("location", "/")
    assert place.one("proxy_set_header", "Upgrade").values[1] == "$http_upgrade"
    assert place.one("proxy_set_header", "Connection").values[1] == "$connection_upgrade"
    known = proxy.one("map", "$http_upgrade", "$connection_upgrade")
    assert [line.words for line in known.block] == [("default", "upgrade"), ("", "")]


def test_the_largest_match_file_passes(proxy: nginx.Directive) -> None:
    most = proxy.one("client_max_body_size").values[0]
    assert int(most.removesuffix("m")) * 2**20 > Settings().file_bytes


def test_one_address_has_as_many_connections_at_the_proxy_and_as_much_time_as_at_a_worker(
    proxy: nginx.Directive,
) -> None:
    settings = Settings()
    assert proxy.one("limit_conn").values == ("addresses", str(settings.connections_per_address))
    assert proxy.one("limit_conn_zone").values == ("$binary_remote_addr", "zone=addresses:10m")
    assert seconds(proxy.one("client_header_timeout").values[0]) == settings.head_seconds
    assert seconds(proxy.one("client_body_timeout").values[0]) == settings.body_seconds


def test_tickets_are_not_logged_and_metrics_are_not_shown(proxy: nginx.Directive) -> None:
    assert proxy.one("access_log").values == ("off",)
    assert proxy.one("server").one("location", "=", "/metrics").one("return").values == ("404",)


def test_the_proxy_may_open_as_many_files_as_it_takes_connections() -> None:
    whole = nginx.parsed((OPS / "nginx.conf").read_text("utf-8"))
    (connections,) = whole.one("events").one("worker_connections").values
    assert int(whole.one("worker_rlimit_nofile").values[0]) >= 2 * int(connections)


@pytest.mark.parametrize("text", ["a { b;", "a; }", "a { b }", "a", ";", "a { } }"])
def test_a_configuration_with_a_missing_brace_or_semicolon_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"brace|middle|without"):
        nginx.parsed(text)
