"""Mistakes that other implementations of the game are known for, one test or more for each."""

from __future__ import annotations

import pytest

from domain.piles import Cards
from domain.twilight_struggle.facts.board import InfluenceSet, WarRolled
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway
from domain.twilight_struggle.facts.flow import EffectEnded
from domain.twilight_struggle.facts.tracks import DefconSet, MilitaryChecked, MilitarySet, ScoreMoved
from domain.twilight_struggle.rules.wars import minus
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, EndTurn, Headlines
from domain.twilight_struggle.steps.play import Event, PlayCard
from domain.twilight_struggle.steps.wars import FightWar
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import Scenario, given


def event(s: State, card: str, player: str, seat: str = "") -> Scenario[State]:
    """The event of a card as just played by `player`; `seat` makes its choices."""
    return given(resolving(s, card, player), do=Event(seat or player, card))


# --------------------------------------------------------------------------- points without limit


def test_influence_is_not_to_be_had_without_limit_by_changing_the_use() -> None:
    """Place, then a Coup, then place again: after the first marker only two more remain."""
    s = table(us={"canada": 1}, ussr={"iran": 1}, us_hand=("containment",))
    play = given(s, do=PlayCard(US)).when(US, "influence:containment").when(US, "canada")
    play.refuses(US, "coup").refuses(US, "coup:containment").refuses(US, "realign").refuses(US, "iran")
    play.when(US, "canada").when(US, "canada").asks_nobody().has(
        influence={US: {"canada": 4}, USSR: {"iran": 1}}
    )


def test_a_coup_is_one_coup() -> None:
    """After the die the card is done; no points are left for anything."""
    s = table(us={"canada": 1}, ussr={"colombia": 1}, us_hand=("nato",))
    play = given(s, do=PlayCard(US)).when(US, "coup:nato").when(US, "colombia").when("chance", "1")
    play.includes(CardPutAway("nato", "discards")).asks_nobody()


def test_points_of_realignments_do_not_become_influence() -> None:
    s = table(us={"canada": 1}, ussr={"angola": 5}, us_hand=("nato",))
    play = given(s, do=PlayCard(US)).when(US, "realign:nato").when(US, "angola").when("chance", "11")
    play.refuses(US, "canada").refuses(US, "influence").when(US, "done").asks_nobody()


# --------------------------------------------------------------------------- How I Learned to Stop Worrying


@pytest.mark.parametrize("level", ["2", "4", "5"])
def test_how_i_learned_brings_military_operations_enough_for_any_level(level: str) -> None:
    """5 at once, so its player lacks nothing at the end of the turn; the USSR lacks all."""
    s = table(turn=4, defcon=3, us_hand=("nato",))
    played = event(s, "how_i_learned_to_stop_worrying", US).when(US, level)
    played.includes(DefconSet(3, int(level)), MilitarySet(US, 5))
    end = given(played.table, do=EndTurn())
    end.includes(MilitaryChecked(int(level), {US: 0, USSR: int(level)})).has(vp=int(level))


def test_how_i_learned_counts_where_defcon_does_not_move() -> None:
    event(table(turn=4, defcon=3), "how_i_learned_to_stop_worrying", USSR).when(USSR, "3").includes(
        MilitarySet(USSR, 5)
    )


# --------------------------------------------------------------------------- the Indo-Pakistani War


@pytest.mark.parametrize(
    ("target", "us", "less"),
    [
        ("pakistan", {}, 0),
        ("pakistan", {"pakistan": 9}, 0),
        ("pakistan", {"india": 3}, 1),
        ("pakistan", {"india": 3, "iran": 2, "afghanistan": 2}, 3),
        ("pakistan", {"india": 2, "iran": 1}, 0),
        ("pakistan", {"burma": 2}, 0),
        ("india", {"pakistan": 2, "burma": 2}, 2),
        ("india", {"india": 9, "iran": 9}, 0),
    ],
)
def test_indo_pakistani_war_counts_enemy_controlled_neighbours_of_the_target(
    target: str, us: dict[str, int], less: int
) -> None:
    """Each neighbour under control, the attacker's own country among them; neither the target nor others."""
    assert minus(table(us=us), USSR, "indo_pakistani_war", target) == less


def test_indo_pakistani_war_does_not_count_the_own_neighbours() -> None:
    """The USSR beside Pakistan hinders only the US: 5 - 1 = 4 wins."""
    s = table(us={"iran": 2}, ussr={"india": 3, "pakistan": 1})
    war = event(s, "indo_pakistani_war", US).when(US, "pakistan").when("chance", "5")
    war.includes(
        WarRolled(US, "indo_pakistani_war", "pakistan", 5, 1, 4, True),
        InfluenceSet(USSR, "pakistan", -1, 0),
        InfluenceSet(US, "pakistan", 1, 1),
        ScoreMoved(US, 2, 2, "indo_pakistani_war"),
    )


# --------------------------------------------------------------------------- NORAD


def norad(phasing: str, **influence: int) -> State:
    """DEFCON 3, NORAD in force; the phasing player has Duck and Cover, which lowers it to 2."""
    us = {"canada": 4, "zaire": 1} | influence
    hand = ("duck_and_cover",)
    hands: dict[str, Cards] = {US: (), USSR: (), phasing: hand}
    return table(defcon=3, phasing=phasing, us=us, hands=hands, beside=("norad",), china_ready=False)


def test_norad_at_the_end_of_a_us_round() -> None:
    """1 influence where the US has some, after the whole round."""
    act = given(norad(US), do=Act(1, US)).when(US, "event:duck_and_cover").asks(US, "canada", "zaire")
    act.when(US, "zaire").then(InfluenceSet(US, "zaire", 1, 2)).asks_nobody()


def test_norad_at_the_end_of_a_ussr_round() -> None:
    """After the Operations of the USSR, too, and the US chooses."""
    act = given(norad(USSR), do=Act(1, USSR)).when(USSR, "event_first:duck_and_cover").when(USSR, "influence")
    act.when(USSR, "finland").when(USSR, "finland").when(USSR, "finland").asks(US, "canada", "zaire")


def test_norad_needs_control_of_canada_at_the_end_of_the_round() -> None:
    given(norad(US, canada=3), do=Act(1, US)).when(US, "event:duck_and_cover").asks_nobody()


def test_norad_does_not_stir_where_defcon_stood_at_2_before() -> None:
    s = table(defcon=2, us={"canada": 4}, us_hand=("fidel",), beside=("norad",))
    act = given(s, do=Act(1, US)).when(US, "influence:fidel").when(US, "canada").when(US, "canada")
    act.asks_nobody()


def test_norad_is_not_for_the_headline_phase() -> None:
    """Duck and Cover as headline brings DEFCON to 2; neither then nor in the first round does NORAD act."""
    s = table(
        phase="deal",
        phasing=None,
        defcon=3,
        us={"canada": 4},
        us_hand=("duck_and_cover", "fidel"),
        ussr_hand=("romanian_abdication",),
        beside=("norad",),
    )
    turn = given(s, do=(Headlines(), Act(1, US))).when(US, "duck_and_cover").when(USSR, "romanian_abdication")
    turn.has(defcon=2).when(US, "space:fidel").when("chance", "6").asks_nobody()


def test_norad_ends_with_quagmire() -> None:
    s = table(us={"canada": 4}, beside=("norad",))
    event(s, "quagmire", USSR).has(beside=("quagmire",), removed=("norad",))


# --------------------------------------------------------------------------- the Cuban Missile Crisis


def crisis(side: str, us: dict[str, int], ussr: dict[str, int]) -> State:
    """The crisis forbids `side` a Coup; it is to play a card of 3."""
    hands: dict[str, Cards] = {US: (), USSR: (), side: ("suez_crisis",)}
    effects = (("cuban_missile_crisis", side),)
    return table(defcon=2, phasing=side, us=us, ussr=ussr, hands=hands, effects=effects, china_ready=False)


@pytest.mark.parametrize(("side", "country"), [(USSR, "cuba"), (US, "west_germany"), (US, "turkey")])
def test_the_missile_crisis_can_be_bought_off(side: str, country: str) -> None:
    """2 influence from Cuba, or from West Germany or Turkey; it is no action, and DEFCON stays."""
    own = {country: 3}
    other = {"colombia": 1}
    s = crisis(side, own, other) if side == US else crisis(side, other, own)
    play = (
        given(s, do=PlayCard(side))
        .when(side, f"ransom:{country}")
        .then(InfluenceSet(side, country, -2, 1), EffectEnded("cuban_missile_crisis", side, country))
    )
    play.has(effects=(), defcon=2).when(side, "coup:suez_crisis").when(side, "colombia")
    play.includes(MilitarySet(side, 3)).asks("chance")


def test_the_missile_crisis_can_be_bought_off_right_before_the_coup() -> None:
    """When the card is chosen already."""
    s = crisis(USSR, {"colombia": 1}, {"cuba": 2})
    play = given(s, do=PlayCard(USSR)).when(USSR, "coup:suez_crisis").asks(USSR, "colombia", "ransom:cuba")
    play.when(USSR, "ransom:cuba").asks(USSR, "colombia").when(USSR, "colombia").asks("chance")


@pytest.mark.parametrize(
    ("side", "own"),
    [(USSR, {"cuba": 1}), (USSR, {"turkey": 9}), (US, {"west_germany": 1, "turkey": 1}), (US, {"cuba": 9})],
)
def test_the_missile_crisis_takes_2_influence_of_one_such_country(side: str, own: dict[str, int]) -> None:
    s = crisis(side, own, {}) if side == US else crisis(side, {}, own)
    play = given(s, do=PlayCard(side))
    for country in ("cuba", "west_germany", "turkey"):
        play.refuses(side, f"ransom:{country}")


def test_the_missile_crisis_is_over_with_the_turn() -> None:
    given(table(effects=(("cuban_missile_crisis", US),), us_hand=("nato",)), do=EndTurn()).has(effects=())


# --------------------------------------------------------------------------- free Coups


@pytest.mark.parametrize(
    ("card", "player", "enemy", "target", "kind"),
    [
        ("tear_down_this_wall", US, {"poland": 2}, "poland", "coup"),
        ("ortega_elected_in_nicaragua", USSR, {"honduras": 1}, "honduras", "coup"),
    ],
)
def test_a_free_coup_needs_no_own_influence(
    card: str, player: str, enemy: dict[str, int], target: str, kind: str
) -> None:
    """Into a country where its player has nothing, Europe at DEFCON 3 too; without Military Operations."""
    s = table(turn=8, defcon=3, us=enemy if player == USSR else {}, ussr=enemy if player == US else {})
    coup = event(s, card, player).when(player, kind).when(player, target)
    coup.has(military={US: 0, USSR: 0}).asks("chance")


def test_the_free_coup_of_junta_may_go_elsewhere_than_its_influence() -> None:
    """2 influence in Brazil, the Coup in Honduras; at DEFCON 2 a battleground would lose."""
    s = table(turn=4, defcon=2, ussr={"honduras": 1, "mexico": 1})
    junta = event(s, "junta", US).when(US, "brazil").when(US, "coup").asks(US, "honduras", "mexico")
    junta.when(US, "honduras").asks("chance").has(military={US: 0, USSR: 0}, defcon=2)
    again = event(s, "junta", US).when(US, "brazil").when(US, "coup").when(US, "mexico")
    again.includes(nuclear_war(USSR))


# --------------------------------------------------------------------------- wars in empty countries


def test_brush_war_may_strike_an_empty_country() -> None:
    """3 Military Operations in any case, and a point for success; no influence moves."""
    war = event(table(turn=4), "brush_war", US).when(US, "zaire").when("chance", "3")
    war.then(
        WarRolled(US, "brush_war", "zaire", 3, 0, 3, True),
        ScoreMoved(US, 1, 1, "brush_war"),
        CardPutAway("brush_war", "discards"),
    ).has(influence={US: {}, USSR: {}}, military={US: 3, USSR: 0})


def test_brush_war_counts_an_adjacent_enemy_superpower() -> None:
    """The US next to Mexico, the USSR next to Afghanistan (2.1.5, FAQ 4.2)."""
    assert minus(table(), USSR, "brush_war", "mexico") == 1
    assert minus(table(), US, "brush_war", "afghanistan") == 1
    assert minus(table(), US, "brush_war", "mexico") == 0
    given(table(), do=FightWar(USSR, "brush_war", "mexico")).when("chance", "3").includes(
        WarRolled(USSR, "brush_war", "mexico", 3, 1, 3, False)
    )


# --------------------------------------------------------------------------- events that hang


@pytest.mark.parametrize("hand", [(), ("fidel", "asia_scoring")])
def test_blockade_does_not_hang_without_a_card_of_3(hand: Cards) -> None:
    """The US is asked all the same, so that no viewer learns of its hand; the China Card will not do."""
    s = table(us={"west_germany": 3}, us_hand=hand, china=US)
    blockade = event(s, "blockade", USSR).asks(US, "decline").when(US, "decline")
    blockade.then(InfluenceSet(US, "west_germany", -3, 0), CardPutAway("blockade", "removed")).asks_nobody()


def test_blockade_ends_with_the_operations_of_its_player() -> None:
    """Played by the US as its last card: nothing to discard, and the round goes on to its end."""
    s = table(us={"west_germany": 3, "canada": 1}, us_hand=("blockade",))
    play = given(s, do=PlayCard(US)).when(US, "event_first:blockade")
    play.includes(CardPlayed(US, "blockade", "event_first", US)).when(US, "decline")
    play.when(US, "influence").when(US, "canada").asks_nobody().has(removed=("blockade",), playing=())


@pytest.mark.parametrize(
    ("deck", "discards", "seen"),
    [
        ((), (), 0),
        (("nato", "fidel"), (), 2),
        (("nato",), ("fidel", "nasser"), 3),
        (("nato", "fidel", "nasser", "comecon", "defectors", "norad"), ("blockade",), 5),
    ],
)
def test_our_man_in_tehran_does_not_hang(deck: Cards, discards: Cards, seen: int) -> None:
    """With fewer than five cards the discards join; with still fewer the US sees what there is."""
    s = table(turn=4, us={"iran": 2}, deck=deck, discards=discards)
    tehran = event(s, "our_man_in_tehran", US)
    if seen:
        tehran.when("chance", *tehran.table.deck.cards[:seen]).asks(US).when(US)
    tehran.asks_nobody().has(removed=("our_man_in_tehran",))
    assert tehran.table.deck.size == len(deck) + (len(discards) if seen > len(deck) else 0)
    assert (tehran.table.deck.top, tehran.table.playing) == ((), ())


def test_our_man_in_tehran_without_a_foothold_is_discarded() -> None:
    s = table(turn=4, us={"iran": 1}, deck=("nato",))
    event(s, "our_man_in_tehran", US).asks_nobody().has(discards=("our_man_in_tehran",), removed=())
