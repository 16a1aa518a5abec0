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
    """The decorator of a question whose answers about the last table are kept; callers must not change them.

    One table is enough, and no other is held alive: a table is done with before the next is asked about.
    """
    last: tuple[State | None, dict[tuple[*About], T]] = (None, {})

    @wraps(question)
    def ask(s: State, *about: *About) -> T:
        nonlocal last
        table, answers = last  # read once: another thread may ask about another table meanwhile
        if table is not s:
            last = s, (answers := {})
        elif about in answers:
            return answers[about]
        answer = answers[about] = question(s, *about)
        return answer

    return ask
