"""The panel with the question: picks, refusals in words, takebacks, resignation, a phone, axe."""

from __future__ import annotations

import random
from typing import Any

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from tests.api.http.playing import asked, played
from tests.api.http.served import Client, Served
from tests.web.at_table import (
    LATE,
    Between,
    against_a_bot,
    answer,
    answered,
    first_asked,
    marked,
    more,
    proved,
    question,
    sitting,
)
from tests.web.axe import violations
from tests.web.browser import NARROW, WIDE


def test_the_options_are_a_list_and_the_same_on_the_board(server: Served, browser: Browser) -> None:
    match, ann = against_a_bot(server, "twilight_struggle", seat=1)
    asked = ann.get(f"/v1/matches/{match}/prompt").json
    with sitting(browser, ann, match) as page:
        question(page).wait_for()
        expect(page.locator("#question fieldset legend")).to_have_text(asked["why"])
        labels = page.locator("#question .option-name").all_inner_texts()
        assert labels == [option["label"] for option in asked["options"]]
        marked = page.eval_on_selector_all(
            "#board .pickable", "all => all.map((one) => one.dataset.id).sort()"
        )
        assert marked == sorted(id for option in asked["options"] for id in option["about"])
        space = page.locator(f"#s-{marked[0]}")
        space.click()
        expect(page.locator("#question input:checked")).to_have_value(marked[0])
        expect(space).to_contain_class("picked")
        page.keyboard.press("Escape")
        expect(page.locator("#question input:checked")).to_have_count(0)
        old = question(page).get_attribute("data-question")
        space.click()
        space.click()  # the second click sends
        answered(page, old)
        assert "Ann" not in page.locator("#moves li.move").last.inner_text()
        assert page.title().startswith("● ")


def test_several_picks_are_counted_and_those_that_fit_no_more_cannot_be_marked(
    server: Served, browser: Browser
) -> None:
    match, client, asked = with_several_picks(server)
    with sitting(browser, client, match) as page:
        question(page).wait_for()
        send, inputs = page.locator("#question [type=submit]"), page.locator("#question input[name=pick]")
        for n in range(asked["most"]):
            assert send.is_disabled() == (n < asked["least"])
            inputs.nth(n).click()
        expect(send).to_be_enabled()
        expect(page.locator("#question .count")).to_contain_text(str(asked["most"]))
        if len(asked["options"]) > asked["most"]:
            expect(inputs.nth(asked["most"])).to_be_disabled()
        old = question(page).get_attribute("data-question")
        send.click()
        answered(page, old)
    told = client.get(f"/v1/matches/{match}/moves").json["moves"]
    chosen = [option["pick"] for option in asked["options"][: asked["most"]]]
    assert any(move["picks"] == chosen for move in told if move["kind"] == "played")


def with_several_picks(server: Served) -> tuple[str, Client, Any]:
    """A match whose question wants several picks, its player, and the question."""
    luck = random.Random(0)
    while True:
        match, players = server.table("imperial_struggle")
        for _ in range(20):
            found = asked(match, players)
            if found is None:
                break
            if found[1]["least"] > 1:
                return match, found[0], found[1]
            played(match, players, luck)


# ── W27: refusals ──


@pytest.mark.parametrize(
    ("language", "words"),
    [
        pytest.param("en-GB", "is not among the options", marks=pytest.mark.long),
        ("ru", "такого варианта"),
    ],
)
def test_an_illegal_answer_is_refused_in_words_and_its_picks_stay(
    server: Served, browser: Browser, between: Between, language: str, words: str
) -> None:
    """W27: the server's own refusal."""
    match, ann = against_a_bot(server, "cia_vs_kgb")
    between.change = lambda message: {**message, "picks": ["nonsense"], "key": message["key"] + "x"}
    with sitting(browser, ann, match, language=language, through=between) as page:
        question(page).wait_for()
        answer(page)
        expect(page.locator(".question-problem")).to_contain_text(words)
        assert len(marked(page)) == 1
        between.change = lambda message: message
        page.locator(".question-problem button").click()
        expect(page.locator(".question-problem")).to_be_empty()
        old = question(page).get_attribute("data-question")
        page.locator("#question [type=submit]").click()
        answered(page, old)


def test_a_stale_answer_brings_the_new_question_and_says_what_was_done(
    server: Served, browser: Browser, between: Between
) -> None:
    """W27: the same player has answered elsewhere while the answer of this page was on its way."""
    match, ann = against_a_bot(server, "twilight_struggle", seat=1)
    with sitting(browser, ann, match, through=between) as page:
        question(page).wait_for()
        between.hold = True
        answer(page)
        expect(page.locator(".sent-line")).to_be_visible()
        asked = ann.get(f"/v1/matches/{match}/prompt").json
        body = {"expect": asked["move"], "picks": [asked["options"][1]["pick"]]}
        assert ann.post(f"/v1/matches/{match}/moves", body).status == 201
        between.release()
        expect(page.locator(".question-problem")).to_contain_text("1 move was made meanwhile")
        now = ann.get(f"/v1/matches/{match}/prompt").json
        expect(question(page)).to_have_attribute("data-question", str(now["move"]))
        answer(page)
        answered(page, str(now["move"]))
        expect(page.locator(".question-problem")).to_be_empty()


@pytest.mark.parametrize(
    ("kind", "sentence", "way", "wait"),
    [
        pytest.param("in-doubt", "move-in-doubt", "Ask again", 0, marks=pytest.mark.long),
        pytest.param("unavailable", "store-unavailable", "Send again", 0, marks=pytest.mark.long),
        ("limit", "too-many-requests", "Send again", 1),
    ],
)
def test_what_may_be_sent_again_is_sent_again_with_the_same_key(
    server: Served, browser: Browser, between: Between, kind: str, sentence: str, way: str, wait: int
) -> None:
    """W27: refusals that come of the server's state."""
    match, ann = against_a_bot(server, "cia_vs_kgb")

    def refused(message: Any) -> None:
        problem = {"type": f"/problems/{kind}", "title": kind, "status": 503, "detail": sentence}
        reply = {"id": message["id"], "status": 503, "problem": problem}
        between.tell({**reply, "retry_after": wait} if wait else reply)

    between.change = refused
    with sitting(browser, ann, match, through=between) as page:
        question(page).wait_for()
        old = question(page).get_attribute("data-question")
        answer(page)
        expect(page.locator(".question-problem")).to_contain_text(sentence)
        assert len(marked(page)) == 1
        between.change = lambda message: message
        page.get_by_role("button", name=way).click()
        answered(page, old)
        expect(page.locator(".question-problem")).to_be_empty()
        assert [message["key"] for message in between.sent] == [between.sent[0]["key"]] * 2


@pytest.mark.long
def test_an_answer_that_was_not_recorded_can_be_changed(
    server: Served, browser: Browser, between: Between
) -> None:
    match, ann = against_a_bot(server, "cia_vs_kgb")
    problem = {"type": "/problems/unavailable", "title": "Unavailable", "status": 503, "detail": "later"}
    between.change = lambda message: between.tell({"id": message["id"], "status": 503, "problem": problem})
    with sitting(browser, ann, match, through=between) as page:
        question(page).wait_for()
        answer(page)
        page.get_by_role("button", name="Change the answer").click()
        assert page.evaluate("sessionStorage.length") == 0
        between.change = lambda message: message
        old = question(page).get_attribute("data-question")
        page.locator("#question input[name=pick]").nth(1).click()
        page.locator("#question [type=submit]").click()
        answered(page, old)
    assert between.sent[0]["key"] != between.sent[1]["key"]
    assert between.sent[0]["picks"] != between.sent[1]["picks"]


def test_text_of_the_server_is_text_on_the_page(server: Served, browser: Browser, between: Between) -> None:
    """Neither a refusal nor a label is ever markup."""
    match, ann = against_a_bot(server, "cia_vs_kgb")
    hostile = "<img src=x onerror=alert(1)>\u202e"
    problem = {
        "type": "/problems/illegal",
        "title": hostile,
        "status": 422,
        "detail": hostile,
        "rule": hostile,
    }
    between.change = lambda message: between.tell({"id": message["id"], "status": 422, "problem": problem})
    with sitting(browser, ann, match, through=between) as page:
        question(page).wait_for()
        answer(page)
        expect(page.locator(".question-problem")).to_contain_text("<img src=x")
        assert page.locator("#question img").count() == 0


# ── W28: takebacks and resignation ──


def test_a_takeback_is_asked_shown_declined_agreed_and_lapses(server: Served, browser: Browser) -> None:
    """W28."""
    match, players = server.table("cia_vs_kgb")
    with sitting(browser, players[0], match) as one, sitting(browser, players[1], match) as two:
        pages = [one, two]
        who, _ = first_asked(match, players)
        mine, theirs = pages[who], pages[1 - who]
        shown = "asks to go back to the table after move"

        def done(move: int) -> None:
            for page in pages:
                page.locator(f'#moves .move[data-move="{move}"]').wait_for(state="attached")

        def ask() -> None:
            more(mine)
            mine.get_by_role("button", name="Ask to take back").click()
            expect(theirs.locator(".question-request")).to_contain_text(shown)
            expect(mine.locator(".question-request")).to_contain_text("You asked")
            assert mine.get_by_role("button", name="Agree").count() == 0

        def is_settled() -> None:
            for page in pages:
                expect(page.locator(".question-request")).to_be_empty()

        answer(mine)
        done(4)
        ask()
        theirs.get_by_role("button", name="Show that position").click()
        expect(theirs.locator("#bar input[type=number]")).to_have_value("3")
        theirs.locator("#question").get_by_role("button", name="Back to now").click()
        theirs.get_by_role("button", name="Decline").click()
        is_settled()
        expect(mine.locator('#moves .move[data-move="4"]')).not_to_contain_class("taken-back")
        ask()
        theirs.get_by_role("button", name="Agree").click()
        is_settled()
        for page in pages:
            expect(page.locator('#moves .move[data-move="4"]')).to_contain_class("taken-back")
        expect(question(mine)).to_have_count(1)
        last = players[0].get(f"/v1/matches/{match}").json["move"]
        answer(mine)
        done(last + 1)
        ask()
        answer(theirs)  # so the request lapses
        done(last + 3)
        is_settled()
        assert players[0].get(f"/v1/matches/{match}").json["request"] is None


def test_a_ruling_that_goes_back_is_on_the_page_at_once(server: Served, browser: Browser) -> None:
    match, players = server.table("cia_vs_kgb")
    with sitting(browser, players[0], match) as page:
        who, asked_first = first_asked(match, players)
        body = {"expect": asked_first["move"], "picks": [asked_first["options"][0]["pick"]]}
        assert players[who].post(f"/v1/matches/{match}/moves", body).status == 201
        page.locator('#moves .move[data-move="4"]').wait_for(state="attached")
        ruling = {"reason": "misheard", "back_to": 3}
        assert server.person("organizer").post(f"/v1/matches/{match}/rulings", ruling).status == 201
        expect(page.locator('#moves .move[data-move="4"]')).to_contain_class("taken-back")
        expect(page.locator('#moves .move[data-move="3"]')).not_to_contain_class("taken-back")
        assert server.client().get(f"/v1/matches/{match}/positions").json["moves"][3]["stands"] is False


def test_resignation_needs_two_steps(server: Served, browser: Browser) -> None:
    """W28."""
    match, ann = against_a_bot(server, "cia_vs_kgb")
    with sitting(browser, ann, match) as page:
        question(page).wait_for()
        more(page)
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("button", name="Play on").click()
        assert ann.get(f"/v1/matches/{match}").json["status"] == "running"
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("button", name="Yes, I resign").click()
        expect(page.locator(".link")).to_contain_text("The match is over")
        expect(page.locator("#question .more")).to_be_hidden()
        page.get_by_role("link", name="Open the replay").click()
        page.locator("#bar input[value=all]").wait_for()
    proved(ann, match)


# ── signed out; phones; axe ──


def test_one_who_is_signed_out_elsewhere_is_led_to_the_sign_in(server: Served, browser: Browser) -> None:
    match, ann = against_a_bot(server, "cia_vs_kgb")
    with sitting(browser, ann, match, faults=True) as page:
        question(page).wait_for()
        admin = server.person("admin")
        assert admin.post(f"/v1/players/{ann.player}/revocation", {}).status == 201
        answer(page)
        expect(page.locator(".link")).to_contain_text("You are signed out")
        expect(page.locator("#question [type=submit]")).to_be_disabled()
        assert page.locator(".link a").get_attribute("href", timeout=LATE) == "/in"
    moves = server.client().get(f"/v1/matches/{match}/moves").json["moves"]
    assert not [move for move in moves if move["seat"] == "cia" and move["kind"] == "played"]


@pytest.mark.parametrize(
    ("viewport", "scheme", "language"),
    [pytest.param(WIDE, "dark", "ru", marks=pytest.mark.long), (NARROW, "light", "en-GB")],
)
def test_the_page_of_a_player_fits_a_phone_and_axe_finds_nothing_serious(
    server: Served, browser: Browser, viewport: ViewportSize, scheme: str, language: str
) -> None:
    """W3, W33, while a match is played."""
    match, players = server.table("twilight_struggle")
    luck = random.Random(2)
    while (found := asked(match, players)) is not None and found[1]["ask"] != "PlayCard":
        played(match, players, luck)
    assert found is not None
    dark = scheme == "dark"
    with sitting(browser, found[0], match, viewport=viewport, dark=dark, language=language) as page:
        more(page)
        if viewport == NARROW:
            page.locator("#tabs [data-tab=cards]").click()
        page.locator("#panels button.pickable:has(.value)").first.click()  # it can be played in several ways
        page.locator(".thing-menu button").first.wait_for()
        wide = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        small = page.eval_on_selector_all(
            "#question button, #question .option label, #question summary, .thing-menu button",
            "all => all.filter((one) => one.offsetParent && one.getBoundingClientRect().height < 44)"
            ".map((one) => one.textContent)",
        )
        assert (wide, small, violations(page)) == (True, [], [])
