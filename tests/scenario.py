"""How rules tests read: given facts and a step, when a seat answers, then exactly these facts.

given(table, SomeFact(...), do=SomeStep("us")).when("us", "pick").then(OtherFact(...)).asks("ussr", "a", "b")
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import pytest

from domain.kernel import Answer, Fact, Refused, Step, Table, asked, begin, decide, fold, prompt

T = TypeVar("T", bound=Table)


class Scenario(Generic[T]):
    """A table, the facts of the latest answer, and the words to go on."""

    def __init__(self, table: T, *facts: Fact[T], do: Step[T] | tuple[Step[T], ...]) -> None:
        decision = begin(fold(table, facts), do if isinstance(do, tuple) else (do,))
        self.table, self.facts = decision.table, decision.facts

    def when(self, seat: str, *picks: str) -> Scenario[T]:
        """`seat` (or "chance") answers."""
        decision = decide(self.table, Answer(seat, picks))
        self.table, self.facts = decision.table, decision.facts
        return self

    def then(self, *expected: Fact[T]) -> Scenario[T]:
        """The latest answer brought exactly these facts."""
        assert self.facts == list(expected)
        return self

    def includes(self, *expected: Fact[T]) -> Scenario[T]:
        """These facts are among those of the latest answer, in this order."""
        rest = iter(self.facts)
        assert all(fact in rest for fact in expected), self.facts
        return self

    def asks(self, seat: str, *options: str) -> Scenario[T]:
        """`seat` is asked now; its options are exactly these, where any are named."""
        question = prompt(self.table, seat)
        assert question is not None, f"{seat} is not asked; asked are {asked(self.table)}"
        assert not options or set(question.options) == set(options), question
        return self

    def asks_nobody(self) -> Scenario[T]:
        """Nothing remains to be done."""
        assert asked(self.table) == ()
        return self

    def refuses(self, seat: str, *picks: str) -> Scenario[T]:
        """The answer is illegal and leaves no trace."""
        with pytest.raises(Refused):
            decide(self.table, Answer(seat, picks))
        return self

    def has(self, **fields: Any) -> Scenario[T]:
        """The table's fields have these values."""
        assert {name: getattr(self.table, name) for name in fields} == fields
        return self


given = Scenario
