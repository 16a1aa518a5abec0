"""Names, labels and sentences from text files."""

from __future__ import annotations

import pytest

from domain.games import GAMES
from domain.kernel import AnyFact, Fact, Fault, Prompt, Reason
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
            "Rolled": [
                {"when": {"now": "<0"}, "says": "{seat} rolls {die:+} and owes {now:-}."},
                {"when": {"now": ">0"}, "says": "{seat} rolls {die} and has {now:point|points}."},
                {"says": "{seat} rolls {die:+} and has {now:+}."},
            ],
            "RoundBegan": [{"says": "Bring your {name[card-1]} to round {round}."}],
            "Shown": [
                {"when": {"cards": "?"}, "says": "{cards:card|cards}, face down."},
                {"when": {"cards": ["card-1", "?"]}, "says": "One known of {cards:card|cards}."},
                {"says": "Cards: {cards}."},
            ],
            "BidPlaced": [
                {"when": {"bid": ""}, "says": "{seat} bids."},
                {"when": {"bid": [8, 9]}, "says": "{seat} bids high."},
                {"says": "{seat} bids {bid}."},
            ],
            "Laid": [
                {"when": {"cards": "?"}, "says": "{seat} lays out cards."},
                {"says": "{seat} lays out cards. {cards}."},
            ],
        },
        "asks": {
            "Turn": {
                "why": "{seat}: play one of {count:card|cards}",
                "picks": {"stop": "stop here", "play": "play {pick}", "keep": "keep the {name[card-1]}"},
            }
        },
        "counts": {"pile": "{count:leaf|leaves}"},
        "fields": {"pile": "pile", "ace": "who has the {name[card-1]}"},
        "editions": {"second": {"card-1": "One"}},
        "cards": {"card-1": "Beats all."},
        "refusals": {"dear": "it costs {cost:point|points}"},
    },
)
RUSSIAN = Texts(
    "ru",
    {
        "facts": {
            "Rolled": [{"says": "{now:очко|очка|очков}"}],
            "Shown": [{"says": "{cards:карта|карты|карт}"}],
        },
        "names": {"card-1": "туз"},
        "asks": {"Turn": {"why": "?", "picks": {"play": "сыграть: {pick}"}}},
        "refusals": {"dear": "это стоит {cost:очко|очка|очков}"},
    },
)


class Shown(Fact[toy.State], frozen=True):
    """Cards lie on the table."""

    cards: tuple[str, ...]


class Laid(Fact[toy.State], frozen=True):
    """A card lies in each place."""

    seat: str
    cards: dict[str, str]


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        (toy.Dealt("left", "card-1"), "Left is dealt the Ace."),
        (toy.Dealt("left", "?"), "Left is dealt a hidden card."),
        (toy.BidPlaced("left", None), "Left bids."),
        (toy.BidPlaced("left", 3), "Left bids 3."),
        (toy.BidPlaced("left", 9), "Left bids high."),
        (Laid("left", {"middle": "?", "left": "?"}), "Left lays out cards."),
        (
            Laid("left", {"middle": "card-1", "left": "?"}),
            "Left lays out cards. middle: Ace, Left: a hidden card.",
        ),
        (toy.Rolled("left", 1, 1), "Left rolls 1 and has 1 point."),
        (toy.Rolled("left", 2, 11), "Left rolls 2 and has 11 points."),
        (toy.Rolled("left", 2, -3), "Left rolls +2 and owes 3."),
        (toy.Rolled("left", -2, 0), "Left rolls -2 and has 0."),
        (toy.RoundBegan(1), "Bring your Ace to round 1."),
        (Shown(("?", "?")), "2 cards, face down."),
        (Shown(("?",)), "1 card, face down."),
        (Shown(("card-1", "?")), "One known of 2 cards."),
        (Shown(("?", "card-1")), "Cards: a hidden card and Ace."),
        (Shown(()), "Cards: none."),
    ],
)
def test_a_fact_has_one_sentence(fact: AnyFact, sentence: str) -> None:
    assert ENGLISH.sentence(fact) == sentence


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "1 очко"), (2, "2 очка"), (5, "5 очков"), (11, "11 очков"), (21, "21 очко"), (112, "112 очков")],
)
def test_russian_nouns_follow_their_number(count: int, words: str) -> None:
    assert RUSSIAN.sentence(toy.Rolled("left", 1, count)) == words


def test_russian_nouns_follow_the_length_of_a_list() -> None:
    told = [RUSSIAN.sentence(Shown(("?",) * count)) for count in (0, 1, 2, 5)]
    assert told == ["0 карт", "1 карта", "2 карты", "5 карт"]


def test_no_seat_is_not_the_same_as_nothing() -> None:
    assert (ENGLISH.name(None), ENGLISH.name(""), ENGLISH.name(()), ENGLISH.name([])) == (
        *("nobody", "nobody"),
        *("none", "none"),
    )
    assert (RUSSIAN.name(None), RUSSIAN.name(())) == ("никто", "нет")


def test_a_prompt_says_what_is_asked_and_why() -> None:
    question = Prompt("left", "Turn", ("stop",), 1, 1, why={"count": 2})
    assert ENGLISH.why(question) == "Left: play one of 2 cards"


@pytest.mark.parametrize(
    ("pick", "label"),
    [
        ("stop", "stop here"),
        ("play:card-1", "play Ace"),
        ("keep", "keep the Ace"),
        ("card-1", "Ace"),
        ("7", "7"),
    ],
)
def test_a_pick_is_labelled(pick: str, label: str) -> None:
    assert ENGLISH.label("Turn", pick) == label


def test_lists_are_joined_as_people_do() -> None:
    assert ENGLISH.name(("card-1", "left", "7")) == "Ace, Left and 7"
    assert RUSSIAN.name(("1", "2")) == "1 и 2"


def test_points_by_id_are_listed_the_most_first() -> None:
    for points in ({"reconstruction": 1, "card-1": 3}, {"card-1": 3, "reconstruction": 1}):
        assert ENGLISH.write("({of[left]})", of={"left": points}) == "(Ace 3, reconstruction 1)"


def test_fields_of_the_table_are_called_something() -> None:
    assert [ENGLISH.field(field) for field in ("pile", "ace", "else")] == ["pile", "who has the Ace", None]


def test_what_lies_in_a_field_is_counted_in_its_own_noun() -> None:
    assert [ENGLISH.counted("pile", count) for count in (1, 2)] == ["1 leaf", "2 leaves"]
    assert ENGLISH.counted("ace", 1) is None


def test_a_card_says_what_it_does() -> None:
    assert (ENGLISH.card("card-1"), ENGLISH.card("card-2"), RUSSIAN.card("card-1")) == (
        "Beats all.",
        None,
        None,
    )
    assert ENGLISH.cards == {"card-1": "Beats all."}


def test_an_edition_may_have_names_of_its_own() -> None:
    assert ENGLISH.edition("second") == {"card-1": "One"}
    assert ENGLISH.edition("first") == {}
    second = ENGLISH.with_names(ENGLISH.edition("second"))
    assert second.sentence(toy.RoundBegan(1)) == "Bring your One to round 1."
    assert second.label("Turn", "keep") == "keep the One"
    assert second.field("ace") == "who has the One"
    assert second.card("card-1") == "Beats all."


def test_a_match_may_bring_names_of_its_own() -> None:
    assert ENGLISH.with_names({"card-1": "Eins"}).name("card-1") == "Eins"
    assert ENGLISH.name("card-1") == "Ace"


DEAR = Reason("dear", values={"cost": 2})


@pytest.mark.parametrize(
    ("fault", "english", "russian"),
    [
        (Fault("count", 0), "pick 1 to 3, not 0", "нужно разных вариантов: от 1 до 3, выбрано: 0"),
        (
            Fault("twice", 2, "play:card-1"),
            "“play Ace” is picked twice",
            "«сыграть: туз» — этот вариант выбран дважды",
        ),
        (
            Fault("option", 1, "play:card-1", DEAR),
            "“play Ace” is not among the options: it costs 2 points",
            "«сыграть: туз» — такого варианта сейчас нет: это стоит 2 очка",
        ),
        (
            Fault("option", 1, "fly", answer=2),
            "answer 2: 'fly' is not among the options",
            "ответ 2: «fly» — такого варианта сейчас нет",
        ),
    ],
)
def test_a_refusal_has_its_reason(fault: Fault, english: str, russian: str) -> None:
    question = Prompt("left", "Turn", (), 1, 3)
    assert ENGLISH.refused(question, fault) == english
    assert RUSSIAN.refused(question, fault) == russian


@pytest.mark.parametrize("pick", ["", "?", "play", "play:", "play:9", "play:{name}", "dance:card-1", "{0}"])
def test_a_pick_without_a_label_is_shown_as_it_was_sent(pick: str) -> None:
    told = ENGLISH.refused(Prompt("left", "Turn", (), 1, 1), Fault("option", 1, pick))
    assert told == f"{pick!r} is not among the options"


def test_a_label_that_wants_a_number_is_not_made_for_a_name() -> None:
    words = Texts("en", {"names": {"ace": "Ace"}, "asks": {"Pay": {"picks": {"pay": "{pick:coin|coins}"}}}})
    told = words.refused(Prompt("left", "Pay", (), 1, 1), Fault("option", 1, "pay:ace"))
    assert told == "'pay:ace' is not among the options"


@pytest.mark.parametrize(("language", "label"), [("en", "“Ace”: play it"), ("ru", "«Ace»: разыграть")])
def test_a_label_with_quotation_marks_is_not_quoted_again(language: str, label: str) -> None:
    picks = {"play": label.replace("Ace", "{pick}")}
    words = Texts(language, {"names": {"ace": "Ace"}, "asks": {"Turn": {"picks": picks}}})
    refused = words.refused(Prompt("left", "Turn", (), 1, 1), Fault("twice", 2, "play:ace"))
    assert refused.startswith(f"{label} ")


@pytest.mark.parametrize(
    ("outcome", "english", "russian"),
    [
        ({}, "nothing changes", "ничего не меняется"),
        ({"us": -2, "ussr": 1}, "US influence -2, USSR influence +1", "влияние США -2, влияние СССР +1"),
        ({"won": 0}, "the war is lost", "война проиграна"),
        ({"won": 1, "vp": 2}, "the war is won, 2 VP for you", "война выиграна, вам ПО: 2"),
        ({"box": 3}, "you reach box 3", "вы достигаете деления 3"),
        ({"escaped": 1}, "you escape", "вы выбираетесь"),
        ({"nuclear_war": 1}, "you lose: nuclear war", "вы проигрываете: ядерная война"),
        (
            {"cuban_missile_crisis": 1},
            "you lose: the Cuban Missile Crisis",
            "вы проигрываете: Карибский кризис",
        ),
    ],
)
def test_what_dice_may_bring_is_said_in_words(outcome: dict[str, int], english: str, russian: str) -> None:
    """Each id that `rules.odds` of Twilight Struggle names."""
    texts = GAMES["twilight_struggle"].texts
    assert (texts["en"].outcome(outcome), texts["ru"].outcome(outcome)) == (english, russian)
