"""Planning (book 004, 2): Agent X, leave, and the Double Agent's second power."""

from __future__ import annotations

from msgspec.structs import replace

from domain.cia_vs_kgb.components import AGENTS
from domain.cia_vs_kgb.facts.outcome import AgentTerminated, AgentWentHome, AgentWentOnLeave, PromiseMade
from domain.cia_vs_kgb.facts.preparation import (
    AgentRevealed,
    AgentSent,
    LeaveEnded,
    NobodySent,
    PhaseBegan,
    PromiseKept,
)
from domain.cia_vs_kgb.state import State
from domain.cia_vs_kgb.steps.preparation import ChooseAgents, Plan
from domain.cia_vs_kgb.steps.struggle import Act
from domain.kernel import HIDDEN, Fact, fold, prompt
from tests.domain.cia_vs_kgb.tables import contest
from tests.scenario import given


def gone(seat: str, agent: str, where: str) -> list[Fact[State]]:
    """An agent was sent, seen, and is terminated or on leave."""
    facts: list[Fact[State]] = [AgentSent(seat, agent), AgentRevealed(seat, agent, "debriefing")]
    if where == "leave":
        return [*facts, AgentWentOnLeave(seat, agent, "detente")]
    return [*facts, AgentTerminated(seat, agent, "disorder")]


def test_both_choose_at_once_and_in_secret() -> None:
    plan = given(contest(), do=Plan()).then(PhaseBegan("planning"))
    plan.asks("cia", *AGENTS).asks("kgb", *AGENTS)
    plan.when("kgb", "director").then(AgentSent("kgb", "director")).asks("cia", *AGENTS)
    plan.refuses("kgb", "analyst").when("cia", "assassin").then(AgentSent("cia", "assassin")).asks_nobody()
    assert ChooseAgents.secret


def test_agent_x_is_known_to_one_side_only() -> None:
    assert AgentSent("cia", "assassin").seen_by("cia") == AgentSent("cia", "assassin")
    assert AgentSent("cia", "assassin").seen_by("kgb") == AgentSent("cia", HIDDEN)
    assert AgentSent("cia", "assassin").seen_by(None) == AgentSent("cia", HIDDEN)


def test_headquarters_do_not_tell_who_was_sent() -> None:
    truth = fold(contest(), [AgentSent("cia", "assassin")])
    view = fold(contest(), [AgentSent("cia", HIDDEN)])
    assert view.headquarters == truth.headquarters
    assert view.sent == {"cia": HIDDEN}


def test_a_revealed_agent_leaves_headquarters_for_truth_and_view_alike() -> None:
    shown = AgentRevealed("cia", "assassin", "debriefing")
    truth = fold(contest(), [AgentSent("cia", "assassin"), shown])
    view = fold(contest(), [AgentSent("cia", HIDDEN), shown])
    assert truth == view
    assert "assassin" not in truth.headquarters["cia"]


def test_what_the_other_side_is_asked_does_not_depend_on_agent_x() -> None:
    def asked_with(agent: str) -> object:
        s = contest(cia=["mafia"], kgb=["radio"], agents={"cia": agent, "kgb": "analyst"})
        return prompt(replace(s, agenda=(Act("kgb"),)), "kgb")

    assert {str(asked_with(agent)) for agent in AGENTS} == {str(asked_with("analyst"))}


def test_r_leave_an_agent_misses_exactly_one_planning() -> None:
    plan = given(contest(), *gone("cia", "assassin", "leave"), do=(Plan(), Plan()))
    plan.asks("cia", *(agent for agent in AGENTS if agent != "assassin")).when("kgb", "analyst")
    plan.when("cia", "director").includes(LeaveEnded("cia", ("assassin",)))
    assert "assassin" in plan.table.headquarters["cia"]
    plan.asks("cia", *AGENTS)


def test_r_leave_agents_come_home_only_after_both_have_chosen() -> None:
    plan = given(contest(), *gone("cia", "assassin", "leave"), do=Plan()).when("cia", "director")
    plan.then(AgentSent("cia", "director")).has(leave={"cia": ("assassin",), "kgb": ()})
    plan.when("kgb", "director").then(AgentSent("kgb", "director"), LeaveEnded("cia", ("assassin",)))


def test_a_terminated_agent_cannot_be_sent() -> None:
    plan = given(contest(), *gone("cia", "assassin", "fallen"), do=Plan())
    plan.asks("cia", *(agent for agent in AGENTS if agent != "assassin")).refuses("cia", "assassin")


def test_r_no_agent_the_deputy_director_is_always_there() -> None:
    mortal = [agent for agent in AGENTS if agent != "deputy_director"]
    facts = [fact for agent in mortal[1:] for fact in gone("kgb", agent, "fallen")]
    facts += gone("kgb", mortal[0], "leave")
    facts += [AgentSent("kgb", "deputy_director"), AgentRevealed("kgb", "deputy_director", "disorder")]
    facts += [AgentWentHome("kgb", "deputy_director", "disorder")]
    given(contest(), *facts, do=Plan()).asks("kgb", "deputy_director")


NOBODY = tuple(fact for agent in AGENTS for fact in gone("kgb", agent, "leave"))


def test_r_no_agent_a_side_without_agents_at_headquarters_sends_none() -> None:
    """After a Double Agent sent the Deputy Director away, headquarters may be empty (book 004, 5.3)."""
    plan = given(contest(), *NOBODY, do=Plan()).asks("cia", *AGENTS).refuses("kgb", "analyst")
    plan.then(PhaseBegan("planning"), NobodySent("kgb"))
    plan.when("cia", "assassin").then(AgentSent("cia", "assassin"), LeaveEnded("kgb", tuple(AGENTS)))
    plan.has(sent={"cia": "assassin"}, exposed={})


def test_r_no_agent_a_watched_side_without_agents_shows_none() -> None:
    plan = given(contest(), *NOBODY, PromiseMade("cia", "watch"), do=Plan()).asks("cia", *AGENTS)
    plan.then(PhaseBegan("planning"), PromiseKept("cia", "watch"), NobodySent("kgb"))


def test_a_watched_side_shows_its_agent_before_the_watcher_chooses() -> None:
    plan = given(contest(), PromiseMade("kgb", "watch"), do=Plan())
    plan.then(PhaseBegan("planning"), PromiseKept("kgb", "watch")).refuses("kgb", "analyst")
    plan.when("cia", "assassin").then(
        AgentSent("cia", "assassin"), AgentRevealed("cia", "assassin", "double_agent")
    )
    plan.asks("kgb", *AGENTS).when("kgb", "analyst").then(AgentSent("kgb", "analyst"))
    plan.has(promises={}, exposed={"cia": "assassin"}, sent={"kgb": "analyst"})


def test_watching_lasts_one_planning() -> None:
    s: State = fold(contest(), [PromiseMade("cia", "watch"), PromiseKept("cia", "watch")])
    given(s, do=Plan()).asks("cia").asks("kgb")
