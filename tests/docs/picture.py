"""The picture of the replay room with which README begins: a match between bots in the middle of the game."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests import services
from tests.api.http.served import served
from tests.docs.documents import ROOT
from tests.web.browser import WIDE, Watched
from tests.web.matches import bots_match

PICTURE = ROOT / "docs" / "replay-room.png"
GAME = "twilight_struggle"
LONG = 250  # moves: most matches between these bots end early


def draw(path: Path = PICTURE) -> None:
    """Draw the picture: the page of a long match, with what the last few moves changed."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as server,
        services.chromium() as browser,
    ):
        match = bots_match(server, GAME, LONG)
        last = server.client().get(f"/v1/matches/{match}").json["move"]
        context = browser.new_context(viewport=WIDE, locale="en-GB", color_scheme="light")
        watched = Watched(context, f"http://127.0.0.1:{server.port}")
        page = watched.open(f"/m/{match}?move={last * 2 // 3}")
        page.locator("#bar .key-mark").first.wait_for()
        page.keyboard.press("d")
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        page.screenshot(path=path)
        context.close()
