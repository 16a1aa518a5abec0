"""Messages: headers that no name and no address can break, and settings that cannot be used."""

from __future__ import annotations

import email
import email.policy
import tomllib
from email.message import EmailMessage
from pathlib import Path

import pytest

from api.http.app_state import checked
from api.mail import kinds, messages
from api.mail.links import Links, fits
from api.mail.messages import Line, composed, confirmation, notices, trial
from api.mail.settings import is_address, read_mail
from api.settings import BadSetting
from domain.kernel import Refused
from domain.texts import LANGUAGES
from tests.mail.smtp import settings

MADE = 1_790_000_000_000_000
HOSTILE = (
    "x\r\nBcc: all@evil.example",
    "x\nSubject: buy",
    "x\u2028Bcc: y",
    "\u202egnp.exe",
    "=?utf-8?q?=0ABcc:_y?=",
    "<script>alert(1)</script>\"'&",
    "a" * 10_000,
)
KNOWN = {
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "Auto-Submitted",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "MIME-Version",
    "Content-Type",
}


def sent(line: Line, language: str = "en") -> EmailMessage:
    """A message as its receiver reads it."""
    letter = notices([line], language, "https://play.example.org", "https://play.example.org/mail/stop/p/c")
    made = composed(letter, "nabc", MADE, "ann@example.org", settings(25))
    read = email.message_from_bytes(bytes(made), policy=email.policy.default)
    assert isinstance(read, EmailMessage)
    return read


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_adds_a_header_or_html(name: str, language: str) -> None:
    read = sent(Line("your-move", "Twilight Struggle", "m1", 212, [name]), language)
    assert set(read.keys()) == KNOWN
    assert read["To"] == "ann@example.org"
    plain, html = (read.get_body((kind,)) for kind in ("plain", "html"))
    assert plain is not None
    assert html is not None
    assert "\nBcc" not in plain.get_content()
    assert "\nSubject" not in plain.get_content()
    assert "<script" not in html.get_content()
    assert len(bytes(read)) < 5_000


@pytest.mark.parametrize("part", HOSTILE[:5])
def test_no_other_text_adds_a_header(part: str) -> None:
    read = sent(Line("your-move", part, "m1", 212, []))
    assert set(read.keys()) == KNOWN


def test_a_message_names_match_and_move_and_can_be_ended() -> None:
    read = sent(Line("your-move", "Сумеречная борьба", "m1", 212, ["Ben"]), "ru")
    assert read["Subject"] == "Сумеречная борьба: ваш ход (m1, ход 212)"
    assert read["From"] == "Glasnost <games@play.example.org>"
    assert read["Message-ID"] == "<nabc@play.example.org>"
    assert read["List-Unsubscribe"] == "<https://play.example.org/mail/stop/p/c>"
    assert read["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    body = read.get_body(("plain",))
    assert body is not None
    for part in ("https://play.example.org/m/m1?move=212", "Ben", "https://play.example.org/mail/stop/p/c"):
        assert part in body.get_content()


def test_a_message_that_is_made_twice_is_the_same_message() -> None:
    letter = confirmation("en", "https://play.example.org", "https://play.example.org/mail/confirm/p/c")
    one, other = (bytes(composed(letter, "n1", MADE, "a@b.example", settings(25))) for _ in range(2))
    assert one == other


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ann",
        "@example.org",
        "ann@",
        "ann@example.org\n",
        "ann@example.org\r\nBcc: x@y.example",
        "ann@example.org, ben@example.org",
        "ann@example.org,ben@example.org",
        "Ann <ann@example.org>",
        '"a b"@example.org',
        "ann@exa mple.org",
        "ann@-example.org",
        "ann@example..org",
        ".ann@example.org",
        "an..n@example.org",
        "ann@[127.0.0.1]",
        "ann@example.org\0",
        "анна@example.org",
        "ann@пример.рф",
        f"{'a' * 65}@example.org",
        f"a@{'b.' * 130}org",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    assert not is_address(text)


@pytest.mark.parametrize("text", ["ann@example.org", "a.n+n_1@mail.example.co.uk", "a@xn--e1afmkfd.xn--p1ai"])
def test_what_is_an_address_is_taken(text: str) -> None:
    assert is_address(text)
    letter = trial("en", "https://play.example.org")
    assert composed(letter, "n1", MADE, text, settings(25))["To"] == text


def test_a_name_with_a_line_end_is_no_name() -> None:
    with pytest.raises(Refused):
        checked(HOSTILE[0])


def test_both_languages_have_the_same_texts_with_the_same_values() -> None:
    there = {
        language: tomllib.loads(
            Path(messages.__file__).with_name(f"texts.{language}.toml").read_text("utf-8")
        )
        for language in LANGUAGES
    }
    assert there["en"].keys() == there["ru"].keys()
    for key in there["en"]:
        values = {language: set(told[key].split("{")[1:]) for language, told in there.items()}
        assert {v.split("}")[0] for v in values["en"]} == {v.split("}")[0] for v in values["ru"]}, key
    for kind in kinds.KINDS:
        assert {f"{kind}.subject", f"{kind}.body"} <= there["en"].keys()


def test_a_code_is_good_for_its_purpose_alone() -> None:
    links, others = Links(b"k" * 32), Links(b"l" * 32)
    codes = {
        links.stop("p1", "a@b.example"),
        links.stop("p2", "a@b.example"),
        links.stop("p1", "c@b.example"),
        links.confirm("p1", "a@b.example", 1),
        links.confirm("p1", "a@b.example", 2),
        links.feed("p1", "a@b.example"),
        others.stop("p1", "a@b.example"),
    }
    assert len(codes) == 7
    assert all(len(code) == 24 for code in codes)
    assert fits(links.stop("p1", "a@b.example"), links.stop("p1", "a@b.example"))
    assert not fits("\ud800ы", links.stop("p1", "a@b.example"))


GOOD = {
    "GLASNOST_MAIL_HOST": "smtp.example.org",
    "GLASNOST_MAIL_FROM": "games@example.org",
    "GLASNOST_MAIL_URL": "https://play.example.org/",
}


def test_settings_are_read(tmp_path: Path) -> None:
    assert read_mail({}) is None
    assert read_mail({"GLASNOST_MAIL_HOST": ""}) is None
    found = read_mail(GOOD)
    assert found is not None
    assert (found.port, found.tls, found.url) == (587, "starttls", "https://play.example.org")
    (tmp_path / "password").write_text("secret\n")
    more = {"GLASNOST_MAIL_USER": "games", "GLASNOST_MAIL_PASSWORD_FILE": str(tmp_path / "password")}
    found = read_mail(GOOD | more | {"GLASNOST_MAIL_TLS": "tls"})
    assert found is not None
    assert (found.port, found.user, found.password) == (465, "games", "secret")


@pytest.mark.parametrize(
    "wrong",
    [
        {"GLASNOST_MAIL_HOST": ""},
        {"GLASNOST_MAIL_FROM": "games"},
        {"GLASNOST_MAIL_FROM": "games@example.org\nBcc: x@y.example"},
        {"GLASNOST_MAIL_URL": ""},
        {"GLASNOST_MAIL_URL": "javascript:alert(1)"},
        {"GLASNOST_MAIL_URL": "https://play.example.org/path"},
        {"GLASNOST_MAIL_URL": "https://play.example.org?x"},
        {"GLASNOST_MAIL_PORT": "0"},
        {"GLASNOST_MAIL_PORT": "x"},
        {"GLASNOST_MAIL_TLS": "none"},
        {"GLASNOST_MAIL_TLS": "maybe"},
        {"GLASNOST_MAIL_PASSWORD_FILE": "/nowhere/at/all"},
    ],
)
def test_settings_that_cannot_be_used_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(BadSetting, match="GLASNOST_MAIL_"):
        read_mail(GOOD | wrong)
