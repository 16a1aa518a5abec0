"""An owner's card set: what is accepted, what is completed, and one clear line for each wrong field."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

import msgspec
import pytest

from domain.game import Options
from domain.kernel import Refused
from domain.texts import Texts
from domain.thirteen_minutes import GAME
from domain.thirteen_minutes.board import US, USSR
from domain.thirteen_minutes.components import RECONSTRUCTION, CardSet
from domain.thirteen_minutes.components.card_sets import RESERVED, checked
from domain.thirteen_minutes.rules import card, card_ids
from domain.thirteen_minutes.state import State
from domain.thirteen_minutes.turns import ChooseAction
from tests.domain.thirteen_minutes.tables import empty, own_set, table
from tests.scenario import given


def problems(data: dict[str, Any]) -> list[str]:
    """The lines with which a card set is refused."""
    with pytest.raises(Refused) as refused:
        checked(data)
    return str(refused.value).split("; ")


def wrong(path: tuple[str | int, ...], value: Any) -> list[str]:
    """The lines after one field of a good file was changed."""
    data: Any = own_set()
    target = data
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return problems(data)


def words(language: str, options: Options) -> Texts:
    """The texts of a match with these options."""
    return GAME.words(language, options, GAME.editions[0])


def test_reconstruction_is_the_default_and_says_so() -> None:
    """Issue: named a reconstruction wherever it is shown."""
    assert GAME.settle(None, {})[1]["card_set"] == "reconstruction"
    assert RECONSTRUCTION.label == "reconstruction, not the published cards"
    assert GAME.components()["card_set"]["label"] == RECONSTRUCTION.label
    assert GAME.texts["en"].names["reconstruction"] == RECONSTRUCTION.label
    assert GAME.texts["ru"].names["reconstruction"] == "реконструкция, а не изданные карты"


def test_reconstruction_has_the_known_structure() -> None:
    """Facts: 13 cards, 5 US, 5 USSR, 3 UN; Command 1 to 3; 5 military, 4 political, 4 world opinion."""
    alignments = [entry.alignment for entry in RECONSTRUCTION.cards]
    colours = [entry.defcon for entry in RECONSTRUCTION.cards]
    assert [alignments.count(side) for side in ("us", "ussr", "un")] == [5, 5, 3]
    assert [colours.count(colour) for colour in ("military", "political", "world_opinion")] == [5, 4, 4]
    for side, strengths in (("us", [1, 2, 2, 3, 3]), ("ussr", [1, 2, 2, 3, 3]), ("un", [1, 2, 3])):
        assert sorted(c.command for c in RECONSTRUCTION.cards if c.alignment == side) == strengths


def test_reconstruction_passes_the_check_of_an_owners_file() -> None:
    """The same form: with titles added it is a good file."""
    data = msgspec.json.decode(msgspec.json.encode(RECONSTRUCTION))
    for entry in data["cards"]:
        entry["title"] = entry["id"]
    assert checked(data)["warnings"] == []


def test_every_card_has_a_title_and_an_event_text_in_both_languages() -> None:
    """Names of the reconstruction's cards."""
    for texts in GAME.texts.values():
        for entry in RECONSTRUCTION.cards:
            assert texts.names[entry.id]
            assert texts.names[f"{entry.id}.event"]


def test_own_set_is_recorded_whole_and_completed() -> None:
    """The log is self-contained: titles and texts in both languages, every default written out."""
    recorded: Any = GAME.settle(None, {"card_set": own_set()})[1]["card_set"]
    assert recorded["label"] == "every op"
    assert recorded["cards"][0] == {
        "id": "card-1",
        "title": {"en": "Card 1", "ru": "Карта 1"},
        "alignment": "us",
        "command": 2,
        "defcon": "political",
        "event": {
            "steps": [
                {
                    "op": "place",
                    "cubes_of": "executor",
                    "per_territory": 2,
                    "territories": 3,
                    "filter": {},
                }
            ],
            "text": {"en": "Event 1.", "ru": "Event 1."},
        },
    }


def test_own_set_checked_again_stays_the_same() -> None:
    """What a log records can be settled once more, for a rematch or an upload."""
    once = checked(own_set())
    assert checked(once) == once


def test_own_set_is_what_the_rules_look_up() -> None:
    """Cards come from the table's own set, also after the table was stored."""
    s = empty({"card_set": own_set()})
    assert isinstance(s.options.card_set, CardSet)
    assert card_ids(s) == tuple(f"card-{number}" for number in range(1, 14))
    assert card(s, "card-5").command == 3
    assert msgspec.json.decode(msgspec.json.encode(s), type=State) == s
    given(table({"card_set": own_set()}), do=ChooseAction(US, "card-13")).when(US, "event").asks_nobody()


def test_own_set_brings_its_names_and_its_label() -> None:
    """Titles and event texts of the owner, in the language asked for."""
    options = GAME.settle(None, {"card_set": own_set()})[1]
    assert words("en", options).name("card-2") == "Card 2"
    assert words("ru", options).name("card-2") == "Карта 2"
    assert words("en", options).name("card-2.event") == "Event 2."
    assert words("en", options).name("own") == "every op"
    assert words("en", GAME.settle(None, {})[1]).name("us-2") == "Jupiter Batteries in Turkey"


def test_own_set_may_leave_out_the_event_text_and_the_label() -> None:
    """Both are optional."""
    data = own_set()
    del data["label"], data["cards"][0]["event"]["text"]
    options = GAME.settle(None, {"card_set": data})[1]
    assert words("en", options).name("own") == "the owner's card set"
    assert words("ru", options).name("own") == "набор карт владельца"
    assert words("en", options).name("card-1.event") == ""


def test_own_set_never_shows_an_event_text_of_the_reconstruction() -> None:
    """An owner's card without a text may have the id of a card of the house, which does something else."""
    data = own_set()
    data["cards"][0]["id"] = "us-1"
    del data["cards"][0]["event"]["text"]
    texts = words("en", GAME.settle(None, {"card_set": data})[1])
    assert texts.name("us-1") == "Card 1"
    assert texts.name("us-1.event") == ""


def test_own_set_in_the_form_of_the_facts_is_accepted() -> None:
    """`optional` and `status` may stand in a file; neither says anything new."""
    data = own_set()
    data["cards"][0]["status"] = "copied from the box"
    data["cards"][0]["event"]["optional"] = True
    assert checked(data) == checked(own_set())


def test_own_set_with_other_numbers_of_superpower_cards_is_warned_only() -> None:
    """Facts: 5 / 5 / 3 has a single source."""
    data = own_set()
    data["cards"][12]["alignment"] = "us"
    (warning,) = checked(data)["warnings"]
    assert warning == "this set has 6 us, 5 ussr, 2 un; the published cards are said to be 5 us, 5 ussr, 3 un"
    assert checked(own_set())["warnings"] == []


ONE_WRONG_FIELD: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("label",), 7, "label: expected a text, got 7"),
    (("colour",), 7, "colour: unknown field (known: label, cards)"),
    (("cards", 3, "command"), 7, "cards[3].command: expected 1 to 3, got 7"),
    (("cards", 3, "command"), True, "cards[3].command: expected 1 to 3, got true"),
    (("cards", 3, "command"), "3", 'cards[3].command: expected 1 to 3, got "3"'),
    (("cards", 0, "alignment"), "eu", 'cards[0].alignment: expected "us" or "ussr" or "un", got "eu"'),
    (
        ("cards", 0, "defcon"),
        "orange",
        'cards[0].defcon: expected "military" or "political" or "world_opinion", got "orange"',
    ),
    (
        ("cards", 1, "id"),
        "Card 2",
        'cards[1].id: expected small letters, digits, - and _, a letter first, got "Card 2"',
    ),
    (("cards", 1, "id"), "cuba", 'cards[1].id: expected an id that the game does not use itself, got "cuba"'),
    (("cards", 1, "id"), "card-1", "cards[1].id: 'card-1' is the id of cards[0] already"),
    (("cards", 2, "title"), "", 'cards[2].title: expected a text, got ""'),
    (("cards", 2, "title"), {"en": "x"}, "cards[2].title.ru: missing"),
    (
        ("cards", 2, "title"),
        {"en": "x", "ru": "y", "de": "z"},
        "cards[2].title.de: unknown field (known: en, ru)",
    ),
    (
        ("cards", 2, "comand"),
        1,
        "cards[2].comand: unknown field (known: id, title, alignment, command, defcon, event)",
    ),
    (("cards", 2), "x", 'cards[2]: expected an object, got "x"'),
    (("cards", 4, "event"), None, "cards[4].event: expected an object, got null"),
    (("cards", 4, "event"), {}, "cards[4].event.steps: missing"),
    (("cards", 4, "event", "optional"), False, "cards[4].event.optional: expected true, got false"),
    (("cards", 4, "event", "steps"), {}, "cards[4].event.steps: expected a list, got {}"),
    (("cards", 4, "event", "steps", 0), 5, "cards[4].event.steps[0]: expected an object, got 5"),
    (("cards", 4, "event", "steps", 0), {"cubes": 5}, "cards[4].event.steps[0].op: missing"),
    (
        ("cards", 0, "event", "steps", 0, "per_territory"),
        0,
        "cards[0].event.steps[0].per_territory: expected 1 to 13, got 0",
    ),
    (
        ("cards", 0, "event", "steps", 0, "cubes_of"),
        "opponent",
        'cards[0].event.steps[0].cubes_of: expected "executor", got "opponent"',
    ),
    (
        ("cards", 0, "event", "steps", 0, "filter"),
        {"zone": ["mine"], "has_opponent_cubes": False, "size": 1},
        "cards[0].event.steps[0].filter.size: unknown field (known: colour, zone, cuba, has_opponent_cubes)",
    ),
    (
        ("cards", 0, "event", "steps", 0),
        {"op": "shift", "territories": 1, "direction": "up"},
        'cards[0].event.steps[0].direction: expected "either" or "toward_executor" or "toward_opponent" or '
        '"toward_neutral", got "up"',
    ),
    (
        ("cards", 0, "event", "steps", 0),
        {"op": "peek_cuba", "cubes": 1},
        "cards[0].event.steps[0].cubes: unknown field (known: op)",
    ),
]


@pytest.mark.parametrize(("path", "value", "line"), ONE_WRONG_FIELD, ids=lambda value: str(value)[:40])
def test_own_set_each_wrong_field_is_named(path: tuple[str | int, ...], value: Any, line: str) -> None:
    """Issue: a clear error per wrong field."""
    assert wrong(path, value)[0] == line


def test_own_set_unknown_op_lists_the_known_ones() -> None:
    """Facts: every event uses known ops; the other fields of the step are not judged."""
    (line,) = wrong(("cards", 0, "event", "steps", 0), {"op": "bomb", "cubes": 99})
    assert line.startswith('cards[0].event.steps[0].op: expected "place" or "remove" or ')
    assert line.endswith('or "swap_with_deck_top", got "bomb"')


def test_own_set_filter_names_all_its_wrong_conditions() -> None:
    """One line each."""
    lines = wrong(("cards", 0, "event", "steps", 0, "filter"), {"zone": ["mine"], "cuba": "yes", "colour": 1})
    place = "cards[0].event.steps[0].filter"
    assert lines == [
        f"{place}.colour: expected a list, got 1",
        f'{place}.zone[0]: expected "neutral" or "executor" or "opponent", got "mine"',
        f'{place}.cuba: expected true or false, got "yes"',
    ]


def test_own_set_reports_all_wrong_fields_at_once() -> None:
    """Not only the first."""
    data = own_set()
    data["cards"][3]["command"] = 7
    del data["cards"][5]["title"]
    data["cards"][9]["defcon"] = "orange"
    assert [line.partition(":")[0] for line in problems(data)] == [
        "cards[3].command",
        "cards[5].title",
        "cards[9].defcon",
    ]


def test_own_set_must_have_13_cards() -> None:
    """Facts: exactly 13 cards."""
    assert problems({"cards": own_set()["cards"][:12]}) == ["cards: expected 13 cards, got 12"]
    assert problems({}) == ["cards: missing"]
    assert problems({"cards": "all"}) == ['cards: expected a list, got "all"']


def test_own_set_long_values_are_cut_in_the_error() -> None:
    """A line stays a line."""
    (line,) = wrong(("cards", 0, "alignment"), "x" * 500)
    assert len(line) < 130


def test_own_ids_cannot_take_a_word_of_the_game() -> None:
    """Every id that the texts name, apart from cards, is reserved."""
    folder = resources.files("domain.thirteen_minutes") / "components"
    names = tomllib.loads((folder / "texts.en.toml").read_text("utf-8"))["names"]
    cards = {entry.id for entry in RECONSTRUCTION.cards}
    words = {name for name in names if name.partition(".")[0] not in cards}
    assert words <= RESERVED
    assert {US, USSR, "chance", "cuba"} <= RESERVED


def test_options_refuse_what_they_do_not_know() -> None:
    """Every option names its legal values."""
    for name, value in (
        ("card_set", "published"),
        ("max_cubes_per_territory", 0),
        ("military_by", "luck"),
        ("matched_cards_rescore", 1),
        ("equal_vp", "us"),
        ("campaign", None),
        ("campaign_sides", "random"),
        ("campaign_equal", "war"),
    ):
        with pytest.raises(Refused, match=f"option {name}"):
            GAME.settle(None, {name: value})


def test_options_are_recorded_with_every_default() -> None:
    """Notes C: an auditor sees which reading was in force."""
    assert GAME.settle(None, {}) == (
        "standard",
        {
            "card_set": "reconstruction",
            "max_cubes_per_territory": None,
            "military_by": "control",
            "matched_cards_rescore": False,
            "equal_vp": "draw",
            "campaign": False,
            "campaign_sides": "fixed",
            "campaign_equal": "play_on",
            "equal_bids": 10,
            "campaign_battles": 13,
        },
    )
