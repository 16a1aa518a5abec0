"""Questions that are asked again and again of one and the same table, and worked out once.

What may be done is asked before a prompt, in it and in carrying the answer out; and one menu asks the same of
every space.  A table never changes, so that it is the same object is all that has to be known.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

from domain.imperial_struggle.state import State

About = TypeVarTuple("About")
T = TypeVar("T")


def remembered(question: Callable[[State, *About], T]) -> Callable[[State, *About], T]:
    """The decorator of a question whose last answer is kept; callers must not change what it returns.

    One answer is enough, and holds but one table alive: a table is done with before the next is asked about.
    """
    last: tuple[State, tuple[*About], T] | None = None

    @wraps(question)
    def ask(s: State, *about: *About) -> T:
        nonlocal last
        kept = last  # read once: another thread may ask about another table meanwhile
        if kept is not None and kept[0] is s and kept[1] == about:
            return kept[2]
        answer = question(s, *about)
        last = (s, about, answer)
        return answer

    return ask
