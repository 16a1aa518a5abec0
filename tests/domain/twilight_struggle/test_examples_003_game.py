"""The annotated tournament game of book 003: turns 1 to 3, play by play.

The book does not show the whole hands, so each side is dealt the cards that it played, and one more to hold.
Where the printed numbers are wrong, a comment says so.  A line of a script holds answers, parted by
semicolons: a seat, then one word for each of its answers; "+" joins the picks of one answer.
"""

from __future__ import annotations

from domain.kernel import Answer, decide
from domain.twilight_struggle import GAME
from domain.twilight_struggle.facts.board import WarRolled
from domain.twilight_struggle.facts.cards import CardsDealt, DiscardsReshuffled
from domain.twilight_struggle.facts.flow import HeadlineBegan
from domain.twilight_struggle.facts.tracks import SpaceSet
from domain.twilight_struggle.rules.board import controller
from domain.twilight_struggle.state import State
from tests.domain.twilight_struggle.table import US, USSR
from tests.scenario import Scenario, given

HANDS_1 = (
    "olympic_games nato de_stalinization comecon warsaw_pact_formed truman_doctrine de_gaulle_leads_france"
    " red_scare_purge",
    "middle_east_scoring formosan_resolution containment un_intervention fidel europe_scoring korean_war"
    " cia_created",
)
SETUP = """
    ussr poland poland poland poland east_germany yugoslavia
    us west_germany west_germany italy italy italy italy france
    us iran france france west_germany west_germany
"""
HANDS_2 = (
    "arab_israeli_war asia_scoring decolonization duck_and_cover captured_nazi_scientist"
    " east_european_unrest defectors",
    "indo_pakistani_war five_year_plan romanian_abdication socialist_governments independent_reds"
    " suez_crisis us_japan_mutual_defense_pact nasser",
)
HANDS_3 = (
    "vietnam_revolts nuclear_test_ban",
    "marshall_plan blockade",
    "decolonization socialist_governments asia_scoring nato duck_and_cover",
    "us_japan_mutual_defense_pact europe_scoring olympic_games arab_israeli_war un_intervention",
)

Game = Scenario[State]


def follow(game: Game, script: str) -> Game:
    """The same game after the answers of a script."""
    for statement in script.replace("\n", ";").split(";"):
        seat, *answers = statement.split() or ("",)
        for answer in answers:
            decision = decide(game.table, Answer(seat, tuple(answer.split("+"))))
            game.table, game.facts = decision.table, decision.facts
    return game


def deal(game: Game, hands: tuple[str, ...]) -> Game:
    """The same game after these cards were drawn, the USSR first."""
    for cards in hands:
        game.when("chance", *cards.split())
    return game


def stands(game: Game, influence: str) -> Game:
    """Influence of the US and the USSR, "iran 0/4K": K if a side controls the country."""
    for item in influence.split(", "):
        country, numbers = item.split()
        pair = f"{game.table.influence[US].get(country, 0)}/{game.table.influence[USSR].get(country, 0)}"
        mark = "K" if controller(game.table, country) else ""
        assert f"{country} {pair}{mark}" == f"{country} {numbers}"
    return game


def opening() -> Game:
    """Both bid for the USSR, so the US has 5 extra influence; the hands of turn 1; the set-up."""
    edition, options = GAME.settle("deluxe", {"bid": "influence", "optional_cards": False})
    start = GAME.table(edition, options)
    assert isinstance(start, State)
    game: Game = given(start, do=GAME.first(start))
    return follow(deal(follow(game, "us ussr:4; ussr ussr:5"), HANDS_1), SETUP)


def turn_1() -> Game:
    """Up to the hands of turn 2."""
    game = stands(opening(), "poland 0/4K, east_germany 0/4K, yugoslavia 0/1, italy 4/0K, france 3/0K")
    stands(game, "iran 2/0K, west_germany 4/0K")
    follow(game, "us middle_east_scoring; ussr olympic_games; us participate; chance 11").has(vp=2, turn=1)
    follow(game, "ussr coup:nato iran; chance 6").has(defcon=4, military={US: 0, USSR: 4})
    stands(game, "iran 0/4K")
    stands(follow(game, "us influence:formosan_resolution malaysia colombia"), "malaysia 1/0, colombia 1/0K")
    follow(game, "ussr event:de_stalinization finland yugoslavia iran iran chile venezuela thailand malaysia")
    stands(game, "chile 0/1, venezuela 0/1, thailand 0/1, malaysia 1/1, finland 0/0, iran 0/2K")
    follow(game, "us coup:containment thailand; chance 1").has(military={US: 3, USSR: 4})
    game.has(defcon=3)  # the book prints 2
    follow(game, "ussr influence:comecon thailand venezuela afghanistan")
    stands(game, "thailand 0/2K, venezuela 0/2K, afghanistan 0/1")
    follow(game, "us cancel:fidel coup venezuela; chance 1").has(defcon=2, military={US: 5, USSR: 4})
    stands(follow(game, "ussr influence:warsaw_pact_formed brazil argentina indonesia"), "indonesia 0/1K")
    follow(game, "us event:europe_scoring").has(vp=7)
    stands(follow(game, "ussr influence:truman_doctrine thailand"), "thailand 0/3K")
    follow(game, "us influence:korean_war south_korea south_korea; chance 1").has(military={US: 5, USSR: 5})
    stands(game, "south_korea 3/0K")
    follow(game, "ussr influence:de_gaulle_leads_france afghanistan pakistan pakistan")
    stands(game, "afghanistan 0/2K, pakistan 0/2K")
    stands(follow(game, "us influence:cia_created jordan"), "jordan 1/0")
    return game.has(vp=7, turn=2, defcon=3, military={US: 0, USSR: 0})


def turn_2() -> Game:
    """Up to the hands of turn 3."""
    game = deal(turn_1(), HANDS_2)
    follow(game, "us indo_pakistani_war; ussr red_scare_purge; us pakistan; chance 5")
    game.includes(WarRolled(US, "indo_pakistani_war", "pakistan", 5, 2, 4, False))
    follow(game.has(vp=7), "ussr coup:arab_israeli_war panama; chance 5").has(defcon=2)
    stands(game, "panama 0/2K")
    stands(follow(game, "us influence:five_year_plan saudi_arabia saudi_arabia"), "saudi_arabia 2/0")
    follow(game, "ussr event:asia_scoring").has(vp=1)
    follow(game, "us influence:romanian_abdication saudi_arabia")
    stands(game, "saudi_arabia 3/0K, romania 0/3K")
    follow(game, "ussr event:decolonization burma+angola+nigeria+algeria")
    stands(game, "burma 0/1, angola 0/1K, nigeria 0/1K, algeria 0/1")
    follow(game, "us space:socialist_governments; chance 1").has(vp=3, space={US: 1, USSR: 0})
    follow(game, "ussr space:duck_and_cover; chance 3").includes(SpaceSet(USSR, 1)).has(vp=2)
    stands(follow(game, "us influence:independent_reds south_africa"), "south_africa 2/0")
    stands(follow(game, "ussr influence:captured_nazi_scientist lebanon"), "lebanon 0/1K")
    follow(game, "us event_first:suez_crisis; ussr united_kingdom united_kingdom france france")
    stands(game, "united_kingdom 3/0, france 1/0")
    stands(follow(game, "us influence france france"), "france 3/0K")
    follow(game, "ussr event_first:east_european_unrest influence east_germany iraq iraq")
    stands(game, "romania 0/2, poland 0/3K, east_germany 0/4K, iraq 0/3K")
    follow(game, "us influence:us_japan_mutual_defense_pact france france south_africa")
    stands(game, "france 5/0K, south_africa 3/0K")
    return game.has(vp=2, turn=3, defcon=3)


def turn_3() -> Game:
    """Up to the end of turn 3."""
    game = deal(turn_2(), HANDS_3)
    follow(game, "us marshall_plan; ussr decolonization").includes(HeadlineBegan(US, "marshall_plan"))
    follow(game, "us france+west_germany+united_kingdom+spain_portugal+greece+turkey+benelux")
    stands(game, "france 6/0K, turkey 1/0, benelux 1/0")  # the book leaves Turkey out
    follow(game, "ussr algeria+zaire+south_africa+malaysia")
    stands(game, "algeria 0/2K, zaire 0/1K, south_africa 3/1, malaysia 1/2")
    follow(game, "ussr coup:defectors saudi_arabia; chance 5").has(vp=3, defcon=2)
    follow(game, "us influence:us_japan_mutual_defense_pact saudi_arabia egypt egypt greece")
    stands(game, "saudi_arabia 3/0K, egypt 2/0K, greece 2/0K")
    stands(follow(game, "ussr event:vietnam_revolts"), "vietnam 0/2K")
    follow(game, "us event:europe_scoring").has(vp=8)  # the book prints 8 of the USSR
    follow(game, "ussr influence:socialist_governments burma malaysia laos_cambodia laos_cambodia")
    stands(game, "burma 0/2K, malaysia 1/3K, laos_cambodia 0/2K")
    stands(follow(game, "us influence:olympic_games israel israel"), "israel 3/0")
    follow(game, "ussr event:asia_scoring").has(vp=2)
    follow(game, "us influence:arab_israeli_war israel jordan; chance 6")
    game.includes(WarRolled(USSR, "arab_israeli_war", "israel", 6, 3, 4, False))
    stands(game, "israel 4/0K, jordan 2/0K").has(military={US: 0, USSR: 4})
    stands(
        follow(game, "ussr influence:nato syria brazil chile chile"), "syria 0/2K, brazil 0/2K, chile 0/3K"
    )
    stands(follow(game, "us cancel:blockade influence libya"), "libya 1/0, west_germany 5/0K")
    follow(game, "ussr influence:nuclear_test_ban argentina costa_rica costa_rica costa_rica")
    stands(game, "argentina 0/2K, costa_rica 0/3K")
    return follow(game, "us coup:nasser costa_rica; chance 5")


def test_book_003_the_annotated_game_turn_1() -> None:
    """The Coups of Iran, Thailand and Venezuela; Europe scores early."""
    turn_1().asks("chance")


def test_book_003_the_annotated_game_turn_2() -> None:
    """Under Red Scare/Purge; the deck is nearly empty afterwards."""
    turn_2().asks("chance")


def test_book_003_the_annotated_game_turn_3() -> None:
    """The US falls 1 short of 2 Military Operations: it leads by 1 at the end."""
    game = stands(turn_3(), "costa_rica 0/3K, egypt 1/2").has(turn=4, vp=1, defcon=3)
    assert game.table.removed[-1] == "nasser"
    assert "nato" in game.table.beside


def test_book_003_the_annotated_game_reshuffles_in_the_deal_of_turn_3() -> None:
    """Four cards are left for turn 3; the other ten come from the discards."""
    game = turn_2()
    assert game.table.deck.size == 4
    discards = len(game.table.discards)
    deal(game, HANDS_3[:2]).then(
        CardsDealt(US, ("blockade", "marshall_plan")), DiscardsReshuffled(discards)
    ).has(discards=())
    deal(game, HANDS_3[2:]).has(turn=3, phase="headline")
    assert {len(hand) for hand in game.table.hands.values()} == {8}


def test_book_003_the_annotated_game_the_held_card_stays() -> None:
    """The USSR plays seven cards in turn 1 and holds the eighth; the US, with UN Intervention, holds none."""
    assert turn_1().table.hands == {US: (), USSR: ("red_scare_purge",)}
