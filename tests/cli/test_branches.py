"""A branch in the terminal: it is compared with the match from which it goes on, and replayed."""

from __future__ import annotations

from pathlib import Path

from domain.games import GAMES
from tests.cli.program import Program
from tests.matches import Branching, finished
from tests.replay.files import file_of, with_part


def test_it_compares_a_branch_with_its_parent(glasnost: Program, tmp_path: Path) -> None:
    # Given the files of a match, of a branch of it, and of another match with its id
    game = GAMES["thirteen_minutes"]
    parent = finished(game, 3).match
    other = finished(game, 4, name=parent.id).match
    branch = Branching(parent, 10).seat_all().play_on().match
    for name, match in (("parent", parent), ("other", other), ("branch", branch)):
        (tmp_path / f"{name}.glasnost").write_bytes(file_of(match))
    file = str(tmp_path / "branch.glasnost")
    # Then the report says without the parent that nothing was compared, and with it that it was
    alone = glasnost("verify", file)
    assert alone.code == 0
    assert "not compared" in alone.out
    compared = glasnost("verify", file, "--parent", str(tmp_path / "parent.glasnost"))
    assert compared.code == 0
    assert "compared, they are those" in compared.out
    # And another match, or a damaged file, does not pass for it
    wrong = glasnost("verify", file, "--parent", str(tmp_path / "other.glasnost"))
    assert wrong.code == 1
    assert "the root is not that of match" in wrong.out
    (tmp_path / "damaged.glasnost").write_bytes(with_part(file_of(parent), "README.txt", b"x")[:-9])
    damaged = glasnost("verify", file, "--parent", str(tmp_path / "damaged.glasnost"))
    assert damaged.code == 2
    assert "must verify" in damaged.err
    missing = glasnost("verify", file, "--parent", str(tmp_path / "none.glasnost"))
    assert missing.code == 2


def test_it_replays_a_branch_from_the_table_of_its_parent(glasnost: Program, tmp_path: Path) -> None:
    # Given a branch of a match, which was played to its end
    game, at = GAMES["thirteen_minutes"], 10
    parent = finished(game, 3).match
    branch = Branching(parent, at).seat_all().play_on().match
    file = tmp_path / "branch.glasnost"
    file.write_bytes(file_of(branch))
    assert branch.begun is not None
    # Then the whole replay says from where it goes on, and does not tell again what was played there
    told = glasnost("replay", file).ok().out
    assert f"branch of match {parent.id}" in told
    assert f"move {at}" in told
    # And its first table is that of the parent, for every viewer
    for view in ("all", "us", "ussr", "spectator"):
        shown = glasnost("replay", file, "--at", str(branch.begun), "--view", view, "--json").json
        (tmp_path / "parent.glasnost").write_bytes(file_of(parent))
        theirs = glasnost(
            "replay", tmp_path / "parent.glasnost", "--at", str(at), "--view", view, "--json"
        ).json
        assert shown["table"] == theirs["table"], view
    # And a move that it has not is refused
    beyond = str(branch.move + 1)
    glasnost("replay", file, "--at", beyond).refused(2, beyond)
