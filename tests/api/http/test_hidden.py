"""What a viewer sees has the same bytes, whichever hidden card is there.

Two worlds are set up alike, but for two cards that some seat alone (or no seat) knows.  Then all other
viewers request everything in every way; and the server's log lines and metrics are compared too.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from domain.game import Game
from domain.games import GAMES
from domain.kernel import Picks, Seat
from tests.api.http.worlds import ADDRESS, World, swapped, world


def _same(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert first.keys() == second.keys()
    different = [what for what in first if first[what] != second[what]]
    assert different == []
    assert len(first) > 100


def _mentions(told: World, seat: Seat, since: int, cards: tuple[str, str]) -> bool:
    """Whether one of the cards was shown to the viewer after the set-up."""
    facts = [fact for record in told.match.records[since:] for fact in record.facts_for(seat)]
    return any(f"'{card}'" in repr(facts) for card in cards)


def _open_answer(here: World, seat: Seat, source: random.Random, cards: tuple[str, ...]) -> Picks:
    """An answer that the seat can give in both worlds."""
    standing = here.match.prompt(seat)
    assert standing is not None
    options = [pick for pick in standing[1].options if not any(card in pick for card in cards)]
    return tuple(source.sample(options, standing[1].least))


def _dealt(game: str, match: Any, hidden: Seat) -> tuple[str, str]:
    """A card in the hidden seat's hand, and one in no hand."""
    pile = match.table_at(match.move, "all")
    cards = pile.pile.cards if game == "toy" else pile.deck.cards
    return pile.hands[hidden][0], cards[0]


@pytest.mark.parametrize("answers", [6, pytest.param(12, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("game", "hidden"), [("toy", "right"), ("toy", "left"), ("thirteen_minutes", "ussr")]
)
def test_swapping_hidden_cards_changes_nothing_that_other_viewers_see(
    toy_in_words: Game,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    game: str,
    hidden: Seat,
    answers: int,
) -> None:
    viewer = next(seat for seat in GAMES[game].seats if seat != hidden)
    script: list[tuple[Seat, Picks, list[Picks]]] = []
    source = random.Random(3)
    with world(tmp_path / "a", game, monkeypatch) as first:
        deals = first.set_up()
        start, cards = first.match.move, _dealt(game, first.match, hidden)
        while first.match.asked and len(script) < answers:
            seat = sorted(first.match.asked.seats)[0]
            picks = _open_answer(first, seat, source, cards)
            script.append((seat, picks, first.answer(seat, picks)))
            if first.match.closed or _mentions(first, viewer, start, cards):
                script.pop()
                break
    assert len(script) >= 2
    swap = {cards[0]: cards[1], cards[1]: cards[0]}
    told = []
    for name, known in (("b", dict[str, str]()), ("c", swap)):
        with world(tmp_path / name, game, monkeypatch) as here:
            here.set_up([swapped(picks, known) for picks in deals])
            own = here.viewers[hidden].get(ADDRESS).json["table"]["hands"][hidden]
            assert (cards[1] in own) == (known == swap), "the worlds do differ"
            for seat, picks, chance in script:
                here.answer(seat, picks, [swapped(drawn, known) for drawn in chance])
            here.viewers[hidden].post(f"{ADDRESS}/moves", {"expect": 1, "picks": [swap[cards[0]]]})
            told.append(here.told(hidden))
    _same(*told)


@pytest.mark.parametrize(
    ("game", "hidden"),
    [("toy", "right"), ("thirteen_minutes", "us"), ("cia_vs_kgb", "kgb"), ("cia_vs_kgb", "cia")],
)
def test_other_secret_answer_changes_nothing_that_other_viewers_see(
    toy_in_words: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, hidden: Seat
) -> None:
    told, secrets = [], []
    for name, choice in (("a", 0), ("b", -1)):
        with world(tmp_path / name, game, monkeypatch) as here:
            here.set_up()
            source = random.Random(5)
            while not _asked_in_secret(here, hidden):
                assert here.match.asked is not None
                seat = sorted(here.match.asked.seats)[0]
                here.answer(seat, _open_answer(here, seat, source, ()))
            standing = here.match.prompt(hidden)
            assert standing is not None
            here.answer(hidden, (standing[1].options[choice],))
            here.viewers[hidden].post(
                f"{ADDRESS}/moves", {"expect": 1, "picks": [standing[1].options[choice]]}
            )
            told.append(here.told(hidden))
            secrets.append(here.viewers[hidden].get(f"{ADDRESS}/moves").json["moves"][-1]["picks"])
    assert secrets[0] != secrets[1]
    _same(*told)


def _asked_in_secret(here: World, hidden: Seat) -> bool:
    step = here.match.live.agenda[-1]
    asked = here.match.asked
    return bool(step.secret and asked and len(asked.seats) > 1 and hidden in asked.seats)
