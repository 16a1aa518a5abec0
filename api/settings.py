"""The settings of a server, each read from one environment variable: GLASNOST_ and its name in capitals.

Every limit is here, with its unit; nothing else in the program has a limit of its own for the outside world.
At the end stand the extras that GLASNOST_EXTRAS names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, get_type_hints

from msgspec import Struct

PREFIX = "GLASNOST_"
OTHERS = tuple(
    PREFIX + name
    for name in (
        "STORE",
        "STORE_REPLICA",
        "REDIS",
        "KEYS",
        "NAME",
        "PYTHON",
        "EXTRAS",
        "VENV",
        "DEBUG",
        "WITNESSES",
        "MAIL_HOST",
        "MAIL_PORT",
        "MAIL_TLS",
        "MAIL_USER",
        "MAIL_PASSWORD_FILE",
        "MAIL_FROM",
        "MAIL_URL",
        "DATA",
        "SQL",
        "ROOT",  # set by the scripts for themselves
    )
)
"""The variables that are read elsewhere and are no limits."""

_HOST = r"[a-z0-9_-]+(\.[a-z0-9_-]+)*"
HOST = re.compile(rf"\*|{_HOST}")
ORIGIN = re.compile(rf"https?://({_HOST}|\[[0-9a-f:.]+\])(:[0-9]{{1,5}})?")
_DEFAULT_PORT = re.compile(r"http:.*:80|https:.*:443")  # a browser leaves it out

_MODELS = PREFIX + "READ_MODELS"
_MODELS_LIE = (
    "the read models of a PostgreSQL store lie in its database, for all workers,"
    " and those of an embedded store in its folder"
)

BOUNDS = {"BOT_WORKERS": (0, 64)}  # of numbers; those of all others are 1 and 1,000,000,000
LEVELS = ("debug", "info", "warning", "error")


class BadSetting(ValueError):
    """A variable of the environment that cannot be used; the text names it and says what would do."""


class Settings(Struct, frozen=True):
    """What a server may be told.

    requests_per_second: of one player (or, without a token, of one address); as many again in a burst.
    players_per_minute: new players from one address.
    sign_ins_per_minute: attempts to sign in with a token or the code of a link, and new links, from one
        address.
    session_days: so long after its last use a session ends.
    sessions_per_player: with one more, the one that was used longest ago ends.
    link_minutes: so long a link that signs in another device lasts.
    links_per_player: with one more open link, the oldest ends.
    connections: open at once, as far as the system lets the process open files.
    connections_per_address: open at once from one address; behind a proxy, requests under way.
    head_seconds: how long the head of a request may take, from its first byte to its last.
    body_seconds: how long its body may take, besides the time that its bytes are given by the next.
    body_bytes_per_second: for so many bytes of a body that have come, it may take a second more.
    searches_per_minute: how often one player may look for players by name.
    head_bytes: the largest head of a request that is waited for: its first line and the headers.
    body_bytes, file_bytes: the largest body of a request, and the largest match file.
    unpacked_bytes: the largest match file, unpacked, that is taken.
    upload_files, upload_bytes: how many match files one player, and one address, may upload on one day
        (UTC), and how many bytes they may have, unpacked; for an administrator there is no such limit.
    moves_per_page: the most moves in one answer that is not a stream.
    turns_bytes: so large a page of turns becomes; one move that is larger stands on it alone.
    cached_matches: matches kept in memory; a match that is being followed stays beyond that.
    cached_bytes: bytes of memory that these take, about; those that are being followed stay beyond that, but
        no other one is followed then.
    kept_refusals: how many of the latest refusals are kept.
    streams_per_viewer: streams of one player open at once (or of one address without a token).
    commands_in_flight: commands of one socket that are carried out at once; until one is answered, no more of
        what its player says is read.
    entering_seconds: how long a socket may be open without saying who is there.
    heartbeat_seconds: how often a stream without news says that it is alive.
    ticket_seconds: how long a stream's ticket opens a stream.
    at_least_seconds: how long a look with `at_least` waits for that move.
    ready_records: how many records a read model of a server that is ready may be behind.
    bot_workers: how many processes search for bots; 0: only bots that answer within 5 ms play here.
    bot_matches: how many matches with a bot that searches one player may have under way, as far as they are
        in the memory of this process.
    salt_hours: after so many hours a match is closed on demand that waits for a salt.
    stopping_seconds: how long a server that was asked to stop lets requests finish.
    log_level: debug tells every request, info every command and refusal.
    trust_proxy: take the client's address from X-Forwarded-For, as set by a proxy on this machine.
    hosts: the names of the server, besides addresses and localhost; none: the name under which it signs.
    origins: the origins whose pages may use the server, besides its own.
    """

    requests_per_second: int = 2_000
    players_per_minute: int = 100
    sign_ins_per_minute: int = 60
    session_days: int = 90
    sessions_per_player: int = 20
    link_minutes: int = 10
    links_per_player: int = 5
    connections: int = 50_000
    connections_per_address: int = 500
    head_seconds: int = 10
    body_seconds: int = 20
    body_bytes_per_second: int = 8_192
    searches_per_minute: int = 60
    head_bytes: int = 65_536
    body_bytes: int = 65_536
    file_bytes: int = 16 * 1024 * 1024
    unpacked_bytes: int = 32 * 1024 * 1024
    upload_files: int = 100
    upload_bytes: int = 256 * 1024 * 1024
    moves_per_page: int = 1_000
    turns_bytes: int = 1024 * 1024
    cached_matches: int = 1_000
    cached_bytes: int = 512 * 1024 * 1024
    kept_refusals: int = 10_000
    streams_per_viewer: int = 100
    commands_in_flight: int = 16
    entering_seconds: int = 5
    heartbeat_seconds: int = 15
    ticket_seconds: int = 60
    at_least_seconds: int = 2
    ready_records: int = 10_000
    bot_workers: int = 1
    bot_matches: int = 3
    salt_hours: int = 72
    stopping_seconds: int = 10
    log_level: str = "warning"
    trust_proxy: bool = False
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


def read(environment: Mapping[str, str]) -> Settings:
    """The settings that an environment gives; what it does not name keeps its default.

    Raises:
        BadSetting: a value that cannot be used.
    """
    if environment.get(_MODELS):
        raise BadSetting(f"{_MODELS} is no setting any more, so leave it out: {_MODELS_LIE}")
    kinds = get_type_hints(Settings)
    given = {
        name: _value(PREFIX + name.upper(), kind, environment[PREFIX + name.upper()])
        for name, kind in kinds.items()
        if PREFIX + name.upper() in environment
    }
    return Settings(**given)


def unknown(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of an environment that are called like settings and are none: most likely misspelt.

    Each with the setting that is spelt most like it ("": there is none).
    """
    known = [*OTHERS, *(PREFIX + name.upper() for name in Settings.__struct_fields__)]
    strange = [name for name in sorted(environment) if name.startswith(PREFIX) and name not in known]
    return {name: _likest(name, known) for name in strange}


def _likest(name: str, known: Sequence[str]) -> str:
    """The one that is spelt most like a name, apart from the beginning that all have; "": there is none."""
    ends = [one.removeprefix(PREFIX) for one in known]
    found = get_close_matches(name.removeprefix(PREFIX), ends, 1)
    return PREFIX + found[0] if found else ""


@cache
def product() -> str:
    """The version of this program, as it enters the log."""
    return version("glasnost")


def _value(name: str, kind: type, text: str) -> Any:
    if kind is bool:
        if text not in ("true", "false"):
            raise BadSetting(f"{name} is true or false, not {text!r}")
        return text == "true"
    if kind is int:
        least, most = BOUNDS.get(name.removeprefix(PREFIX), (1, 10**9))
        if not (text.isascii() and text.isdecimal() and least <= int(text) <= most):
            raise BadSetting(f"{name} is a whole number from {least} to {most}, not {text!r}")
        return int(text)
    if name == PREFIX + "HOSTS":
        return _listed(name, text, HOST, "names such as play.example.org, without a port, or *")
    if name == PREFIX + "ORIGINS":
        return _listed(name, text, ORIGIN, "origins such as https://app.example.org")
    if text not in LEVELS:
        raise BadSetting(f"{name} is one of {', '.join(LEVELS)}, not {text!r}")
    return text


def _listed(name: str, text: str, each: re.Pattern[str], like: str) -> tuple[str, ...]:
    """Words that commas divide."""
    words = tuple(word.strip().lower() for word in text.split(",") if word.strip())
    for word in words:
        if not each.fullmatch(word) or _DEFAULT_PORT.fullmatch(word):
            raise BadSetting(f"{name} holds {like}, divided by commas, not {word!r}")
    return words


# ── The extras of `pyproject.toml`: what is said where the packages of one are not installed ──

ANALYSIS, POSTGRES, PARQUET, PICTURES, TEST = "analysis", "postgres", "parquet", "pictures", "test"
_PACKAGES = {  # which tell that an extra is there
    ANALYSIS: ("duckdb", "pyarrow"),
    POSTGRES: ("psycopg", "psycopg_pool"),
    PARQUET: ("pyarrow",),
    PICTURES: ("resvg_py",),
    TEST: ("psutil", "psycopg"),
}


def missing(extra: str, what: str) -> str:
    """Why `what` cannot be had, and the way out; empty: the extra's packages are installed.

    None is imported: PyArrow alone brings NumPy and its threads, which most questions never need.
    """
    if all(map(_is_installed, _PACKAGES[extra])):
        return ""
    return (
        f"{what} needs the extra `{extra}`, which is not installed:"
        f" `GLASNOST_EXTRAS={extra} ./ops/run` installs it"
    )


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ImportError:  # a finder of modules refuses it
        return False
