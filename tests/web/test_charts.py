"""Charts of the pages over a data set: they say what the tables say, by eye, by key and by ear."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.http.served import Served
from tests.web.axe import violations
from tests.web.browser import NARROW
from tests.web.signed import visitors

FIND = f"/find?game=thirteen_minutes&where={quote('us in cuba >= 1')}"
EXPLORE = "/explore/thirteen_minutes"
COMPARE = "/compare?game=thirteen_minutes&a=p-us&b=p-ussr"
CUBA = "/queries?query=tm_cuba"
RATES = (FIND, EXPLORE, CUBA)
TABLE = """() => [...document.querySelector("table[data-chart=bars]").tBodies[0].rows].map((row) => {
  const rate = row.querySelector("[data-value]"), numbers = rate?.textContent.match(/\\d+/g) ?? [];
  const cells = [...row.cells], beside = cells.slice(cells.indexOf(rate?.closest("td")) + 1);
  return {
    label: row.querySelector("[data-label]").textContent.trim(),
    value: numbers[0] ?? null,
    ends: numbers[2] ? numbers.slice(1, 3) : beside.slice(-3, -1).map((one) => one.innerText.split(" ")[0]),
    n: numbers[3] ?? row.cells[1].textContent,
    link: row.querySelector("[data-link]").getAttribute("href"),
  };
})"""
"""What a reader of a table of rates reads, and where its links lead."""
BARS = """() => [...document.querySelectorAll("figure.bars li")].map((row) => {
  const said = row.querySelector(".bar-value").textContent;
  const [, value, low, high, n] = said.match(/(\\d+) % (\\d+)–(\\d+) %, n = (\\d+)/) ?? [];
  return {
    label: row.querySelector(".bar-name").textContent, value: value ?? null, ends: value ? [low, high] : [],
    n: n ?? null, link: row.querySelector("a").getAttribute("href"),
  };
})"""
"""The same of its chart."""
PLACES = """() => [...document.querySelectorAll("figure.bars li")].map((row) => {
  const plot = row.querySelector(".bar-plot").getBoundingClientRect();
  const share = (x) => (100 * (x - plot.left)) / plot.width;
  const middle = (box) => share((box.left + box.right) / 2);
  const line = row.querySelector(".between").getBoundingClientRect();
  return [middle(row.querySelector(".mark").getBoundingClientRect()), share(line.left), share(line.right)];
})"""
"""Where the marks and the ends of the intervals stand, in percent of the width of the axis."""


@pytest.mark.parametrize("path", RATES)
def test_a_chart_says_what_its_table_says(path: str, browser: Browser, studied: Served) -> None:
    with visitors(browser, studied) as people:
        page = people.page().open(path)
        told, drawn = page.evaluate(TABLE), page.evaluate(BARS)
        assert len(told) > 1
        assert drawn == told
        axis = [text.removesuffix(" %") for text in page.locator(".bar-axis text").all_text_contents()]
        scale = 100 / float(axis[-1])
        for row, (value, low, high) in zip(told, page.evaluate(PLACES), strict=True):
            wanted = [float(row["value"]), *map(float, row["ends"])]
            assert [value, low, high] == pytest.approx([scale * one for one in wanted], abs=1.5)


def test_keys_go_from_bar_to_bar_and_enter_leads_to_its_matches(browser: Browser, studied: Served) -> None:
    with visitors(browser, studied) as people:
        page = people.page().open(EXPLORE)
        bars = page.locator("figure.bars li a")
        assert bars.count() > 3
        assert page.locator("figure.bars a[tabindex='0']").count() == 1  # Tab stops once
        page.locator("[data-tree] a").last.focus()
        page.keyboard.press("Tab")
        expect(bars.first).to_be_focused()
        page.keyboard.press("End")
        expect(bars.last).to_be_focused()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        expect(bars.nth(1)).to_be_focused()
        link = page.locator("tbody a[data-link]").nth(1)
        n, wanted = int(link.inner_text()), link.get_attribute("href") or ""
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{wanted}")
        assert page.locator(".behind a").count() == n


def test_a_turn_of_a_search_leads_to_what_was_found_in_it(browser: Browser, studied: Served) -> None:
    with visitors(browser, studied) as people:
        page = people.page().open(FIND)
        row: dict[str, Any] = page.evaluate(TABLE)[1]
        count = page.locator("figure.bars li .bar-count").nth(1).inner_text()
        page.locator("figure.bars li a").nth(1).click()
        page.wait_for_url("**play*")
        expect(page.locator(".numbers dd").first).to_have_text(f"Matches: {count}")
        expect(page.locator(".numbers .rate")).to_contain_text(f"{row['value']} % ")


def test_a_chart_has_the_order_of_its_table(browser: Browser, studied: Served) -> None:
    with visitors(browser, studied) as people:
        page = people.page().open(EXPLORE)
        before = page.evaluate(BARS)
        page.locator("table[data-chart] thead button").nth(2).click()
        assert page.evaluate(BARS) == page.evaluate(TABLE) != before


def test_a_long_table_is_drawn_in_part_and_the_chart_says_so(browser: Browser, studied: Served) -> None:
    with visitors(browser, studied) as people:
        page = people.page().open(CUBA)
        page.evaluate("""() => {
          const table = document.querySelector("table[data-chart]"), body = table.tBodies[0];
          for (let i = 0; i < 40; i++) body.append(body.rows[0].cloneNode(true));
          table.dispatchEvent(new Event("sorted"));
        }""")
        assert page.evaluate(BARS) == page.evaluate(TABLE)[:24]
        expect(page.locator(".chart-about")).to_contain_text("24 of 42 rows")


def test_ratings_of_two_players_are_two_lines_whose_points_lead_to_the_matches(
    browser: Browser, studied: Served
) -> None:
    with visitors(browser, studied) as people:
        page = people.page().open(COMPARE)
        told = page.locator("table[data-chart=path] tbody tr").evaluate_all(
            "all => all.map((row) => [+row.cells[1].textContent, row.querySelector('a').pathname])"
        )
        drawn = page.locator("figure.lines .point").evaluate_all(
            "all => all.map((one) => [+one.querySelector('.target').attributes.cy.value, one.href.baseVal])"
        )
        assert len(told) > 100
        assert [link for _, link in drawn] == [link for _, link in told]
        least, most = min(told), max(told)
        top, bottom = (min if one else max for one in (True, False))
        highest, lowest = top(y for y, _ in drawn), bottom(y for y, _ in drawn)
        for (rating, _), (y, _) in zip(told, drawn, strict=True):
            share = (rating - least[0]) / (most[0] - least[0])
            assert (lowest - y) / (lowest - highest) == pytest.approx(share, abs=0.001)
        assert page.locator("figure.lines .point.seat-1 rect.mark").count() * 2 == len(told)
        names = page.locator("figure.lines .line-name").all_text_contents()
        assert sorted(names) == ["p-us", "p-ussr"]
        sides = page.evaluate(BARS)
        assert [row["label"] for row in sides][:2] == ["p-us · US", "p-ussr · USSR"]


def test_a_path_has_a_band_and_says_how_many_cases_each_point_has(browser: Browser, studied: Served) -> None:
    with visitors(browser, studied) as people:
        page = people.page().open("/queries?query=vp_path&pool=bots")
        rows = page.locator("tbody tr").all_inner_texts()
        points = page.locator("figure.lines .point")
        assert points.count() == len(rows) > 1
        turn, n, low, median, high, _ = rows[0].split()
        said = points.first.get_attribute("aria-label") or ""
        assert said.startswith(f"{turn}; ")
        assert said.endswith(f", n = {n}")
        for value in (low, median, high):
            assert f"{float(value):.1f}" in said
        assert page.locator("figure.lines .band").count() == 1


def test_only_an_answer_with_one_label_and_one_rate_is_drawn(browser: Browser, studied: Served) -> None:
    with visitors(browser, studied) as people:
        watched = people.page()
        for name, count in (("tm_cuba", 1), ("tm_bids", 0), ("tm_territories", 0), ("tm_end_modes", 0)):
            page = watched.open(f"/queries?query={name}")
            assert page.locator("table[data-sortable] tbody tr").count() > 0
            assert page.locator("figure").count() == count, name


@pytest.mark.parametrize("path", [FIND, EXPLORE, COMPARE, CUBA])
def test_without_scripts_the_table_has_the_numbers_and_no_place_is_empty(
    path: str, browser: Browser, studied: Served
) -> None:
    with visitors(browser, studied) as people:
        plain = people.page(scripts=False)
        plain.page.goto(f"http://127.0.0.1:{studied.port}{path}")
        page = people.page().open(path)
        assert plain.page.locator("main svg, main figure").count() == 0
        assert plain.page.locator("[data-charts]:visible, [data-share]:visible").count() == 0
        assert tables(plain.page) == tables(page) != []


def tables(page: Page) -> list[str]:
    """The texts of the cells of all tables that a chart draws."""
    return page.locator("table[data-chart] :is(td, th)").all_text_contents()


@pytest.mark.parametrize(("path", "dark"), [(EXPLORE, True), (COMPARE, False)])
def test_axe_finds_nothing_serious_in_a_chart_on_a_phone(
    path: str, dark: bool, browser: Browser, studied: Served
) -> None:
    with visitors(browser, studied) as people:
        page = people.page(size=NARROW, dark=dark, locale="ru-RU").open(path)
        assert page.locator("figure.chart").count() > 0
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
