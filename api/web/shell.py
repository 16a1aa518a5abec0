"""The shell of every page: template, language, security headers, and the data that its script reads."""

from __future__ import annotations

import importlib.resources
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, Protocol
from urllib.parse import quote

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from api.http import decoding
from api.http.routing import Call
from api.web.assets import Assets
from domain.texts import LANGUAGES

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
FRAMED = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
"""The policy of the page that pages of other servers may show."""
_CHARTS = ("base/chart.js", "base/dom.js", "base/text.js", "parts/table_charts.js")
PRELOADS = {
    "match": (
        *(f"base/{name}.js" for name in ("dom", "page", "text", "keys")),
        *(f"data/{name}.js" for name in ("api", "positions", "vocabulary")),
        *(f"parts/{name}.js" for name in ("board", "panels", "narration", "scrub")),
    ),
    "embed": (
        *(f"base/{name}.js" for name in ("dom", "page", "text", "keys")),
        *(f"data/{name}.js" for name in ("api", "positions", "vocabulary")),
        *(f"parts/{name}.js" for name in ("board", "panels", "scrub")),
    ),
    "lobby": (
        *(f"base/{name}.js" for name in ("dom", "text")),
        *(f"data/{name}.js" for name in ("api", "clocks", "lobby", "reload", "salts", "times")),
    ),
    "new": ("base/dom.js", "base/text.js", "data/api.js", "data/salts.js", "parts/salt.js"),
    "tables": ("base/dom.js", "base/text.js", "data/times.js", "parts/tables.js"),
    "tournament": (
        *("base/dom.js", "base/text.js"),
        *(f"data/{name}.js" for name in ("clocks", "lobby", "reload", "times")),
        "parts/tables.js",
    ),
    "find": (*_CHARTS, "parts/tables.js"),
    "explore": (*_CHARTS, "data/api.js", "data/vocabulary.js", "parts/tables.js"),
    "questions": (*_CHARTS, "parts/tables.js"),
    "sit": ("base/dom.js", "base/text.js", "data/api.js", "data/lobby.js", "data/salts.js", "parts/salt.js"),
    "mail": ("base/dom.js", "base/text.js", "data/api.js"),
    "sign": ("base/dom.js", "base/text.js", "data/api.js"),
    "audit": ("base/dom.js", "base/page.js", "base/text.js", "data/api.js"),
}
"""The modules that the script of a page imports: the browser fetches them side by side."""
PLAYING = ("data/socket.js", "parts/live.js", "parts/question.js")
"""The modules that the page of a match imports while it is played."""
COOKIE = "lang"  # the language that a client chose by the switch
HTML = "text/html"
_YEAR = 365 * 24 * 3_600  # seconds
_UNSAFE = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


class Texts:
    """The texts of the pages in one language: those of the templates, and those that scripts show."""

    def __init__(self, language: str) -> None:
        self.language = language
        file = importlib.resources.files("api.web") / f"texts.{language}.toml"
        sections = tomllib.loads(file.read_text("utf-8"))
        self.script: dict[str, Any] = sections["script"]
        self._pages: dict[str, str] = sections["page"]
        self._columns: dict[str, str] = sections["columns"]
        self._tournament: dict[str, str] = sections["tournament"]

    def __call__(self, key: str, **values: object) -> str:
        """Return a text of the pages with its values.

        Raises:
            KeyError: there is no such text.
        """
        return self._pages[key].format(**values) if values else self._pages[key]

    def of_tournament(self, key: str, **values: object) -> str:
        """Return a text of the pages of tournaments with its values; keys may be put together.

        Raises:
            KeyError: there is no such text.
        """
        return self._tournament[key].format(**values) if values else self._tournament[key]

    def column(self, name: str) -> str:
        """Return the title of a column of a saved query; an end of an interval also names its rate.

        Raises:
            KeyError: there is no such column.
        """
        rate, _, end = name.rpartition("_")
        if rate and end in ("lo", "hi"):
            return f"{self._columns[rate]}: {self._columns[end]}"
        return self._columns[name]


@cache
def texts(language: str) -> Texts:
    """The texts in a language."""
    return Texts(language)


class Shell:
    """Makes pages of templates.

    Args:
        assets: the static files to which pages link.
    """

    def __init__(self, assets: Assets) -> None:
        self.url = assets.url
        self._environment = Environment(
            loader=PackageLoader("api.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters["state"] = state_block
        self._environment.globals["utc"] = utc

    def page(
        self,
        call: Call,
        template: str,
        code: int = 200,
        script: str | None = None,
        preloads: tuple[str, ...] = (),
        fetches: tuple[str, ...] = (),
        framed: bool = False,
        **context: object,
    ) -> Response:
        """Return a page.

        Args:
            call: who asks, and in which language.
            template: the name of a file in `templates/`.
            script: the module of `static/pages/` that gives it life; None for a page without one.
            preloads: modules that this script imports here, besides its `PRELOADS`.
            fetches: what this script reads first: a browser asks for it together with the script.
            framed: pages of other servers may show it in a frame; then it neither reads nor sets cookies.
            context: what the template shows.  `state`, if there is one, is what the script reads.
        """
        text = texts(call.language)
        html = self._environment.get_template(template).render(
            t=text,
            language=call.language,
            languages=[(language, language_link(call.request, language)) for language in LANGUAGES],
            url=self.url,
            person=call.visitor.person,
            has_data=call.services.data.is_offered,
            path=call.request.url.path,
            here=quote(_address(call.request)),
            script=script,
            preloads=(*PRELOADS.get(script or "", ()), *preloads),
            fetches=fetches,
            script_texts=text.script,
            framed=framed,
            **context,
        )
        head = {**HEADERS, "content-language": call.language}
        response = Response(html.encode(), code, head, HTML)
        if framed:
            response.headers["content-security-policy"] = FRAMED
        elif call.request.query_params.get("lang") in LANGUAGES:
            secure = call.request.url.scheme == "https"
            response.set_cookie(COOKIE, call.language, max_age=_YEAR, secure=secure, samesite="lax")
        return response

    def fragment(self, template: str, **context: object) -> str:
        """Return HTML that stands in a page which is not made of `base.html`."""
        return self._environment.get_template(template).render(**context)


class HasShell(Protocol):
    """What makes pages."""

    shell: Shell


def _address(request: Request) -> str:
    """Return the address of a page without its host and its language."""
    return str(request.url.remove_query_params("lang").replace(scheme="", netloc=""))


def language_of(request: Request, *, cookies: bool = True) -> str:
    """Return the language of a page: that of the address, else of the cookie, else of the browser."""
    for wanted in (request.query_params.get("lang"), request.cookies.get(COOKIE) if cookies else None):
        if wanted in LANGUAGES:
            return str(wanted)
    return decoding.language_of(request)


def language_link(request: Request, language: str) -> str:
    """Return the address of the same page in another language."""
    return "?" + str(request.url.include_query_params(lang=language).query)


def utc(at: int) -> dict[str, str]:
    """Return a time, in microseconds UTC, for a machine (`iso`) and in words (`text`)."""
    moment = datetime.fromtimestamp(at // 1_000_000, UTC)
    return {"iso": moment.isoformat(), "text": f"{moment:%Y-%m-%d %H:%M} UTC"}


def state_block(state: Mapping[str, object]) -> Markup:
    """Return data as JSON that may stand inside a `script` element of HTML."""
    text = msgspec.json.encode(state).decode()
    return Markup(text.translate(_UNSAFE))
