"""How a message looks: plain text and HTML, in the language of its player.

Only the sender, the address, ids, and texts of ours come into the headers; names of players are in the body
alone, on one line, and in HTML escaped.
"""

from __future__ import annotations

import importlib.resources
import tomllib
from collections.abc import Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import cache
from html import escape

from msgspec import Struct

from api.mail.settings import MailSettings
from replay.sanitize import one_line

_POLICY = SMTP.clone(max_line_length=500)  # a folded link would be no link
_NAME = 80  # characters of a name


class Line(Struct, frozen=True):
    """One notice as it is shown: its kind, the title of the game, the match, the move, and against whom.

    Of a tournament: its title, its id and the entry.  `place`: the page to which it leads; "": the match.
    """

    kind: str
    title: str
    match: str
    move: int
    others: Sequence[str]
    place: str = ""


class Letter(Struct, frozen=True):
    """A message: subject, paragraphs (a text and, perhaps, a link), and the link that ends them all."""

    subject: str
    paragraphs: Sequence[tuple[str, str]]
    stop: str = ""


@cache
def texts(language: str) -> dict[str, str]:
    """Return the texts of mail in a language."""
    file = importlib.resources.files("api.mail") / f"texts.{language}.toml"
    return tomllib.loads(file.read_text("utf-8"))


def notices(lines: Sequence[Line], language: str, url: str, stop: str) -> Letter:
    """Return the message that tells notices; there is at least one.

    Args:
        url: the origin of this server.
        stop: the link that ends notifications.
    """
    t, first = texts(language), lines[0]
    subject = t["several"].format(count=len(lines))
    if len(lines) == 1:
        title = one_line(first.title)
        subject = t[f"{first.kind}.subject"].format(title=title, match=first.match, move=first.move)
    paragraphs = [(_sentence(line, t), f"{url}/{_place(line)}") for line in lines]
    return Letter(subject, [*paragraphs, (t["why"], f"{url}/in"), (t["stop"], stop)], stop)


def _place(line: Line) -> str:
    return line.place or f"m/{line.match}?move={line.move}"


def _sentence(line: Line, t: dict[str, str]) -> str:
    against = ", ".join(one_line(name)[:_NAME] for name in line.others)
    sentence = t[f"{line.kind}.body"].format(title=line.title, match=line.match, move=line.move)
    return f"{sentence} {t['against'].format(names=against)}" if against else sentence


def confirmation(language: str, url: str, link: str) -> Letter:
    """Return the message that asks to confirm an address."""
    t = texts(language)
    return Letter(
        t["confirm.subject"], [(t["confirm.body"].format(server=url), link), (t["confirm.else"], "")]
    )


def place(language: str, title: str, url: str, link: str) -> Letter:
    """Return the message with the code of a place that is kept in a tournament."""
    t = texts(language)
    subject = t["place.subject"].format(title=one_line(title))
    body = t["place.body"].format(title=one_line(title), server=url)
    return Letter(subject, [(body, link), (t["place.else"], "")])


def trial(language: str, url: str) -> Letter:
    """Return the message of `glasnost mail test`."""
    t = texts(language)
    return Letter(t["test.subject"], [(t["test.body"].format(server=url), url)])


def composed(letter: Letter, id: str, made: int, address: str, about: MailSettings) -> EmailMessage:
    """Return a message as it is sent: the same bytes, but for its content, for the same id.

    Args:
        id: makes the Message-ID.
        made: microseconds UTC.

    Raises:
        ValueError: an address is none.
    """
    from datetime import UTC, datetime

    message = EmailMessage(_POLICY)
    message["From"] = Address("Glasnost", addr_spec=about.sender)
    message["To"] = Address(addr_spec=address)
    message["Subject"] = one_line(letter.subject).replace("=?", "= ?")  # the library decodes encoded words
    message["Date"] = format_datetime(datetime.fromtimestamp(made // 1_000_000, UTC))
    message["Message-ID"] = f"<{id}@{about.sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    if letter.stop:
        message["List-Unsubscribe"] = f"<{letter.stop}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content("\n\n".join(f"{text}\n{link}".strip() for text, link in letter.paragraphs) + "\n")
    message.add_alternative(_html(letter), subtype="html")
    message.set_boundary(f"=_{id}")
    return message


def _html(letter: Letter) -> str:
    paragraphs = [
        f"<p>{escape(text)}" + (f'<br><a href="{escape(link)}">{escape(link)}</a></p>' if link else "</p>")
        for text, link in letter.paragraphs
    ]
    head = f'<meta charset="utf-8"><title>{escape(letter.subject)}</title>'
    return f"<!doctype html><html><head>{head}</head><body>{''.join(paragraphs)}</body></html>\n"
