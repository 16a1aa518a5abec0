"""What an option costs, and what pays for it, is stated part by part, in words (architecture, section 5)."""

from __future__ import annotations

import pytest

from domain.kernel import Detail
from tests.api.http.served import Served
from tests.domain import toy


@pytest.mark.parametrize(
    ("language", "left", "hidden"), [("en", "left", "a hidden card"), ("ru", "левый", "скрытая карта")]
)
def test_prompt_states_the_computation_of_a_cost_and_its_payment(
    server: Served, monkeypatch: pytest.MonkeyPatch, language: str, left: str, hidden: str
) -> None:
    def details(self: toy.Bid, s: toy.State, seat: str) -> dict[str, Detail]:
        working, pays = {"left": 3, "right": 0, "?": -1}, {"left": 2, "right": 0}
        return {"2": Detail(2, working=working), "3": Detail(3, pays=pays)}

    monkeypatch.setattr(toy.Bid, "details", details)
    match, (ann, _) = server.table()
    question = ann.get(f"/v1/matches/{match}/prompt", accept_language=language).json
    working = [{"part": "left", "label": left, "points": 3}, {"part": "?", "label": hidden, "points": -1}]
    assert question["options"] == [
        {"pick": "0", "label": "0"},
        {"pick": "1", "label": "1"},
        {"pick": "2", "label": "2", "cost": 2, "working": working},
        {"pick": "3", "label": "3", "cost": 3, "pays": [{"part": "left", "label": left, "points": 2}]},
    ]
