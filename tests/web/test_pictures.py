"""Pictures of the board as PNG, and what a link to a match shows elsewhere."""

from __future__ import annotations

import re
import struct
import sys
import zlib
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from api.http.routes import positions
from replay.boards import pictures, rasterizer
from replay.boards.pictures import WIDTH, NoPicture, plain, png
from tests.api.http.served import Served, served
from tests.web.browser import Watched
from tests.web.matches import bots_match

PNG = "image/png"
BLANK = '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="300">{}</svg>'


def pixels(picture: bytes) -> tuple[int, int, bytes]:
    """The width, the height and the raw data of a PNG."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    parts = re.findall(rb"IDAT", picture)
    at, data = 8, b""
    while at < len(picture):
        (size,), kind = struct.unpack(">I", picture[at : at + 4]), picture[at + 4 : at + 8]
        data += picture[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    assert parts
    return width, height, zlib.decompress(data)


def test_a_picture_of_the_board_is_a_png_of_one_width(house: Served, finished: dict[str, str]) -> None:
    client = house.client()
    for game in ("twilight_struggle", "imperial_struggle"):
        path = f"/v1/matches/{finished[game]}/scene?at=30&view=all"
        answer = client.get(path, accept=PNG)
        assert (answer.status, answer.headers["content-type"]) == (200, PNG)
        assert pixels(answer.body)[0] == WIDTH
        assert client.get(path, accept=PNG).body == answer.body
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert client.get(f"/m/{finished[game]}/picture.png?move=30&view=all").body == answer.body


def test_a_picture_shows_letters_and_colours() -> None:
    empty = pixels(png(BLANK.format("")))
    text = pixels(png(BLANK.format('<text x="20" y="99" font-size="60" font-family="sans-serif">Ж</text>')))
    assert empty[2] != text[2]
    style = "<style>.b{--c:#ff0000;} @media (dark){.b{--c:#000000;}} .b{fill:var(--c);}</style>"
    shape = '<rect class="b" width="600" height="300"{}/>'
    red = pixels(png(BLANK.format(shape.format(' fill="#ff0000"'))))
    assert pixels(png(BLANK.format(style + shape.format("")))) == red != empty


def test_the_style_of_a_picture_has_no_custom_properties(house: Served, finished: dict[str, str]) -> None:
    for game in ("twilight_struggle", "imperial_struggle"):
        drawn = (
            house.client().get(f"/v1/matches/{finished[game]}/scene", accept="image/svg+xml").body.decode()
        )
        assert not re.search(
            r"var\(|--\w|@media|: none;.*: none", plain(drawn).partition("</style>")[0][:400]
        )
        assert "var(" not in plain(drawn)
        assert "@media" not in plain(drawn)


def test_a_picture_shows_only_what_everybody_may_see(house: Served) -> None:
    """The spy: a picture of a seat would be kept beside those of everybody."""
    match, players = house.table("twilight_struggle")
    for client, query in ((players[0], "?view=us"), (players[0], ""), (players[1], "?view=ussr")):
        answer = client.get(f"/v1/matches/{match}/scene{query}", accept=PNG)
        assert "view=spectator" in answer.problem(403, "forbidden")["detail"]
    seen = [
        client.get(f"/v1/matches/{match}/scene?view=spectator", accept=PNG).body
        for client in (*players, house.client())
    ]
    assert len(set(seen)) == 1
    page = f"/m/{match}/picture.png"
    assert players[0].get(page).body == players[1].get(page).body == house.client().get(page).body == seen[0]
    assert players[0].get(f"{page}?view=us").status == 403


def test_a_game_without_a_board_has_no_picture(house: Served, finished: dict[str, str]) -> None:
    path = f"/v1/matches/{finished['thirteen_minutes']}/scene"
    house.client().get(path, accept=PNG).problem(406, "no-board")
    assert house.client().get(f"/m/{finished['thirteen_minutes']}/picture.png").status == 406


@pytest.mark.parametrize("query", ["move=0", "move=99999999999", "move=%00", "move=nonsense&lang=xx"])
def test_an_address_with_nonsense_shows_the_nearest_move(
    query: str, house: Served, finished: dict[str, str]
) -> None:
    match = finished["twilight_struggle"]
    assert house.client().get(f"/m/{match}/picture.png?{query}").headers["content-type"] == PNG
    assert house.client().get(f"/m/{match}/picture.png?view=nonsense").status == 404
    assert house.client().get("/m/none/picture.png").status == 404


def test_the_same_picture_is_drawn_once(
    house: Served, finished: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The flooder: drawing takes a processor for half a second."""
    drawn: list[str] = []

    def noting(svg: str) -> bytes:
        drawn.append(svg)
        return b"picture"

    monkeypatch.setattr(positions, "_png", noting)
    path = f"/v1/matches/{finished['twilight_struggle']}/scene?at=31&view=all"
    assert [house.client().get(path, accept=PNG).body for _ in range(5)] == [b"picture"] * 5
    assert len(drawn) == 1


def test_without_the_extra_one_sentence_names_it_and_no_picture_is_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with served(tmp_path) as server:
        match = bots_match(server, "twilight_struggle")
        told = server.client().get(f"/v1/matches/{match}/scene", accept=PNG).problem(406, "no-picture")
        assert "`GLASNOST_EXTRAS=pictures ./ops/run`" in told["detail"]
        page = server.client().get(f"/m/{match}").body.decode()
        assert "og:title" in page
        assert "og:image" not in page
        assert '"picture":false' in page


def test_a_system_without_fonts_offers_no_picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Bare:
        """A system that draws nothing for any letter, or the same for every letter."""

        def __init__(self, box: bytes) -> None:
            self._box = box

        def svg_to_bytes(self, svg_string: str | None = None, *, font_family: str | None = None) -> bytes:
            return self._box if re.search(r">\S</text>", svg_string or "") else b""

    assert rasterizer.family(Bare(b"")) is None
    assert rasterizer.family(Bare(b"box")) is None
    for program in (f"import sys; sys.exit({rasterizer.NO_FONT})", "while True: pass"):
        (tmp_path / "program.py").write_text(program)
        monkeypatch.setattr(pictures, "_PROGRAM", tmp_path / "program.py")
        monkeypatch.setattr(pictures, "_SECONDS", 0.5)
        with pytest.raises(NoPicture):
            png(BLANK)


def head(body: bytes) -> dict[str, str]:
    """What a page says to those that show its link."""
    found: Any = re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', body.decode())
    return {name: unescape(text) for name, text in found}


def test_a_link_shows_the_match_in_the_language_of_the_page(house: Served, finished: dict[str, str]) -> None:
    match = finished["twilight_struggle"]
    told = house.client().get(f"/v1/matches/{match}/positions?after=19&until=20&view=all").json["moves"][0]
    english = head(house.client().get(f"/m/{match}?move=20").body)
    assert english["title"].startswith("Twilight Struggle · bot random (US)")
    assert english["description"].endswith(told["sentences"][0]["text"])
    assert english["url"].endswith(f"/m/{match}?move=20&view=all")
    path = english["image"].partition(f":{house.port}")[2]
    assert house.client().get(path).headers["content-type"] == PNG
    russian = head(house.client().get(f"/m/{match}?move=20&lang=ru").body)
    assert russian["title"].startswith("Сумеречная борьба")
    assert "lang=ru" in russian["image"]


def test_a_link_tells_no_spoiler_and_no_secret(house: Served, finished: dict[str, str]) -> None:
    # without spoilers: neither the length nor a picture, whose title has it
    match = finished["twilight_struggle"]
    last = house.client().get(f"/v1/matches/{match}").json["move"]
    told = head(house.client().get(f"/m/{match}?spoiler=off&move=3").body)
    assert str(last) not in " ".join(told.values()).replace(match, "")
    assert "image" not in told
    # while it runs: what its player sees is not in the preview
    match, players = house.table("twilight_struggle")
    told = head(players[0].get(f"/m/{match}?view=us").body)
    assert "view=spectator" in told["image"]
    assert told["description"].startswith("Move ")
    assert "." not in told["description"]


def test_the_page_of_a_match_offers_the_picture(watched: Watched, finished: dict[str, str]) -> None:
    page = watched.open(f"/m/{finished['twilight_struggle']}?move=12")
    page.locator("#share").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Picture (PNG)").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
