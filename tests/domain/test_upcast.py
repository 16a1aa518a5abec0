"""Schema for ever (architecture, section 2): bytes of old tags are read today, and stay as first written.

`tests/stored/toy_before_rolled.records` holds a whole match of the toy game as it was stored when three tags
were other ones: `Dealt` was "CardGiven" (`seat` was `to`), `Rolled` was "DieThrown" (`die` and `now` were
`eyes` and `total`), and the step `Turn` was "Move" (`seat` was `who`).  The file is never written anew.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from domain.chance import Secret
from domain.drafts import Context
from domain.game import Game
from domain.games import GAMES
from domain.kernel import Result
from domain.log import Damaged, Record, codec
from domain.match import Match
from domain.match_base import ALL
from domain.upcast import Plain, Upcasters, decoder, upcast
from tests.domain import toy
from tests.matches import PRODUCT

STORED = Path(__file__).parents[1] / "stored" / "toy_before_rolled.records"
ROOT = "b718718590291c1f870fd4326a028b1626b59c89f35451b5732a9204cdc61ba8"
LINES = 4  # a record: the leaf, a part for each seat, and the house's


def renamed(tag: tuple[str, str], **fields: str) -> Upcasters:
    """One upcaster, to `tag`: the fields get new names."""

    def upcaster(old: Plain) -> Plain:
        plain = {fields.get(name, name): value for name, value in old.items()}
        return {**plain, tag[0]: tag[1]}

    return {(tag[0], fields.pop("was")): upcaster}


OLD_TAGS: Upcasters = {
    **renamed(("fact", "Dealt"), was="CardGiven", to="seat"),
    **renamed(("fact", "Rolled"), was="DieThrown", eyes="die", total="now"),
    **renamed(("do", "Turn"), was="Move", who="seat"),
}


def toy_with(upcasters: Upcasters) -> Game:
    game = Game(
        name="toy",
        seats=toy.SEATS,
        editions=("first",),
        options=toy.GAME.options,
        table=toy.table,
        first=lambda s: (toy.Round(1),),
        state=toy.State,
        facts=toy.ToyFact,
        steps=toy.ToyStep,
        score=toy.GAME.score,
        components=toy.GAME.components,
        upcasters=upcasters,
    )
    game.rules = "toy-rules"
    return game


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The toy game of today, which knows its old tags."""
    game = toy_with(OLD_TAGS)
    monkeypatch.setitem(GAMES, "toy", game)
    return game


def stored() -> list[bytes]:
    lines = STORED.read_bytes().removesuffix(b"\n").split(b"\n")
    return [b"\n".join(lines[start : start + LINES]) for start in range(0, len(lines), LINES)]


def read(game: Game) -> list[Record]:
    return [codec(game).read("m49", state) for state in stored()]


def folded(records: Iterable[Record]) -> Match:
    match = Match.project(None, records)
    assert match is not None
    return match


def test_the_stored_example_holds_every_old_tag() -> None:
    content = STORED.read_bytes()
    assert all(b'"' + tag.encode() + b'"' in content for _, tag in OLD_TAGS)
    assert b'"Dealt"' not in content
    assert b'"Rolled"' not in content


def test_facts_of_old_tags_fold_to_the_recorded_result(game: Game) -> None:
    match = folded(read(game))
    assert match.result == Result("right", "points", {"left": 3, "right": 6})
    assert match.table_at(match.move, ALL).result == match.result
    assert toy.Rolled("left", 3, 3) in match.records[5].facts
    assert match.records[2].facts_for("left")[1] == toy.Dealt("left", "card-4")


def test_steps_of_old_tags_are_read_from_the_agenda(game: Game) -> None:
    match = folded(read(game))
    assert match.table_with_agenda(5).agenda == (toy.Close(1), toy.Turn("left"))


def test_what_is_stored_stays_as_first_written(game: Game) -> None:
    match = folded(read(game))
    assert [record.stored for record in match.records] == stored()
    assert match.roots[-1].hex() == ROOT


def test_a_match_of_old_tags_is_played_on(game: Game) -> None:
    match = folded(read(game)[:6])
    secret = Secret(random.Random(49).randbytes(32), "m49")
    draft = match.play(Context(secret, None, PRODUCT), "left", [("wave",)])
    match.accept(draft.records[0])
    again = folded([*read(game)[:6], codec(game).read("m49", draft.records[0].stored)])
    assert again.roots == match.roots
    assert again.live == match.live


def test_bytes_of_a_tag_that_was_never_known_are_damaged() -> None:
    with pytest.raises(Damaged, match="CardGiven"):
        codec(toy_with({})).read("m49", stored()[2])


def test_bytes_of_today_never_meet_an_upcaster() -> None:
    def never(plain: Plain) -> Plain:
        raise AssertionError("called")

    decode = decoder(toy.ToyFact, {("fact", "Waved"): never})
    assert decode(b'{"fact":"Waved","seat":"left"}') == toy.Waved("left")


def test_an_old_tag_may_lead_to_one_that_is_old_too() -> None:
    upcasters = {
        **renamed(("fact", "DieThrown"), was="Tossed", who="seat"),
        **renamed(("fact", "Rolled"), was="DieThrown", eyes="die", total="now"),
    }
    decode = decoder(toy.ToyFact, upcasters)
    assert decode(b'{"fact":"Tossed","who":"left","eyes":2,"total":5}') == toy.Rolled("left", 2, 5)


def test_an_upcaster_that_leads_nowhere_ends_in_a_refusal() -> None:
    decode = decoder(toy.ToyFact, {("fact", "Gone"): dict})
    with pytest.raises(msgspec.ValidationError):
        decode(b'{"fact":"Gone"}')


def test_old_tags_are_found_however_deep_and_nothing_else_is_touched() -> None:
    plain = {"options": {"fact": ["DieThrown"], "do": 3}, "facts": [[0, {"fact": "DieThrown", "eyes": 1}]]}
    assert upcast(plain, OLD_TAGS) == {
        "options": {"fact": ["DieThrown"], "do": 3},
        "facts": [[0, {"fact": "Rolled", "die": 1}]],
    }
