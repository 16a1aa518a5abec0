"""Names, labels and sentences from text files."""

from __future__ import annotations

import pytest

from domain.kernel import Prompt
from domain.texts import Texts
from tests.domain import toy

ENGLISH = Texts(
    "en",
    {
        "names": {"left": "Left", "card-1": "Ace", "reconstruction": "reconstruction"},
        "facts": {
            "Dealt": [
                {"when": {"card": "?"}, "says": "{seat} is dealt {card}."},
                {"says": "{seat} is dealt the {card}."},
            ],
            "Rolled": [{"says": "{seat} rolls {die} and has {now:point|points}."}],
            "BidPlaced": [{"when": {"bid": ""}, "says": "{seat} bids."}, {"says": "{seat} bids {bid}."}],
        },
        "asks": {
            "Turn": {
                "why": "{seat}: play one of {count:card|cards}",
                "picks": {"stop": "stop here", "play": "play {pick}"},
            }
        },
    },
)
RUSSIAN = Texts("ru", {"facts": {"Rolled": [{"says": "{now:очко|очка|очков}"}]}})


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        (toy.Dealt("left", "card-1"), "Left is dealt the Ace."),
        (toy.Dealt("left", "?"), "Left is dealt a hidden card."),
        (toy.BidPlaced("left", None), "Left bids."),
        (toy.BidPlaced("left", 3), "Left bids 3."),
        (toy.Rolled("left", 1, 1), "Left rolls 1 and has 1 point."),
        (toy.Rolled("left", 2, 11), "Left rolls 2 and has 11 points."),
    ],
)
def test_a_fact_is_told_as_one_sentence(fact: toy.AnyFact, sentence: str) -> None:
    assert ENGLISH.sentence(fact) == sentence


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "1 очко"), (2, "2 очка"), (5, "5 очков"), (11, "11 очков"), (21, "21 очко"), (112, "112 очков")],
)
def test_russian_nouns_follow_their_number(count: int, words: str) -> None:
    assert RUSSIAN.sentence(toy.Rolled("left", 1, count)) == words


def test_a_prompt_says_what_is_asked_and_why() -> None:
    question = Prompt("left", "Turn", ("stop",), 1, 1, why={"count": 2})
    assert ENGLISH.why(question) == "Left: play one of 2 cards"


@pytest.mark.parametrize(
    ("pick", "label"), [("stop", "stop here"), ("play:card-1", "play Ace"), ("card-1", "Ace"), ("7", "7")]
)
def test_a_pick_is_labelled(pick: str, label: str) -> None:
    assert ENGLISH.label("Turn", pick) == label


def test_lists_are_joined_as_people_do() -> None:
    assert ENGLISH.name(("card-1", "left", "7")) == "Ace, Left and 7"
    assert RUSSIAN.name(("1", "2")) == "1 и 2"


def test_a_match_may_bring_names_of_its_own() -> None:
    assert ENGLISH.with_names({"card-1": "Eins"}).name("card-1") == "Eins"
    assert ENGLISH.name("card-1") == "Ace"
