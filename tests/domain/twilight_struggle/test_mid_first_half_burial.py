"""We Will Bury You: the threat, and the answer of the next US round."""

from __future__ import annotations

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway
from domain.twilight_struggle.facts.flow import (
    BurialBegan,
    BurialEnded,
    EventBegan,
    HeadlineBegan,
    RoundBegan,
    RoundPassed,
)
from domain.twilight_struggle.facts.tracks import DefconSet, ScoreMoved
from domain.twilight_struggle.steps.flow import Act, ChooseHeadline, EndTurn, FinalScoring, ResolveHeadline
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import given

BURY = "we_will_bury_you"
BURIED = (BurialEnded(averted=False), ScoreMoved(USSR, 3, -3, BURY))


def test_we_will_bury_you() -> None:
    """We Will Bury You: DEFCON falls, the points wait."""
    s = resolving(table(phasing=USSR), BURY, USSR)
    given(s, do=Event(USSR, BURY)).then(
        EventBegan(BURY, USSR), DefconSet(5, 4), BurialBegan(), CardPutAway(BURY, "removed")
    ).has(buries=True, vp=0)


@pytest.mark.parametrize(("player", "winner"), [(USSR, US), (US, USSR)])
def test_we_will_bury_you_at_defcon_2(player: str, winner: str) -> None:
    """We Will Bury You, ruling: DEFCON 1 ends the game before any points."""
    s = resolving(table(phasing=player, defcon=2, vp=-19), BURY, player)
    given(s, do=Event(USSR, BURY)).then(EventBegan(BURY, USSR), DefconSet(2, 1), nuclear_war(winner, -19))


def test_we_will_bury_you_scores_before_the_play() -> None:
    """We Will Bury You, ruling: the points come before the event, and the points, of what the US plays."""
    s = table(us_hand=("duck_and_cover",), buries=True)
    given(s, do=PlayCard(US)).when(US, "event:duck_and_cover").then(
        *BURIED,
        CardPlayed(US, "duck_and_cover", "event", US),
        EventBegan("duck_and_cover", US),
        DefconSet(5, 4),
        ScoreMoved(US, 1, -2, "duck_and_cover"),
        CardPutAway("duck_and_cover", "discards"),
    ).has(buries=False)


def test_we_will_bury_you_can_end_the_game() -> None:
    """We Will Bury You, ruling: at 20 the play does not happen any more."""
    s = table(us_hand=("duck_and_cover",), buries=True, vp=-17)
    given(s, do=PlayCard(US)).when(US, "event:duck_and_cover").then(
        BurialEnded(averted=False),
        ScoreMoved(USSR, 3, -20, BURY),
        Ended(USSR, "victory_points", {US: -20, USSR: 20}),
    )


def test_we_will_bury_you_is_averted_by_un_intervention() -> None:
    """We Will Bury You: UN Intervention as an event keeps the points away."""
    s = table(us_hand=("un_intervention", "fidel"), buries=True)
    given(s, do=PlayCard(US)).when(US, "cancel:fidel").then(
        BurialEnded(averted=True),
        CardPlayed(US, "un_intervention", "event", US),
        CardPutAway("un_intervention", "discards"),
        CardPlayed(US, "fidel", "cancelled", US),
    ).has(vp=0, buries=False)


def test_we_will_bury_you_is_not_averted_by_the_operations_of_un_intervention() -> None:
    """We Will Bury You: UN Intervention counts only as an event."""
    s = table(us_hand=("un_intervention",), buries=True)
    given(s, do=PlayCard(US)).when(US, "influence:un_intervention").includes(*BURIED)


def test_we_will_bury_you_is_not_answered_by_the_ussr() -> None:
    """We Will Bury You: a USSR round leaves the threat standing."""
    s = table(ussr_hand=("summit",), buries=True, phasing=USSR)
    given(s, do=PlayCard(USSR)).when(USSR, "influence:summit").then(
        CardPlayed(USSR, "summit", "influence", USSR)
    ).has(buries=True, vp=0)


def test_we_will_bury_you_as_headline_waits_for_round_1() -> None:
    """We Will Bury You, ruling: the headline phase is no action round, the US headline no answer."""
    headlines = {USSR: BURY, US: "olympic_games"}
    s = table(us_hand=("summit",), phase="headline", round=0, phasing=None, headlines=headlines)
    shown = given(s, do=(ResolveHeadline(USSR), ResolveHeadline(US), Act(1, US)))
    shown.includes(HeadlineBegan(USSR, BURY), BurialBegan(), HeadlineBegan(US, "olympic_games"))
    first = shown.when(USSR, "boycott").when(US, "none").has(buries=True, round=1, vp=0)
    first.when(US, "influence:summit").includes(*BURIED)


def test_we_will_bury_you_played_by_the_us_waits_for_its_next_round() -> None:
    """We Will Bury You, ruling: the round of the US in which it happened does not count."""
    s = table(us_hand=(BURY, "summit"))
    played = given(s, do=(PlayCard(US), Act(2, US))).when(US, f"event_first:{BURY}")
    played.includes(DefconSet(5, 4), BurialBegan()).has(vp=0)
    spent = played.when(US, "influence")
    for _ in range(4):
        spent = spent.when(US, "canada")
    spent.has(buries=True, round=2, vp=0).when(US, "influence:summit").includes(*BURIED)


def test_we_will_bury_you_waits_for_the_next_turn() -> None:
    """We Will Bury You, ruling: after the last round of the US it waits for the next turn."""
    s = table(us_hand=("summit",), buries=True, military={US: 5, USSR: 5}, round=6)
    ended = given(s, do=EndTurn()).has(turn=2, buries=True, vp=0)
    ended.asks(US, "summit")


def test_we_will_bury_you_does_not_mind_the_choice_of_a_headline() -> None:
    """We Will Bury You, ruling: UN Intervention cannot be the headline."""
    s = table(us_hand=("un_intervention", "summit"), buries=True)
    given(s, do=ChooseHeadline((US,))).asks(US, "summit")


def test_we_will_bury_you_scores_when_the_us_passes() -> None:
    """We Will Bury You, ruling: a passed US round is one without UN Intervention."""
    s = table(buries=True)
    given(s, do=Act(2, US)).then(RoundBegan(2, US), *BURIED, RoundPassed(US))


def test_we_will_bury_you_scores_when_the_us_passes_in_a_trap() -> None:
    """We Will Bury You, ruling: so does a round that Quagmire leaves empty."""
    s = table(us_hand=("summit",), buries=True, beside=("quagmire",))
    given(s, do=PlayCard(US)).when(US, "pass").then(*BURIED, RoundPassed(US))


def test_we_will_bury_you_scores_before_final_scoring() -> None:
    """We Will Bury You, ruling: with no US round left the points come before the regions."""
    s = table(buries=True, turn=10, vp=2, china=None)
    scored = given(s, do=FinalScoring()).includes(
        BurialEnded(averted=False),
        ScoreMoved(USSR, 3, -1, BURY),
        Ended(USSR, "final_scoring", {US: -1, USSR: 1}),
    )
    assert scored.facts[0] == BurialEnded(averted=False)
