"""A second verifier of tournament files, written from docs/tournaments.md; it uses nothing of this project.

It knows no game and no pairing engine.  It checks the archive and its hashes, leaves, roots and signature,
sealed parts, lots, that each recorded result is that of its match file, and the points in the published
standings.  `oracle` computes the tie-breaks, from the text of a TRF alone.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import io
import json
import zipfile
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

Json = dict[str, Any]


class Disproved(Exception):
    """The file is not what it says."""


def require(condition: object, what: str) -> None:
    if not condition:
        raise Disproved(what)


def verify(data: bytes, vkey: str) -> int:
    """Check a tournament file; gives the number of recorded results."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    require(list(parts) == sorted(parts), "order of the members")
    manifest = json.loads(parts["manifest.json"])
    require(manifest["format"] == "glasnost tournament", "format")
    hashes = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
    del hashes["manifest.json"]
    require(manifest["parts"] == hashes, "hashes")
    lines = parts["tournament.ndjson"].split(b"\n")
    require(lines.pop() == b"", "last newline")
    entries = [json.loads(line) for line in lines]
    check_chain(lines, entries)
    name = entries[0]["tournament"]
    root = tree_root([leaf_hash(line) for line in lines])
    require(base64.b64encode(root).decode() == manifest["root"], "root")
    check_note(parts["checkpoint.txt"].decode(), f"/tournament/{name}", len(lines), root, vkey)
    secret = next((entry["secret"] for entry in entries if entry.get("secret")), None)
    check_lots(entries)
    if secret is not None:
        check_sealed(name, base64.b64decode(secret), entries, parts["private.ndjson"].splitlines())
    check_standings(entries, parts)
    return check_results(entries, parts, vkey)


# ── leaves, roots, signatures ──


def leaf_hash(leaf: bytes) -> bytes:
    return hashlib.sha256(b"\0" + leaf).digest()


def tree_root(hashes: list[bytes]) -> bytes:
    """RFC 6962."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    left = 1
    while left * 2 < len(hashes):
        left *= 2
    return hashlib.sha256(b"\x01" + tree_root(hashes[:left]) + tree_root(hashes[left:])).digest()


def check_chain(lines: list[bytes], entries: list[Json]) -> None:
    hashes: list[bytes] = []
    for number, (line, entry) in enumerate(zip(lines, entries, strict=True), 1):
        text = json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        require(text.encode() == line, f"canonical form of entry {number}")
        require(entry["entry"] == number, f"number of entry {number}")
        require(base64.b64decode(entry["prev"]) == tree_root(hashes), f"prev of entry {number}")
        hashes.append(leaf_hash(line))


def check_note(note: str, origin: str, size: int, root: bytes, vkey: str) -> None:
    """A C2SP signed note over size and root, by this key."""
    name, _, key = vkey.split("+", 2)
    text, _, signatures = note.rpartition("\n\n")
    stated, count, hash_, *_ = text.split("\n")
    require(stated.endswith(origin), "origin")
    require((int(count), base64.b64decode(hash_)) == (size, root), "what was signed")
    signature = next(line.split(" ")[2] for line in signatures.splitlines() if line.split(" ")[1] == name)
    try:
        public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key)[1:])
        public.verify(base64.b64decode(signature)[4:], f"{text}\n".encode())
    except InvalidSignature as error:
        raise Disproved("signature") from error


# ── what was sealed, and lots ──


def derived(secret: bytes, tournament: str, purpose: str) -> bytes:
    info = f"glasnost rng/1 {purpose}\n{tournament}".encode()
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(secret)


def check_sealed(tournament: str, secret: bytes, entries: list[Json], lines: list[bytes]) -> None:
    text = f"glasnost rng/1 commitment\n{tournament}\n".encode()
    commitment = hashlib.sha256(text + secret).digest()
    require(base64.b64decode(entries[0]["commitment"]) == commitment, "commitment")
    require(len(lines) == len(entries), "a private line for each entry")
    key = derived(secret, tournament, "part salts")
    for entry, line in zip(entries, map(json.loads, lines), strict=True):
        require(line["parts"].keys() == line["salts"].keys() == entry["sealed"].keys(), "audiences")
        for audience, part in line["parts"].items():
            salt = hmac.digest(key, f"{entry['entry']}\n{audience}".encode(), "sha256")
            require(base64.b64decode(line["salts"][audience]) == salt, f"salt of entry {entry['entry']}")
            content = json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
            seal = sealed(salt, content)
            require(base64.b64decode(entry["sealed"][audience]) == seal, f"seal of {entry['entry']}")


def sealed(salt: bytes, content: bytes) -> bytes:
    return hashlib.sha256(b"\x02" + salt + content).digest()


def check_lots(entries: list[Json]) -> None:
    before = base64.b64decode(entries[0]["anchor"])
    for entry in entries:
        if entry["kind"] == "lot_drawn":
            key = base64.b64decode(entry["key"]["key"])
            require(hashlib.sha256(key).digest() == before, f"key of lot {entry['label']}")
            require(lot(key, entry["label"], entry["n"]) == entry["result"], f"lot {entry['label']}")
            before = key


def lot(key: bytes, label: str, n: int) -> int:
    """The first word below the greatest multiple of n, modulo n."""
    block = 0
    while True:
        message = f"rng/1\n\n{label}\n0\n{block}".encode()
        words = hmac.digest(key, message, "sha256")
        for at in range(0, 32, 8):
            word = int.from_bytes(words[at : at + 8], "big")
            if word < 2**64 // n * n:
                return word % n
        block += 1


# ── results ──


def check_results(entries: list[Json], parts: dict[str, bytes], vkey: str) -> int:
    """Each recorded result against the last move of its match file, and who sat where."""
    players, count = {}, 0
    pairs: dict[tuple[int, int], tuple[str, str]] = {}
    for entry in entries:
        if entry["kind"] in ("entered", "invited"):
            players[entry["entrant"]] = entry.get("player") or entry["person"]
        elif entry["kind"] in ("paired", "pairing_changed"):
            pairs |= {(entry["round"], one["board"]): (one["w"], one["b"]) for one in entry["boards"]}
        elif entry["kind"] == "result_recorded":
            place = entry["round"], entry["board"]
            member = f"matches/r{place[0]:02}-b{place[1]:02}-{entry['match']}.glasnost"
            require(member in parts, member)
            check_match(entry, parts[member], pairs[place], players, vkey)
            count += 1
    require(count == sum(name.startswith("matches/") for name in parts), "matches without a result")
    return count


def check_match(entry: Json, file: bytes, pair: tuple[str, str], players: dict[str, str], vkey: str) -> None:
    where = f"round {entry['round']}, board {entry['board']}"
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        lines = archive.read("log.ndjson").splitlines()
        note = archive.read("checkpoints.txt").decode()
    moves = [json.loads(line) for line in lines]
    root = tree_root([leaf_hash(line) for line in lines])
    require(base64.b64decode(entry["root"]) == root, f"{where}: root")
    check_note(note, f"/match/{entry['match']}", len(lines), root, vkey)
    place = moves[0]["tournament"]
    require((place["round"], place["board"]) == (entry["round"], entry["board"]), f"{where}: another board")
    closed = moves[-1]
    require((closed["kind"], closed["move"]) == ("closed", entry["closed_move"]), f"{where}: not over")
    seats = {move["seat"]: move["player"] for move in moves if move["kind"] == "seated"}
    for seat, entrant in entry["sides"].items():
        require(seats.get(seat) in (None, players[entrant]), f"{where}: {seat}")
    winner = entry["sides"].get((closed.get("result") or {}).get("winner", ""), "")
    said = {pair[0]: "1-0", pair[1]: "0-1"}.get(winner, "½" if closed.get("result") else "")
    require((entry["result"], entry.get("winner", "")) == (said, winner), f"{where}: result")


# ── standings ──


def check_standings(entries: list[Json], parts: dict[str, bytes]) -> None:
    """The published standings are those that were hashed, and have the points that the entries give."""
    for place, entry in enumerate(entries):
        if entry["kind"] == "published":
            content = parts[f"standings/at-{entry['at_entry']}.json"]
            require(hashlib.sha256(content).hexdigest() == entry["standings_sha256"], "hash of standings")
            points = points_after(entries[:place])
            for row in json.loads(content)["places"]:
                require(float(row["values"][0]) == points[row["entrant"]], f"points of {row['entrant']}")


def together(first: str, second: str) -> str:
    """The result of two matches of a pair, which exchanged the sides: who has more points has won."""
    if not first or not second:
        return ""
    w = {"1-0": 1, "+-": 1, "½": 0.5}.get(first, 0) + {"0-1": 1, "-+": 1, "½": 0.5}.get(second, 0)
    b = {"0-1": 1, "-+": 1, "½": 0.5}.get(first, 0) + {"1-0": 1, "+-": 1, "½": 0.5}.get(second, 0)
    if w == b:
        return "½" if w else "0-0"
    return "1-0" if w > b else "0-1"


def points_after(entries: list[Json]) -> dict[str, float]:
    """The points of each entrant: by the latest ruling, else the recorded result; a bye is a point."""
    points = {entry["entrant"]: 0.0 for entry in entries if entry["kind"] in ("entered", "invited")}
    pairs: dict[tuple[int, int], Json] = {}
    ruled: dict[tuple[int, int], str] = {}
    recorded: dict[tuple[int, int], str] = {}
    byes: dict[int, Json] = {}
    for entry in entries:
        if entry["kind"] in ("paired", "pairing_changed"):
            pairs = {place: one for place, one in pairs.items() if place[0] != entry["round"]}
            pairs |= {(entry["round"], one["board"]): one for one in entry["boards"]}
            byes[entry["round"]] = entry["byes"]
        elif entry["kind"] in ("ruled", "result_recorded") and entry.get("result"):
            which = ruled if entry["kind"] == "ruled" else recorded
            which[entry["round"], entry["board"]] = entry["result"]
        elif entry["kind"] == "penalised" and entry["penalty"] == "points":
            points[entry["entrant"]] -= entry["amount"] / 2
    matches: dict[tuple[int, frozenset[str]], list[tuple[str, str, str]]] = {}
    for place, one in pairs.items():
        met = matches.setdefault((place[0], frozenset((one["w"], one["b"]))), [])
        met.append((one["w"], one["b"], (recorded | ruled).get(place, "")))
    both = entries[0]["terms"]["sides"] == "both"
    for had in matches.values():
        require(len(had) == (2 if both else 1), "matches of a pair")
        w, b, result = had[0]
        if both:
            require((had[1][0], had[1][1]) == (b, w), "sides of a pair")
            result = together(result, had[1][2])
        points[w] += {"1-0": 1, "+-": 1, "½": 0.5}.get(result, 0)
        points[b] += {"0-1": 1, "-+": 1, "½": 0.5}.get(result, 0)
    for given in byes.values():
        for entrant, why in given.items():
            points[entrant] += {"pairing_bye": 1, "half_bye": 0.5}.get(why, 0)
    return points
