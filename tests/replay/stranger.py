"""A second verifier, written from docs/protocol.md alone: it uses nothing of this project.

It knows no game.  It checks the archive's parts, leaves and roots, the signature, seals and salts, every key,
anchor and draw, the order of counters, and the clocks; not the facts.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import io
import json
import re
import zipfile
from itertools import pairwise
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

LINKS = 4096
Json = dict[str, Any]


class Disproved(Exception):
    """The file is not what it says."""


def verify(data: bytes, vkey: str) -> int:
    """Check a match file; gives the number of draws recomputed.

    Raises:
        Disproved: something is wrong.
    """
    try:
        return verified(data, vkey)
    except (ValueError, LookupError, TypeError, AttributeError, InvalidSignature) as error:
        raise Disproved(f"cannot be read: {error}") from error


def verified(data: bytes, vkey: str) -> int:
    """See `verify`; what cannot be read raises whatever reading raises."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    leaves = parts["log.ndjson"].split(b"\n")[:-1]
    moves = [parsed(leaf) for leaf in leaves]
    check_manifest(parts, moves, leaves)
    check_chain(moves, leaves)
    check_signature(parts["checkpoints.txt"].decode(), vkey, leaves, moves[0]["match"])
    opened = {move["kind"]: move for move in moves}.get("secret_opened")
    secret = None if opened is None else unb64(opened["secret"])
    private = [parsed(line) for line in parts.get("private.ndjson", b"\n").split(b"\n")[:-1] if line]
    if secret is not None:
        check_seals(moves, private, secret)
    check_salts(moves)
    check_clocks(moves)
    return check_draws(moves, private, secret)


# ── conventions ──


def require(condition: object, what: str) -> None:
    """Stop unless it is so."""
    if not condition:
        raise Disproved(what)


def unb64(text: str) -> bytes:
    """The bytes, if this is their one spelling."""
    data = base64.b64decode(text, validate=True)
    require(base64.b64encode(data).decode() == text, f"spelling of {text}")
    return data


def parsed(line: bytes) -> Any:
    """Canonical JSON (RFC 8785, for ASCII keys and whole numbers)."""
    value = json.loads(line)
    again = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    require(again == line, f"canonical form of {line[:60]!r}")
    return value


# ── the log ──


def root(leaves: list[bytes]) -> bytes:
    """RFC 6962, by its recursive definition."""
    if len(leaves) < 2:
        return hashlib.sha256(b"\x00" + leaves[0] if leaves else b"").digest()
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + root(leaves[:k]) + root(leaves[k:])).digest()


def check_chain(moves: list[Json], leaves: list[bytes]) -> None:
    """Numbers and `prev`."""
    for number, move in enumerate(moves, 1):
        require(move["move"] == number, f"number of move {number}")
        require(unb64(move["prev"]) == root(leaves[: number - 1]), f"prev of move {number}")


def check_manifest(parts: dict[str, bytes], moves: list[Json], leaves: list[bytes]) -> None:
    """The manifest fits the parts and the first leaf."""
    require(parts["manifest.json"].endswith(b"\n"), "newline of the manifest")
    manifest = parsed(parts["manifest.json"][:-1])
    require((manifest["format"], manifest["version"]) == ("glasnost match", 1), "format")
    for field in ("match", "game", "edition"):
        require(manifest[field] == moves[0][field], field)
    require(manifest["moves"] == len(leaves), "moves")
    require(unb64(manifest["root"]) == root(leaves), "root")
    for field in ("rules", "product"):
        named = [move[field] for move in moves if field in move]
        require(manifest[field] == named[-1], field)
    covered = {name: part for name, part in parts.items() if name not in ("manifest.json", "README.txt")}
    require(manifest["parts"].keys() == covered.keys(), "parts")
    for name, part in covered.items():
        require(manifest["parts"][name] == hashlib.sha256(part).hexdigest(), name)


def check_signature(note: str, vkey: str, leaves: list[bytes], match: str) -> None:
    """The checkpoint is over these leaves and signed by the key."""
    text, _, lines = note.rpartition("\n\n")
    text += "\n"
    origin, size, stated, rest = text.split("\n")
    require(origin.endswith(f"/match/{match}") and rest == "", "origin")
    require(int(size) == len(leaves) and unb64(stated) == root(leaves), "checkpoint")
    name, key_id, key = vkey.split("+", 2)
    public = unb64(key)[1:]
    digest = hashlib.sha256(name.encode() + b"\n\x01" + public).digest()
    require(digest[:4].hex() == key_id, "key id")
    for line in lines.splitlines():
        _, signer, signature = line.split(" ")
        blob = unb64(signature)
        if signer == name and blob[:4] == digest[:4]:
            Ed25519PublicKey.from_public_bytes(public).verify(blob[4:], text.encode())
            return
    raise Disproved("no signature by this key")


# ── commitments and chance ──


def derived(secret: bytes, match: str, purpose: str) -> bytes:
    """HKDF with the published info text."""
    info = f"glasnost rng/1 {purpose}\n{match}".encode()
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(secret)


def commitment(secret: bytes, match: str) -> bytes:
    """What `opened` publishes."""
    return hashlib.sha256(f"glasnost rng/1 commitment\n{match}\n".encode() + secret).digest()


def chain_link(secret: bytes, match: str, chain: int, number: int) -> bytes:
    """Link `number` of a hash chain; 0 is the anchor."""
    key = derived(secret, match, f"open draws {chain}")
    for _ in range(LINKS - number):
        key = hashlib.sha256(key).digest()
    return key


def open_key(secret: bytes, match: str, period: int) -> bytes:
    """The key of a period."""
    return chain_link(secret, match, (period - 1) // LINKS, (period - 1) % LINKS + 1)


def part_salt(secret: bytes, match: str, move: int, audience: str) -> bytes:
    """The salt of a private part."""
    return hmac.digest(derived(secret, match, "part salts"), f"{move}\n{audience}".encode(), "sha256")


def sealed(salt: bytes, part: bytes) -> bytes:
    """The commitment to a private part."""
    return hashlib.sha256(b"\x02" + salt + part).digest()


def joined(salts: dict[str, str | None]) -> str:
    """The players' salts as they enter a draw."""
    return ",".join(f"{seat}={salt or ''}" for seat, salt in salts.items())


def result(key: bytes, salts: str, label: str, counter: int, n: int) -> tuple[int, int]:
    """The result of a draw, and how many words were rejected before it."""
    limit, number = 2**64 - 2**64 % n, 0
    while True:
        message = f"rng/1\n{salts}\n{label}\n{counter}\n{number // 4}".encode()
        place = 8 * (number % 4)
        word = int.from_bytes(hmac.digest(key, message, "sha256")[place : place + 8], "big")
        if word < limit:
            return word % n, number
        number += 1


def check_seals(moves: list[Json], private: list[Json], secret: bytes) -> None:
    """Commitment, salts and seals."""
    match, chance = moves[0]["match"], moves[0]["chance"]
    if chance["scheme"] == "rng/1":
        require(unb64(chance["commitment"]) == commitment(secret, match), "commitment")
        require(unb64(chance["anchor"]) == chain_link(secret, match, 0, 0), "anchor")
    require(len(private) == len(moves), "a private line for each move")
    for move, line in zip(moves, private, strict=True):
        require(line["move"] == move["move"], "number of a private line")
        require(line["parts"].keys() == line["salts"].keys() == move["sealed"].keys(), "audiences")
        for audience, part in line["parts"].items():
            salt = part_salt(secret, match, move["move"], audience)
            require(unb64(line["salts"][audience]) == salt, f"salt at move {move['move']}")
            text = json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            require(unb64(move["sealed"][audience]) == sealed(salt, text.encode()), f"seal at {move['move']}")


def salt_hash(match: str, seat: str, salt: str) -> str:
    """What a seat commits to its salt with."""
    return base64.b64encode(
        hashlib.sha256(f"glasnost rng/1 salt\n{match}\n{seat}\n{salt}".encode()).digest()
    ).decode()


def check_salts(moves: list[Json]) -> None:
    """Each hash is opened once, with its salt, when all sit; nothing is drawn or asked before that."""
    seats = [name for name in moves[0]["sealed"] if name != "house"]
    hashes, taken = dict[str, str](), set[str]()
    for move in moves:
        where, full = f"salts at move {move['move']}", len(taken) == len(seats)
        if move["kind"] == "seated":
            taken.add(move["seat"])
            if "salt_hash" in move:
                require("salt" not in move and not move.get("bot"), where)
                require(len(unb64(move["salt_hash"])) == 32, where)
                hashes[move["seat"]] = move["salt_hash"]
        elif move["kind"] == "salt_opened":
            require(full and re.fullmatch(r"[A-Za-z0-9+/=_-]{22,64}", move["salt"]), where)
            opened = salt_hash(moves[0]["match"], move["seat"], move["salt"])
            require(hashes.pop(move["seat"], None) == opened, where)
        elif move["kind"] == "closed" and ("unopened" in move or move["by"] == "salt"):
            require(move["by"] == "salt" and full and "result" not in move, where)
            require(set(move["unopened"]) == set(hashes) != set(), where)
            require(moves[-3]["kind"] in ("seated", "salt_opened"), where)
        if hashes or len(taken) < len(seats):
            require(not any(name in move for name in ("facts", "draws", "keys", "asked")), where)


class Counters:
    """The draws on the line of play that stands, and the keys opened so far."""

    def __init__(self, moves: list[Json]) -> None:
        self.match, self.chance = moves[0]["match"], moves[0]["chance"]
        self.period, self.anchors = 1, {0: self.chance.get("anchor", "")}
        self.keys: dict[int, bytes] = {}
        self.before: list[int] = []
        self.drawn: list[list[Json]] = []

    def next_counter(self, draw: Json, now: list[Json]) -> int:
        """How many draws under this label, of this family and period, stand before this one."""
        place = len(self.before)
        found = [now]
        while place:
            found.append(self.drawn[place - 1])
            place = self.before[place - 1]
        same = ("label", "period")
        return sum([other.get(x) for x in same] == [draw.get(x) for x in same] for y in found for other in y)

    def take_key(self, move: Json, entry: Json) -> None:
        """A period ends."""
        require(entry["period"] == self.period, f"period at move {move['move']}")
        self.period += 1
        if self.chance["scheme"] != "rng/1":
            require(entry["key"] == "", "a recorded match opens no key")
            return
        chain, place = divmod(entry["period"] - 1, LINKS)
        key = unb64(entry["key"])
        before = self.keys[entry["period"] - 1] if place else unb64(self.anchors[chain])
        require(hashlib.sha256(key).digest() == before, f"hash chain at move {move['move']}")
        self.keys[entry["period"]] = key
        if self.period % LINKS == 0:
            self.anchors[self.period // LINKS] = move["anchor"]


def check_draws(moves: list[Json], private: list[Json], secret: bytes | None) -> int:
    """Every draw that can be recomputed."""
    state, salts, todo = Counters(moves), dict[str, str | None](), list[tuple[Json, str]]()
    for move in moves:
        if move["kind"] == "seated":
            salts[move["seat"]] = move.get("salt")
        elif move["kind"] == "salt_opened":
            salts[move["seat"]] = move["salt"]
        text = joined({seat: salts.get(seat) for seat in move["sealed"] if seat != "house"})
        hidden = private[move["move"] - 1]["parts"]["house"].get("draws", []) if private else []
        now: list[Json] = []
        for draw in (*move.get("draws", []), *hidden):
            require(draw.get("counter", 0) == state.next_counter(draw, now), f"counter at {move['move']}")
            now.append(draw)
            todo.append((draw, text))
        for entry in move.get("keys", []):
            state.take_key(move, entry)
        state.drawn.append(now)
        state.before.append(move["to"] if move["kind"] == "taken_back" else move["move"] - 1)
    return sum(recomputed(draw, text, state, secret) for draw, text in todo)


def recomputed(draw: Json, salts: str, state: Counters, secret: bytes | None) -> bool:
    """Recompute one draw; False where it cannot be, because it is forced or its key is not open yet."""
    period = draw.get("period", 0)
    require(draw.get("forced", False) == (state.chance["scheme"] != "rng/1"), "forced")
    if draw.get("forced"):
        return False
    if period:
        key = state.keys.get(period)
        if secret is not None:
            again = open_key(secret, state.match, period)
            require(key in (None, again), f"key of period {period}")
            key = again
    else:
        key = None if secret is None else derived(secret, state.match, "secret draws")
    if key is None:
        return False
    number, _ = result(key, salts, draw["label"], draw.get("counter", 0), draw["n"])
    require(number == draw["result"], f"{draw['label']}: {number}, not {draw['result']}")
    return True


# ── clocks (section 8) ──

SECOND = 1_000_000
DAY = 86_400 * SECOND


class Clocks:
    """What each player has left after each move; a player is named by the seat taken first."""

    def __init__(self, opened: Json) -> None:
        self.seats = sorted(name for name in opened["sealed"] if name != "house")
        self.other, self.sat = dict(zip(self.seats, self.seats[::-1], strict=True)), dict[str, str]()
        self.date, self.gain, self.cap, self.banks = None, 0, 0, dict[str, int]()
        for term in opened["clock"]:
            if term["mode"] == "until":
                self.date = term["until"]
                continue
            unit, name = (SECOND, "main") if term["mode"] == "bank" else (DAY, "days")
            self.gain = unit * (term.get("increment", 0) if name == "main" else term["days"])
            self.cap = unit * term.get("cap", 31_536_000 if name == "main" else term["days"])
            self.banks = dict.fromkeys(self.seats, unit * term[name])
        says = {term.get("time_up", "lose") for term in opened["clock"]}
        require(len(says) == 1 and says <= {"lose", "report"}, "what it means that a time is up")
        self.reports, self.flagged = says == {"report"}, dict[str, int]()
        self.at, self.asked = opened["at"], set[str]()
        self.standing, self.extra = set[str](), dict[str, int]()

    def rest(self, who: str) -> int:
        """What a player has left at the time of the latest move, if asked."""
        rests = [self.banks[who]] if self.banks else []
        if self.date is not None:
            rests.append(self.date + self.extra.get(who, 0) - self.at)
        return min(rests)

    def up(self) -> list[tuple[int, str]]:
        """When the time of each asked player is up, the first one first; while clocks stand, for no one."""
        return [] if self.standing else sorted((self.at + self.rest(who), who) for who in self.asked)

    def left(self, at: int) -> dict[str, int]:
        """What each player has left at a time."""
        gone = 0 if self.standing else at - self.at
        left = {who: max(bank, 0) for who, bank in self.banks.items()}
        return left | {who: max(self.rest(who) - gone, 0) for who in self.asked}

    def spend(self, at: int, stopped: int = 0) -> None:
        """Time passes for those who are asked, unless all clocks stand."""
        if self.standing:
            stopped = at - self.at
        for who in self.asked & self.banks.keys():
            self.banks[who] -= at - self.at - stopped
        self.at = at
        self.date = None if self.date is None else self.date + stopped

    def move_date(self, who: str, until: int) -> None:
        """A player has another date from now on; the bank stays."""
        assert self.date is not None
        self.extra[who] = until - self.date

    def set(self, who: str, left: int) -> None:
        """A player has so much left now: the bank holds it, and the date is not before its end."""
        if self.date is not None:
            moved = self.at + left - self.date
            self.extra[who] = max(self.extra.get(who, 0), moved) if self.banks else moved
        if self.banks:
            self.banks[who] = left


def check_clocks(moves: list[Json]) -> list[dict[str, int]]:
    """Every move stands where the clocks allow it; gives what each player had left after each move."""
    return check_times(moves)[1]


def flags(moves: list[Json]) -> dict[str, int]:
    """Since when the time of each flagged player is up, after the last of these moves."""
    return check_times(moves)[0]


def check_times(moves: list[Json]) -> tuple[dict[str, int], list[dict[str, int]]]:
    """The flags after the last move, and what each player had left after each move."""
    check_officials(moves)
    if not moves[0].get("clock"):
        require(not any(move["kind"].startswith(("timed_out", "clock_")) for move in moves), "a clock")
        return {}, []
    require(moves[0]["origin"] not in ("branch", "imported"), "a clock of such a match")
    clocks, told = Clocks(moves[0]), [dict[str, int]()]
    questions: list[tuple[set[str], bool]] = [(set(), False)]
    for before, move in pairwise(moves):
        require(move["at"] >= before["at"], f"time of move {move['move']}")
        asked, exchanged = questions[-1]
        if move["kind"] == "taken_back":
            exchanged = questions[move["to"] - 1][1]
        for fact in move.get("facts", []):
            exchanged = fact.get("exchanged", exchanged)
        if move["kind"] in ("seated", "salt_opened", "played", "restated", "taken_back"):
            asked = set(move.get("asked", {}).get("seats", {}))
        if move["kind"] in ("resigned", "timed_out", "secret_opened", "closed"):
            asked = set()
        questions.append((asked, exchanged))
        other = clocks.other
        if move["kind"] == "seated":
            clocks.sat[move["seat"]] = move["player"]
        players = {other[seat] if exchanged else seat for seat in asked}
        tick(clocks, before, move, other if exchanged else {}, players)
        told.append(clocks.left(clocks.at))
    check_result(moves)
    return clocks.flagged, told


def check_officials(moves: list[Json]) -> None:
    """What officials and opponents may do, and what nobody may do in a frozen match."""
    sat: dict[str, str] = {}
    frozen = paused = False
    for move in moves:
        where, kind = f"officials at move {move['move']}", move["kind"]
        if kind == "seated":
            sat[move["seat"]] = move["player"]
        players = ("played", "resigned", "timed_out", "takeback_asked", "takeback_answered")
        gives = kind == "clock_set" and not move.get("why", "").strip()
        require(not (frozen and (kind in players or gives)), where)
        if kind in ("clock_paused", "clock_resumed"):
            require(paused == (kind == "clock_resumed") and move["why"].strip(), where)
            paused = not paused
        if kind in ("frozen", "released"):
            require(frozen == (kind == "released") and move["reason"].strip(), where)
            frozen = not frozen
        if kind == "clock_set":
            require(move["seat"] in sat and 1 <= move["left"] <= 31_536_000 * SECOND, where)
            require(not gives or move["by"] in sat.values(), where)
            require(not (gives and "until" in move), where)


def tick(clocks: Clocks, before: Json, move: Json, seat_of: dict[str, str], players: set[str]) -> None:
    """One move."""
    where, kind, up = f"clocks at move {move['move']}", move["kind"], clocks.up()
    is_up = bool(up) and up[0][0] <= move["at"]
    follows = ("timed_out", "clock_stopped", "ruled", "taken_back", "secret_opened", "closed")
    require(not is_up or kind in follows or clocks.reports, where)
    if clocks.reports and kind != "clock_stopped":
        clocks.flagged = {who: due for due, who in up if due <= move["at"]} | clocks.flagged
    if kind == "timed_out":
        require(is_up and not clocks.reports, where)
        due, who = up[0]
        left = {seat_of.get(player, player): rest for player, rest in clocks.left(due).items()}
        require((move["seat"], move["left"]) == (seat_of.get(who, who), left), where)
        clocks.spend(due)
    elif kind == "clock_stopped":
        known = before["to"] if before["kind"] == "clock_stopped" else before["at"]
        require(known <= move["from"] < move["to"] <= move["at"], where)
        clocks.spend(move["at"], move["to"] - move["from"])
    else:
        clocks.spend(move["at"])
    if kind == "clock_set":
        whose = str(seat_of.get(move["seat"], move["seat"]))
        require(move.get("why", "").strip() or move["left"] > max(clocks.rest(whose), 0), where)
        require(move.get("why", "").strip() or clocks.sat[clocks.other[whose]] == move["by"], where)
        if "until" in move:
            require(clocks.date is not None, where)
            require(move["at"] < move["until"] <= move["at"] + 31_536_000 * SECOND, where)
            clocks.move_date(whose, move["until"])
            require(move["left"] == clocks.rest(whose), where)
        else:
            clocks.set(whose, move["left"])
        if clocks.rest(whose) > 0:
            clocks.flagged.pop(whose, None)
    if kind == "played":
        for who in (clocks.asked - players) & clocks.banks.keys():
            bank = clocks.banks[who]
            clocks.banks[who] = max(bank, min(max(bank, 0) + clocks.gain, clocks.cap))
    if kind in ("clock_paused", "frozen"):
        clocks.standing.add(kind)
    if kind in ("clock_resumed", "released"):
        clocks.standing.remove("clock_paused" if kind == "clock_resumed" else "frozen")
    clocks.asked = players


def check_result(moves: list[Json]) -> None:
    """A time-out is lost, and nothing else closes a match by time."""
    for move in moves:
        if move["kind"] == "closed":
            cause = moves[move["move"] - 3]
            require((move["by"] == "time") == (cause["kind"] == "timed_out"), "closed by time")
            if cause["kind"] == "timed_out":
                others = [seat for seat in moves[0]["sealed"] if seat not in ("house", cause["seat"])]
                winner = None if cause["left"].get(others[0]) == 0 else others[0]
                result = move["result"]
                require((result.get("winner"), result["reason"]) == (winner, "time"), "result by time")
