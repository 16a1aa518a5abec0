"""Sending one message to a mail server, in a thread of its own that nothing waits for."""

from __future__ import annotations

import asyncio
import smtplib
import socket
import ssl
import threading
from contextlib import suppress
from email.message import EmailMessage

from api.mail.settings import MailSettings
from replay.sanitize import one_line

_WHOLE = 6  # times the silence that is allowed, a whole message may take
_SAID = 300  # characters of what a mail server says
_PERMANENT = range(500, 600)


class AddressRefused(Exception):
    """The mail server refuses this address for ever; the text is what it says."""


class NotSent(Exception):
    """The message could not be sent now; the text says why."""


class Delivery:
    """One attempt to send a message.

    Args:
        settings: of the mail server.
        message: it has its sender and its one receiver.
    """

    def __init__(self, settings: MailSettings, message: EmailMessage) -> None:
        self._settings, self._message = settings, message
        self._server: smtplib.SMTP | None = None

    def run(self) -> None:
        """Send the message.

        Raises:
            AddressRefused: the server answers the address, or the message, with 5xx.
            NotSent: anything else went wrong.
        """
        try:
            with self._connected() as server:
                self._server = server
                self._enter(server)
                server.send_message(self._message)
        except smtplib.SMTPRecipientsRefused as error:
            ((code, said),) = error.recipients.values()
            raise _failure(code, said, permanent=AddressRefused) from error
        except smtplib.SMTPDataError as error:
            raise _failure(error.smtp_code, error.smtp_error, permanent=AddressRefused) from error
        except smtplib.SMTPResponseException as error:  # about the server or its user, not about the address
            raise _failure(error.smtp_code, error.smtp_error, permanent=NotSent) from error
        except (OSError, smtplib.SMTPException, ValueError) as error:
            raise NotSent(one_line(f"{type(error).__name__}: {error}")[:_SAID]) from error

    def _connected(self) -> smtplib.SMTP:
        about = self._settings
        name = about.sender.rpartition("@")[2]  # else the library asks the DNS for it, without a limit
        if about.tls == "tls":
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(about.host, about.port, name, timeout=about.seconds, context=context)
        return smtplib.SMTP(about.host, about.port, name, timeout=about.seconds)

    def _enter(self, server: smtplib.SMTP) -> None:
        if self._settings.tls == "starttls":
            server.starttls(context=ssl.create_default_context())
        if self._settings.user:
            server.login(self._settings.user, self._settings.password)

    def give_up(self) -> None:
        """Break the connection off, from another thread."""
        if self._server is not None and (found := self._server.sock) is not None:
            with suppress(OSError):
                found.shutdown(socket.SHUT_RDWR)


async def send(settings: MailSettings, message: EmailMessage) -> None:
    """Send a message, in a thread of its own.

    Raises:
        AddressRefused, NotSent: see `Delivery.run`; also if it takes too long.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    delivery = Delivery(settings, message)

    def finish(error: Exception | None) -> None:
        if not done.done():
            done.set_exception(error) if error else done.set_result(None)

    def work() -> None:
        failed: Exception | None = None
        try:
            delivery.run()
        except Exception as error:
            failed = error
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(finish, failed)

    threading.Thread(target=work, name="mail", daemon=True).start()
    try:
        async with asyncio.timeout(_WHOLE * settings.seconds):  # wait_for of 3.11 may drop a cancellation
            await done
    except TimeoutError as error:
        raise NotSent("the mail server takes too long") from error
    finally:
        if not done.done() or done.cancelled():
            delivery.give_up()


def _failure(code: int, said: bytes | str, permanent: type[Exception]) -> Exception:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    text = one_line(f"{code} {' '.join(text.split())}")[:_SAID]
    return permanent(text) if code in _PERMANENT else NotSent(text)
