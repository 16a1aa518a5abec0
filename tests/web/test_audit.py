"""The page of an audit (W38): times, questions, answers, draws, roots, rulings; recomputed in the browser."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from api.web import audit, verify_page
from api.web.shell import HEADERS
from domain.game import Game
from domain.games import GAMES
from replay import move_table
from replay.words import Words
from tests.api.http.conftest import toy_in_words as toy_in_words
from tests.api.http.served import Client, Served, served
from tests.api.http.words import TEXTS
from tests.domain import toy
from tests.matches import Sitting
from tests.matches import finished as played
from tests.replay.files import recorded_match, with_everything
from tests.waiting import PATIENCE
from tests.web.browser import NARROW, WIDE, Watched, lent, sign_in
from tests.web.signed import visitors

NAME = "<img src=x onerror=alert(1)>"
Ruled = tuple[Served, str, Client]
"""A server, a match with a ruling there, and the organizer who ruled."""


QUICK = {"thirteen_minutes", "twilight_struggle"}
GAMES_WITH_LONG = [game if game in QUICK else pytest.param(game, marks=pytest.mark.long) for game in GAMES]


@pytest.fixture
def long_match(finished: dict[str, str]) -> str:
    """A match of Twilight Struggle that is over."""
    return finished["twilight_struggle"]


def shown(page: Page) -> list[int]:
    """The moves whose rows are shown."""
    found: list[str] = page.eval_on_selector_all(
        "#moves tbody tr:not([hidden])", "all => all.map(one => one.id)"
    )
    return [int(id[1:]) for id in found]


def state(body: bytes) -> Any:
    """The data in a page."""
    found = re.search(rb'id="state">(.*?)</script>', body)
    assert found is not None
    return json.loads(found[1])


# ── the table ──


@pytest.mark.parametrize("game", GAMES_WITH_LONG)
def test_every_draw_is_computed_again_and_equals_the_log(
    game: str, watched: Watched, finished: dict[str, str], house: Served
) -> None:
    """W38."""
    page = watched.open(f"/m/{finished[game]}/audit")
    moves = house.client().get(f"/v1/matches/{finished[game]}/moves?view=all").json["moves"]
    count = sum(len(move.get("draws", ())) for move in moves)
    page.locator("#recompute").click()
    expect(page.locator("#recomputed")).to_have_text(
        f"{count} of {count} as recorded; 0 cannot be recomputed (yet)"
    )
    assert count > 0
    assert shown(page) == [move["move"] for move in moves]
    roots = page.eval_on_selector_all("#moves td code[title]", "all => all.map(one => one.title)")
    assert roots == [move["root"] for move in moves]


def test_one_draw_is_shown_with_its_key_its_input_and_its_word(watched: Watched, long_match: str) -> None:
    page = watched.open(f"/m/{long_match}/audit")
    item = page.locator("#moves td > .draws [data-draw]").first
    item.get_by_role("button").click()
    working = item.locator(".working")
    for word in ("Key", "HMAC input", "Word", "Result", "rng/1", "mod"):
        expect(working).to_contain_text(word)
    expect(item.locator("[data-state=ok]")).to_have_text("the same as recorded")


def test_a_draw_that_was_changed_is_named(watched: Watched, long_match: str) -> None:
    def changed(route: Any) -> None:
        answer = route.fetch()
        body = re.sub(r'("counter":0,"n":6,"result":)\d', r"\g<1>9", answer.text(), count=1)
        route.fulfill(response=answer, body=body)

    watched.page.route(f"**/m/{long_match}/audit", changed)
    page = watched.open(f"/m/{long_match}/audit")
    page.locator("#recompute").click()
    told = re.match(r"(\d+) of (\d+) as recorded", page.locator("#recomputed").inner_text())
    assert told is not None
    assert int(told[1]) == int(told[2]) - 1
    expect(page.locator("#recomputed")).to_have_attribute("data-state", "wrong")


def test_the_file_is_checked_here_and_the_server_says_its_word(
    watched: Watched, long_match: str, house: Served
) -> None:
    page = watched.open(f"/m/{long_match}/audit")
    page.locator("#key").fill(house.client().get("/v1/keys").json["present"])
    page.locator("#check").click()
    expect(page.locator("[data-line=audit_there]")).to_have_text(
        "log: right · chance: right · fold: right · rules: right"
    )
    expect(page.locator("[data-line=audit_here]")).to_have_attribute("data-state", "ok")
    expect(page.locator("[data-line=audit_signature]")).to_contain_text("the key above")
    page.locator("#key").fill("nonsense")
    page.locator("#check").click()
    expect(page.locator("[data-line=audit_here]")).to_contain_text("not of the form")


@pytest.mark.parametrize("game", GAMES_WITH_LONG)
def test_the_csv_has_a_row_for_each_move(game: str, house: Served, finished: dict[str, str]) -> None:
    """W38."""
    match = finished[game]
    answer = house.client().get(f"/m/{match}/audit.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == f'attachment; filename="{match}.csv"'
    table = list(csv.DictReader(io.StringIO(answer.body.decode())))
    moves = house.client().get(f"/v1/matches/{match}/moves?view=all").json["moves"]
    assert [int(row["move"]) for row in table] == [move["move"] for move in moves]
    assert [row["root"].lstrip("'") for row in table] == [move["root"] for move in moves]
    assert all(row["answer"] for row in table if row["kind"] == "played")


def test_filters_choose_rows_and_stand_in_the_address(
    watched: Watched, long_match: str, house: Served
) -> None:
    moves = house.client().get(f"/v1/matches/{long_match}/moves?view=all").json["moves"]
    page = watched.open(f"/m/{long_match}/audit")
    page.locator("[name=seat]").select_option("us")
    assert shown(page) == [move["move"] for move in moves if move["seat"] == "us"]
    page.locator("[name=draws]").check()
    wanted = [move["move"] for move in moves if move["seat"] == "us" and move.get("draws")]
    assert shown(page) == wanted
    assert "seat=us" in page.url
    again = watched.open(page.url.removeprefix(f"http://127.0.0.1:{house.port}"))
    assert shown(again) == wanted
    page.locator("[name=draws]").uncheck()
    page.locator("[name=kind]").select_option("closed")
    assert shown(page) == []
    expect(page.locator("#count")).to_have_text("0 moves shown")


def test_a_page_past_the_end_or_of_nothing_says_so(house: Served, finished: dict[str, str]) -> None:
    """W14."""
    client, short = house.client(), finished["thirteen_minutes"]
    for after in ("-1", "9" * 30, "x", "1000", "²"):
        answer = client.get(f"/m/{short}/audit?after={after.encode().hex() if after == '²' else after}")
        assert answer.status == 200
        assert b'id="m1"' in answer.body
    assert client.get("/m/nothing/audit").status == 404
    assert client.get("/m/nothing/audit.csv").status == 404


def test_a_long_match_stands_on_several_pages(
    house: Served, long_match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "ROWS", 10)
    client = house.client()
    first, second = client.get(f"/m/{long_match}/audit"), client.get(f"/m/{long_match}/audit?after=10")
    assert first.body.count(b"<tr id=") == second.body.count(b"<tr id=") == 10
    assert b'href="?after=10"' in first.body
    assert b'id="m11"' in second.body


def test_on_a_phone_nothing_scrolls_sideways_and_every_control_is_large_enough(
    browser: Browser, house: Served, finished: dict[str, str]
) -> None:
    """W33."""
    with visitors(browser, house) as people:
        watched = people.page(size=NARROW)
        for address in (f"/m/{finished['thirteen_minutes']}/audit", "/verify"):
            page = watched.open(address)
            for summary in page.locator("summary").all()[:2]:
                summary.click()
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            small = page.eval_on_selector_all(
                "main button, main input, main select, main summary, main a.button, main tbody a",
                """all => all.map(one => [one.outerHTML, one.closest("label") ?? one])
                  .map(([html, one]) => [html, one.getBoundingClientRect().height])
                  .filter(([, height]) => height > 0 && height < 44)""",
            )
            assert small == [], small[:5]


# ── what is hidden stays hidden ──


@pytest.mark.parametrize("game", sorted(GAMES.keys() - {"cia_vs_kgb"}))  # which has no secret draw
def test_while_a_match_runs_the_page_names_nothing_that_a_spectator_may_not_see(
    game: str, server: Served
) -> None:
    """W13."""
    match, players = server.table(game)
    for player in players:
        answer(player, match)
    found = asyncio.run_coroutine_threadsafe(server.gate.match(match), server.loop).result(PATIENCE)
    hidden = secrets(found)
    assert hidden
    for client in (server.client(), *players, server.person("organizer"), server.person("admin")):
        for path in (f"/m/{match}/audit", f"/m/{match}/audit.csv", f"/v1/matches/{match}/verification"):
            body = client.get(path).body.decode()
            assert not [id for id in hidden if re.search(rf"\b{re.escape(id)}\b", body)], path


def answer(player: Client, match: str) -> None:
    """Answer what the player is asked, if anything, with the first options."""
    asked = player.get(f"/v1/matches/{match}/prompt")
    if asked.status == 200:
        picks = [option["pick"] for option in asked.json["options"][: asked.json["least"]]]
        body = {"expect": asked.json["move"], "picks": picks}
        assert player.post(f"/v1/matches/{match}/moves", body).status == 201


def secrets(match: Any) -> set[str]:
    """The ids and names of what was drawn in secret so far."""
    words = Words(match, "en")
    drawn = {draw.pick for record in match.records for draw in record.parts["house"].draws}
    told = " ".join(record.leaf.decode() for record in match.records[match.begun :])
    unseen = {pick for pick in drawn if f'"{pick}"' not in told}
    return {id for pick in unseen for id in (pick, words.name(pick)) if len(id) > 4}


def test_the_secret_stays_out_of_the_page_until_it_is_opened(
    house: Served, long_match: str, tmp_path: Path
) -> None:
    assert state(house.client().get(f"/m/{long_match}/audit").body)["secret"]
    with served(tmp_path) as server:
        match, _ = server.table("thirteen_minutes")
        told = state(server.client().get(f"/m/{match}/audit").body)
        assert (told["secret"], told["draws"]) == (None, {})


# ── rulings and refusals ──


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory, finished: dict[str, str]) -> Iterator[Served]:
    """A server with the toy game, for matches with rulings; `finished` comes first, and has none of it."""
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("court"), requests_per_second=10_000) as server,
    ):
        patch.setitem(GAMES, "toy", toy.GAME)
        patch.setitem(vars(toy.GAME), "texts", TEXTS)
        yield server


@pytest.fixture
def ruled(court: Served) -> Ruled:
    """A server with a match of a player with an evil name, a ruling, and a refused move."""
    ann, ben, judge = court.player(NAME), court.player("Ben"), court.person("organizer")
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    for seat, player in (("left", ann), ("right", ben)):
        player.post(f"/v1/matches/{match}/seats/{seat}")
    ann.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["secret-pick"]})
    for player in (ann, ben):
        assert player.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["1"]}).status == 201
    answer = judge.post(f"/v1/matches/{match}/rulings", {"reason": f"a slip of {NAME}", "back_to": 3})
    assert answer.status == 201, answer
    return court, match, judge


@pytest.fixture
def opened(browser: Browser, court: Served) -> Iterator[Watched]:
    """A page of that server."""
    with lent(browser, f"http://127.0.0.1:{court.port}", viewport=WIDE, locale="en-GB") as watched:
        yield watched


def test_a_ruling_appears_with_what_it_undid_before_and_after(ruled: Ruled, opened: Watched) -> None:
    """W38, W2."""
    _, match, _ = ruled
    view = opened.open(f"/m/{match}/audit")
    ruling = view.locator("[data-ruling]")
    expect(ruling).to_contain_text(f"a slip of {NAME}")
    expect(ruling.locator("bdi")).to_have_text("Organizer")
    expect(ruling).to_contain_text("It took back the moves 4 to 5.")
    links = ruling.locator("a[href^='/m/']")
    assert [link.get_attribute("href") for link in links.all()] == [f"/m/{match}?move={n}" for n in (5, 7)]
    view.locator("[name=undone]").check()
    assert shown(view) == [4, 5]
    assert view.locator("img").count() == 0
    assert opened.faults == []


def test_an_organizer_rules_from_the_page_in_two_steps(ruled: Ruled, opened: Watched) -> None:
    """W38: the tables before and after are shown first, and nothing is recorded until then."""
    _, match, judge = ruled
    sign_in(opened.page.context, judge)
    view = opened.open(f"/m/{match}/audit")
    view.get_by_role("button", name="Rule …").click()
    dialog = view.locator("#ruling")
    dialog.get_by_label("Reason").fill(f"the second slip of {NAME}")
    dialog.get_by_label("The table after move").fill("3")
    dialog.get_by_role("button", name="Show before and after").click()
    expect(dialog.locator("#ruling-said")).to_have_text(
        "The match goes back to the table after move 3; moves 4 to 7 are taken back."
    )
    expect(dialog.locator("figcaption")).to_have_text(
        ["Before the ruling: the table after move 7", "After the ruling: the table after move 3"]
    )
    assert judge.get(f"/v1/matches/{match}").json["move"] == 7
    dialog.get_by_role("button", name="Change it").click()
    dialog.get_by_label("End the match with a result").check()
    dialog.get_by_label("Winner").select_option("right")
    dialog.get_by_label("Score of left").fill("-3")
    dialog.get_by_role("button", name="Show before and after").click()
    expect(dialog.locator("#ruling-said")).to_have_text("The match ends. Winner: right. Score: left -3.")
    expect(dialog.locator("figure")).to_have_count(1)
    dialog.get_by_role("button", name="Record the ruling").click()
    expect(view.locator("[data-ruling]").last).to_contain_text(f"the second slip of {NAME}")
    expect(view.get_by_role("button", name="Rule …")).to_have_count(0)
    told = judge.get(f"/v1/matches/{match}").json
    assert (told["status"], told["move"]) == ("over", 10)
    assert told["result"] == {"winner": "right", "reason": "ruling", "score": {"left": -3}}
    assert view.locator("img").count() == 0
    assert opened.faults == []


def test_a_ruling_that_is_refused_is_said_in_words_and_stays_in_the_form(
    ruled: Ruled, opened: Watched
) -> None:
    _, match, judge = ruled
    sign_in(opened.page.context, judge)
    view = opened.open(f"/m/{match}/audit")
    view.get_by_role("button", name="Rule …").click()
    dialog = view.locator("#ruling")
    dialog.get_by_label("Reason").fill("too early")
    dialog.get_by_label("The table after move").fill("1")
    dialog.get_by_role("button", name="Show before and after").click()
    dialog.get_by_role("button", name="Record the ruling").click()
    expect(dialog.get_by_role("alert")).to_contain_text("no table of a running game after move 1")
    expect(dialog.locator("#ruling-reason")).to_have_text("too early")
    assert judge.get(f"/v1/matches/{match}").json["move"] == 7


@pytest.mark.long
def test_a_ruling_on_a_match_that_has_gone_on_is_refused_and_can_be_looked_at_again(
    ruled: Ruled, opened: Watched
) -> None:
    server, match, judge = ruled
    sign_in(opened.page.context, judge)
    view = opened.open(f"/m/{match}/audit")
    view.get_by_role("button", name="Rule …").click()
    dialog = view.locator("#ruling")
    dialog.get_by_label("Reason").fill("too late")
    dialog.get_by_label("The table after move").fill("3")
    dialog.get_by_role("button", name="Show before and after").click()
    # when the match goes on while the organizer reads
    other = server.person("organizer")
    assert other.post(f"/v1/matches/{match}/rulings", {"reason": "first", "back_to": 3}).status == 201
    dialog.get_by_role("button", name="Record the ruling").click()
    # then nothing is recorded, the dialog says so, and what was filled in stays
    expect(dialog.get_by_role("alert")).to_contain_text("its latest move is 9, not 7")
    assert judge.get(f"/v1/matches/{match}").json["move"] == 9
    expect(dialog.get_by_label("Reason")).to_have_value("too late")
    # and what is looked at again can be recorded
    dialog.get_by_role("button", name="Show before and after").click()
    expect(dialog.locator("figcaption").first).to_have_text("Before the ruling: the table after move 9")
    dialog.get_by_role("button", name="Record the ruling").click()
    expect(view.locator("[data-ruling]").last).to_contain_text("too late")


def test_only_an_organizer_who_does_not_play_is_offered_to_rule(ruled: Ruled) -> None:
    server, match, judge = ruled
    own = judge.post("/v1/matches", {"game": "toy"}).json["match"]
    assert judge.post(f"/v1/matches/{own}/seats/left").status == 201
    admin, offer = server.person("admin"), b'id="ruling"'
    assert offer in judge.get(f"/m/{match}/audit").body
    assert offer in admin.get(f"/m/{match}/audit").body
    assert offer not in judge.get(f"/m/{own}/audit").body
    for client in (server.client(), server.player("Cay"), server.person("observer")):
        assert offer not in client.get(f"/m/{match}/audit").body
    assert admin.post(f"/v1/matches/{match}/rulings", {"reason": "void", "void": True}).status == 201
    assert offer not in judge.get(f"/m/{match}/audit").body


def test_an_organizer_sees_which_moves_were_refused_before(ruled: Ruled, opened: Watched) -> None:
    _, match, judge = ruled
    sign_in(opened.page.context, judge)
    view = opened.open(f"/m/{match}/audit")
    expect(view.locator("#m4 .refused")).to_contain_text("illegal")
    view.locator("[name=refused]").check()
    assert shown(view) == [4]
    assert opened.faults == []


def test_a_visitor_sees_no_refusals(ruled: Ruled) -> None:
    server, match, _ = ruled
    body = server.client().get(f"/m/{match}/audit").body.decode()
    assert "data-organizes" not in body
    assert "illegal" not in body


# ── the table as data ──


def test_what_was_taken_back_and_ruled_is_marked(toy_in_words: Game) -> None:
    match = with_everything(toy_in_words)
    words = Words(match, "en")
    table = move_table.rows(match, words, {}, 0, 1_000)
    answers = {row.move for row in table if row.kind == "played"}
    assert {row.move for row in table if not row.stands} == answers - set(match.line()) != set()
    (ruling,) = move_table.rulings(match, {"p9": "Judge"})
    assert (ruling.by, ruling.reason) == ("Judge", "the clock stood still")
    assert ruling.undone is not None
    undone = range(ruling.undone[0], ruling.undone[1] + 1)
    assert {row.move for row in table if row.move in undone and row.stands} <= set(
        range(1, match.move)
    ) - answers


def test_the_time_of_an_answer_counts_from_its_question(toy_in_words: Game) -> None:
    match = played(toy_in_words).match
    table = move_table.rows(match, Words(match, "en"), {}, 0, 1_000)
    for row in table:
        if row.kind != "played":
            assert row.think is None
            continue
        asked = match.asked_at(row.move - 1)
        assert asked is not None
        put = match.records[asked.seats[row.seat or ""] - 1].entry.at
        assert row.think == match.records[row.move - 1].entry.at - put > 0


def test_a_recorded_match_has_forced_draws_that_are_not_hidden_in_private_parts(toy_in_words: Game) -> None:
    match = recorded_match(toy_in_words)
    table = move_table.rows(match, Words(match, "en"), {}, 0, 1_000)
    assert not move_table.shows_everything(match)
    assert all(draw.forced and draw.period for row in table for draw in row.draws)


def test_a_cell_never_begins_like_a_formula(toy_in_words: Game) -> None:
    sitting = Sitting(toy_in_words).seat_all()
    match = sitting.match
    for text in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"):
        row = move_table.rows(match, Words(match, "en"), {}, 0, 1)[0]
        evil = move_table.MoveRow(1, "played", None, None, "left", text, text, [], row.root, True)
        (told,) = csv.DictReader(io.StringIO(move_table.as_csv([evil], {"left": text}), newline=""))
        assert told["question"] == told["answer"] == told["seat"] == f"'{text}"


@pytest.mark.parametrize(
    ("think", "text"),
    [
        (None, ""),
        (0, "00:00"),
        (41_500_000, "00:41"),
        (7_421_000_000, "2:03:41"),
        (90_000_000_000, "1 d 01:00:00"),
    ],
)
def test_times_are_told_as_on_a_clock(think: int | None, text: str) -> None:
    assert audit.think_text(think) == text


# ── the page that verifies ──


def test_the_verifier_is_served_as_it_stands_on_the_disk(house: Served) -> None:
    """W2, W37."""
    page = house.client().get("/verify")
    assert page.body.decode() == verify_page.text()
    policy = page.headers["content-security-policy"]
    assert policy == f"{verify_page.policy(verify_page.text())}; frame-ancestors 'none'"
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert {name: page.headers[name] for name in HEADERS if name != "content-security-policy"} == {
        name: text for name, text in HEADERS.items() if name != "content-security-policy"
    }
    kept = house.client().get("/verify?download")
    assert kept.headers["content-disposition"] == 'attachment; filename="verify.html"'


def file_payload(data: bytes) -> FilePayload:
    """A match file as it is chosen in a page."""
    return {"name": "a.glasnost", "mimeType": "application/zip", "buffer": data}


def test_the_served_page_verifies_a_file_of_this_server(
    watched: Watched, house: Served, long_match: str
) -> None:
    page = watched.open("/verify")
    data = house.client().get(f"/v1/matches/{long_match}/file").body
    page.set_input_files("#file", file_payload(data))
    expect(page.locator("#verdict")).to_have_attribute("data-state", "note")
    expect(page.locator("[data-row=draws]")).to_have_attribute("data-state", "ok")


def test_a_file_that_was_found_right_is_put_on_this_server(
    browser: Browser, house: Served, long_match: str, tmp_path: Path
) -> None:
    data = house.client().get(f"/v1/matches/{long_match}/file").body
    upload = file_payload(data)
    wrong = file_payload(data.replace(b"ussr", b"ussR", 1))
    with served(tmp_path) as server, visitors(browser, server) as people:
        watched = people.page(server.player(NAME), locale="ru")
        page = watched.open("/verify")
        offer = page.get_by_role("button", name="Загрузить партию")
        page.set_input_files("#file", wrong)
        expect(page.locator("#verdict")).to_have_attribute("data-state", "wrong")
        expect(offer).to_be_hidden()
        page.set_input_files("#file", upload)
        expect(offer).to_be_visible()
        assert server.client().get(f"/v1/matches/{long_match}").status == 404
        offer.click()
        expect(page.locator("section.upload[lang=ru] [data-signature]")).to_contain_text("не проверено")
        page.get_by_role("button", name="English").click()
        page.get_by_role("link", name="To the replay").click()
        watched.be_ready()
        assert f"/m/{long_match}?move=1" in page.url
        told = server.client().get(f"/v1/matches/{long_match}").json
        assert (told["claimed"], told["signer"]) == (True, None)
        page = watched.open("/verify")
        page.set_input_files("#file", upload)
        page.get_by_role("button", name="Загрузить партию").click()
        expect(page.locator("section.upload[lang=ru] [data-problem]")).to_contain_text(long_match)
        watched.faults = [fault for fault in watched.faults if "status of 409" not in fault]


def test_the_page_offers_an_upload_only_to_players_who_are_signed_in(house: Served, tmp_path: Path) -> None:
    """W2: the page that a visitor gets, and the one to keep, connect to nothing."""
    with served(tmp_path) as server:
        for role, offers in (("player", True), ("organizer", True), ("admin", True), ("observer", False)):
            client = server.player("Ann") if role == "player" else server.person(role)
            page = client.get("/verify")
            assert (b'class="upload"' in page.body) is offers, role
            policy = page.headers["content-security-policy"]
            stated = verify_page.policy(page.body.decode())
            assert policy == f"{stated}; frame-ancestors 'none'"
            assert ("connect-src 'self'" in policy) is offers
            assert page.headers["cache-control"].startswith("private")
            assert client.get("/verify?download").body.decode() == verify_page.text()
        assert server.client().get("/verify").body.decode() == verify_page.text()
