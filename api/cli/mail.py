"""`glasnost mail`: check that mail arrives before players rely on it."""

from __future__ import annotations

import os
import time

import click

from api.cli.common import CannotBeDone, language_option


@click.group()
def mail() -> None:
    """Check how mail is sent; the settings are those of the server (GLASNOST_MAIL_HOST and others).

    \b
    Example:
      glasnost mail test me@example.org
    """


@mail.command()
@click.argument("address")
@language_option
def test(address: str, language: str) -> None:
    """Send a test message to ADDRESS, and say what the mail server answers if it does not take it.

    \b
    Example:
      glasnost mail test me@example.org
    """
    from api.mail.messages import composed, trial
    from api.mail.settings import is_address, read_mail
    from api.mail.smtp import AddressRefused, Delivery, NotSent
    from api.settings import BadSetting
    from api.store.accounts import new_id

    if not is_address(address):
        raise CannotBeDone(f"ADDRESS: {address!r} is not a mail address that is taken")
    try:
        settings = read_mail(os.environ)
    except BadSetting as error:
        raise CannotBeDone(str(error)) from error
    if settings is None:
        raise CannotBeDone("no mail server is named: set GLASNOST_MAIL_HOST")
    letter = trial(language, settings.url)
    message = composed(letter, new_id("n"), time.time_ns() // 1_000, address, settings)
    try:
        Delivery(settings, message).run()
    except (AddressRefused, NotSent) as error:
        raise CannotBeDone(f"{settings.host} port {settings.port}: {error}") from error
    click.echo(f"{settings.host} took the message; look whether it arrives at {address}")
