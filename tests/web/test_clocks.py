"""Clocks in the browser: on the page of a match, in the lobby, in the forms; the server's time counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Browser, expect

from api.gate import Gate
from api.store import uptime
from api.store.sqlite import SqliteStore
from api.web.clocks import SeatClock, TimeLeft, read_off, seat_clock
from domain.clocks import DAY, SECOND
from replay.clocks import ClockShown
from tests.api.http.served import Client, Served, served
from tests.api.http.test_clocks import NOW, Time
from tests.api.patience import look_at_clocks_often
from tests.web.signed import Visitors, visitors

HOUR = 3_600 * SECOND
GAME = "thirteen_minutes"
LATER = "() => { const now = performance.now.bind(performance); performance.now = () => now() + 1_000; }"
"""A second goes by in the page at once."""


@pytest.fixture(scope="module")
def time() -> Time:
    """The time of the server, years away from that of the browser."""
    return Time()


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory, time: Time) -> Iterator[Served]:
    """A server whose time stands still, unless a test moves it."""
    folder = tmp_path_factory.mktemp("hall")
    with closing(SqliteStore.open(folder / "store")) as store, pytest.MonkeyPatch.context() as changes:
        look_at_clocks_often(changes.setattr)
        gate = Gate(store, store.keys, time, "test")
        with served(folder, store, gate) as running:
            assert running.services is not None
            running.services.clock = time
            yield running


@pytest.fixture
def people(browser: Browser, hall: Served) -> Iterator[Visitors]:
    """Browsers of players."""
    with visitors(browser, hall) as found:
        yield found


def answer_first(match: str, player: Client) -> None:
    """The first legal answer of a player."""
    prompt = player.get(f"/v1/matches/{match}/prompt").json
    picks = [option["pick"] for option in prompt["options"][: prompt["least"]]]
    body = {"expect": prompt["move"], "picks": picks}
    assert player.post(f"/v1/matches/{match}/moves", body).status == 201


def test_the_page_of_a_match_shows_the_clocks_by_the_server_s_time(
    people: Visitors, hall: Served, time: Time
) -> None:
    match, players = hall.table(GAME, clock={"mode": "bank", "main": 5_400, "increment": 30})
    time.now += 15 * SECOND
    page = people.page(players[0]).open(f"/m/{match}")
    clocks = page.locator(".clock")
    expect(clocks).to_have_count(2)
    # the bank is 1:30:00, fifteen seconds are gone, and the browser counts on from there
    for number in range(2):
        expect(clocks.nth(number)).to_contain_text("1:29:")
        expect(clocks.nth(number)).to_have_attribute("role", "timer")
    before = clocks.first.text_content()
    page.evaluate(LATER)
    expect(clocks.first).not_to_have_text(before or "")
    assert page.locator("[aria-live]:not([aria-live=off]) .clock").count() == 0


def test_a_flag_falls_on_the_page_by_itself_and_the_match_goes_on(
    people: Visitors, hall: Served, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uptime, "GAP", 10**18)  # no step of the time is a stop
    terms = {"mode": "bank", "main": 60, "time_up": "report"}
    match, players = hall.table(GAME, clock=terms)
    time.now += 59 * SECOND
    page = people.page(players[0]).open(f"/m/{match}")
    flags = page.locator(".time-up")
    expect(flags).to_have_count(2)
    expect(flags.first).to_be_hidden()
    page.evaluate(LATER)
    for number in range(2):
        expect(flags.nth(number)).to_be_visible()
        expect(flags.nth(number)).to_have_text("time is up")
    time.now += 2 * SECOND
    answer_first(match, players[0])
    expect(page.locator(".clock.runs")).to_have_count(1)
    expect(flags.first).to_be_visible()  # it fell before the move
    plain = players[0].get(f"/m/{match}?lang=ru").body.decode()  # without a script
    assert plain.count('<span class="time-up">время истекло') == 2
    assert '<span class="time-up" hidden>' not in plain
    row = people.page(players[1]).open("/").locator(f"[data-match={match}]")
    expect(row.locator(".time-up").first).to_be_visible()
    sooner = people.page(players[1]).open(f"/m/{match}?move=3")
    expect(sooner.locator(".time-up").first).to_be_hidden()


def test_a_browser_that_slept_asks_the_server_for_the_time(people: Visitors, hall: Served) -> None:
    match, players = hall.table(GAME, clock={"mode": "bank", "main": 5_400})
    visitor = people.page(players[0])
    page = visitor.open(f"/m/{match}")
    asked = [request for request in visitor.requests if request.endswith("/healthz")]
    assert asked == []
    with page.expect_request("**/healthz"):
        page.evaluate("() => { const now = Date.now; Date.now = () => now() + 3_600_000; }")


def test_a_move_stops_a_clock_without_shifting_the_page(people: Visitors, hall: Served) -> None:
    match, players = hall.table(GAME, clock={"mode": "bank", "main": 5_400, "increment": 30})
    page = people.page(players[0]).open(f"/m/{match}")
    expect(page.locator(".clock.runs")).to_have_count(2)  # both bid
    clock = page.locator("[data-clock=us]")
    box = clock.bounding_box()
    answer_first(match, players[0])
    expect(page.locator(".clock.runs")).to_have_count(1)
    expect(clock).to_have_text("1:30:30")
    assert clock.bounding_box() == box


def test_the_lobby_shows_the_clocks_of_the_player_s_matches(
    people: Visitors, hall: Served, time: Time
) -> None:
    match, players = hall.table(GAME, clock={"mode": "days", "days": 3, "cap": 7})
    time.now += 15 * SECOND
    page = people.page(players[0]).open("/")
    row = page.locator(f"[data-match={match}]")
    expect(row.locator(".clock")).to_have_count(2)
    expect(row.locator(".clock.long").first).to_contain_text("2 d 23:59:")


def test_pages_without_clocks_say_nothing_of_them(people: Visitors, hall: Served) -> None:
    match, players = hall.table(GAME)
    page = people.page(players[0]).open(f"/m/{match}")
    assert page.locator(".clock").count() == 0
    assert '"now"' not in (page.locator("#state").text_content() or "")


@pytest.mark.parametrize(
    ("mode", "fields", "terms"),
    [
        ("bank", {"main": "5", "increment": "3"}, [{"mode": "bank", "main": 300, "increment": 3}]),
        ("days", {"days": "2", "cap": "4"}, [{"mode": "days", "days": 2, "cap": 4}]),
        (
            "days",
            {"days": "2", "cap": "4", "report": ""},
            [{"mode": "days", "days": 2, "cap": 4, "time_up": "report"}],
        ),
    ],
)
def test_the_form_opens_a_match_with_a_clock(
    people: Visitors, hall: Served, mode: str, fields: dict[str, str], terms: list[object]
) -> None:
    ann = hall.player("Ann")
    page = people.page(ann).open(f"/new?game={GAME}")
    assert page.locator("#main").is_hidden()
    page.locator(f"input[name=clock][value={mode}]").check()
    for name, value in fields.items():
        field = page.locator(f"#{name}")
        field.fill(value) if value else field.check()
    page.locator("#open").click()
    page.wait_for_url("**/m/*/sit")
    match = page.url.split("/")[-2]
    assert ann.get(f"/v1/matches/{match}").json["clock"]["terms"] == terms
    expect(page.locator("main")).to_contain_text("Clock:")


def test_a_form_without_a_clock_sends_none(people: Visitors, hall: Served) -> None:
    ann = hall.player("Ann")
    page = people.page(ann).open(f"/new?game={GAME}")
    page.locator("#open").click()
    page.wait_for_url("**/m/*/sit")
    assert "clock" not in ann.get(f"/v1/matches/{page.url.split('/')[-2]}").json


@pytest.mark.parametrize(
    ("left", "days", "time_left"),
    [
        (0, 0, "0:00:00"),
        (1, 0, "0:00:01"),
        (59_999_999, 0, "0:01:00"),
        (5_400 * SECOND, 0, "1:30:00"),
        (DAY - 1, 1, "0:00:00"),
        (7 * DAY + HOUR, 7, "1:00:00"),
    ],
)
def test_time_left_is_read_in_whole_seconds(left: int, days: int, time_left: str) -> None:
    assert read_off(left) == TimeLeft(days, time_left)


def test_a_seat_without_a_bank_shows_nothing_left() -> None:
    shown = seat_clock(ClockShown(1, {"left": DAY}, {"left": DAY}), "right", 1)
    assert shown == SeatClock(None, True, None)


def test_the_terms_of_a_clock_are_told_to_those_who_sit_down(hall: Served) -> None:
    ann = hall.player("Ann")
    until = NOW + 365 * DAY
    for clock, english, russian in (
        (
            [{"mode": "days", "days": 3, "cap": 7}, {"mode": "until", "until": until}],
            "days for each stretch: 3; days saved at most: 7; the whole match by 2027-09-21 14:13 UTC",
            "дней на каждый отрезок: 3; накопить можно дней: 7; вся партия до 2027-09-21 14:13 UTC",
        ),
        (
            {"mode": "bank", "main": 5_400, "increment": 30, "cap": 2 * 86_400},
            "each player has 1:30:00; 0:00:30 more after each stretch; at most 2 d 0:00:00",
            "у каждого игрока 1:30:00; добавка после каждого отрезка: 0:00:30; не больше 2 д 0:00:00",
        ),
        (
            {"mode": "days", "days": 3, "time_up": "report"},
            "days for each stretch: 3; a player whose time is up is flagged, and the match goes on",
            "дней на каждый отрезок: 3; если время истекло, это только отмечается, и партия продолжается",
        ),
    ):
        match = ann.post("/v1/matches", {"game": GAME, "clock": clock}).json["match"]
        for language, words in (("en", english), ("ru", russian)):
            page = ann.get(f"/m/{match}/sit?lang={language}").body.decode()
            assert f"<strong>{words}</strong>" in page


def test_an_opponent_gives_time_and_an_organizer_pauses_and_freezes(people: Visitors, hall: Served) -> None:
    match, (ann, ben) = hall.table(GAME, clock={"mode": "bank", "main": 5_400})
    page = people.page(ann).open(f"/m/{match}")
    assert page.locator("#officials").count() == 0
    page.locator("details.more summary").click()
    page.get_by_role("button", name="Give 15 minutes").click()
    expect(page.locator("[data-clock=ussr]")).to_contain_text("1:4")
    # an organizer sets a clock, pauses all, and freezes the match, each for a reason
    desk = people.page(hall.person("organizer")).open(f"/m/{match}")
    for what, fields in (
        ("time", {"[name=days]": "2", "[name=minutes]": "0"}),
        ("pause", {}),
        ("freeze", {}),
    ):
        desk.locator("#officials").click()
        desk.locator(f"input[name=what][value={what}]").check()
        for field, value in fields.items():
            desk.locator(field).fill(value)
        desk.locator("[name=reason]").fill(f"a {what}")
        desk.locator("#officials-form [type=submit]").click()
        expect(desk.locator("#officials-dialog")).to_be_hidden()
    expect(page.locator("[data-clock=us]")).to_contain_text("2 d")
    expect(page.locator("#frozen")).to_contain_text("Reason: a freeze")
    expect(page.locator("#stands")).to_be_hidden()  # that it is frozen says as much
    expect(page.locator("#question fieldset[disabled]")).to_have_count(1)
    expect(page.locator(".clock.runs")).to_have_count(0)
    page.reload()
    expect(page.locator("#frozen")).to_be_visible()
    row = people.page(ben).open("/").locator(f"[data-match={match}]")
    expect(row.locator(".frozen")).to_have_text("frozen")


def test_earlier_moves_and_frames_show_the_clocks_as_they_were(
    people: Visitors, hall: Served, time: Time
) -> None:
    match, (ann, _) = hall.table(GAME, clock={"mode": "bank", "main": 5_400})
    time.now += 15 * SECOND
    answer_first(match, ann)
    ann.post(f"/v1/matches/{match}/resignation", {})
    for path in (f"/m/{match}?move=3", f"/embed/{match}?move=3"):
        page = people.page(ann).open(path)
        clock = page.locator("[data-clock=us]")
        expect(clock).to_have_text("1:30:00")
        page.keyboard.press("ArrowRight")
        expect(clock).to_have_text("1:29:45")
        expect(page.locator("[data-due]")).to_have_count(0)
