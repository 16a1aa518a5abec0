"""Match files for tests: of whole matches, of running ones, and taken apart to be changed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import json

from domain.chance import Forced
from domain.game import Game
from domain.log import Record, b64, canonical
from domain.match import Match
from domain.merkle import Tree
from domain.signed_notes import Checkpoint, SigningKey, origin
from replay import archive, matchfile
from tests.matches import Sitting

SERVER = "games.example"
KEY = SigningKey(SERVER, Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
STRANGER = SigningKey(SERVER, Ed25519PrivateKey.from_private_bytes(bytes(32)))
PINNED = (KEY.verifying,)


def note_over(leaves: Sequence[bytes], match: str, key: SigningKey = KEY) -> str:
    """The signed checkpoint over leaves."""
    tree = Tree()
    for leaf in leaves:
        tree.add(leaf)
    return key.sign(Checkpoint(origin(SERVER, match), tree.size, tree.root).text)


def file_of(match: Match, key: SigningKey = KEY) -> bytes:
    """The match file as it stands."""
    return matchfile.write(match.records, note_of(match.records, key))


def note_of(records: Sequence[Record], key: SigningKey = KEY) -> str:
    """The signed checkpoint over records."""
    return note_over([record.leaf for record in records], records[0].match, key)


def parts_in(data: bytes) -> dict[str, bytes]:
    """The members of a match file."""
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def with_part(data: bytes, part: str, content: bytes) -> bytes:
    """The file with another content in one part, and nothing else changed."""
    return archive.pack({**parts_in(data), part: content})


def rewritten(match: Match, move: int, old: bytes, new: bytes, key: SigningKey = KEY) -> bytes:
    """The file of a log forged with care: `old` became `new` in a leaf, and all that follows was adapted."""
    parts = parts_in(file_of(match))
    leaves = parts[matchfile.LOG].splitlines()
    assert old in leaves[move - 1], leaves[move - 1]
    leaves[move - 1] = leaves[move - 1].replace(old, new, 1)
    return resigned(parts, rechained(leaves), match.id, key)


def rechained(leaves: list[bytes]) -> list[bytes]:
    """The leaves with the right `prev` in each."""
    tree = Tree()
    for place, leaf in enumerate(leaves):
        leaves[place] = canonical({**json.decode(leaf), "prev": b64(tree.root)})
        tree.add(leaves[place])
    return leaves


def resigned(parts: dict[str, bytes], leaves: list[bytes], match: str, key: SigningKey) -> bytes:
    """A file whose manifest and checkpoint fit changed leaves."""
    log = b"".join(leaf + b"\n" for leaf in leaves)
    checkpoint = note_over(leaves, match, key).encode()
    data = {**parts, matchfile.LOG: log, matchfile.CHECKPOINTS: checkpoint}
    manifest = json.decode(data[matchfile.MANIFEST])
    tree = Tree()
    for leaf in leaves:
        tree.add(leaf)
    manifest["root"], manifest["moves"] = b64(tree.root), len(leaves)
    covered = (name for name in matchfile.DATA if name in data)
    manifest["parts"] = {name: sha256(data[name]).hexdigest() for name in covered}
    return archive.pack({**data, matchfile.MANIFEST: canonical(manifest) + b"\n"})


def short_match(game: Game) -> Match:
    """Five moves: opened, one seat taken, ruled void, the secret opened, closed."""
    sitting = Sitting(game)
    match = sitting.match
    sitting.accept(match.sit(sitting.context, game.seats[0], "p1", salt="s", bot="", source=None))
    sitting.accept(match.rule(sitting.context, "p9", "nobody came", void=True))
    return match


def with_everything(game: Game) -> Match:
    """A toy match with a takeback declined, one agreed, a ruling back behind a die, and a resignation."""
    sitting = Sitting(game, 5, options={"rounds": 3}).seat_all(salts=True)
    match = sitting.match
    sitting.play_on(1)
    mover = match.records[-1].entry.seat
    other = next(seat for seat in game.seats if seat != mover)
    for agree in (False, True):
        sitting.accept(match.ask_takeback(sitting.context, mover))
        sitting.accept(match.answer_takeback(sitting.context, other, match.move, agree))
    while not getattr(match.records[-1].entry, "draws", ()):
        sitting.play_on(1)
    played = match.records[-1].entry
    back = match.rule(sitting.context, "p9", "the clock stood still", back_to=played.move - 1)
    sitting.accept(back)
    sitting.answer(played.seat, *played.picks)
    sitting.accept(match.resign(sitting.context, "left"))
    return match


def recorded_match(game: Game) -> Match:
    """A toy match whose two deals come from a record, which then stops."""
    sitting = Sitting(game, 7, origin="imported", recorded=True)
    sitting.seat_all(source=Forced(iter([("card-5",), ("card-2",)])))
    sitting.play_on(2)
    sitting.accept(sitting.match.close_record(sitting.context, None))
    return sitting.match
