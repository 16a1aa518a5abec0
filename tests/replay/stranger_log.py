"""A second check of the proofs in match and tournament files, from the pages of C2SP and RFC 6962 alone.

Like `tests.replay.stranger` it uses nothing of this project.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.replay.stranger import Disproved, Json, parsed, require, root, unb64


def logged(data: bytes, log: str, witnesses: dict[str, str], least: int) -> list[str]:
    """Check that a match file proves its opening and end; gives the witnesses that cosigned.

    Args:
        log: the vkey of the log.
        witnesses: vkeys by name, of which so many must have cosigned.

    Raises:
        Disproved: something is wrong.
    """
    try:
        moves, proof, _ = contents(data, "log.ndjson")
        return checked(moves, proof, log, witnesses, least)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Disproved(f"cannot be read: {error}") from error


def tournament_logged(data: bytes, log: str, witnesses: dict[str, str], least: int) -> list[str]:
    """Check that a tournament file proves each of its entries, and each of its match files its match.

    Gives the witnesses that cosigned the checkpoint over the entries.

    Raises:
        Disproved: something is wrong.
    """
    try:
        entries, proof, matches = contents(data, "tournament.ndjson")
        by = proved(expected_entries(entries), proof, log, witnesses, least)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Disproved(f"cannot be read: {error}") from error
    for match in matches:
        logged(match, log, witnesses, least)
    return by


def contents(data: bytes, lines: str) -> tuple[list[bytes], Json, list[bytes]]:
    """The lines of a file in an archive, the proof beside it, and the match files."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        matches = [archive.read(name) for name in archive.namelist() if name.startswith("matches/")]
        proof = parsed(archive.read("transparency.json").removesuffix(b"\n"))
        return archive.read(lines).split(b"\n")[:-1], proof, matches


def checked(moves: list[bytes], proof: Json, log: str, witnesses: dict[str, str], least: int) -> list[str]:
    """See `logged`."""
    return proved(expected(moves), proof, log, witnesses, least)


def proved(wanted: list[bytes], proof: Json, log: str, witnesses: dict[str, str], least: int) -> list[str]:
    """Check that a proof leads from each of these leaves to a checkpoint that enough witnesses cosigned."""
    text, _, lines = proof["checkpoint"].rpartition("\n\n")
    text += "\n"
    origin, size, stated, rest = text.split("\n")
    require(rest == "", "checkpoint")
    require(len(proof["proofs"]) == len(wanted), "a proof for each leaf")
    for one, leaf in zip(proof["proofs"], wanted, strict=True):
        require(one["leaf"].encode() == leaf, "the leaf is that of this match")
        path = [unb64(sibling) for sibling in one["hashes"]]
        require(path_root(leaf_hash(leaf), one["index"], int(size), path) == unb64(stated), "audit path")
    signatures = [tuple(line.split(" ")[1:]) for line in lines.splitlines()]
    require(origin == f"{log.split('+')[0]}/log", "origin")
    require(signed(signatures, log, 1, text), "signature of the log")
    by = [name for name, vkey in witnesses.items() if signed(signatures, vkey, 4, text)]
    require(len(by) >= least, "enough witnesses")
    return by


def expected(moves: list[bytes]) -> list[bytes]:
    """The leaves that the server's log must hold of a match."""
    first, last = json.loads(moves[0]), json.loads(moves[-1])
    opening = base64.b64encode(leaf_hash(moves[0])).decode()
    hidden = first.get("private", False)
    opened = {
        "at": first.get("at"),
        "commitment": first["chance"].get("commitment", ""),
        "kind": "opened",
        "match": None if hidden else first["match"],
        "opener": None if hidden else first.get("opener") or None,
        "root": opening,
    }
    leaves = [opened]
    if last["kind"] == "closed":
        over = base64.b64encode(root(moves)).decode()
        match = None if hidden else first["match"]
        end = {"at": last.get("at"), "kind": "closed", "match": match, "opening": opening}
        leaves.append({**end, "root": over, "size": len(moves)})
    kept = [{name: value for name, value in leaf.items() if value is not None} for leaf in leaves]
    return [json.dumps(leaf, sort_keys=True, separators=(",", ":")).encode() for leaf in kept]


def expected_entries(entries: list[bytes]) -> list[bytes]:
    """The leaves that the server's log must hold of a tournament."""
    first = json.loads(entries[0])
    opening = base64.b64encode(leaf_hash(entries[0])).decode()
    public = first["terms"].get("visibility", "public") == "public"
    leaves = list[Json]()
    for size, entry in enumerate(map(json.loads, entries), 1):
        over = base64.b64encode(root(entries[:size])).decode()
        about = {"entry": entry["kind"], "kind": "tournament", "opening": opening, "root": over, "size": size}
        about |= {"at": entry["at"]} if entry.get("at") is not None else {}
        leaves.append(about | ({"tournament": first["tournament"]} if public else {}))
    return [json.dumps(leaf, sort_keys=True, separators=(",", ":")).encode() for leaf in leaves]


def leaf_hash(leaf: bytes) -> bytes:
    """RFC 6962, section 2.1."""
    return hashlib.sha256(b"\x00" + leaf).digest()


def path_root(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """The root to which an audit path leads, by the recursive definition of RFC 6962, section 2.1.1."""
    require(0 <= index < size, "index")
    if size == 1:
        require(not path, "length of the path")
        return leaf
    k = 1
    while 2 * k < size:
        k *= 2
    require(bool(path), "length of the path")
    *rest, sibling = path
    if index < k:
        return hashlib.sha256(b"\x01" + path_root(leaf, index, k, rest) + sibling).digest()
    return hashlib.sha256(b"\x01" + sibling + path_root(leaf, index - k, size - k, rest)).digest()


def signed(signatures: list[tuple[str, ...]], vkey: str, kind: int, text: str) -> bool:
    """Is one of the signature lines by this key, over this text?"""
    name, key_id, spelled = vkey.split("+", 2)
    key = unb64(spelled)
    require(key[0] == kind and len(key) == 33, "kind of the key")
    digest = hashlib.sha256(name.encode() + b"\n" + key).digest()[:4]
    require(digest.hex() == key_id, "key id")
    for signer, blob in signatures:
        data = unb64(blob)
        if signer != name or data[:4] != digest:
            continue
        message, signature = text, data[4:]
        if kind == 4:
            time = int.from_bytes(signature[:8], "big")
            message, signature = f"cosignature/v1\ntime {time}\n{text}", signature[8:]
        try:
            Ed25519PublicKey.from_public_bytes(key[1:]).verify(signature, message.encode())
        except Exception as error:
            raise Disproved(f"signature by {name}") from error
        return True
    return False
