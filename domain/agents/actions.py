"""Action spaces: every pick that any prompt of a game may offer, in a fixed order.

A space is made of the forms in which picks are spelt (`Step.spelling`) and of the game's components, never of
what was seen in play.  Its name ends with a number; a changed space gets the next number, because agents that
were trained with it know its actions by their places.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from domain.kernel import Pick

_WORD = re.compile(r"\{(\w+)\}")


class ActionSpace:
    """Actions as numbers from 0: the picks, and as the last one `done`, which ends an answer.

    Args:
        name: the game and the number of the space, such as "thirteen_minutes/1".
        picks: every pick, in order; one that comes again keeps its first place.
    """

    def __init__(self, name: str, picks: Iterable[Pick]) -> None:
        self.name = name
        self.picks = tuple(dict.fromkeys(picks))
        self.places: dict[Pick, int] = {pick: place for place, pick in enumerate(self.picks)}
        self.done = len(self.picks)
        self.size = len(self.picks) + 1

    @property
    def hash(self) -> str:
        """16 hexadecimal digits over the name and the picks in their order."""
        return hash_of_names([self.name, *self.picks])


def spelt(forms: Iterable[str], words: Mapping[str, Iterable[str]]) -> Iterator[Pick]:
    """Every pick of these forms, such as "event:{card}".

    Args:
        words: what may stand in the place of each word of a form.
    """
    for form in forms:
        found = _WORD.findall(form)
        for ids in product(*(words[word] for word in found)):
            yield form.format(**dict(zip(found, ids, strict=True)))


def numbers(least: int, most: int) -> tuple[str, ...]:
    """The numbers from `least` to `most`, as picks spell them."""
    return tuple(map(str, range(least, most + 1)))


def hash_of_names(names: Iterable[str]) -> str:
    """The first 16 hexadecimal digits of a hash over these names, in this order."""
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]
