"""Small questions: an answer of several picks, one pick at a time.

Of a set only picks that come later in the action space than the last one are legal, while enough remain, so
that every set has exactly one way.  Of an ordered answer every pick is legal once.
"""

from __future__ import annotations

from domain.agents.actions import ActionSpace
from domain.kernel import CHANCE, Picks, Prompt


class Answering:
    """An open question, and what was picked so far.  It is never changed: `with_action` gives the next one.

    Args:
        question: what a seat, or chance, is asked.
        space: the action space.
        picked: the places of the picks so far, in the order in which they were made.
    """

    __slots__ = ("_single", "_space", "legal", "picked", "question")

    def __init__(self, question: Prompt, space: ActionSpace, picked: tuple[int, ...] = ()) -> None:
        self.question, self.picked, self._space = question, picked, space
        self._single = question.least == question.most == 1
        self.legal = list(map(space.places.__getitem__, question.options))
        if not self._single:
            self.legal = self._legal(sorted(self.legal))

    def _legal(self, places: list[int]) -> list[int]:
        """The places that may come next, sorted, and `done` if the answer may end here."""
        question, picked = self.question, self.picked
        missing = question.least - len(picked)
        if question.ordered or question.seat == CHANCE:
            left = [place for place in places if place not in picked]
        else:
            left = [place for place in places if not picked or place > picked[-1]]
            if missing > 1:
                left = left[: 1 - missing]
        return left if missing > 0 else [*left, self._space.done]

    @property
    def picks(self) -> Picks:
        """The picks so far."""
        return tuple([self._space.picks[place] for place in self.picked])

    def ended_by(self, action: int) -> Picks | None:
        """The whole answer if this action ends it; None if it goes on.

        Raises:
            ValueError: the action is not legal.
        """
        if action not in self.legal:
            raise ValueError(f"action {action} is not legal; {self.question.ask} allows {sorted(self.legal)}")
        if self._single:
            return (self._space.picks[action],)
        if action == self._space.done:
            return self.picks
        after = self.with_action(action)
        question = self.question
        is_whole = len(after.picked) == min(question.most, len(question.options))
        return after.picks if is_whole or after.legal == [self._space.done] else None

    def with_action(self, action: int) -> Answering:
        """The same question after one more pick."""
        return Answering(self.question, self._space, (*self.picked, action))
