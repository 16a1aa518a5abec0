"""What a log sends to a witness, and what it gets back: the `add-checkpoint` call of C2SP `tlog-witness`."""

from __future__ import annotations

import re

from msgspec import Struct

from domain.log import Damaged, b64, unb64
from replay.fetching import posted
from replay.transparency.policy import MOST_NOTE

MOST_HASHES = 63  # of a consistency proof
MOST_BYTES = 64 + 45 * MOST_HASHES + MOST_NOTE  # of a request
MOST_ANSWER = 1 << 14
SIZE_TYPE = "text/x.tlog.size"
OK, CONFLICT = 200, 409
_OLD = re.compile(r"old (0|[1-9][0-9]{0,18})")


class Submission(Struct, frozen=True):
    """A request: the size that the witness knows, the consistency proof from there, and the checkpoint."""

    old: int
    path: tuple[bytes, ...]
    note: str

    @property
    def body(self) -> bytes:
        """The body of the request."""
        return "\n".join([f"old {self.old}", *map(b64, self.path), "", self.note]).encode()

    @classmethod
    def parse(cls, body: bytes) -> Submission:
        """Read the body of a request.

        Raises:
            Damaged: it is none; the text says why.
        """
        if len(body) > MOST_BYTES:
            raise Damaged(f"longer than {MOST_BYTES} bytes")
        try:
            head, blank, note = body.decode().partition("\n\n")
        except UnicodeDecodeError as error:
            raise Damaged("not UTF-8") from error
        first, *lines = head.split("\n")
        old = _OLD.fullmatch(first)
        if old is None or not blank:
            raise Damaged("it begins with a line `old SIZE`, hashes, and an empty line before the checkpoint")
        if len(lines) > MOST_HASHES:
            raise Damaged(f"more than {MOST_HASHES} hashes")
        path = tuple(unb64(line) for line in lines)
        if any(len(one) != 32 for one in path):
            raise Damaged("a hash has 32 bytes")
        return cls(int(old[1]), path, note)


class Answer(Struct, frozen=True):
    """What a witness answered: the status, and its body as text."""

    status: int
    body: str


def submitted(url: str, submission: Submission, seconds: float) -> Answer:
    """Send a checkpoint to the witness at a submission prefix.

    Raises:
        CannotFetch: there is no answer in time, it is too long, or it redirects.
    """
    status, body = posted(
        f"{url.rstrip('/')}/add-checkpoint", submission.body, most=MOST_ANSWER, seconds=seconds
    )
    return Answer(status, body.decode(errors="replace"))


def stated_size(answer: Answer) -> int | None:
    """The size that a witness knows, from its answer 409; None if it states none."""
    found = _OLD.fullmatch("old " + answer.body.removesuffix("\n")) if answer.status == CONFLICT else None
    return int(found[1]) if found else None
