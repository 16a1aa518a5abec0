"""A real mail server on loopback: it takes messages, refuses, or hangs."""

from __future__ import annotations

import datetime
import email
import email.policy
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from api.mail.settings import MailSettings
from tests.waiting import soon


class Post:
    """What arrived.  `refusal`: the answer to every message; "": it is taken."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.raw: list[bytes] = []
        self.refusal = ""
        self.secure: list[bool] = []
        self.then: Callable[[], None] = lambda: None  # is done when a message is here, before the answer

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        """Take a message."""
        if self.refusal:
            return self.refusal
        self.raw.append(envelope.content)
        self.secure.append(session.ssl is not None)
        parsed = email.message_from_bytes(envelope.content, policy=email.policy.default)
        assert isinstance(parsed, EmailMessage)
        assert parsed["To"] == envelope.rcpt_tos[0]
        assert len(envelope.rcpt_tos) == 1
        self.messages.append(parsed)
        self.then()
        return "250 OK"

    def arrives(self, count: int) -> list[EmailMessage]:
        """The messages, once there are so many."""
        soon(lambda: len(self.messages) >= count)
        return self.messages


def certificate(folder: Path) -> tuple[Path, Path]:
    """A key and a certificate of localhost that signs itself; their files."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    hosts = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "smtp.key", folder / "smtp.pem"
    plain = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    files[0].write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    files[1].write_bytes(made.public_bytes(pem))
    return files


def settings(port: int, **more: Any) -> MailSettings:
    """Settings of a mail server on loopback, without TLS."""
    about: dict[str, Any] = {"host": "127.0.0.1", "port": port, "tls": "none", "user": "", "password": ""}
    about |= {"sender": "games@play.example.org", "url": "https://play.example.org", "seconds": 5.0}
    return MailSettings(**(about | more))


@contextmanager
def post_office(files: tuple[Path, Path] | None = None, tls: str = "none") -> Iterator[tuple[Post, int]]:
    """A mail server, and its port; with a certificate it takes mail over TLS only, from one user."""
    post, options = Post(), dict[str, Any]()
    if files is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(files[1], files[0])
        options["authenticator"] = _authenticated
        if tls == "starttls":
            options |= {"tls_context": context, "require_starttls": True, "auth_required": True}
        else:
            options |= {"ssl_context": context, "auth_require_tls": False}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(post, hostname="127.0.0.1", port=port, server_hostname="localhost", **options)
    controller.start()
    try:
        yield post, port
    finally:
        controller.stop()


def _authenticated(server: SMTP, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
    return AuthResult(success=(data.login, data.password) == (b"games", b"secret"))


@contextmanager
def hanging() -> Iterator[tuple[threading.Event, int]]:
    """A mail server that takes connections and never says anything; the event is set by the first one."""
    reached = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        kept: list[socket.socket] = []

        def take() -> None:
            while True:
                try:
                    kept.append(listener.accept()[0])
                except OSError:
                    return
                reached.set()

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        try:
            yield reached, listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for one in kept:
                one.close()
