"""The words of a game in one language, and the address at which a cache may keep them for ever."""

from __future__ import annotations

import pytest

from api.http import game_words
from api.http.game_words import encoded_words, words_address, words_address_of
from domain.games import GAMES
from tests.api.http.served import Served
from tests.domain.thirteen_minutes.tables import own_set
from tests.matches import Sitting

FOR_EVER = "public, max-age=31536000, immutable"


def test_words_come_in_the_language_of_the_address_whatever_the_client_prefers(server: Served) -> None:
    client = server.client()
    english = client.get("/v1/games/cia_vs_kgb?lang=en", accept_language="ru")
    russian = client.get("/v1/games/cia_vs_kgb?lang=ru", accept_language="en")
    assert (english.headers["content-language"], russian.headers["content-language"]) == ("en", "ru")
    assert [seat["name"] for seat in english.json["seats"]] == ["CIA", "KGB"]
    assert [seat["name"] for seat in russian.json["seats"]] == ["ЦРУ", "КГБ"]
    assert english.json["names"].keys() == russian.json["names"].keys()


def test_words_at_the_address_with_their_hash_may_be_kept_for_ever(server: Served) -> None:
    client = server.client()
    plain = client.get("/v1/games/toy?lang=en")
    assert plain.headers["cache-control"] == "public, no-cache"
    found = plain.json["hash"]
    hashed = client.get(f"/v1/games/toy?lang=en&hash={found}")
    assert (hashed.body, hashed.headers["cache-control"]) == (plain.body, FOR_EVER)
    again = client.get(f"/v1/games/toy?lang=en&hash={found}", if_none_match=hashed.headers["etag"])
    assert (again.status, again.headers["cache-control"]) == (304, FOR_EVER)


def test_words_at_the_address_of_other_content_must_be_asked_for_again(server: Served) -> None:
    client = server.client()
    russian = client.get("/v1/games/toy?lang=ru").json["hash"]
    for stale in ("0" * 24, russian):
        answer = client.get(f"/v1/games/toy?lang=en&hash={stale}")
        assert (answer.status, answer.headers["cache-control"]) == (200, "public, no-cache")
        assert answer.body == client.get("/v1/games/toy?lang=en").body


@pytest.mark.parametrize(
    ("query", "status", "kind"),
    [
        ("lang=de", 422, "invalid"),
        ("lang=", 422, "invalid"),
        ("lang=en&edition=third", 422, "bad-option"),
        (f"lang=en&edition={'x' * 65}", 422, "invalid"),
        ("lang=en&hash=..%2F..", 422, "invalid"),
        (f"lang=en&hash={'A' * 24}", 422, "invalid"),
        (f"hash={'0' * 24}", 422, "invalid"),
        ("edition=deluxe", 422, "invalid"),
        ("match=m", 422, "invalid"),
        ("lang=en&match=..%2F", 422, "invalid"),
        ("lang=en&match=nothing", 404, "unknown-match"),
    ],
)
def test_query_that_names_no_words_is_refused(server: Served, query: str, status: int, kind: str) -> None:
    server.client().get(f"/v1/games/twilight_struggle?{query}").problem(status, kind)


def test_edition_has_its_own_names_and_its_own_address(server: Served) -> None:
    client = server.client()
    told = {}
    for edition in GAMES["twilight_struggle"].editions:
        address = words_address(GAMES["twilight_struggle"], "en", edition)
        answer = client.get(address)
        assert answer.headers["cache-control"] == FOR_EVER
        told[edition] = answer.json["names"]["space.4"], address
    assert len({name for name, _ in told.values()}) == len({address for _, address in told.values()}) == 2


def test_words_are_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = encoded_words(GAMES["cia_vs_kgb"], "ru")
    monkeypatch.setattr(game_words, "game_words", None)
    assert encoded_words(GAMES["cia_vs_kgb"], "ru", "standard") is first


def test_match_with_a_card_set_has_its_own_words_at_its_own_address(server: Served) -> None:
    ann = server.player()
    plain = {"game": "thirteen_minutes"}
    with_cards = {**plain, "options": {"card_set": own_set()}}
    own, usual = (ann.post("/v1/matches", body).json["match"] for body in (with_cards, plain))
    found = {}
    for match in (own, usual):
        answer = ann.get(f"/v1/games/thirteen_minutes?lang=en&match={match}")
        found[match] = answer.json
        hashed = ann.get(f"/v1/games/thirteen_minutes?lang=en&match={match}&hash={answer.json['hash']}")
        assert hashed.headers["cache-control"] == FOR_EVER
    assert all(found[own]["names"][card["id"]] == card["title"]["en"] for card in own_set()["cards"])
    assert found[usual] == ann.get("/v1/games/thirteen_minutes?lang=en").json
    ann.get(f"/v1/games/toy?lang=en&match={own}").problem(422, "invalid")
    ann.get(f"/v1/games/thirteen_minutes?lang=en&edition=x&match={own}").problem(422, "invalid")


def test_address_of_a_match_names_it_only_if_its_words_are_its_own() -> None:
    own = Sitting(GAMES["thirteen_minutes"], 1, options={"card_set": own_set()}).seat_all().match
    usual = Sitting(GAMES["thirteen_minutes"], 1, options={"campaign": True}).seat_all().match
    assert f"&match={own.id}&" in words_address_of(own, "ru")
    assert words_address_of(usual, "ru") == words_address(usual.game, "ru")
