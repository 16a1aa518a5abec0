"""`glasnost mail test`."""

from __future__ import annotations

import pytest

from api.cli.main import run
from tests.mail.smtp import post_office
from tests.mail.test_killed import environment


@pytest.fixture
def _set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(1).items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("_set")
def test_a_test_message_is_sent(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with post_office() as (post, port):
        monkeypatch.setenv("GLASNOST_MAIL_PORT", str(port))
        assert run(["mail", "test", "me@example.org", "--lang", "ru"]) == 0
        assert post.messages[0]["Subject"] == "Glasnost: проверка почты"
        post.refusal = "550 5.1.1 unknown user"
        assert run(["mail", "test", "me@example.org"]) == 2
        assert "unknown user" in capsys.readouterr().err


@pytest.mark.usefixtures("_set")
@pytest.mark.parametrize("address", ["me", "me@example.org\nBcc: x@y.example"])
def test_what_is_no_address_is_refused(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mail", "test", address]) == 2
    assert "ADDRESS" in capsys.readouterr().err


@pytest.mark.usefixtures("_set")
def test_a_server_that_is_away_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mail", "test", "me@example.org"]) == 2
    assert "127.0.0.1 port 1" in capsys.readouterr().err


def test_without_settings_it_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GLASNOST_MAIL_HOST", raising=False)
    assert run(["mail", "test", "me@example.org"]) == 2
    assert "GLASNOST_MAIL_HOST" in capsys.readouterr().err
