"""The names of a foreign log."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.cards import describe_components
from replay.importers.twilight_struggle.names import card_of, country_of, region_of

CARDS = [
    ("Fidel*", "fidel"),
    ("Fidel", "fidel"),
    ("The China Card", "china_card"),
    ("Mideast Scoring", "middle_east_scoring"),
    ('"Ask Not What Your Country..."*', "ask_not_what_your_country"),
    ("“Ask Not What Your Country Can Do For You...”*", "ask_not_what_your_country"),
    ("Five-Year Plan", "five_year_plan"),
    ("Voice of America", "the_voice_of_america"),
    ("soviets shoot down kal 007", "soviets_shoot_down_kal_007"),
    ("Aldrich Ames Remix*", "aldrich_ames_remix"),
    ("Yuri And Samantha*", "yuri_and_samantha"),
]
COUNTRIES = [
    ("UK", "united_kingdom"),
    ("United Kingdom", "united_kingdom"),
    ("SE African States", "se_african_states"),
    ("Southeast African States", "se_african_states"),
    ("Spain/Portugal", "spain_portugal"),
    ("Dominican Rep.", "dominican_republic"),
    ("Chinese Civil War", "chinese_civil_war"),
]


@pytest.mark.parametrize(("name", "card"), CARDS)
def test_a_card_is_known_by_the_names_of_the_logs(name: str, card: str) -> None:
    assert card_of(name) == card


@pytest.mark.parametrize(("name", "country"), COUNTRIES)
def test_a_country_is_known_by_the_names_of_the_logs(name: str, country: str) -> None:
    assert country_of(name) == country


def test_every_card_of_the_deluxe_edition_is_known_by_the_words_of_its_id() -> None:
    faces = [face["id"] for face in describe_components()["cards"] if "deluxe" in face["editions"]]
    assert len(faces) == 110
    assert [card_of(id.replace("_", " ").title()) for id in faces] == faces


def test_every_country_is_known_by_the_words_of_its_id() -> None:
    ids = [country["id"] for country in describe_components()["countries"]]
    assert [country_of(id.replace("_", " ").title()) for id in ids] == ids


def test_a_region_has_a_short_name_too() -> None:
    assert (region_of("Mideast"), region_of("South America")) == ("middle_east", "south_america")


def test_what_is_no_name_has_no_id() -> None:
    assert (card_of("Finlandization"), country_of("Atlantis"), region_of("The Moon")) == (None, None, None)
    assert (card_of(""), country_of("?"), card_of("aldrich ames 2nd")) == (None, None, None)
