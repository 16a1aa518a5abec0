"""The scene of a game that has none of its own."""

from __future__ import annotations

from domain.game import Game
from domain.games import GAMES
from domain.kernel import HIDDEN
from domain.match import Match
from domain.piles import Pile
from domain.twilight_struggle.state import Effect, State
from replay.scenes.generic import cards_of, generic_scene, pile_of
from replay.scenes.vocabulary import Cards, Pair, Rows, Status
from tests.matches import Sitting
from tests.replay.scenes.matches import viewers, whole

TWILIGHT = GAMES["twilight_struggle"]


def test_each_kind_of_field_has_its_kind_of_panel() -> None:
    table = State(
        turn=3,
        phasing="us",
        china_ready=True,
        military={"us": 2, "ussr": 0},
        chosen={"us": HIDDEN},
        hands={"us": ("fidel", "nasser"), "ussr": (HIDDEN, HIDDEN)},
        deck=Pile((), 40),
        influence={"us": {"iran": 1}, "ussr": {"iran": 2, "iraq": 1}},
        effects=(Effect("vietnam_revolts", "ussr", "asia"),),
    )
    panels = generic_scene(table, TWILIGHT).panels
    status = panels["status"]
    assert isinstance(status, Status)
    assert status.items == {
        "turn": 3,
        "round": 0,
        "phasing": "us",
        "defcon": 5,
        "vp": 0,
        "china_ready": "yes",
    }
    assert panels["military"] == Pair({"us": 2, "ussr": 0})
    assert panels["chosen"] == Status({"us": HIDDEN})
    assert panels["hands.us"] == Cards({"fidel": 0, "nasser": 0}, 0, "us")
    assert panels["hands.ussr"] == Cards({}, 2, "ussr")
    assert panels["deck"] == Cards({}, 40)
    assert panels["influence"] == Rows(("us", "ussr"), {"iran": {"us": 1, "ussr": 2}, "iraq": {"ussr": 1}})
    assert panels["effects"] == Rows(
        ("card", "seat", "region"), {"1": {"card": "vietnam_revolts", "seat": "ussr", "region": "asia"}}
    )
    assert "at_start" not in panels, "it is backstage"
    assert not [panel for panel in panels if panel.startswith("headlines")], "nothing lies there"


def test_cards_keep_an_order_that_is_not_that_of_their_ids() -> None:
    assert cards_of(("b", "a", HIDDEN)) == Cards({"b": 0, "a": 1}, 1)
    assert cards_of(("a", "b")) == Cards({"a": 0, "b": 0})


def test_a_pile_shows_only_the_cards_whose_place_is_known() -> None:
    assert pile_of(Pile(("c", "d", "e"), 4, ("a",), (HIDDEN,))) == Cards({"a": 0}, 3)
    assert pile_of(Pile(("c", "d"), 4, (HIDDEN,), ("b",))) == Cards({"b": 3}, 3)


def test_every_card_of_the_table_is_in_the_scene(toy_game: Game) -> None:
    for game in (*GAMES.values(), toy_game):
        match = whole(game.name) if game is not toy_game else Sitting(game).seat_all().play_on(4).match
        for viewer in viewers(match)[: 3 if match.status == "running" else 4]:
            _all_cards_are_counted(match, viewer)


def _all_cards_are_counted(match: Match, viewer: str | None) -> None:
    for move in range(1, match.move + 1):
        table = match.table_at(move, viewer)
        panels = generic_scene(table, match.game).panels
        for name, panel in panels.items():
            if not isinstance(panel, Cards):
                continue
            lies = table
            for part in name.split("."):
                lies = lies[part] if isinstance(lies, dict) else getattr(lies, part)
            size = lies.size if isinstance(lies, Pile) else len(lies)
            assert len(panel.cards) + panel.hidden == size, (name, lies)
