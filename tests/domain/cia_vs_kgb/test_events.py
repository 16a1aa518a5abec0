"""The six event cards, each in its phase (book 004, event cards; R-EVENT-USE)."""

from __future__ import annotations

import pytest

from domain.cia_vs_kgb.components import OBJECTIVES
from domain.cia_vs_kgb.facts.decks import (
    ObjectiveBuried,
    ObjectivesArranged,
    ObjectivesSeen,
    ObjectiveTurnedUp,
    TopDiscarded,
)
from domain.cia_vs_kgb.facts.outcome import (
    AgentRevived,
    AgentTerminated,
    AgentWentHome,
    AgentWentOnLeave,
    DisorderBroke,
    InfluenceCounted,
    ObjectiveClaimed,
    PromiseMade,
    TokenPlaced,
    TokenReturned,
)
from domain.cia_vs_kgb.facts.preparation import AgentRevealed, AgentSent, BalanceGiven, LeaveEnded, PhaseBegan
from domain.cia_vs_kgb.facts.struggle import DiscardRecruited, EventUsed, GroupDestroyed, Passed
from domain.cia_vs_kgb.rules import score
from domain.cia_vs_kgb.state import State
from domain.cia_vs_kgb.steps.detente import ArrangeObjectives, Detente, LookAtObjectives, UseEvents
from domain.cia_vs_kgb.steps.outcome import Award, CeaseFire, Debrief
from domain.cia_vs_kgb.steps.preparation import Plan, TurnUpObjective
from domain.cia_vs_kgb.steps.struggle import Act
from domain.kernel import HIDDEN, Fact, fold
from domain.piles import Pile
from tests.domain.cia_vs_kgb.tables import contest, won
from tests.scenario import given

BOTH = {"cia": "analyst", "kgb": "director"}
NOBEL = "nobel_peace_prize"


def fallen(seat: str, *agents: str) -> list[Fact[State]]:
    facts: list[Fact[State]] = []
    for agent in agents:
        facts += [
            AgentSent(seat, agent),
            AgentRevealed(seat, agent, "disorder"),
            AgentTerminated(seat, agent, "disorder"),
        ]
    return facts


# ── using an event ──


def test_r_event_use_the_card_leaves_the_game_and_its_points_are_lost() -> None:
    s = contest(cia=["police"], has={"kgb": ["nuclear_escalation", "iran"]})
    act = given(s, do=Act("kgb")).when("kgb", "event:nuclear_escalation")
    act.includes(EventUsed("kgb", "nuclear_escalation", 5, 15)).has(spent=("nuclear_escalation",))
    assert act.table.won["kgb"] == ("iran",)
    assert score(act.table) == {"cia": 0, "kgb": 15}


def test_r_event_use_only_the_owner_and_only_what_that_side_won() -> None:
    s = contest(cia=["police"], kgb=["radio"], has={"kgb": ["nuclear_escalation"]})
    given(s, do=Act("cia")).refuses("cia", "event:nuclear_escalation")
    unowned = contest("nuclear_escalation", cia=["police"], kgb=["radio"])
    given(unowned, do=Act("cia")).refuses("cia", "event:nuclear_escalation")


def test_r_event_use_only_in_its_phase() -> None:
    s = contest(cia=["police"], kgb=["radio"], has={"cia": ["space_race", "olympic_games"]})
    given(s, *fallen("cia", "director"), do=Act("cia")).asks("cia", "recruit", "activate:police", "pass")
    s = contest(has={"cia": ["live_benefit", "nuclear_escalation", "summit_meeting", "nobel_peace_prize"]})
    given(s, do=UseEvents("cia")).asks_nobody()


def test_r_event_use_in_the_very_turn_it_was_won() -> None:
    s = contest("space_race", agents={"cia": "analyst", "kgb": "analyst"})
    end = given(s, TokenPlaced("cia", "influence"), do=(Award(), Detente()))
    end.includes(ObjectiveClaimed("cia", "space_race", "token", 5, 5), TokenReturned("cia"))
    end.asks("cia", "event:space_race", "decline")


# ── Live Benefit ──


def test_live_benefit_recruits_the_top_of_the_discard_pile_instead_of_an_action() -> None:
    s = contest(cia=["mafia"], kgb=["radio"], has={"cia": ["live_benefit"]})
    s = fold(s, [TopDiscarded("kgb", "police"), TopDiscarded("kgb", "workers")])
    act = given(s, do=Act("cia", 1)).when("cia", "event:live_benefit")
    act.then(EventUsed("cia", "live_benefit", 5, 0), DiscardRecruited("cia", "workers"))
    act.has(discards=("police",)).asks("kgb").when("kgb", "pass").then(Passed("kgb", 1))
    act.asks("cia", "recruit", "activate:mafia", "activate:workers", "pass")


def test_live_benefit_needs_a_discarded_group() -> None:
    given(contest(has={"cia": ["live_benefit"]}), do=Act("cia")).asks("cia", "recruit")


def test_r_pop_live_benefit_does_not_exceed_the_population() -> None:
    s = contest("greece", cia=["mafia", "workers", "students"], has={"cia": ["live_benefit"]})
    given(s, TopDiscarded("kgb", "police"), do=Act("cia")).refuses("cia", "event:live_benefit")


def test_r_must_recruit_live_benefit_replaces_compulsory_recruiting() -> None:
    s = contest(has={"cia": ["live_benefit"]})
    given(s, TopDiscarded("kgb", "police"), do=Act("cia")).asks("cia", "recruit", "event:live_benefit")


# ── Nuclear Escalation ──


def test_nuclear_escalation_discards_every_military_group_in_the_users_order() -> None:
    s = contest(
        cia=["police", "mafia"],
        kgb=["generals", "militia"],
        mobilized=["militia"],
        has={"cia": ["nuclear_escalation"]},
    )
    act = given(s, do=Act("cia")).when("cia", "event:nuclear_escalation")
    act.asks("cia", "police", "generals", "militia").refuses("cia", "police", "generals")
    act.when("cia", "militia", "police", "generals").then(
        GroupDestroyed("cia", "kgb", "militia", "nuclear_escalation"),
        GroupDestroyed("cia", "cia", "police", "nuclear_escalation"),
        GroupDestroyed("cia", "kgb", "generals", "nuclear_escalation"),
    )
    act.has(discards=("militia", "police", "generals"), recruited={"cia": ("mafia",), "kgb": ()})
    act.asks("kgb", "recruit")


def test_nuclear_escalation_of_a_single_group_asks_for_no_order() -> None:
    s = contest(cia=["mafia"], kgb=["generals"], has={"cia": ["nuclear_escalation"]})
    act = given(s, do=Act("cia")).when("cia", "event:nuclear_escalation")
    act.includes(GroupDestroyed("cia", "kgb", "generals", "nuclear_escalation")).asks("kgb", "recruit")


def test_nuclear_escalation_of_the_last_own_group_brings_compulsory_recruiting_back() -> None:
    """R-MUST-RECRUIT: the pass before does not count any more, and without groups there is no passing."""
    s = contest("cuba", ["generals"], ["mafia"], agents=BOTH, has={"cia": ["nuclear_escalation"]})
    fight = given(s, do=Act("cia", 1)).when("cia", "event:nuclear_escalation")
    fight.when("kgb", "pass").then(Passed("kgb", 1)).asks("cia", "recruit")


def test_nuclear_escalation_needs_a_military_group() -> None:
    s = contest(cia=["mafia"], kgb=["radio"], has={"cia": ["nuclear_escalation"]})
    given(s, do=Act("cia")).refuses("cia", "event:nuclear_escalation")


# ── Summit Meeting ──


def summit() -> State:
    agents = {"cia": "analyst", "kgb": "director"}
    return contest(cia=["mafia"], kgb=["radio"], agents=agents, has={"cia": ["summit_meeting"]})


def test_summit_meeting_is_an_extra_before_the_action() -> None:
    act = given(summit(), do=Act("cia")).when("cia", "event:summit_meeting")
    act.then(EventUsed("cia", "summit_meeting", 5, 0), AgentRevealed("kgb", "director", "summit_meeting"))
    act.asks("cia", "recruit", "activate:mafia", "pass").has(exposed={"kgb": "director"})


def test_r_pass_summit_meeting_does_not_break_the_row() -> None:
    act = given(summit(), do=Act("kgb")).when("kgb", "pass").when("cia", "event:summit_meeting")
    act.asks("cia").when("cia", "pass").then(Passed("cia", 2)).asks_nobody()


def test_summit_meeting_needs_a_hidden_agent() -> None:
    revealed = AgentRevealed("kgb", "director", "double_agent")
    given(summit(), revealed, do=Act("cia")).refuses("cia", "event:summit_meeting")


def test_an_agent_seen_at_the_summit_is_not_revealed_again_and_still_acts() -> None:
    shown = AgentRevealed("kgb", "director", "summit_meeting")
    after = given(summit(), shown, TokenPlaced("kgb", "influence"), do=Debrief())
    after.then(
        PhaseBegan("debriefing"),
        AgentRevealed("cia", "analyst", "debriefing"),
        PromiseMade("cia", "analyst"),
    )
    after.asks("chance")


# ── Nobel Peace Prize ──


def unruly(agent: str = "analyst") -> State:
    """The KGB has 11 influence against a stability of 9; it owns the Nobel Peace Prize."""
    return contest(
        "cuba",
        cia=["mafia"],
        kgb=["bankers", "radio"],
        agents={"cia": "assassin", "kgb": agent},
        has={"kgb": ["nobel_peace_prize"]},
    )


def test_nobel_peace_prize_saves_agent_x_who_goes_on_leave() -> None:
    cease = given(unruly(), do=CeaseFire()).then(
        PhaseBegan("cease_fire"),
        InfluenceCounted(2, 11, 9),
        DisorderBroke("kgb", 11, 9),
        AgentRevealed("kgb", "analyst", "disorder"),
    )
    cease.asks("kgb", "event:nobel_peace_prize", "decline").when("kgb", "event:nobel_peace_prize")
    cease.then(
        EventUsed("kgb", "nobel_peace_prize", 5, 0),
        AgentWentOnLeave("kgb", "analyst", "nobel_peace_prize"),
        TokenPlaced("cia", "disorder"),
        ObjectiveClaimed("cia", "cuba", "disorder", 10, 10),
    )
    cease.has(leave={"cia": (), "kgb": ("analyst",)}, exposed={})


def test_nobel_peace_prize_can_be_declined() -> None:
    cease = given(unruly(), do=CeaseFire()).when("kgb", "decline")
    cease.includes(AgentTerminated("kgb", "analyst", "disorder")).has(spent=())


def test_a_saved_agent_is_no_agent_x_any_more_and_does_not_act() -> None:
    cease = given(unruly(), do=(CeaseFire(), Debrief())).when("kgb", "event:nobel_peace_prize")
    cease.has(promises={}).asks_nobody()


def test_nobel_peace_prize_is_not_asked_for_the_deputy_director() -> None:
    cease = given(unruly("deputy_director"), do=CeaseFire()).asks_nobody()
    cease.includes(AgentWentHome("kgb", "deputy_director", "disorder"))
    assert cease.table.won["kgb"] == ("nobel_peace_prize",)


def test_nobel_peace_prize_does_not_save_the_other_side() -> None:
    agents = {"cia": "assassin", "kgb": "analyst"}
    s = contest(cia=["mafia"], kgb=["bankers", "radio"], agents=agents, has={"cia": ["nobel_peace_prize"]})
    given(s, do=CeaseFire()).includes(AgentTerminated("kgb", "analyst", "disorder"))


def test_nobel_peace_prize_beside_a_deputy_director_in_double_disorder() -> None:
    """Both agents survive, each in another way, and neither acts in Debriefing."""
    agents = {"cia": "deputy_director", "kgb": "double_agent"}
    s = contest("cuba", ["generals", "police"], ["bankers", "industry"], agents=agents, has={"kgb": [NOBEL]})
    fight = given(s, do=(CeaseFire(), Debrief(), Detente())).includes(
        AgentWentHome("cia", "deputy_director", "disorder")
    )
    fight.asks("kgb", f"event:{NOBEL}", "decline").when("kgb", f"event:{NOBEL}").asks_nobody()
    fight.includes(AgentWentOnLeave("kgb", "double_agent", NOBEL), ObjectiveBuried("cuba", "disorder"))
    fight.has(leave={"cia": (), "kgb": ("double_agent",)}, fallen={"cia": (), "kgb": ()}, promises={})
    assert "deputy_director" in fight.table.headquarters["cia"]


def test_nobel_peace_prize_in_double_disorder_saves_its_owners_agent_only() -> None:
    s = contest(
        cia=["generals", "infantry"],
        kgb=["bankers", "radio"],
        agents={"cia": "assassin", "kgb": "analyst"},
        has={"kgb": ["nobel_peace_prize"]},
    )
    cease = given(s, do=CeaseFire()).asks("kgb").when("kgb", "event:nobel_peace_prize")
    cease.includes(
        AgentWentOnLeave("kgb", "analyst", "nobel_peace_prize"), ObjectiveBuried("cuba", "disorder")
    )
    cease.has(fallen={"cia": ("assassin",), "kgb": ()})


# ── Space Race ──


def race(*facts: Fact[State]) -> State:
    """Detente of turn 1, Cuba won by the KGB, Space Race owned by the CIA."""
    claimed = ObjectiveClaimed("kgb", "cuba", "token", 10, 10)
    return fold(contest(has={"cia": ["space_race"]}), [claimed, *facts])


def test_space_race_orders_the_next_three_objectives_in_secret() -> None:
    use = given(race(), do=UseEvents("cia")).when("cia", "event:space_race")
    use.then(EventUsed("cia", "space_race", 5, 0)).asks("chance")
    use.when("chance", "iran", "chile", "egypt").then(ObjectivesSeen("cia", ("iran", "chile", "egypt")))
    use.asks("cia", "iran", "chile", "egypt").when("cia", "egypt", "iran", "chile")
    use.then(ObjectivesArranged("cia", ("egypt", "iran", "chile"))).asks_nobody()
    assert use.table.objectives.top == ("egypt", "iran", "chile")
    assert use.facts[0].seen_by("kgb") == ObjectivesArranged("cia", (HIDDEN,) * 3)


def test_space_race_looks_by_a_secret_draw() -> None:
    look = LookAtObjectives("cia")
    assert not look.face_up(race())
    assert look.label(race()) == "space_race/t1/cia"
    assert look.bounds(race(), "chance") == (3, 3)
    assert ArrangeObjectives.secret


def test_the_next_turns_follow_the_order_of_the_space_race() -> None:
    seen = ObjectivesSeen("cia", ("iran", "chile", "egypt"))
    ordered = ObjectivesArranged("cia", ("egypt", "iran", "chile"))
    given(race(seen, ordered), do=TurnUpObjective()).then(ObjectiveTurnedUp("egypt"))


def almost_empty(*left: str) -> list[Fact[State]]:
    """Every objective but these was won by the KGB."""
    cards = [card for card in race().objectives.cards if card not in left]
    return won("kgb", *cards)


def test_space_race_reaches_the_known_cards_under_a_small_deck() -> None:
    s = race(*almost_empty("iran", "chile", "egypt"))
    buried = [ObjectiveTurnedUp("iran"), ObjectiveBuried("iran", "disorder")]
    use = (
        given(s, *buried, do=UseEvents("cia"))
        .when("cia", "event:space_race")
        .asks("chance", "chile", "egypt")
    )
    use.when("chance", "egypt", "chile").then(ObjectivesSeen("cia", ("egypt", "chile", "iran")))
    use.when("cia", "iran", "chile", "egypt")
    assert use.table.objectives.top == ("iran", "chile", "egypt")
    assert use.table.objectives.bottom == ()


def test_after_such_an_order_the_other_side_no_longer_knows_where_the_known_card_lies() -> None:
    facts = [*almost_empty("iran", "chile", "egypt"), ObjectiveTurnedUp("iran")]
    facts += [ObjectiveBuried("iran", "disorder"), ObjectivesSeen("cia", ("egypt", "chile", "iran"))]
    view = fold(race(), [fact.seen_by("kgb") for fact in facts])
    assert view.objectives.top == (HIDDEN, HIDDEN, "iran")
    view = fold(view, [ObjectivesArranged("cia", ("iran", "chile", "egypt")).seen_by("kgb")])
    assert view.objectives.top == (HIDDEN,) * 3
    assert view.objectives.cards == ("chile", "egypt", "iran")


def test_space_race_with_two_objectives_left_orders_these() -> None:
    """One of them lies under the deck for all to know; after the order only the user knows which is where."""
    rest = [card for card in OBJECTIVES if card not in ("cuba", "iran", "space_race")]
    s = contest("cuba", agents=BOTH, has={"kgb": rest, "cia": ["space_race"]})
    s = fold(s, [ObjectiveBuried("cuba", "disorder")])
    look = given(s, do=UseEvents("cia")).when("cia", "event:space_race").asks("chance", "iran")
    look.when("chance", "iran").then(ObjectivesSeen("cia", ("iran", "cuba"))).asks("cia", "iran", "cuba")
    look.refuses("cia", "iran").when("cia", "cuba", "iran").then(ObjectivesArranged("cia", ("cuba", "iran")))
    assert look.table.objectives == Pile((), 2, top=("cuba", "iran"))
    given(look.table, do=TurnUpObjective()).then(ObjectiveTurnedUp("cuba"))


def test_space_race_with_one_objective_left_is_a_look_only() -> None:
    use = given(race(*almost_empty("iran")), do=UseEvents("cia")).when("cia", "event:space_race")
    use.when("chance", "iran").then(ObjectivesSeen("cia", ("iran",))).asks_nobody()


def test_space_race_needs_an_objective() -> None:
    given(race(*almost_empty()), do=UseEvents("cia")).asks_nobody()


# ── Olympic Games ──


def test_olympic_games_bring_a_terminated_agent_back_on_leave() -> None:
    s = contest(has={"kgb": ["olympic_games"]})
    use = given(s, *fallen("kgb", "director", "analyst"), do=UseEvents("kgb"))
    use.asks("kgb", "olympic_games:director", "olympic_games:analyst", "decline")
    use.when("kgb", "olympic_games:analyst")
    use.then(EventUsed("kgb", "olympic_games", 5, 0), AgentRevived("kgb", "analyst"))
    use.has(leave={"cia": (), "kgb": ("analyst",)}, fallen={"cia": (), "kgb": ("director",)})


def test_a_revived_agent_misses_the_next_planning() -> None:
    s = contest(has={"kgb": ["olympic_games"]})
    plan = given(s, *fallen("kgb", "analyst"), AgentRevived("kgb", "analyst"), do=Plan())
    plan.refuses("kgb", "analyst").when("kgb", "director").when("cia", "director")
    plan.includes(LeaveEnded("kgb", ("analyst",)))


def test_olympic_games_need_a_terminated_agent_of_ones_own() -> None:
    s = contest(has={"kgb": ["olympic_games"]})
    given(s, *fallen("cia", "analyst"), do=UseEvents("kgb")).asks_nobody()


# ── who is asked in Detente ──


def both_own_events() -> list[Fact[State]]:
    return [*won("cia", "space_race"), *won("kgb", "olympic_games"), *fallen("kgb", "analyst")]


@pytest.mark.parametrize(("holder", "other"), [("cia", "kgb"), ("kgb", "cia")])
def test_the_holder_of_the_balance_token_is_asked_first(holder: str, other: str) -> None:
    s = contest(balance=holder)
    claim = ObjectiveClaimed("cia", "cuba", "token", 10, 10)
    end = given(s, claim, *both_own_events(), do=Detente()).asks(holder).when(holder, "decline")
    end.asks(other).when(other, "decline").asks_nobody()


def test_a_side_that_declined_is_asked_again_after_the_other_used_an_event() -> None:
    claim = ObjectiveClaimed("cia", "cuba", "token", 10, 10)
    end = given(contest(), claim, *both_own_events(), do=Detente()).when("cia", "decline")
    end.when("kgb", "olympic_games:analyst").asks("cia", "event:space_race", "decline")
    end.when("cia", "decline").asks_nobody()


def test_one_side_may_use_both_events() -> None:
    facts = [
        *won("cia", "space_race", "olympic_games"),
        *fallen("cia", "analyst"),
        BalanceGiven("kgb", "lost"),
    ]
    claim = ObjectiveClaimed("cia", "cuba", "token", 10, 10)
    end = given(contest(), claim, *facts, do=Detente()).when("cia", "olympic_games:analyst")
    end.asks("cia", "event:space_race", "decline")
