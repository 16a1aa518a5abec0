"""The extras of `pyproject.toml`: what is said where the packages of one are not installed."""

from __future__ import annotations

from importlib import import_module

POSTGRES, PARQUET, TEST = "postgres", "parquet", "test"
_PACKAGES = {  # which tell that an extra is there
    POSTGRES: ("psycopg", "psycopg_pool"),
    PARQUET: ("pyarrow",),
    TEST: ("psutil", "psycopg"),
}


def missing(extra: str, what: str) -> str:
    """Why `what` cannot be had, and the way out; empty: the extra's packages are installed."""
    try:
        for package in _PACKAGES[extra]:
            import_module(package)
    except ImportError:
        return (
            f"{what} needs the extra `{extra}`, which is not installed:"
            f" `GLASNOST_EXTRAS={extra} ./ops/run` installs it"
        )
    return ""
