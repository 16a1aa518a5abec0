"""The pages over the data set: what they show, where their numbers lead, and what they say without one."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser

import replay.dataset as glasnost
from api.web.data_answers import words_of
from api.web.shell import texts
from domain.games import GAMES
from replay.dataset.queries import queries
from replay.dataset.search import VOCABULARIES
from tests.api.http.served import Client, Served
from tests.web.conftest import MATCHES
from tests.web.signed import visitors

PATHS = ("/find", "/explore", "/explore/cia_vs_kgb", "/queries", "/queries?query=coups", "/compare")
CUBA = "us in cuba >= 1"


def page(server: Served, path: str, language: str = "en") -> str:
    """The HTML of a page."""
    answer = server.client().get(path, accept_language=language)
    assert answer.status == 200, answer
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    return html.unescape(answer.body.decode())


def links(text: str, pattern: str) -> list[str]:
    """The addresses on a page that fit."""
    return re.findall(rf'href="({pattern})"', text)


def test_without_a_data_set_each_page_says_so_in_one_sentence(house: Served) -> None:
    for language, sentence in (
        ("en", "this server has no data set;"),
        ("ru", "у этого сервера нет набора данных;"),
    ):
        for path in (*PATHS, f"/find?where={quote(CUBA)}&game=thirteen_minutes", "/compare?a=bot:a&b=bot:b"):
            assert page(house, path, language).count(f'<p class="notice">{sentence}') == 1, path
    assert "/find" not in links(page(house, "/new"), "/[a-z]+")


def test_with_one_the_navigation_leads_to_them(studied: Served) -> None:
    answer = studied.client().get("/", accept="text/html").body.decode()
    assert "/find" in links(answer, "/[a-z]+")
    for path in PATHS:
        assert 'class="notice"' not in page(studied, path), path


def test_a_search_shows_its_hits_with_the_position_that_each_leads_to(studied: Served) -> None:
    text = page(studied, f"/find?game=thirteen_minutes&where={quote(CUBA)}")
    answer = studied.client().get(f"/v1/positions?game=thirteen_minutes&limit=50&where={quote(CUBA)}").json
    assert links(text, r"/m/[^\"]+") == [hit["replay"] for hit in answer["hits"]]
    assert len(answer["hits"]) > 3
    (found,) = answer["summary"]
    assert f"Matches: {found['matches']}<" in text
    assert f"{found['won_a'] * 100:.0f} %" in text
    assert f"{found['lo'] * 100:.0f} to {found['hi'] * 100:.0f} % of {found['n']}" in text
    (more,) = links(text, r"\?[^\"]+&limit=1000")
    every = links(page(studied, f"/find{more}"), r"/m/[^\"]+")
    assert len(every) == found["positions"] > len(answer["hits"])
    none = page(studied, f"/find?game=thirteen_minutes&where={quote('us in cuba >= 99')}")
    assert "No position is like this" in none


@pytest.mark.parametrize("language", ["en", "ru"])
def test_no_two_columns_of_hits_have_the_same_title(language: str) -> None:
    for game, vocabulary in VOCABULARIES.items():
        words = words_of(GAMES[game], language)
        titles = [words.field(name) for name in vocabulary.time] + [texts(language)("data_move")]
        assert len({title.casefold() for title in titles}) == len(titles), game


class BreaksOff:
    """An answer of the data process that ends before its end."""

    status = 200

    async def whole(self) -> bytes:
        """The body that never comes whole."""
        raise EOFError


@pytest.mark.parametrize("path", [f"/find?where={quote('turn = 1')}", *PATHS[1:3], PATHS[4]])
def test_an_answer_that_breaks_off_is_said_and_is_no_error_of_the_page(
    path: str, studied: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(*_: object) -> BreaksOff:
        return BreaksOff()

    assert studied.services is not None
    monkeypatch.setattr(studied.services.data, "ask", ask)
    assert page(studied, path).count('class="notice"') == 1


@pytest.mark.parametrize(
    ("where", "shown", "marked"),
    [
        ("ussr controls iram", "column 15:", "iram"),
        ("defcon = 2 and", "column 15:", "\u00a0"),
        ("defcon # 2", "column 8:", "#"),
        ("<b>x</b>", "column 6:", "/"),
    ],
)
def test_a_wrong_search_is_marked_where_it_goes_wrong(
    where: str, shown: str, marked: str, studied: Served
) -> None:
    answer = studied.client().get(f"/find?where={quote(where)}")
    text = answer.body.decode()
    assert answer.status == 200
    assert shown in text
    assert f"<mark>{html.escape(marked)}</mark>" in text
    assert "<b>x" not in text


def test_the_sql_of_an_answer_stands_beside_it_and_gives_the_same_rows(studied: Served) -> None:
    text = page(studied, "/queries?query=tm_end_modes&pool=live,bots")
    (shown,) = re.findall(r"<pre><code>(.*?)</code></pre>", text, re.S)
    told = studied.client().get("/v1/queries/tm_end_modes?pool=live,bots").json
    data = glasnost.open(data_folder(studied))
    assert [list(row) for row in data.sql(shown).fetchall()] == told["rows"]
    evil = studied.client().get("/queries?query=tm_end_modes&edition=%3Ci%3E%27;").body.decode()
    assert "edition = &#39;&lt;i&gt;&#39;&#39;;&#39;" in evil


def test_every_number_of_an_answer_leads_to_as_many_matches(studied: Served) -> None:
    text = page(studied, "/queries?query=tm_end_modes")
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", text.partition("<tbody>")[2].partition("</tbody>")[0], re.S)
    assert len(rows) > 1
    counted = 0
    for row in rows:
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row)
        (link,) = links(row, r"/queries\?query=[^\"]+")
        behind = links(page(studied, link), r"/m/[^\"]+")
        assert len(behind) == int(cells[3])
        counted += len(behind)
    assert counted == MATCHES


def test_each_column_of_each_saved_query_has_a_title_in_both_languages() -> None:
    names = {name for one in queries().values() for name in one.columns}
    known = {language: {name: texts(language).column(name) for name in names} for language in ("en", "ru")}
    assert all(title for titles in known.values() for title in titles.values())
    same = {name for name in names if known["en"][name] == known["ru"][name]}
    assert same == set()
    assert known["ru"]["won_lo"] == "победы: от"


def test_an_answer_has_titles_of_columns_in_words_and_marks_what_differs(studied: Served) -> None:
    text = page(studied, "/queries?query=tm_territories&pool=live")
    heads = re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", text)
    assert heads[:3] == ["territory", "cases", "US"]
    told = studied.client().get("/v1/queries/tm_territories?pool=live").json
    names = [column["name"] for column in told["columns"]]
    assert text.count('<span class="marked">differs</span>') == len(told["marks"])
    rates = {
        (at, rate): row[names.index(rate)] for at, row in enumerate(told["rows"]) for rate in ("us", "ussr")
    }
    assert all(rates[one["row"], one["rate"]] is not None and one["p"] < 0.05 for one in told["marks"])
    assert len(rates) == told["comparisons"]
    shares = studied.client().get("/v1/queries/cvk_actions?pool=*").json
    assert shares["marks"] == []  # they are parts of one whole


def test_a_parameter_that_is_not_legal_is_said_beside_the_form(studied: Served) -> None:
    text = page(studied, "/queries?query=control_wins&country=nowhere")
    assert re.search(r'role="alert"><p>[^<]*parameter country: \'nowhere\'', text)
    assert "/queries?query=win_rate" not in text
    asked = page(studied, "/queries?query=not_taken")  # it has a parameter that must be given
    assert 'name="option"' in asked
    assert 'role="alert"' not in asked


def test_the_tree_of_openings_leads_on_and_its_counts_add_up(studied: Served) -> None:
    text = page(studied, "/explore/thirteen_minutes")
    children = links(text, r"\?path=bids/[^\"&]+&pool=live")
    assert len(children) >= 4
    counts = [int(n) for n in re.findall(r'<a class="count" [^>]*>(\d+)</a>', text)]
    hidden = re.findall(r"Matches in branches with fewer than 5: (\d+)", text)
    assert sum(counts) + sum(map(int, hidden)) == MATCHES
    below = page(studied, f"/explore/thirteen_minutes{children[0]}")
    assert f">{counts[0]}</a></dd>" in below
    for address, n in ((f"{children[0]}&matches=1", counts[0]), ("?path=bids&pool=live&matches=1", MATCHES)):
        assert f'href="{address}"' in text
        behind = page(studied, f"/explore/thirteen_minutes{address}")
        assert len(set(links(behind, r"/m/[^\"]+"))) == n
    assert 'aria-current="true"' in below
    gone = page(studied, "/explore/thirteen_minutes?path=bids/77")
    assert 'role="alert"' in gone
    assert studied.client().get("/explore/toy").status == 404


@pytest.mark.parametrize("language", ["en", "ru"])
def test_each_count_of_a_node_leads_to_as_many_matches(language: str, studied: Served) -> None:
    words = texts(language)
    place = "/explore/twilight_struggle?pool=bots"
    node = studied.client().get("/v1/explorer?game=twilight_struggle&pool=bots").json["node"]
    assert (node["n"], node["n_ahead"], node["hidden"]) == (1, 1, 1)
    text = page(studied, place, language)
    (link,) = links(text, r"\?path=[^\"]+&count=n_ahead")
    reached = page(studied, f"/explore/twilight_struggle{link}", language)
    assert words("explore_behind_ahead") in reached
    data = glasnost.open(data_folder(studied))
    ((move,),) = data.fetch("SELECT move FROM ts_positions WHERE kind = 'turn_end' AND turn = 3", {})
    assert links(reached, r"/m/[^\"]+") == [f"/m/war?move={move}"]
    assert words("explore_hidden", n=1, least=5) in text
    late = f"{place}&turn=10"
    (link,) = links(page(studied, late, language), r"\?path=[^\"]+&count=ended")
    ended = page(studied, f"/explore/twilight_struggle{link}", language)
    assert words("explore_behind_ended") in ended
    assert links(ended, r"/m/[^\"]+") == ["/m/war?move=1"]


def data_folder(server: Served) -> Any:
    """The folder of the data set of a server."""
    assert server.services is not None
    return vars(server.services.data)["_place"].folder


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "min_n: 1 is too small; branches with fewer than 5 matches are never shown"),
        ("ru", "min_n: 1 — слишком мало; ветви, в которых партий меньше 5, не показываются никогда"),
    ],
)
def test_the_form_of_the_tree_says_how_few_matches_a_branch_may_have(
    language: str, said: str, studied: Served
) -> None:
    text = page(studied, "/explore/thirteen_minutes", language)
    assert re.search(r'name="min_n" value="5" min="5"', text)
    assert texts(language)("explore_least_about", least=5) in text
    wrong = page(studied, "/explore/thirteen_minutes?min_n=1", language)
    assert re.search(rf'role="alert"><p>[^<]*{re.escape(said)}', wrong)


def test_the_form_of_the_tree_keeps_the_turn_and_the_edition(studied: Served) -> None:
    text = page(studied, "/explore?edition=deluxe&turn=2")
    assert '<option value="deluxe" selected>' in text
    assert re.search(r'name="turn" value="2"', text)
    assert 'href="?path=headlines&pool=live&edition=deluxe&turn=2&matches=1"' in text
    other = page(studied, "/explore?path=setup&turn=2")
    assert 'name="turn"' not in other
    assert 'role="alert"' not in other


def test_two_players_stand_side_by_side(studied: Served) -> None:
    text = page(studied, "/compare?game=thirteen_minutes&a=p-us&b=p-ussr")
    record = studied.client().get("/v1/queries/tm_between?a=p-us&b=p-ussr").json
    (row,) = [dict(zip([c["name"] for c in record["columns"]], row, strict=True)) for row in record["rows"]]
    shown = f'{row["won"] * 100:.0f} %</strong> <span class="hint">{row["lo"] * 100:.0f} to'
    assert text.count(shown) == 2  # against each other, and in all matches of the first one
    found = links(text, r"/queries\?query=[^\"]+")
    # against each other; results, openings (each card), think time, forced moves, luck and rating of both
    kinds = Counter(re.findall(r"query=tm_([a-z_]+)", " ".join(found)))
    opened = sum(
        min(8, len(studied.client().get(f"/v1/queries/tm_player_cards?player={one}").json["rows"]))
        for one in ("p-us", "p-ussr")
    )
    assert kinds == {
        "between": 1,
        "player_record": 2,
        "player_cards": opened,
        "player_pace": 2,
        "player_forced": 2,
        "player_luck": 2,
        "opponents_luck": 2,
        "player_ratings": 2,
    }
    path = studied.client().get("/v1/queries/tm_player_ratings?player=p-us").json
    names = [column["name"] for column in path["columns"]]
    first, last = path["rows"][0][names.index("before")], path["rows"][-1][names.index("after")]
    assert f"from {first} to {last}," in text
    told = [f"{row[names.index('match')]} {row[names.index('after')]}" for row in path["rows"]]
    steps = re.findall(r'<td data-value="(\d+)">\1</td><td class="name"><a href="/m/([^"]+)"', text)
    assert [f"{match} {after}" for after, match in steps][: len(told)] == told
    assert len(links(page(studied, found[0]), r"/m/[^\"]+")) == MATCHES
    bots = page(studied, "/compare?game=twilight_struggle&a=bot:random&b=bot:opener&pool=bots")
    assert "They have not finished a match" in bots
    none = page(studied, "/compare?a=p-us&b=Nobody%20%3Ci%3E")
    assert "No player is called Nobody <i>." in none


def rows_of(server: Served, query: str) -> list[dict[str, Any]]:
    """The answer of a saved query."""
    told = server.client().get(f"/v1/queries/{query}").json
    return [dict(zip([one["name"] for one in told["columns"]], row, strict=True)) for row in told["rows"]]


@pytest.mark.parametrize("language", ["en", "ru"])
def test_forced_moves_and_luck_of_both_sides_stand_in_the_comparison(language: str, studied: Served) -> None:
    text = page(studied, "/compare?game=thirteen_minutes&a=p-us&b=p-ussr", language)
    words = texts(language)
    for player in ("p-us", "p-ussr"):
        (row,) = rows_of(studied, f"tm_player_forced?player={player}")
        assert row["matches"] == MATCHES
        between = words(
            "data_between", low=f"{row['lo'] * 100:.0f}", high=f"{row['hi'] * 100:.0f}", n=row["n"]
        )
        assert f'{row["forced"] * 100:.0f} %</strong> <span class="hint">{between}<' in text
        for name, whose in (("player_luck", "own"), ("opponents_luck", "opponents")):
            (row,) = rows_of(studied, f"tm_{name}?player={player}")
            cells = [
                words(f"compare_luck_{whose}"),
                f"{row['n']}",
                f"{row['luck']:+.1f}",
                f"{row['mean']:+.2f}",
            ]
            shown = r"</td><td[^>]*>".join(map(re.escape, cells))
            assert row["n"] >= 30
            ends = {end: f"{row[f'mean_{end}']:+.2f}" for end in ("lo", "hi")}
            between = words("compare_luck_between", low=ends["lo"], high=ends["hi"])
            assert re.search(rf'{shown} <span class="hint">{re.escape(between)}<', text)
    assert words("compare_forced_about") in text


def test_a_mean_of_an_answer_is_a_number_and_no_rate(studied: Served) -> None:
    (row,) = rows_of(studied, "tm_player_luck?player=p-us")
    text = page(studied, "/queries?query=tm_player_luck&player=p-us")
    for name in ("mean", "mean_lo", "mean_hi"):
        assert f">{row[name]:.2f}</td>" in text


def test_a_data_set_without_decisions_says_why_it_cannot_count_forced_moves(
    studied: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tests/api/data/test_answers.py` has the refusal of the data process."""
    assert studied.services is not None
    why, ask = "there are no decisions here", studied.services.data.ask

    class Refuses:
        status = 404

        async def whole(self) -> bytes:
            return json.dumps({"detail": why}).encode()

    async def without_decisions(method: str, target: str, *more: Any) -> Any:
        return Refuses() if "player_forced" in target else await ask(method, target, *more)

    monkeypatch.setattr(studied.services.data, "ask", without_decisions)
    text = page(studied, "/compare?game=thirteen_minutes&a=p-us&b=p-ussr")
    assert text.count(f'<p class="empty">{why}</p>') == 2
    assert text.count('data-chart="path"') == 2


def test_players_are_found_by_name_by_those_who_are_signed_in(studied: Served) -> None:
    ann: Client = studied.player()
    name = ann.get(f"/v1/players/{ann.player}").json["name"]
    path = f"/compare?a={quote(name)}&b=bot:random"
    assert f"No player is called {name}" in page(studied, path)
    assert "No player is called" not in html.unescape(ann.get(path).body.decode())


def test_scripts_insert_words_unfold_the_tree_and_sort_tables(browser: Browser, studied: Served) -> None:
    with visitors(browser, studied) as people:
        watched = people.page()
        found = watched.open("/find?game=thirteen_minutes&where=us in")
        found.locator(".vocabulary summary").click()
        found.locator("#where").press("End")
        word = found.locator("[data-insert]").first
        word.click()
        assert found.locator("#where").input_value() == f"us in {word.get_attribute('data-insert')}"
        tree = watched.open("/explore/thirteen_minutes")
        first = tree.locator("[data-tree] > li").first
        first.locator("button.unfold").press("Enter")
        first.locator(":scope > ul, :scope > .below").wait_for()
        assert first.locator("button.unfold").first.get_attribute("aria-expanded") == "true"
        first.locator("button.unfold").first.press("Enter")
        assert not first.locator(":scope > ul, :scope > .below").is_visible()
        head = tree.locator("table[data-sortable] thead button").nth(1)
        before = tree.locator("tbody tr td:nth-child(2)").all_inner_texts()
        head.click()
        assert tree.locator("tbody tr td:nth-child(2)").all_inner_texts() == sorted(before, key=int)
