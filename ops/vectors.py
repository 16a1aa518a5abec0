"""Writes tests/vectors/rng1.json, the published test vectors of the chance scheme rng/1.

    python ops/vectors.py            write the file
    python ops/vectors.py --check    exit with 1 if the file is not what would be written

Keys and hashes are base64, as everywhere in the log; `n` and `result` are decimal text, because some of them
exceed the whole numbers that a JSON reader may keep.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from domain.chance import SCHEME, Secret, drawn, joined, salt_hash
from domain.log import b64, seal

TARGET = Path(__file__).resolve().parent.parent / "tests" / "vectors" / "rng1.json"
PERIODS = (1, 2, 64, 65, 4096, 4097)
POSSIBILITIES = (1, 2, 6, 13, 110, 2**32, 2**62 + 1, 2**63)
REJECTING = 2**62 + 1  # about a quarter of all words lie beyond its greatest multiple
CASES: tuple[tuple[str, bytes, dict[str, str | None]], ...] = (
    ("vector-1", bytes(32), {"us": None, "ussr": None}),
    ("vector-2", bytes(range(32)), {"us": "Ich bin ein Berliner", "ussr": "Поехали!"}),
    ("vector-3", hashlib.sha256(b"glasnost").digest(), {"cia": None, "kgb": "a,b=c"}),
)
COMMITTED: tuple[str, bytes, dict[str, str | None]] = (
    "vector-4",
    bytes(range(32, 64)),
    {"us": "0123456789abcdef0123456789abcdef", "ussr": "QUJDREVGR0hJSktMTU5PUA=="},
)


def main() -> int:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(description="The published test vectors of rng/1.")
    parser.add_argument("--check", action="store_true", help="compare the file, write nothing")
    check = parser.parse_args().check
    text = written()
    if check:
        same = TARGET.exists() and TARGET.read_text("utf-8") == text
        print(f"{TARGET.name}: {'as it should be' if same else 'differs; run ops/vectors.py'}")
        return 0 if same else 1
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text, "utf-8")
    print(f"wrote {TARGET.name}")
    return 0


def written() -> str:
    """The file's text."""
    matches = [_case(match, secret, salts) for match, secret, salts in CASES]
    matches.append(_committed(*COMMITTED))
    content = {"scheme": SCHEME, "about": "See docs/protocol.md, Chance.", "matches": matches}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _case(match: str, secret: bytes, salts: dict[str, str | None]) -> dict[str, Any]:
    known = Secret(secret, match)
    return {
        "match": match,
        "secret": b64(secret),
        "commitment": b64(known.commitment),
        "draw_key": b64(known.draw_key),
        "anchors": [{"chain": chain, "anchor": b64(known.anchor(chain))} for chain in (0, 1)],
        "open_keys": [{"period": period, "key": b64(known.open_key(period))} for period in PERIODS],
        "seals": [_sealed(known, move, audience) for move in (1, 4097) for audience in ("us", "house")],
        "seat_salts": salts,
        "joined_salts": joined(salts),
        "draws": _draws(known, joined(salts)),
    }


def _committed(match: str, secret: bytes, salts: dict[str, str | None]) -> dict[str, Any]:
    """A match whose players committed to their salts: by seat what each one sent when it sat down."""
    hashes = {seat: b64(salt_hash(match, seat, salt)) for seat, salt in salts.items() if salt}
    return {**_case(match, secret, salts), "salt_hashes": hashes}


def _sealed(known: Secret, move: int, audience: str) -> dict[str, Any]:
    part = '{"picks":["3"]}' if audience == "us" else "{}"
    salt = known.salt(move, audience)
    sealed = b64(seal(salt, part.encode()))
    return {"move": move, "audience": audience, "salt": b64(salt), "part": part, "sealed": sealed}


def _draws(known: Secret, salts: str) -> list[dict[str, Any]]:
    rows = [_draw(known, salts, period, "die/t3/ar5/us/coup", 0, 6) for period in PERIODS]
    rows += [_draw(known, salts, 0, "deal/t4/ussr", counter, 110 - counter) for counter in (0, 1, 2)]
    rows += [_draw(known, salts, 1, "die/t1", counter, n) for counter, n in enumerate(POSSIBILITIES)]
    for rejected in (1, 4):
        label = _label_rejecting(known.draw_key, salts, rejected)
        rows.append({**_draw(known, salts, 0, label, 0, REJECTING), "rejected": rejected})
    return rows


def _draw(known: Secret, salts: str, period: int, label: str, counter: int, n: int) -> dict[str, Any]:
    key = known.open_key(period) if period else known.draw_key
    result = drawn(key, salts, label, counter, n)
    return {"period": period, "label": label, "counter": counter, "n": str(n), "result": str(result)}


def _label_rejecting(key: bytes, salts: str, words: int) -> str:
    """The first label of its kind under which exactly the first `words` words are rejected."""
    number = 0
    while _rejected(key, f"{SCHEME}\n{salts}\nreject/{number}\n0\n") != words:
        number += 1
    return f"reject/{number}"


def _rejected(key: bytes, message: str) -> int:
    limit, count = 2**64 // REJECTING * REJECTING, 0
    while True:
        block, place = divmod(count, 4)
        digest = hmac.digest(key, f"{message}{block}".encode(), "sha256")
        if int.from_bytes(digest[8 * place : 8 * place + 8]) < limit:
            return count
        count += 1


if __name__ == "__main__":
    sys.exit(main())
