"""What must hold in every game, checked over matches of random answers.

`random_match` plays one match; `check_all` proves over it everything that needs no word of the game.  A game
whose table names a card in two places on purpose passes `places`, its own list of where every card lies.
`check_unions` and `check_texts_complete` look at the game itself and need no match.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from types import ModuleType
from typing import Any, NoReturn, get_args

import msgspec
import pytest

from domain.game import Game
from domain.kernel import (
    CHANCE,
    Answer,
    AnyFact,
    AnyStep,
    Decision,
    Draw,
    Ended,
    Fact,
    Prompt,
    Seat,
    Step,
    Table,
    asked,
    begin,
    decide,
    fold,
    prompt,
)
from domain.texts import LANGUAGES
from tests.domain.orders import check_histories, check_orders
from tests.domain.played import Played, pile_ids, piles, placed, table_of, walk
from tests.domain.viewers import check_reveals, check_secrets, check_views

Places = Callable[[Any], Iterable[str]]

OPENING = Answer("", ())  # stands in the place of an answer for what happened before the first question
MOST_ANSWERS = 5_000
LOOSE_HIDDEN = re.compile(r"(^|[\s(“«\"])\?")  # a bare "?" where a name should stand


def random_match(
    game: Game, rng: Random, edition: str | None = None, options: Mapping[str, Any] | None = None
) -> Played:
    """A match in which every seat, and chance, answers at random; it must end within `MOST_ANSWERS`."""
    played = Played()
    played.edition, played.options = game.settle(edition, options or {})
    played.start = game.table(played.edition, played.options)
    decision: Decision[Any] = begin(played.start, game.first(played.start))
    played.append((OPENING, decision))
    for _ in range(MOST_ANSWERS):
        seats = asked(decision.table)
        if not seats:
            return played
        answer = random_answer(decision.table, rng.choice(seats), rng)
        decision = decide(decision.table, answer)
        played.append((answer, decision))
    raise AssertionError(f"a match of {game.name} does not end within {MOST_ANSWERS} answers")


def random_answer(table: Table, seat: Seat, rng: Random) -> Answer:
    """Any legal answer of `seat`."""
    question = prompt(table, seat)
    assert question is not None
    count = rng.randint(question.least, min(question.most, len(question.options)))
    return Answer(seat, tuple(rng.sample(question.options, count)))


def check_all(game: Game, played: Played, places: Places | None = None) -> None:
    """Everything that must hold over one match."""
    check_ended(game, played)
    check_prompts(played)
    check_places(played, places)
    check_encoding(game, played)
    check_views(game, played)
    check_reveals(game, played)
    check_secrets(game, played)
    check_agendas(game, played)
    check_orders(played)
    check_histories(game, played)
    check_texts(game, played)
    check_fold_alone(game, played)


def check_ended(game: Game, played: Played) -> None:
    """A match ends with `Ended`, once, with a known seat as winner, and leaves nothing to be done."""
    result = played.end.result
    assert result is not None, "nobody is asked and the match has no result"
    assert played.end.agenda == ()
    assert [type(fact) for fact in played.facts].count(Ended) == 1
    assert result.winner is None or result.winner in game.seats
    assert set(result.score) <= set(game.seats)
    assert set(game.score(played.end)) == set(game.seats)


def check_prompts(played: Played) -> None:
    """Every prompt can be answered, and its options are different."""
    for _, decision in played:
        for seat in asked(decision.table):
            question = prompt(decision.table, seat)
            assert question is not None
            assert len(set(question.options)) == len(question.options), question
            assert 0 <= question.least <= question.most, question
            assert question.least <= len(question.options), question
            assert question.most >= 1, question


# --------------------------------------------------------------------------- where the cards are


def check_places(played: Played, places: Places | None = None) -> None:
    """After every fact each card lies in exactly one place."""
    universe: set[str] = set()
    for table in _tables(played):
        universe |= pile_ids(table)
        loose = [card for pile in piles(table) for card in pile.cards]
        seen = Counter([*placed(table, universe), *loose] if places is None else places(table))
        wrong = {card: count for card, count in seen.items() if card in universe and count != 1}
        missing = universe - set(seen)
        assert not wrong, f"cards in several places: {wrong}"
        assert not missing, f"cards nowhere: {missing}"


def _tables(played: Played) -> Iterator[Any]:
    """The table after every single fact."""
    table: Any = played.start
    for fact in played.facts:
        table = fold(table, (fact,))
        yield table


# --------------------------------------------------------------------------- encoding


def check_encoding(game: Game, played: Played) -> None:
    """The table survives JSON after every answer, and so does every fact."""
    facts = msgspec.json.Decoder(game.facts)
    for _, decision in played:
        plain = msgspec.json.decode(msgspec.json.encode(decision.table))
        assert table_of(game, plain) == decision.table
        for fact in decision.facts:
            for told in _tellings(game, fact):
                assert facts.decode(msgspec.json.encode(told)) == told


def _tellings(game: Game, fact: AnyFact) -> Iterable[AnyFact]:
    """A fact in each of the ways in which viewers are told it; most are told to everybody alike."""
    return {id(told := fact.seen_by(viewer)): told for viewer in (*game.seats, None)}.values()


# --------------------------------------------------------------------------- agendas


def check_agendas(game: Game, played: Played) -> None:
    """When a seat is asked, no step that remains names a card that this seat cannot place.

    So an agent may be given the agenda, which it needs to play on: it learns nothing from it.
    """
    for place, (_, decision) in enumerate(played):
        for seat in asked(decision.table):
            if seat == CHANCE:
                continue
            view = played.told_between(seat)[place]
            unseen = {card for pile in piles(view) for card in pile.cards}
            named = unseen & set(words_of(decision.table.agenda))
            assert not named, f"{seat} is asked and cannot place {named} of {decision.table.agenda}"


def words_of(agenda: tuple[AnyStep, ...]) -> Iterator[str]:
    """Every text in these steps, keys too."""
    for item in walk(agenda):
        assert isinstance(item, str), f"a pile in an agenda: {item}"
        yield item


# --------------------------------------------------------------------------- texts


def check_texts(game: Game, played: Played) -> None:
    """Check that every fact, as every viewer sees it, and every prompt has its words in every language."""
    for language in LANGUAGES:
        words = game.words(language, played.options, played.edition)
        for _, decision in played:
            for fact in decision.facts:
                for told in _tellings(game, fact):
                    _check_sentence(words.sentence(told))
            for seat in asked(decision.table):
                question = prompt(decision.table, seat)
                if question is not None and seat != CHANCE:
                    _check_sentence(words.why(question))
                    _check_labels(question, [words.label(question.ask, pick) for pick in question.options])


def _check_sentence(sentence: str) -> None:
    assert sentence, "an empty sentence"
    assert "{" not in sentence, sentence
    assert not LOOSE_HIDDEN.search(sentence), sentence
    assert "None" not in sentence, sentence


def _check_labels(question: Prompt, labels: list[str]) -> None:
    assert all(labels), question
    assert len(set(labels)) == len(labels), f"two options read the same: {labels}"


def check_texts_complete(game: Game) -> None:
    """Both languages tell every fact, ask every question and explain every option; nothing is left over."""
    facts = {cls.__name__ for cls in get_args(game.facts)}
    asks = {cls.__name__ for cls in get_args(game.steps) if _asks_players(cls)}
    names = [set(game.texts[language].names) for language in LANGUAGES]
    assert names[0] == names[1], names[0] ^ names[1]
    reasons = [set(game.texts[language]._data.get("refusals", {})) for language in LANGUAGES]
    assert reasons[0] == reasons[1], reasons[0] ^ reasons[1]
    for language in LANGUAGES:
        data = game.texts[language]._data
        assert set(data["facts"]) == facts, (language, set(data["facts"]) ^ facts)
        assert set(data["asks"]) == asks, (language, set(data["asks"]) ^ asks)
        for option in game.options:
            told = game.texts[language].option(option.name)
            choices = {
                str(choice).lower() if isinstance(choice, bool) else choice for choice in option.choices
            }
            assert {"about", *choices} <= set(told), (language, option.name, told)


def _asks_players(cls: type[AnyStep]) -> bool:
    return not issubclass(cls, Draw) and cls.asks is not Step.asks


def check_unions(game: Game) -> None:
    """The closed unions hold exactly the facts and steps that the package defines."""
    for base, union in ((Fact, game.facts), (Step, game.steps)):
        defined = {
            cls
            for module in _modules(game)
            for cls in vars(module).values()
            if inspect.isclass(cls) and issubclass(cls, base) and cls.__module__ == module.__name__
        }
        parents = {parent for cls in defined for parent in cls.__mro__[1:]}
        listed = set(get_args(union)) - {Ended}
        assert listed == defined - parents, listed ^ (defined - parents)
    assert Ended in get_args(game.facts)


# --------------------------------------------------------------------------- fold knows no rule


def check_fold_alone(game: Game, played: Played) -> None:
    """With every rule, step and component taken away, the facts still make the same table."""
    facts = played.facts
    with pytest.MonkeyPatch.context() as patch:
        _remove_rules(game, patch)
        with pytest.raises(RulesAreGone):
            begin(played.start, game.first(played.start))
        table: Any = fold(played.start, facts)
    assert msgspec.structs.replace(table, agenda=()) == played.end


class RulesAreGone(Exception):
    """Raised where a rule is called although all rules were removed."""


def _gone(*args: Any, **kwargs: Any) -> NoReturn:
    raise RulesAreGone


def _remove_rules(game: Game, patch: pytest.MonkeyPatch) -> None:
    """Only the modules of the facts and of the table keep their own functions."""
    kept = {cls.__module__ for cls in get_args(game.facts)} | {game.state.__module__}
    for module in _modules(game):
        for name, value in list(vars(module).items()):
            if inspect.isfunction(value) and value.__module__ not in kept and _ours(game, value.__module__):
                patch.setattr(module, name, _gone)
    for cls in get_args(game.steps):
        for name, value in list(vars(cls).items()):
            if inspect.isfunction(value) and not name.startswith("__"):
                patch.setattr(cls, name, _gone)
    patch.setattr(game, "first", _gone)


def _modules(game: Game) -> list[ModuleType]:
    package = importlib.import_module(f"domain.{game.name}")
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [package, *(importlib.import_module(info.name) for info in found)]


def _ours(game: Game, module: str) -> bool:
    return module == f"domain.{game.name}" or module.startswith(f"domain.{game.name}.")
