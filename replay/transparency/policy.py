"""Policies (C2SP `tlog-policy`): which logs are known, which witnesses, and how many must have cosigned.

A policy file has one statement on each line:

    log VKEY [URL]
    witness NAME VKEY [URL]
    group NAME any|all|K MEMBER...
    quorum NAME

A group or the quorum names only what a line before it defines; `quorum none` asks for no witness.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import Struct

from domain.log import Damaged
from domain.refusals import Sentence, Value
from domain.signed_notes import Checkpoint, Note, VerifyingKey, visible
from replay.transparency.cosignature import CosignerKey, cosigned_at

MOST_BYTES = 1 << 16  # of a policy file
MOST_EACH = 64  # logs, witnesses, groups
MOST_NOTE = 1 << 16  # bytes of a checkpoint with its signatures
NONE = "none"
_FORBIDDEN = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")

K = TypeVar("K", bound=VerifyingKey)


class Log(Struct, frozen=True):
    """A known log: its key, whose name is the log's origin, and its URL ("" if none is given)."""

    key: VerifyingKey
    url: str = ""


class Witness(Struct, frozen=True):
    """A known witness: its name in the policy, its key, and the URL of its program ("" if none is given)."""

    name: str
    key: CosignerKey
    url: str = ""


class Group(Struct, frozen=True):
    """A group of witnesses and groups, of which at least so many must have cosigned."""

    name: str
    least: int
    members: tuple[str, ...]


class Cosigned(Struct, frozen=True):
    """A checkpoint that fulfils a policy: what it states, who signed it, and who cosigned when.

    `by` holds the names of the witnesses in the policy, with the time in seconds since 1970.
    """

    stated: Checkpoint
    log: str
    by: tuple[tuple[str, int], ...]
    known: int  # how many witnesses the policy knows

    @property
    def words(self) -> str:
        """The same in words, for a report."""
        if not self.known:
            return f"signed by {self.log}"
        names = f" ({', '.join(visible(name) for name, _ in self.by)})" if self.by else ""
        return f"signed by {self.log}, cosigned by {len(self.by)} of {self.known} witnesses{names}"


class Policy(Struct, frozen=True):
    """A policy, as its file states it."""

    logs: tuple[Log, ...]
    witnesses: tuple[Witness, ...]
    groups: tuple[Group, ...]
    quorum: str

    @classmethod
    def parse(cls, data: bytes) -> Policy:
        """Read a policy file.

        Raises:
            Damaged: it is longer than 64 KiB, holds more than 64 logs, witnesses or groups, or a line is not
                a statement as C2SP tlog-policy defines it; the text names the line.
        """
        if len(data) > MOST_BYTES:
            raise Damaged(f"a policy has at most {MOST_BYTES} bytes")
        if _FORBIDDEN.search(data):
            raise Damaged("a policy holds no control characters but tabs and newlines")
        reading = _Reading()
        for number, line in enumerate(data.split(b"\n"), 1):
            text = line.decode(errors="surrogateescape")  # names are opaque bytes
            words = text.replace("\t", " ").split(" ")
            try:
                reading.take([word for word in words if word])
            except Damaged as error:
                raise Damaged(f"line {number}: {error}") from error
        if reading.quorum is None:
            raise Damaged("a policy has one line `quorum NAME`, and this one has none")
        return cls(
            tuple(reading.logs), tuple(reading.witnesses), tuple(reading.groups.values()), reading.quorum
        )

    def checked(self, note: str) -> Cosigned:
        """Return what a cosigned checkpoint states, if it fulfils this policy.

        Raises:
            Damaged: it is no signed checkpoint, no known log signed it, a signature of a known log or witness
                does not fit, or too few witnesses cosigned; the sentence says which.
        """
        if len(note.encode()) > MOST_NOTE:
            raise Damaged(Sentence("not-a-checkpoint"))
        parsed = Note.parse(note)
        checkpoint = Checkpoint.parse(parsed.text)
        parsed.checked([log.key for log in self.logs] + [witness.key for witness in self.witnesses])
        signer = parsed.signed_by([log.key for log in self.logs if signs_for(log.key, checkpoint.origin)])
        if signer is None and self.logs:
            about = {"origin": visible(checkpoint.origin[:120]), "names": parsed.names}
            raise Damaged(Sentence("log-not-in-policy", about))
        times = ((witness.name, cosigned_at(parsed, witness.key)) for witness in self.witnesses)
        by = tuple((name, at) for name, at in times if at is not None)
        if not self.fulfilled([name for name, _ in by]):
            few: dict[str, Value] = {
                "have": len(by),
                "of": len(self.witnesses),
                "quorum": visible(self.quorum),
            }
            raise Damaged(Sentence("too-few-witnesses", few))
        return Cosigned(checkpoint, signer.label if signer else parsed.names, by, len(self.witnesses))

    def fulfilled(self, cosigned: Sequence[str]) -> bool:
        """Are these witnesses, by their names in the policy, enough for the quorum?"""
        if self.quorum == NONE:
            return True
        have = set(cosigned)
        for group in self.groups:  # each names only what stands before it
            if sum(member in have for member in group.members) >= group.least:
                have.add(group.name)
        return self.quorum in have


def signs_for(key: VerifyingKey, origin: str) -> bool:
    """Is this a key of the log with this origin?

    C2SP tlog-policy asks that the key's name is the origin.  A Glasnost server signs its log with the key of
    its matches, and the log's origin is `NAME/log`.
    """
    return origin in (key.name, f"{key.name}/log")


class _Reading:
    """What the lines read so far define."""

    def __init__(self) -> None:
        self.logs = list[Log]()
        self.witnesses = list[Witness]()
        self.groups = dict[str, Group]()
        self.quorum: str | None = None
        self._names = set[str]()
        self._members = set[str]()
        self._statements: dict[str, Callable[[list[str]], None]] = {
            "log": self._log,
            "witness": self._witness,
            "group": self._group,
            "quorum": self._quorum,
        }

    def take(self, words: list[str]) -> None:
        """Take in the words of one line.  Raises Damaged."""
        if not words or words[0].startswith("#"):
            return
        statement = self._statements.get(words[0])
        if statement is None:
            raise Damaged(f"no statement begins with {words[0][:40]!a}: log, witness, group or quorum do")
        statement(words[1:])

    def _log(self, words: list[str]) -> None:
        if len(words) not in (1, 2):
            raise Damaged("a log is stated as `log VKEY [URL]`")
        key = _new_key(VerifyingKey, words[0], [log.key for log in self.logs], "log")
        self.logs.append(Log(key, *words[1:]))

    def _witness(self, words: list[str]) -> None:
        if len(words) not in (2, 3):
            raise Damaged("a witness is stated as `witness NAME VKEY [URL]`")
        key = _new_key(CosignerKey, words[1], [one.key for one in self.witnesses], "witness")
        self._define(words[0])
        self.witnesses.append(Witness(words[0], key, *words[2:]))

    def _group(self, words: list[str]) -> None:
        if len(words) < 3:
            raise Damaged("a group is stated as `group NAME any|all|K MEMBER...`, with a member at least")
        name, least, members = words[0], words[1], words[2:]
        if len(self.groups) == MOST_EACH:
            raise Damaged(f"a policy has at most {MOST_EACH} groups")
        for member in members:
            if member not in self._names:
                raise Damaged(f"no line before this one defines {member[:40]!a}")
            if member in self._members:
                raise Damaged(f"{member[:40]!a} is a member already: each name counts once")
            self._members.add(member)
        self._define(name)
        self.groups[name] = Group(name, _threshold(least, len(members)), tuple(members))

    def _quorum(self, words: list[str]) -> None:
        if len(words) != 1:
            raise Damaged("the quorum is stated as `quorum NAME`")
        if self.quorum is not None:
            raise Damaged("a policy has one quorum, and this is the second")
        if words[0] != NONE and words[0] not in self._names:
            raise Damaged(f"no line before this one defines {words[0][:40]!a}")
        self.quorum = words[0]

    def _define(self, name: str) -> None:
        if name == NONE or name in self._names:
            raise Damaged(f"the name {name[:40]!a} is taken")
        self._names.add(name)


def _new_key(kind: type[K], spelled: str, known: Sequence[K], what: str) -> K:
    """The key that a line spells, if it is not known yet.  Raises Damaged."""
    key = kind.parse(spelled)
    if any(key.public == other.public for other in known):
        raise Damaged(f"this key of a {what} is in the policy already")
    if len(known) == MOST_EACH:
        raise Damaged(f"a policy has at most {MOST_EACH} lines `{what}`")
    return key


def _threshold(word: str, count: int) -> int:
    if word in ("any", "all"):
        return 1 if word == "any" else count
    if re.fullmatch(r"[1-9][0-9]{0,2}", word) and int(word) <= count:
        return int(word)
    raise Damaged(f"{word[:40]!a} is neither `any` nor `all` nor a number from 1 to {count}")
