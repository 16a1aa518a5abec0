"""A browser without a page: cookies, and the headers that tell a server who sends a request."""

from __future__ import annotations

import json
from http.cookies import SimpleCookie
from typing import Any

from tests.api.http.served import Answer, Client, Served

JSON = "application/json"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
THEIRS = "https://evil.example"


class Browser:
    """What a browser sends: the headers of a page, and the cookies that it keeps.  It has no token."""

    def __init__(self, server: Served, origin: str = "", host: str = "") -> None:
        self.server, self.client = server, server.client()
        self.host = host or f"127.0.0.1:{server.port}"
        self.origin = origin or f"http://{self.host}"
        self.jar: dict[str, str] = {}

    def send(self, method: str, path: str, body: Any = None, **more: str | None) -> Answer:
        """One request of an own page; `more` replaces headers, None leaves one out."""
        head: dict[str, str | None] = {"host": self.host, "user_agent": FIREFOX, "content_type": JSON}
        head["cookie"] = "; ".join(f"{name}={value}" for name, value in self.jar.items()) or None
        head |= {"origin": None if method == "GET" else self.origin, "sec_fetch_site": "same-origin"} | more
        sent = {name.replace("_", "-"): value for name, value in head.items() if value is not None}
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        answer = self.client.send(method, path, content, sent)
        self.keep(answer)
        return answer

    def keep(self, answer: Answer) -> None:
        """Keep or remove the cookie that the answer sets."""
        for name, morsel in SimpleCookie(answer.headers.get("set-cookie", "")).items():
            if morsel["max-age"] == "0":
                self.jar.pop(name, None)
            else:
                self.jar[name] = morsel.value

    def get(self, path: str, **more: str | None) -> Answer:
        """GET by a script of an own page."""
        return self.send("GET", path, **more)

    def post(self, path: str, body: Any, **more: str | None) -> Answer:
        """POST by a script of an own page."""
        return self.send("POST", path, body, **more)

    def sign_in(self, token: str | None) -> Any:
        """Sign in with a token."""
        answer = self.post("/v1/sessions", {"token": token})
        assert answer.status == 201, answer
        return answer.json

    @property
    def secret(self) -> str:
        """The secret of the session."""
        (secret,) = self.jar.values()
        return secret


def is_signed_in(browser: Browser, **more: str | None) -> bool:
    """Does the server know whose browser it is?"""
    return browser.get("/v1/sessions", **more).status == 200


def link(browser: Browser | Client, **body: str) -> str:
    """The code of a new link."""
    answer = browser.post("/v1/sessions/links", body)
    assert answer.status == 201, answer
    return str(answer.json["code"])
