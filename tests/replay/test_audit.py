"""The re-run of the rules, and what each question offered."""

from __future__ import annotations

from itertools import chain

import pytest

from domain.events import Played
from domain.game import Game
from domain.games import GAMES
from domain.log import codec
from domain.match import Match
from domain.thirteen_minutes import battle, facts
from replay.audit import Audit, Differs, offered
from tests.domain import toy
from tests.matches import Sitting, finished
from tests.replay.files import recorded_match, with_everything


def audited(match: Match) -> int:
    """Step the rules along; gives the number of moves that were the same."""
    again, audit = Match(match.opened), Audit(match.game)
    for record in match.records:
        again.accept(record)
        audit.check(again, record)
    return again.move


def differing(match: Match) -> list[int]:
    """The moves of which today's rules make something else."""
    again, audit, found = Match(match.opened), Audit(match.game), list[int]()
    for record in match.records:
        again.accept(record)
        try:
            audit.check(again, record)
        except Differs:
            found.append(record.move)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_today_s_rules_give_what_they_gave(name: str) -> None:
    match = finished(GAMES[name], 9).match
    assert audited(match) == match.move


def test_the_audit_follows_takebacks_rulings_and_records(toy_game: Game) -> None:
    for match in (with_everything(toy_game), recorded_match(toy_game)):
        assert audited(match) == match.move


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"label": lambda self, s: "die/elsewhere"}, "today's rules draw"),
        ({"options": lambda self, s, seat: ("1", "2")}, "today's rules refuse it"),
        ({"face_up": lambda self, s: False}, "today's rules refuse it"),
        ({"bounds": lambda self, s, seat: (0, 0)}, "today's rules"),
        ({"asks": lambda self, s: ("left",)}, "today's rules"),
    ],
)
def test_every_change_of_a_draw_is_noticed(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch, change: dict[str, object], reason: str
) -> None:
    match = next(
        match
        for match in (finished(toy_game, seed).match for seed in range(20))
        if any(draw.result > 1 for record in match.records for draw in getattr(record.entry, "draws", ()))
    )
    for name, method in change.items():
        monkeypatch.setattr(toy.Roll, name, method)
    with pytest.raises(Differs, match=reason):
        audited(match)


def test_after_a_difference_the_audit_goes_on_from_the_record(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = finished(toy_game).match
    monkeypatch.setattr(toy.Turn, "bounds", lambda self, s, seat: (2, 2))
    turns = [record.move for record in match.records if getattr(record.entry, "ask", "") == "Turn"]
    assert differing(match) == turns


def test_a_changed_score_of_a_resignation_is_noticed(toy_game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    match = with_everything(toy_game)
    monkeypatch.setattr(toy_game, "score", lambda s: {"left": 99, "right": 0})
    with pytest.raises(Differs, match="the score is"):
        audited(match)


def test_what_was_offered_contains_what_was_picked() -> None:
    match = finished(GAMES["cia_vs_kgb"], 9).match
    offers = list(offered(match))
    played = [record for record in match.records if isinstance(record.entry, Played)]
    assert [offer.move for offer in offers] == [record.move for record in played]
    for offer, record in zip(offers, played, strict=True):
        assert (offer.seat, offer.ask, offer.picks) == (record.entry.seat, record.entry.ask, record.picks)
        assert set(offer.picks) <= set(offer.options)
        assert offer.least <= len(offer.picks) <= offer.most


def test_a_question_that_today_s_rules_cannot_put_is_left_out(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = Sitting(toy_game).seat_all().play_on().match

    def options(self: toy.Turn, s: toy.State, seat: str) -> tuple[str, ...]:
        raise KeyError("a card that is no more")

    monkeypatch.setattr(toy.Turn, "options", options)
    assert {offer.ask for offer in offered(match)} == {"Bid"}


def test_a_match_that_kept_its_hands_as_they_were_drawn_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to 0.1.0 hands stood in the order of drawing: a difference to report, which harms nothing."""
    with monkeypatch.context() as before:
        for module in (battle, facts):
            before.setattr(module, "sorted_cards", lambda *cards: tuple(chain.from_iterable(cards)))
        sitting = Sitting(GAMES["thirteen_minutes"], 9).seat_all().play_on(12)
    old = sitting.match.records
    again = Match.project(None, [codec(sitting.match.game).read(sitting.id, record.stored) for record in old])
    assert again is not None
    sitting.match = again
    match = sitting.play_on().match
    assert match.status == "over"
    moves = differing(match)
    assert moves
    assert moves[-1] <= len(old)
