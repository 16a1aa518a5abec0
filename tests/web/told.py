"""What a page must say of a position: the scene that the server makes of it, in the words of its game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playwright.sync_api import Page

from tests.api.http.served import Client

_TEXTS = """[...document.querySelectorAll("#panels [data-panel]"), document.querySelector("#status")]
  .map((one) => [one.dataset.panel ?? "status", one.textContent])"""


class Told:
    """What the server says of the positions that one view shows, and the words for it."""

    def __init__(self, client: Client, match: str, game: str, view: str, language: str) -> None:
        self.client, self.view, self.language = client, view, language
        self.match = f"/v1/matches/{match}"
        self.words = client.get(f"/v1/games/{game}?lang={language}").json

    def scene(self, move: int) -> Any:
        """The scene after a move."""
        return self.client.get(f"{self.match}/scene?at={move}&view={self.view}").json["scene"]

    def question(self) -> Any:
        """The question that this player is asked now."""
        return self.client.get(f"{self.match}/prompt", accept_language=self.language).json

    def name(self, value: object) -> str:
        """The name of a value of a scene."""
        return str(self.words["names"].get(value, self.words["fields"].get(value, value)))

    def field(self, id: str) -> str:
        """The name of a field, of which each part may have one."""
        whole = self.words["names"].get(id, self.words["fields"].get(id))
        if whole is not None or "." not in id:
            return str(whole if whole is not None else id.replace("_", " "))
        return " · ".join(self.field(part) for part in id.split("."))

    def slots(self, slots: Mapping[str, object]) -> set[str]:
        """What lies on a space, in words."""
        return {f"{self.field(slot)} {self.name(value)}" for slot, value in slots.items()}


def panel_texts(page: Page) -> dict[str, str]:
    """The text of each panel of a page, by its id."""
    return dict(page.evaluate(_TEXTS))


def check_panels(found: Mapping[str, str], told: Told, scene: Any) -> None:
    """Every panel says its name, and all that the scene holds in it."""
    assert found.keys() == scene["panels"].keys() | {"status"}
    for name, panel in scene["panels"].items():
        text = found[name]
        assert name == "status" or text.startswith(told.field(name)), text
        for said in _said(panel, told):
            assert said in text, (name, said, text)


def _said(panel: Any, told: Told) -> Iterator[str]:
    """What the text of a panel holds: each name together with its value."""
    yield from (told.field(item) + told.name(value) for item, value in panel.get("items", {}).items())
    yield from (told.name(seat) + str(number) for seat, number in panel.get("seats", {}).items())
    yield from (f"{told.name(part)} {number}" for part, number in panel.get("parts", {}).items())
    yield from (str(panel[key]) for key in ("hidden", "value", "limit", "text") if key in panel)
    yield from map(told.name, panel.get("cards", {}))
    for id, row in panel.get("rows", {}).items():
        yield told.field(id) + "".join(told.name(row.get(column, "")) for column in panel["columns"])
    for id, at in panel.get("at", {}).items():
        yield f"{told.field(id)} {at}" if panel["kind"] == "track" else told.name(id)
    for slots in panel.get("slots", {}).values():
        yield from (
            told.name(slot) + ("" if value == "yes" else f" {value}") for slot, value in slots.items()
        )
