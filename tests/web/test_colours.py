"""The two seats without hue: their fields differ by pattern, whatever colours a reader sees."""

from __future__ import annotations

import base64
import math
from typing import Literal

import pytest
from playwright.sync_api import Browser, FloatRect

from tests.api.http.served import Served
from tests.web.browser import WIDE, Watched

SPACES, SCALE = 10, 3
CONTROL = """([count, seats]) => [...document.querySelectorAll(".board .space")].forEach((space, i) => {
  if (i < count) space.dataset.by = seats[i % 2];
  else delete space.dataset.by;
})"""
CORNER = """(by) => [...document.querySelectorAll(`.board .space[data-by="${by}"] .field`)].map((field) => {
  for (const text of field.closest(".space").querySelectorAll("text")) text.style.visibility = "hidden";
  const own = [...field.classList].includes(by) || field.classList.contains(by === "us" ? "first" : "second");
  if (!own) return null;
  const {x, y, width, height} = field.getBoundingClientRect();
  return [x + width * 0.2, y + height * 0.2, width * 0.6, height * 0.6];
}).filter(Boolean)"""
SPREAD = """async ([picture, boxes, scale]) => {
  const bytes = Uint8Array.from(atob(picture), (one) => one.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), context = canvas.getContext("2d");
  context.drawImage(bitmap, 0, 0);
  return boxes.map((box) => {
    const { data } = context.getImageData(...box.map((one) => Math.round(one * scale)));
    const light = [];
    let hue = 0;
    for (let i = 0; i < data.length; i += 4) {
      light.push(0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2]);
      hue = Math.max(hue, Math.abs(data[i] - data[i + 1]), Math.abs(data[i + 1] - data[i + 2]));
    }
    const mean = light.reduce((sum, one) => sum + one, 0) / light.length;
    return [Math.sqrt(light.reduce((sum, one) => sum + (one - mean) ** 2, 0) / light.length), hue];
  });
}"""


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_the_fields_of_the_two_seats_differ_by_pattern(
    scheme: Literal["light", "dark"], browser: Browser, house: Served, finished: dict[str, str]
) -> None:
    """W35: on ten spaces, the field of the first seat is even, and that of the second is hatched."""
    # given a board on which each seat controls half of ten spaces
    context = browser.new_context(viewport=WIDE, color_scheme=scheme, device_scale_factor=SCALE)
    page = Watched(context, f"http://127.0.0.1:{house.port}").open(f"/m/{finished['twilight_struggle']}")
    emulation, reader = context.new_cdp_session(page), context.new_page()
    page.evaluate(CONTROL, [SPACES, ["us", "ussr"]])
    boxes = {seat: page.evaluate(CORNER, seat) for seat in ("us", "ussr")}
    assert [len(found) for found in boxes.values()] == [SPACES // 2] * 2
    clip = around([box for found in boxes.values() for box in found])
    inside = {
        seat: [[x - clip["x"], y - clip["y"], width, height] for x, y, width, height in found]
        for seat, found in boxes.items()
    }
    for deficiency in ("none", "protanopia", "deuteranopia", "achromatopsia"):
        # when its pixels are compared as such a reader sees them
        emulation.send("Emulation.setEmulatedVisionDeficiency", {"type": deficiency})
        picture = base64.b64encode(page.screenshot(clip=clip, full_page=True, scale="device")).decode()
        spread = {seat: reader.evaluate(SPREAD, [picture, found, SCALE]) for seat, found in inside.items()}
        # then the lightness of one kind of field is even and that of the other is not
        assert max(one for one, _ in spread["us"]) < 1, (deficiency, spread)
        assert min(one for one, _ in spread["ussr"]) > 5, (deficiency, spread)
        hues = [hue for found in spread.values() for _, hue in found]
        assert (max(hues) < 12) == (deficiency == "achromatopsia"), hues  # the simulation is on
    context.close()


def around(boxes: list[list[float]]) -> FloatRect:
    """The least rectangle of whole pixels that holds all of these [x, y, width, height]."""
    left, top = (math.floor(min(box[side] for box in boxes)) for side in (0, 1))
    right, bottom = (math.ceil(max(box[side] + box[side + 2] for box in boxes)) for side in (0, 1))
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}
