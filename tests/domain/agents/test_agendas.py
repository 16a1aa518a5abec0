"""No agenda names a card that the asked seat cannot place, so an agent may be given it (B8)."""

from __future__ import annotations

import os

import pytest

from domain.agents import AGENTS
from domain.kernel import CHANCE, asked
from tests.domain.properties import check_agendas, random_match
from tests.proofs.test_random_matches import settled

GAMES = sorted(AGENTS)
MATCHES = 1_000 if os.environ.get("GLASNOST_FULL") else 2  # of each game, with options of their own


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_no_agenda_of_a_thousand_varied_matches_names_what_the_asked_seat_cannot_place(game: str) -> None:
    """Also over HTTP: `GET .../prompt?agenda=true` tells it."""
    found, questions = AGENTS[game].game, 0
    for seed in range(MATCHES):
        luck, (edition, options) = settled(found, seed)
        played = random_match(found, luck, edition, options)
        check_agendas(found, played)
        questions += sum(seat != CHANCE for _, decision in played for seat in asked(decision.table))
    assert questions > MATCHES
    print(f"{game}: {MATCHES} matches with random options, {questions} questions")
