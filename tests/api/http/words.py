"""Words for the toy game, which has none of its own."""

from __future__ import annotations

from domain.texts import Texts

_FACTS = (
    "RoundBegan",
    "RoundEnded",
    "Dealt",
    "BidPlaced",
    "BidsOpened",
    "CardPlayed",
    "Rolled",
    "Waved",
    "Ended",
)
_ENGLISH = {
    "names": {"toy": "A toy", "left": "left", "right": "right"},
    "asks": {
        "Bid": {"why": "How much does {seat} bid?"},
        "Turn": {"why": "{seat} plays.", "picks": {"stop": "stop", "wave": "wave"}},
    },
    "facts": {name: [{"says": name}] for name in _FACTS},
    "options": {"rounds": {"about": "How many rounds."}},
    "cards": {"card-1": "Brings a die."},
    "refusals": {"no_wings": "{seat} has no wings"},
}
_RUSSIAN = {
    "names": {"toy": "Игрушка", "left": "левый", "right": "правый"},
    "asks": {
        "Bid": {"why": "Сколько ставит {seat}?"},
        "Turn": {"why": "Ходит {seat}.", "picks": {"stop": "хватит", "wave": "помахать"}},
    },
    "facts": {name: [{"says": f"Факт {name}"}] for name in _FACTS},
    "options": {"rounds": {"about": "Сколько раундов."}},
    "cards": {"card-1": "Приносит бросок кубика."},
    "refusals": {"no_wings": "{seat} не летает"},
}

TEXTS = {"en": Texts("en", _ENGLISH), "ru": Texts("ru", _RUSSIAN)}
