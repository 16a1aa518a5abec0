"""Every call of a signing key, read out of the source: a new one cannot be added unseen.

A match's checkpoint is signed in `domain.signed_notes.checkpoint` alone, which refuses what came from
elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.seeded import SeededKeys, note_by
from domain.game import Game
from domain.signed_notes import PUBLIC, Note, NotSignedHere, Signed
from tests.matches import finished
from tests.replay.files import KEY, recorded_match

ROOT = Path(__file__).parent.parent
FOLDERS = ("api", "domain", "projections", "replay", "ops")

SIGN = {  # who calls `sign`, of a SigningKey or of the private key itself
    "domain/signed_notes.py: SigningKey.sign",
    "domain/signed_notes.py: checkpoint",
    "api/store/keys.py: KeyRing._rotated",  # a key hands over to the next: no checkpoint
    "api/store/log_writer.py: LogWriter.publish",  # of the server's log, under an origin of its own
    "replay/transparency/cosignature.py: Cosigner.cosign",  # of a witness: another message, another key id
    "replay/dataset/snapshot.py: make",  # of a data set: no checkpoint, whose second line is a number
}
CHECKPOINT = {  # who has a match's checkpoint signed
    "api/seeded.py: note_by",
    "api/gate/tournament_commands.py: TournamentCommands.checkpoint",  # of a tournament
    "api/http/routes/tournaments.py: read_tournament_checkpoint",
    "api/http/routes/tournament_exports.py: _bundle",
    "api/web/tournament_evidence.py: prove",  # of the file that its page has verified
    "api/cli/tournament_gate.py: write_bundle",
    "api/gate/commit.py: Commits.note",
    "api/http/permissions.py: receipt_of",
    "api/http/routes/verifications.py: read_verification",  # by the route that serves checkpoints
}
SIGNING = {  # who takes the signing key of a ring
    "api/cli/export.py: _files",
    "api/seeded.py: SeededKeys.present",
    "api/cli/common.py: keep_in",
    "api/cli/data.py: snapshot",
    "api/cli/fuzz.py: _match_file",
    "api/cli/import_log.py: _Target.keep",
    "api/cli/play.py: _Files.write",
    "api/cli/tournament_gate.py: write_bundle",
    "api/cli/tournament_gate.py: StoreBackend.export",
    "api/gate/tournament_commands.py: TournamentCommands.checkpoint",
    "ops/bench/tournaments.py: _verifying",
    "api/cli/script.py: _finish",
    "api/gate/commit.py: Commits.note",
    "api/research/selfplay.py: played",
    "api/research/state.py: State.match_file",
    "api/store/log_writer.py: LogWriter.publish",
    "ops/bench/verify.py: _long",
    "ops/bench/verify.py: main",
}
RAW = {  # who handles private keys at all
    "api/seeded.py: SeededKeys.signing",
    "api/store/keys.py: _new_ring",
    "api/store/keys.py: _signing",
    "api/witness/program.py: opened_key",  # the key of a witness
    "replay/transparency/cosignature.py: Cosigner.__init__",
    "replay/transparency/cosignature.py: Cosigner.parse",
}


def sources(name: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules whose text has this name somewhere: the others need no parsing."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if name in (text := path.read_text("utf-8")):
                yield str(path.relative_to(ROOT)), ast.parse(text)


def uses(node: ast.AST, name: str, within: tuple[str, ...] = ()) -> Iterator[str]:
    """Where a name stands as an attribute, or is called: the qualified names of the functions around it."""
    for child in ast.iter_child_nodes(node):
        inner = within
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = (*within, child.name)
        named = isinstance(child, ast.Attribute) and child.attr == name
        called = isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == name
        if named or called:
            yield ".".join(within)
        yield from uses(child, name, inner)


def everywhere(name: str) -> set[str]:
    return {f"{path}: {where}" for path, tree in sources(name) for where in uses(tree, name)}


@pytest.mark.parametrize(
    ("name", "known"), [("sign", SIGN), ("checkpoint", CHECKPOINT), ("signing", SIGNING)]
)
def test_every_use_of_a_signing_key_is_listed(name: str, known: set[str]) -> None:
    found = {use for use in everywhere(name) if not _is_a_database(name, use)}
    assert found == known


def test_every_making_of_a_private_key_is_listed() -> None:
    found = everywhere("from_private_bytes") | everywhere("SigningKey") | everywhere("generate")
    assert found == RAW


def _is_a_database(name: str, use: str) -> bool:
    """A write-ahead log has checkpoints, too; and the gate has a method of that name, which calls `note`."""
    others = (
        "api/store/sqlite.py",
        "api/store/sqlite_recorder.py",
        "api/store/backup.py",
        "api/http/routes/matches.py",
        "api/http/routes/transparency.py",  # a field with the checkpoint of the server's log, also below
        "api/store/log_guard.py",
        "api/store/log_writer.py",
        "replay/transparency/",
        "replay/verify.py: _check_log_proof",
    )
    return name == "checkpoint" and use.startswith(others)


def test_an_uploaded_log_is_signed_by_no_key(toy_game: Game) -> None:
    match = finished(toy_game).match
    assert Note.parse(note_by(KEY, match)).signed_by([KEY.verifying])
    match.proof = Signed()
    for key in (KEY, SeededKeys().signing):
        with pytest.raises(NotSignedHere, match="came from elsewhere"):
            note_by(key, match)


def test_an_imported_log_is_signed_by_the_public_key_alone(toy_game: Game) -> None:
    match = recorded_match(toy_game)
    assert match.imported
    with pytest.raises(NotSignedHere):
        note_by(KEY, match)
    assert Note.parse(note_by(SeededKeys().signing, match)).signed_by([PUBLIC]) == PUBLIC


def test_the_public_key_is_the_one_of_other_implementations() -> None:
    assert SeededKeys().present == PUBLIC
