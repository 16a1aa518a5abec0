"""Two players change places: who plays which seat, and what going back makes of it."""

from __future__ import annotations

import msgspec
import pytest

from domain.game import Game
from domain.kernel import Refused
from domain.log import codec
from domain.match import Match
from domain.match_base import ALL, Chair
from replay.verify import verify
from tests.domain.swap import DARK, LIGHT, State
from tests.matches import Sitting
from tests.replay.files import PINNED, file_of

ON_DARK, ON_LIGHT = Chair(DARK), Chair(LIGHT)


def seated(game: Game, *, lots: bool = False) -> Sitting:
    return Sitting(game, options={"lots": lots}).seat_all(salts=True)


def exchanged(game: Game) -> Sitting:
    """Both wished for the other's seat; move 5 settled it."""
    sitting = seated(game)
    sitting.answer(DARK, LIGHT)
    sitting.answer(LIGHT, DARK)
    return sitting


def players(match: Match) -> dict[str, str]:
    return {seat: seated.player for seat, seated in match.players.items() if seated}


def back(sitting: Sitting, to: int) -> None:
    sitting.accept(sitting.match.rule(sitting.context, "judge", "misheard", back_to=to))


def test_each_plays_the_seat_on_which_they_sat_down(swap_game: Game) -> None:
    sitting = seated(swap_game)
    sitting.answer(DARK, DARK)
    sitting.answer(LIGHT, DARK)
    assert players(sitting.match) == {DARK: "p-dark", LIGHT: "p-light"}


def test_players_who_changed_places_play_each_other_s_seat(swap_game: Game) -> None:
    match = exchanged(swap_game).match
    assert players(match) == {DARK: "p-light", LIGHT: "p-dark"}
    assert (match.seat_of(ON_DARK), match.chair_of(LIGHT)) == (LIGHT, ON_DARK)


def test_who_sat_down_where_and_the_salts_stay_as_they_are(swap_game: Game) -> None:
    before, after = seated(swap_game).match, exchanged(swap_game).match
    assert after.seats == before.seats
    assert after.salts == before.salts == "dark=dark-salt,light=light-salt"


def test_earlier_moves_keep_their_players(swap_game: Game) -> None:
    match = exchanged(swap_game).match
    seats = [match.seat_of(ON_DARK, move) for move in range(match.move + 1)]
    assert seats == [DARK, DARK, DARK, DARK, DARK, LIGHT]


def test_an_exchange_by_the_set_up_comes_with_the_last_who_sits_down(swap_game: Game) -> None:
    match = seated(swap_game, lots=True).match
    assert players(match) == {DARK: "p-light", LIGHT: "p-dark"}
    assert match.move == 3


def test_what_is_no_seat_has_no_other_one(swap_game: Game) -> None:
    match = exchanged(swap_game).match
    assert match.seat_of(Chair(ALL)) == ALL


def test_a_ruling_back_before_the_exchange_undoes_it(swap_game: Game) -> None:
    sitting = exchanged(swap_game)
    back(sitting, 4)
    assert players(sitting.match) == {DARK: "p-dark", LIGHT: "p-light"}
    assert sitting.match.seat_of(ON_DARK, 5) == LIGHT  # the move that was taken back keeps its players


def test_a_ruling_back_to_a_table_after_the_exchange_keeps_it(swap_game: Game) -> None:
    sitting = exchanged(swap_game)
    sitting.answer(DARK, "nod")
    back(sitting, 5)
    assert players(sitting.match) == {DARK: "p-light", LIGHT: "p-dark"}


def test_an_agreed_takeback_undoes_an_exchange_that_showed_nothing(swap_game: Game) -> None:
    sitting = exchanged(swap_game)
    sitting.answer(DARK, "swap")
    assert players(sitting.match)[DARK] == "p-dark"
    sitting.accept(sitting.match.ask_takeback(sitting.context, LIGHT))
    sitting.accept(sitting.match.answer_takeback(sitting.context, DARK, 7, True))
    assert players(sitting.match) == {DARK: "p-light", LIGHT: "p-dark"}


def test_one_s_own_latest_answer_was_given_on_the_seat_that_one_played_then(swap_game: Game) -> None:
    sitting = exchanged(swap_game)
    sitting.answer(DARK, "swap")  # by p-light, who plays light from here on
    with pytest.raises(Refused, match="move 5 showed a draw or a secret"):
        sitting.match.ask_takeback(sitting.context, DARK)
    sitting.accept(sitting.match.ask_takeback(sitting.context, LIGHT))
    assert sitting.match.records[-1].entry.to == 5


def test_the_other_player_s_answer_on_one_s_seat_is_not_one_s_own(swap_game: Game) -> None:
    sitting = seated(swap_game)
    sitting.answer(DARK, "grab")  # p-dark plays light now, and has not answered anything there
    with pytest.raises(Refused, match="dark has not answered anything"):
        sitting.match.ask_takeback(sitting.context, DARK)


def test_a_batch_ends_where_the_players_change_places(swap_game: Game) -> None:
    sitting = exchanged(swap_game)
    with pytest.raises(Refused, match="the batch must end with answer 1"):
        sitting.match.play(sitting.context, DARK, [("swap",), ("win",)])


def test_to_a_new_player_a_question_is_a_new_one(swap_game: Game) -> None:
    """Else a request that is repeated for the earlier seat would count as the answer of the new seat."""
    sitting = seated(swap_game)
    asked = sitting.match.asked
    assert asked is not None
    assert asked.seats == {DARK: 3, LIGHT: 3}
    sitting.answer(DARK, "grab")
    assert sitting.match.asked == msgspec.structs.replace(asked, seats={LIGHT: 4})
    with pytest.raises(Refused, match="put by move 4"):
        sitting.match.play(sitting.context, LIGHT, [("grab",)], expect=3)


def test_the_table_is_not_turned_round(swap_game: Game) -> None:
    sitting = exchanged(swap_game)
    hands = sitting.match.live.hands
    sitting.answer(DARK, "swap")
    assert sitting.match.live.hands == hands
    sitting.answer(DARK, "win")
    assert (sitting.match.result and sitting.match.result.winner) == DARK


def test_resigning_gives_the_match_to_the_other_seat(swap_game: Game) -> None:
    sitting = exchanged(swap_game)
    sitting.accept(sitting.match.resign(sitting.context, LIGHT))
    assert (sitting.match.result and sitting.match.result.winner) == DARK


def test_a_match_read_again_knows_who_plays_what(swap_game: Game) -> None:
    match = exchanged(swap_game).match
    again = Match.project(None, [codec(swap_game).read(match.id, r.stored) for r in match.records])
    assert again is not None
    assert players(again) == players(match)


@pytest.mark.parametrize("grabs", [False, True])
def test_a_match_with_exchanges_is_verified_and_decided_alike_today(swap_game: Game, grabs: bool) -> None:
    sitting = seated(swap_game)
    sitting.answer(DARK, "grab" if grabs else LIGHT)
    sitting.answer(LIGHT, DARK)
    back(sitting, 4)
    sitting.answer(LIGHT, DARK)
    sitting.answer(DARK, "swap")
    sitting.answer(DARK, "win")
    report = verify(file_of(sitting.match), PINNED)
    assert report.ok, report.failures


def test_a_table_without_an_exchange_is_stored_as_it_always_was() -> None:
    table = State(hands={})
    assert msgspec.json.encode(table) == b'{"hands":{}}'
    assert msgspec.json.decode(b'{"hands":{}}', type=State).exchanged is False
