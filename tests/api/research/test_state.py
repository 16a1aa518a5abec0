"""A state of the research environment: legal steps, dice, copies, and the match file that proves it."""

from __future__ import annotations

import json
from array import array
from itertools import islice
from random import Random
from typing import Any

import pytest

from api.cli.play import Plan
from api.research.state import State
from domain.agents import AGENTS
from domain.kernel import CHANCE, Refused
from replay.verify import verify
from tests.api.research.worlds import other_world, played, seen, steps

GAMES = sorted(AGENTS)
STEPS, ALL_STEPS = 400, 100_000  # random actions of each game
FILES, ALL_FILES = 1, 50  # match files of each game
EVERY = {"thirteen_minutes": 2, "cia_vs_kgb": 3, "twilight_struggle": 5, "imperial_struggle": 23}
WORLDS, ALL_WORLDS = 1, 60  # matches of each game in which worlds are compared


def check_steps(game: str, least: int) -> None:
    """What the mask allows is never refused, and every match ends with a result."""
    taken = seed = 0
    while taken < least:
        state = State(game, seed=seed)
        mask, numbers = bytearray(state.num_actions), array("f", bytes(4 * state.observation_size))
        for now in steps(state, Random(seed)):
            now.legal_actions_mask(mask)
            assert [action for action, allowed in enumerate(mask) if allowed] == now.legal_actions()
            assert now.current_player() in now.players
            now.observation_tensor(now.current_player(), numbers)
            assert numbers == written_anew(now, now.current_player())
            taken += 1
        assert sorted(state.returns().values()) in ([-1, 1], [0, 0])
        assert (state.legal_actions(), state.current_player()) == ([], "")
        seed += 1


def written_anew(state: State, seat: str) -> array[float]:
    """What a seat knows, without the numbers of an earlier moment."""
    numbers = array("f", bytes(4 * state.observation_size))
    encoding, answering = state._setting.encoding, state._answering
    assert answering is not None
    encoding.encode(state.view(seat), seat, numbers, answering.question, answering.picks)
    return numbers


@pytest.mark.parametrize("game", GAMES)
def test_masked_random_steps_are_legal_to_the_end(game: str) -> None:
    """B18."""
    check_steps(game, STEPS)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_a_hundred_thousand_masked_random_steps_are_legal(game: str) -> None:
    """B18 in full."""
    check_steps(game, ALL_STEPS)


def check_file(game: str, seed: int) -> None:
    """The file of an episode verifies, and `Match` comes to the same table, chance included."""
    state = played(game, seed)
    report = verify(state.match_file())
    assert report.ok, report
    assert state._played().match.live == state._table


@pytest.mark.parametrize("game", GAMES)
def test_the_match_file_of_an_episode_verifies(game: str) -> None:
    """B19."""
    for seed in range(FILES):
        check_file(game, seed)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_fifty_match_files_verify(game: str) -> None:
    """B19 in full."""
    for seed in range(ALL_FILES):
        check_file(game, seed)


def check_worlds(game: str, matches: int) -> None:
    """A seat sees the same in two worlds; a state that shows its true table instead is caught."""
    compared, caught, luck = 0, 0, Random(1)
    for seed in range(matches):
        for number, state in enumerate(steps(State(game, seed=seed), luck)):
            other = other_world(state, luck) if number % EVERY[game] == 0 else None
            if other is None:
                continue
            seat = state.current_player()
            assert seen(state, seat) == seen(other, seat)
            compared += 1
            for peeking in (state, other):
                peeking._views = dict.fromkeys(peeking.players, (peeking._table, peeking._last))
            caught += seen(state, seat) != seen(other, seat)
            state._views = dict.fromkeys(state.players, (state._setting.empty, state._first))
    assert caught == compared


@pytest.mark.parametrize("game", GAMES)
def test_a_seat_sees_the_same_in_two_worlds_that_it_cannot_tell_apart(game: str) -> None:
    """B20."""
    check_worlds(game, WORLDS)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_a_seat_sees_the_same_in_many_pairs_of_worlds(game: str) -> None:
    """B20 in full."""
    check_worlds(game, ALL_WORLDS)


def test_what_the_other_seat_was_dealt_is_not_seen() -> None:
    """Two matches differ in nothing but the cards of the other seat: this one sees the same."""
    told = []
    for other in (("us-3", "us-4", "us-5"), ("us-5", "un-1", "us-4")):
        state = State("thirteen_minutes", seed=0, chance="explicit")
        for card in ("us-1", "us-2", *other):
            state.apply_action(state.string_to_action(card))
        assert state.current_player() == "us"
        told.append((seen(state, "us"), seen(state, "ussr")))
    (first, others), (second, others_now) = told
    assert first == second
    assert others != others_now


def test_seats_that_are_asked_at_once_answer_one_after_the_other() -> None:
    state = State("thirteen_minutes", seed=3)
    worlds = []
    for bid in ("0", "5"):
        other = state.clone()
        assert other.current_player() == "us"
        other.apply_action(other.string_to_action(bid))
        assert other.current_player() == "ussr"
        worlds.append(seen(other, "ussr"))
    assert worlds[0] == worlds[1]


@pytest.mark.parametrize("game", GAMES)
def test_a_clone_goes_its_own_way(game: str) -> None:
    state = State(game, seed=5)
    for _ in islice(steps(state, Random(5)), 30):
        pass
    seat = state.current_player()
    before, other, still = seen(state, seat), state.clone(), state.clone()
    for now in islice(steps(other, Random(1)), 60):
        seen(now, seat)
    assert seen(other, seat) != before
    assert seen(state, seat) == seen(still, seat) == before
    for now in islice(steps(state, Random(2)), 60):
        seen(now, seat)
    assert seen(state, seat) != before
    assert seen(still, seat) == before


@pytest.mark.parametrize("game", GAMES)
def test_a_resampled_state_tells_the_seat_the_same_and_can_be_played_to_the_end(game: str) -> None:
    luck = Random(2)
    for number, state in enumerate(steps(State(game, seed=2), luck)):
        if number % 90 == 0:
            seat = state.current_player()
            other = state.resample_from_infostate(seat, luck)
            assert seen(other, seat) == seen(state, seat)
            again = other.resample_from_infostate(seat, luck)
            assert seen(again, seat) == seen(state, seat)
            for count, now in enumerate(steps(other, luck)):
                if count % 10 == 0:
                    assert all(seen(now, player) for player in now.players)
            with pytest.raises(ValueError, match="resampled"):
                other.match_file()


def test_the_other_seat_of_a_resampled_state_knows_its_own_cards_and_no_others() -> None:
    state = State("thirteen_minutes", seed=8)
    worlds = [state.resample_from_infostate("us", Random(seed)) for seed in range(30)]
    for world in worlds:
        view: Any = world.view("ussr")
        assert view.hands["ussr"] == world._table.hands["ussr"]
        assert view.hands["us"] == ("?", "?")
        assert view.cuba == "?"
        assert not set(view.deck.cards) & set(view.hands["ussr"])
    assert len({world._table.hands["ussr"] for world in worlds}) > 10
    assert len({world.information_state_string("ussr") for world in worlds}) > 10


def test_the_dice_are_those_of_the_seed() -> None:
    """`glasnost play --seed` derives the same secret."""
    plan = Plan("thirteen_minutes", "standard", {}, ("random", "random"), f"{42:064x}")
    state = State("thirteen_minutes", seed=42)
    assert state._episode.secret.bytes == plan.secret
    assert seen(state, "us") == seen(State("thirteen_minutes", seed=42), "us")
    assert seen(state, "us") != seen(State("thirteen_minutes", seed=43), "us")


@pytest.mark.parametrize("game", GAMES)
def test_explicit_chance_is_a_player(game: str) -> None:
    state, luck, draws = State(game, seed=0, chance="explicit"), Random(4), 0
    for now in steps(state, luck):
        if now.is_chance_node():
            outcomes = now.chance_outcomes()
            assert [action for action, _ in outcomes] == now.legal_actions()
            assert sum(share for _, share in outcomes) == pytest.approx(1)
            draws += 1
        else:
            assert now.current_player() in now.players
            with pytest.raises(ValueError, match="turn of chance"):
                now.chance_outcomes()
    assert draws
    assert CHANCE not in state.returns()
    with pytest.raises(ValueError, match="explicit chance"):
        state.match_file()


def test_an_illegal_action_changes_nothing() -> None:
    state = State("thirteen_minutes", seed=1)
    before = seen(state, "us")
    for action in (-1, state.num_actions - 1, state.num_actions, 10**30):
        with pytest.raises(ValueError, match="is not legal"):
            state.apply_action(action)
    assert seen(state, "us") == before
    with pytest.raises(ValueError, match="not over"):
        state.match_file()
    ended = played("thirteen_minutes", 1)
    with pytest.raises(ValueError, match="over"):
        ended.apply_action(0)


@pytest.mark.parametrize("seed", [-1, 1 << 256])
def test_a_seed_has_256_bits(seed: int) -> None:
    with pytest.raises(ValueError, match="seed"):
        State("thirteen_minutes", seed=seed)


def test_chance_is_sampled_or_explicit() -> None:
    wrong: Any = "sampeld"
    with pytest.raises(ValueError, match="chance is sampled or explicit, not 'sampeld'"):
        State("thirteen_minutes", seed=1, chance=wrong)


def test_unknown_games_and_options_are_refused() -> None:
    with pytest.raises(KeyError):
        State("chess", seed=1)
    with pytest.raises(Refused, match="no option"):
        State("thirteen_minutes", seed=1, options={"speed": 1})


def test_a_buffer_of_another_length_is_refused() -> None:
    state = State("thirteen_minutes", seed=1)
    with pytest.raises(ValueError, match="structure"):
        state.legal_actions_mask(bytearray(3))
    with pytest.raises(ValueError, match="structure"):
        state.observation_tensor("us", array("f", bytes(8)))
    with pytest.raises(ValueError, match="structure"):
        state.observation_tensor("us", array("d", bytes(8 * state.observation_size)))


def test_the_information_state_is_canonical_json_of_what_was_told() -> None:
    state = State("thirteen_minutes", seed=9)
    state.apply_action(state.string_to_action("2"))
    told, picks = json.loads(state.information_state_string("ussr"))
    assert told[-1]["seat"] == "us"
    assert "picks" not in told[-1]
    assert told[-1]["facts"][0]["cubes"] == "?"
    assert picks == []
    mine, _ = json.loads(state.information_state_string("us"))
    assert mine[-1]["picks"] == ["2"]
    assert mine[-1]["facts"][0]["cubes"] == 2
