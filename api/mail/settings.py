"""The settings of mail: without GLASNOST_MAIL_HOST, no mail is sent, and none is offered.

The others are GLASNOST_MAIL_PORT, GLASNOST_MAIL_TLS, GLASNOST_MAIL_USER, GLASNOST_MAIL_PASSWORD_FILE,
GLASNOST_MAIL_FROM and GLASNOST_MAIL_URL.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from api.settings import PREFIX, BadSetting

MOST_A_DAY = 30  # messages to one address
CONFIRMATIONS_A_DAY = 3  # of these, messages that ask to confirm an address
TLS = ("starttls", "tls", "none")
_PORTS = {"starttls": 587, "tls": 465, "none": 25}
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
ADDRESS = rf"^(?=.{{3,254}}$)(?=[^@]{{1,64}}@){_ATOM}(\.{_ATOM})*@{_LABEL}(\.{_LABEL})*$(?!\n)"
"""A mail address that is taken: ASCII letters without blanks, quotes, brackets and line ends."""
_address = re.compile(ADDRESS)


class MailSettings(Struct, frozen=True, kw_only=True):
    """How mail is sent.

    host, port: of the mail server.
    tls: "starttls", "tls" (from the first byte), or "none", which only a server on this machine takes.
    user, password: "" where the server asks for none.
    sender: the address from which mail comes.
    url: the origin to which the links in mail lead, without a slash at the end.
    seconds: how long the mail server may be silent; the whole of a message may take six times as long.
    """

    host: str
    port: int
    tls: str
    user: str
    password: str
    sender: str
    url: str
    seconds: float = 20.0


def is_address(text: str) -> bool:
    """Is this an address to which mail can be sent?"""
    return _address.fullmatch(text) is not None


def read_mail(environment: Mapping[str, str]) -> MailSettings | None:
    """Return the settings that an environment gives; None if it names no mail server.

    Raises:
        BadSetting: a value that cannot be used.
    """
    given = {name: environment.get(f"{PREFIX}MAIL_{name}", "").strip() for name in _NAMES}
    if not given["HOST"]:
        if named := [name for name, value in given.items() if value]:
            raise BadSetting(f"{PREFIX}MAIL_{named[0]} is of no use without {PREFIX}MAIL_HOST")
        return None
    tls = given["TLS"] or TLS[0]
    if tls not in TLS:
        raise BadSetting(f"{PREFIX}MAIL_TLS is one of {', '.join(TLS)}, not {tls!r}")
    if tls == "none" and not _is_here(given["HOST"]):
        raise BadSetting(f"{PREFIX}MAIL_TLS is none only for a mail server on this machine (localhost)")
    if not is_address(given["FROM"]):
        raise BadSetting(f"{PREFIX}MAIL_FROM is the address from which mail comes, not {given['FROM']!r}")
    return MailSettings(
        host=given["HOST"],
        port=_port(given["PORT"] or str(_PORTS[tls])),
        tls=tls,
        user=given["USER"],
        password=_password(given["PASSWORD_FILE"]),
        sender=given["FROM"],
        url=_url(given["URL"]),
    )


_NAMES = ("HOST", "PORT", "TLS", "USER", "PASSWORD_FILE", "FROM", "URL")


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= 65_535):
        raise BadSetting(f"{PREFIX}MAIL_PORT is a number from 1 to 65535, not {text!r}")
    return int(text)


def _url(text: str) -> str:
    parts = urlsplit(text)
    plain = f"{parts.scheme}://{parts.netloc}"
    if parts.scheme not in ("http", "https") or text.rstrip("/") != plain or not re.fullmatch(_SITE, plain):
        name = f"{PREFIX}MAIL_URL"
        raise BadSetting(f"{name} is where players open this server, such as https://play.example.org")
    return plain


_SITE = r"https?://[A-Za-z0-9.\[\]:-]{1,200}"


def _password(file: str) -> str:
    if not file:
        return ""
    try:
        return Path(file).read_text("utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise BadSetting(f"{PREFIX}MAIL_PASSWORD_FILE: {file} cannot be read: {why}") from error


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
