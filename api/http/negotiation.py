"""What the headers of a request ask for: a language, a media type, an encoding, a token."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from domain.texts import LANGUAGES

JSON, LINES, EVENTS = "application/json", "application/x-ndjson", "text/event-stream"
_READ = 500  # characters of a header that are looked at


@lru_cache(maxsize=1_000)
def language(accept_language: str) -> str:
    """The best of our languages for an Accept-Language header; English where none is asked for."""
    for tag in _preferred(accept_language):
        known = tag.split("-")[0]
        if known in LANGUAGES:
            return known
    return LANGUAGES[0]


@lru_cache(maxsize=1_000)
def media_type(accept: str, offered: Sequence[str] = (JSON, LINES, EVENTS)) -> str:
    """The best of the media types that are offered; the first where none of them is asked for."""
    return next((kind for kind in _preferred(accept) if kind in offered), offered[0])


def takes_gzip(accept_encoding: str) -> bool:
    """Would the client rather have gzip than the bytes as they are?  Who does not say so would not."""
    weights = {name: weight for weight, name in map(_weighed, accept_encoding[:_READ].split(","))}
    weight = weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0)))
    return weight > 0 and weight >= weights.get("identity", 0.0)


def bearer(authorization: str) -> str | None:
    """The token of an Authorization header; None where it is of another kind."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def _preferred(header: str) -> list[str]:
    """The items of a header with weights, the best first; those with weight 0 are left out."""
    weighed = [_weighed(item) for item in header[:_READ].split(",")]
    return [name for weight, name in sorted(weighed, key=lambda pair: -pair[0]) if weight > 0]


def _weighed(item: str) -> tuple[float, str]:
    name, *parameters = (part.strip() for part in item.lower().split(";"))
    weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
    try:
        return float(weight), name
    except ValueError:
        return 0.0, name
