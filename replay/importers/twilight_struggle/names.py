"""The names that a foreign log gives to cards, countries and regions, and our ids for them.

A name is compared by its letters and digits alone: a star, quotation marks, hyphens and capitals do not
matter, nor does an article in front.  What is called otherwise there stands in the tables of aliases.
"""

from __future__ import annotations

from domain.twilight_struggle.cards import describe_components
from domain.twilight_struggle.components import CIVIL_WAR, MAP, REGIONS
from domain.twilight_struggle.rules.registry import CARDS

EDITION = "deluxe"
LONGEST = 80  # no name is longer, so nothing longer needs a look

CARD_ALIASES = {
    "mideastscoring": "middle_east_scoring",
    "seasiascoring": "southeast_asia_scoring",
    "chinacard": "china_card",
    "asknotwhatyourcountrycandoforyou": "ask_not_what_your_country",
    "aldrichames": "aldrich_ames_remix",
    "howilearnedtostopworryingandlovethebomb": "how_i_learned_to_stop_worrying",
    "redscare": "red_scare_purge",
    "voiceofamerica": "the_voice_of_america",
}
COUNTRY_ALIASES = {
    "uk": "united_kingdom",
    "greatbritain": "united_kingdom",
    "southeastafricanstates": "se_african_states",
    "dominicanrep": "dominican_republic",
    "congo": "zaire",
    "spain": "spain_portugal",
    "laos": "laos_cambodia",
    "chinesecivilwar": CIVIL_WAR,
}
REGION_ALIASES = {"mideast": "middle_east"}


def plain(name: str) -> str:
    """The letters and digits of a name, without an article in front."""
    letters = "".join(sign for sign in name[:LONGEST].lower() if sign.isascii() and sign.isalnum())
    return letters[3:] if letters.startswith("the") else letters


def _cards() -> dict[str, str]:
    faces = describe_components()["cards"]
    return {plain(face["id"]): face["id"] for face in faces if EDITION in face["editions"]}


CARD_NAMES = {**_cards(), **{plain(alias): id for alias, id in CARD_ALIASES.items()}}
COUNTRY_NAMES = {**{plain(id): id for id in MAP}, **COUNTRY_ALIASES}
REGION_NAMES = {**{plain(id): id for id in REGIONS}, **REGION_ALIASES}


def card_of(name: str) -> str | None:
    """The id of a card, or None where there is no such card."""
    found = CARD_NAMES.get(plain(name))
    return found if found in CARDS else None


def country_of(name: str) -> str | None:
    """The id of a country, or None where there is no such country."""
    return COUNTRY_NAMES.get(plain(name))


def region_of(name: str) -> str | None:
    """The id of a region, or None where there is no such region."""
    return REGION_NAMES.get(plain(name))
