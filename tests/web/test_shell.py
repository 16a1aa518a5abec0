"""The shell of the pages: security headers, languages, static files, and pages that say what is wrong."""

from __future__ import annotations

import gzip
import re
import tomllib
from pathlib import Path

import pytest

import api.web
from api.web.assets import FOREVER, Assets
from api.web.shell import HEADERS, state_block, texts
from tests.api.http.served import Served

HOME = Path(api.web.__file__).parent


def keys(language: str) -> dict[str, set[str]]:
    found = tomllib.loads((HOME / f"texts.{language}.toml").read_text("utf-8"))
    return {section: set(content) for section, content in found.items()}


def test_both_languages_have_the_same_texts() -> None:
    assert keys("en") == keys("ru")


def test_every_text_is_used_and_every_used_text_exists() -> None:
    """W36: no key is shown raw, and none is left over."""
    modules = "".join(path.read_text("utf-8") for path in (HOME / "static").rglob("*.js"))
    pages = "".join(path.read_text("utf-8") for path in (HOME / "templates").iterdir())
    pages += pages.replace("'", '"')
    used, known = set(re.findall(r'\bt\("(\w+)"(?!\s*~)', pages)), keys("en")["page"]
    for beginning in set(re.findall(r'\bt\("(\w+)"\s*~', pages)):  # a template adds an id to it
        assert {key for key in known if key.startswith(beginning)} - used, beginning
        used |= {key for key in known if key.startswith(beginning)}
    assert used == known
    assert {key for key in keys("en")["script"] if f'"{key}"' not in modules and not built(key)} == set()
    assert set(re.findall(r'\bt\("(\w+)"', modules)) <= keys("en")["script"]


def built(key: str) -> bool:
    """Is a key put together by a script, of a beginning and an id?"""
    return key.startswith(
        ("audit_draw_", "audit_kind_", "audit_outcome_", "audit_question_", "filter_", "view_")
    )


@pytest.mark.parametrize("language", ["en", "ru"])
def test_plural_forms_are_complete(language: str) -> None:
    forms = {"en": {"one", "other"}, "ru": {"one", "few", "many", "other"}}[language]
    for key, text in texts(language).script.items():
        assert isinstance(text, str) or set(text) == forms, key


def test_a_page_has_its_security_headers_and_says_what_is_wrong(house: Served) -> None:
    """W2, W14."""
    client = house.client()
    for path, status in (("/m/nonsense", 404), ("/m/nonsense?color=red", 404), ("/m/%00", 404)):
        answer = client.get(path)
        assert answer.status == status
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert b"<h1>" in answer.body


def test_the_address_names_the_language_before_the_cookie_and_the_cookie_before_the_browser(
    house: Served,
) -> None:
    client = house.client()

    def language(path: str, **headers: str) -> str:
        return client.get(path, **headers).headers["content-language"]

    assert language("/m/none") == "en"
    assert language("/m/none", accept_language="ru, en;q=0.5") == "ru"
    assert language("/m/none", accept_language="ru", cookie="lang=en") == "en"
    assert language("/m/none?lang=ru", cookie="lang=en") == "ru"
    assert language("/m/none?lang=xx", cookie="lang=ru") == "ru"
    assert "lang=ru" in client.get("/m/none?lang=ru").headers["set-cookie"]


def test_static_files_are_kept_for_ever_at_the_address_of_their_content(house: Served) -> None:
    """W8, D5."""
    client, assets = house.client(), Assets()
    plain, packed = (
        client.get(assets.url("page.css")),
        client.get(assets.url("page.css"), accept_encoding="gzip"),
    )
    assert plain.headers["cache-control"] == packed.headers["cache-control"] == FOREVER
    assert gzip.decompress(packed.body) == plain.body
    assert plain.headers["content-type"] == "text/css; charset=utf-8"
    for path in ("nothing.css", "../shell.py", "%2e%2e/shell.py", "base/../../shell.py", ""):
        assert client.get(f"{assets.folder}/{path}").status == 404
    assert client.get("/static/0000000000000000/page.css").status == 404


def test_data_in_a_page_cannot_end_its_element() -> None:
    said = state_block({"name": "</script><script>alert(1)</script>\u2028&amp;"})
    assert "<" not in said
    assert "&" not in said
