"""What the books print, typed once, for the tests that compare with it or play with it."""

from __future__ import annotations

# The Territories of the set-up, by the flag that they show.
BRITISH = ("northern_colonies", "carolinas", "jamaica", "barbados", "madras", "calcutta")
FRENCH = (
    "quebec_and_montreal",
    "acadia",
    "louisiana",
    "st_domingue",
    "guadeloupe",
    "chandernagore",
    "pondicherry",
)
EMPTY = ("hudson_bay", "gibraltar", "minorca", "asiento", "san_agustin")

SPAIN = ("spain_alliance_upper", "spain_prestige_2", "spain_alliance_lower", "spain_prestige_3")
"""The spaces of the country."""
COLONIES = (
    "massachusetts_bay",
    "chesapeake",
    "hudson_valley",
    "albany",
    "cumberland",
    "allegheny",
    "niagara",
    "oswego",
    "iroquois",
    "sons_of_liberty",
)
"""The markets and the political spaces of the sub-region Northern Colonies, without those of the USA."""

REWARDS = {
    "succession": {
        "furs": (2, 0, 1),
        "spice": (1, -1, 0),
        "fish": (2, 1, 0),
        "tobacco": (3, 1, 0),
        "sugar": (2, 0, 0),
        "cotton": (2, 0, 1),
    },
    "empire": {
        "furs": (2, 0, 1),
        "spice": (2, -1, 0),
        "fish": (2, 0, 0),
        "tobacco": (2, 1, 0),
        "sugar": (3, 0, 1),
        "cotton": (2, 0, 1),
    },
    "revolution": {
        "furs": (1, 0, 0),
        "spice": (3, -1, 0),
        "fish": (2, 0, 0),
        "tobacco": (1, 1, 0),
        "sugar": (3, 0, 0),
        "cotton": (3, 0, 0),
    },
}
"""The table of Global Demand (4.1.12): victory points, Debt, Treaty Points."""
