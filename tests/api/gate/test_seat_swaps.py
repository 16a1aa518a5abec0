"""The gate after a swap of seats: which player, or bot, answers for which seat."""

from __future__ import annotations

import pytest

from api.gate import CommandResult, Gate, Key
from api.http.views import played
from domain.chance import Drawn
from domain.kernel import Picks, Prompt, Refused
from domain.log import HOUSE
from domain.match import Match
from tests.api.gate.memory import Keys
from tests.api.gate.tables import NOW, SECRET, Table, run
from tests.domain.swap import DARK, LIGHT

pytestmark = pytest.mark.usefixtures("swap_game")


class Wishing:
    """Wishes for `wish`, then does the same at each turn."""

    def __init__(self, wish: str, turn: str = "nod") -> None:
        self.wish, self.turn = wish, turn

    def answer(self, question: Prompt) -> Picks:
        """See `Bot.answer`."""
        return (self.wish if question.ask == "Wish" else self.turn,)


class Swapping(Table):
    """A gate, and one match of the game of swapping; ann sits down on dark."""

    def __init__(self, bot: Wishing | None = None) -> None:
        super().__init__()
        self.bot = bot
        bots = {"wishing": bot} if bot else None
        self.gate = Gate(self.store, Keys(), lambda: NOW, "test", bots=bots)

    async def begun(self) -> Swapping:
        """Both sit down."""
        await self.gate.open("ann", "swap", None, {}, secret=SECRET, match=self.match)
        await self.gate.sit(self.match, DARK, "ann")
        if self.bot:
            await self.gate.sit(self.match, LIGHT, None, bot="wishing")
        else:
            await self.gate.sit(self.match, LIGHT, "ben")
        return self

    async def exchanged(self) -> Swapping:
        """Each wished for the other's seat; ann plays light now."""
        await self.begun()
        await self.say("ben", DARK)
        await self.say("ann", LIGHT)
        return self

    async def say(self, player: str, *picks: str, key: Key | None = None) -> CommandResult:
        """A player answers the current prompt."""
        return await self.gate.play(self.match, [picks], player=player, key=key)

    async def back(self, to: int) -> None:
        """An organizer rules."""
        await self.gate.rule(self.match, "judge", "misheard", back_to=to)


def _dealt(match: Match) -> dict[str, str]:
    """Which card was dealt to each seat."""
    draws: tuple[Drawn, ...] = match.records[4].parts[HOUSE].draws
    return {draw.label.removeprefix("deal/"): draw.pick for draw in draws}


def test_player_answers_for_the_current_seat() -> None:
    async def scene() -> None:
        table = await Swapping().exchanged()
        with pytest.raises(Refused) as denied:
            await table.say("ann", "nod")
        assert (denied.value.kind, denied.value.seat, denied.value.chair) == ("not-asked", LIGHT, DARK)
        assert (await table.say("ben", "nod")).seat == DARK
        assert (await table.say("ann", "nod")).seat == LIGHT

    run(scene())


def test_resignation_gives_up_the_current_seat() -> None:
    async def scene() -> None:
        table = await Swapping().exchanged()
        await table.gate.resign(table.match, player="ann")
        match = await table.state()
        assert match.result is not None
        assert match.result.winner == DARK

    run(scene())


def test_takeback_request_is_answered_by_the_current_opponent() -> None:
    async def scene() -> None:
        table = await Swapping().exchanged()
        await table.say("ben", "swap")  # each plays the original seat again
        asked = await table.gate.ask_takeback(table.match, player="ben")
        assert asked.seat == LIGHT
        agreed = await table.gate.answer_takeback(table.match, asked.last, True, player="ann")
        assert (agreed.seat, agreed.chair) == (DARK, DARK)
        match = await table.state()
        assert {seat: seated.player for seat, seated in match.players.items() if seated} == {
            DARK: "ben",
            LIGHT: "ann",
        }

    run(scene())


@pytest.mark.parametrize("last", ["ann", "ben"])
def test_response_to_the_swapping_move_shows_only_the_new_hand(last: str) -> None:
    async def scene() -> None:
        table = await Swapping().begun()
        wishes = {"ann": LIGHT, "ben": DARK}
        first = "ben" if last == "ann" else "ann"
        await table.say(first, wishes[first])
        accepted = await table.say(last, wishes[last])
        dealt, told = _dealt(accepted.cached.match), b"".join(map(bytes, played(accepted, "en").facts))
        new = wishes[last]
        assert dealt[new].encode() in told
        assert dealt[DARK if new == LIGHT else LIGHT].encode() not in told

    run(scene())


def test_next_prompt_is_for_the_new_seat() -> None:
    async def scene() -> None:
        table = await Swapping().begun()
        await table.say("ann", LIGHT)
        answer = played(await table.say("ben", DARK), "en")
        assert answer.prompt is not None
        assert (answer.prompt.seat, answer.prompt.ask) == (DARK, "Turn")

    run(scene())


def test_repeated_key_gets_the_same_answer_after_a_swap() -> None:
    async def scene() -> None:
        table = await Swapping().begun()
        await table.say("ben", DARK)
        key = Key("ann m1", "one", b"body", "en")
        first = played(await table.say("ann", LIGHT, key=key), "en")
        await table.back(4)
        assert played(await table.say("ann", LIGHT, key=key), "en") == first
        assert (await table.state()).move == 7  # the ruling and the takeback: nothing was played again

    run(scene())


def test_ruling_back_before_the_swap_restores_the_original_seats() -> None:
    async def scene() -> None:
        table = await Swapping().exchanged()
        await table.back(3)
        accepted = await table.say("ann", DARK)
        assert accepted.seat == DARK

    run(scene())


def test_organizer_who_plays_after_a_swap_cannot_rule() -> None:
    async def scene() -> None:
        table = await Swapping().exchanged()
        for player in ("ann", "ben"):
            with pytest.raises(Refused, match="players of a match"):
                await table.gate.rule(table.match, player, "mine", void=True)

    run(scene())


def test_bot_moves_to_the_other_seat_with_the_swap() -> None:
    async def scene() -> None:
        table = await Swapping(Wishing(DARK)).begun()
        accepted = await table.say("ann", LIGHT)
        entries = [(record.entry.seat, record.entry.ask) for record in accepted.cached.match.records[3:]]
        assert entries == [(LIGHT, "Wish"), (DARK, "Wish"), (DARK, "Turn")]
        assert accepted.settled == 6
        question = played(accepted, "en").prompt
        assert question is not None
        assert (question.seat, question.move) == (LIGHT, 6)

    run(scene())


def test_swapping_answer_of_a_bot_is_recorded_as_its_own() -> None:
    async def scene() -> None:
        table = await Swapping(Wishing(LIGHT, "swap")).begun()
        await table.say("ann", DARK)
        key = Key("ann m1", "one", b"body", "en")
        accepted = await table.say("ann", "nod", key=key)
        assert (accepted.last, accepted.settled) == (6, 7)
        question = played(accepted, "en").prompt
        assert question is not None
        assert (question.seat, question.move) == (LIGHT, 7)
        await table.say("ann", "nod")
        assert (await table.say("ann", "nod", key=key)).settled == 7

    run(scene())


def test_ruling_back_before_the_swap_returns_the_bot_to_its_seat() -> None:
    async def scene() -> None:
        table = await Swapping(Wishing(LIGHT)).begun()
        await table.say("ann", "grab")  # ann plays light now, and the bot, which wished before, dark
        match = await table.state()
        assert match.player_of(DARK) is match.seats[LIGHT]
        await table.back(3)
        await table.gate.settled(table.match)
        assert match.player_of(DARK) is match.seats[DARK]
        assert match.records[-1].entry.seat == LIGHT  # the bot answers for its own seat again

    run(scene())
