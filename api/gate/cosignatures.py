"""Asks witnesses to cosign the checkpoints of the transparency log, and keeps what they answer.

GLASNOST_WITNESSES names a policy file (C2SP `tlog-policy`); each witness with a URL is asked.  No command
waits for a witness: each has a thread of its own, and one that is away is asked again later.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

from api.settings import PREFIX, BadSetting
from api.store.interface import StoreError
from api.store.keys import Keys
from api.store.sql import SqlStore
from api.store.transparency import SignedSize
from domain.log import Damaged
from domain.signed_notes import Checkpoint, Note
from replay.fetching import SCHEMES, CannotFetch, fetched
from replay.transparency.policy import MOST_BYTES, MOST_NOTE, Policy, Witness
from replay.transparency.submission import CONFLICT, OK, Answer, Submission, stated_size, submitted
from replay.transparency.tree import consistency

VARIABLE = PREFIX + "WITNESSES"
SECONDS = 10.0  # for one answer of a witness
PAUSE = 2.0  # seconds between two looks for a new checkpoint
AGAIN = 60.0  # seconds after which a witness that is away is asked again
_log = logging.getLogger("glasnost.log")


def read_witnesses(environment: Mapping[str, str]) -> Policy | None:
    """Return the policy whose witnesses the server asks; None if the environment names none.

    Raises:
        BadSetting: there is no such file, it is no policy, or no witness in it has a URL.
    """
    if not (text := environment.get(VARIABLE, "")):
        return None
    try:
        with Path(text).open("rb") as file:
            found = Policy.parse(file.read(MOST_BYTES + 1))
    except OSError as error:
        raise BadSetting(f"{VARIABLE} is a policy file; {text}: {error.strerror}") from error
    except Damaged as error:
        raise BadSetting(f"{VARIABLE}: {text}: {error}") from error
    asked = [witness.url for witness in found.witnesses if witness.url]
    if not asked or any(not url.startswith(tuple(f"{scheme}://" for scheme in SCHEMES)) for url in asked):
        raise BadSetting(
            f"{VARIABLE}: {text}: a witness that is asked has a URL: witness NAME VKEY http://..."
        )
    return found


class Cosignatures:
    """Collects the cosignatures of one store's log.

    Args:
        policy: its witnesses are asked, and only their cosignatures are kept.
        leads: is this the process that writes the log?
    """

    def __init__(self, policy: Policy, store: SqlStore, keys: Keys, leads: Callable[[], bool]) -> None:
        self._store, self._keys, self._leads = store, keys, leads
        self._witnesses = policy.witnesses
        self._stopping = threading.Event()
        self._said: dict[str, str] = {}

    def start(self) -> None:
        """Ask until `stop`; each witness by itself."""
        for witness in self._witnesses:
            if witness.url:
                name = f"witness {witness.name}"
                threading.Thread(target=self._keep, args=(witness,), name=name, daemon=True).start()

    def stop(self) -> None:
        """Stop; an answer that is under way is not waited for."""
        self._stopping.set()

    def _keep(self, witness: Witness) -> None:
        done, pause = -1, PAUSE
        while not self._stopping.wait(pause):
            if self._leads():
                done, pause = self._turn(witness, done)

    def _turn(self, witness: Witness, done: int) -> tuple[int, float]:
        """Ask, if there is a new checkpoint; return over how many leaves it was cosigned, and a pause."""
        try:
            latest = self._store.transparency.latest()
            if latest is None or latest.size == done:
                return done, PAUSE
            said = self.ask(witness, latest)
            self._say(witness, said)
            return (done, AGAIN) if said else (latest.size, PAUSE)
        except (CannotFetch, StoreError, Damaged) as error:
            self._say(witness, str(error) if isinstance(error, CannotFetch) else type(error).__name__)
        except Exception:  # no error may end the thread
            if not self._stopping.is_set():
                _log.error("error while a witness was asked", exc_info=True)
        return done, AGAIN

    def ask(self, witness: Witness, latest: SignedSize) -> str:
        """Ask a witness to cosign a checkpoint, and keep its cosignature; return why there is none, or "".

        Raises:
            CannotFetch: the witness is away.
            StoreError: the store is away.
        """
        answer = self._submit(witness, 0, latest)  # it says which size it knows
        known = stated_size(answer)
        if known is not None and 0 < known <= latest.size:
            answer = self._submit(witness, known, latest)
        if answer.status == OK:
            lines = answer.body.splitlines()
            kept = self._store.transparency.cosign(latest.size, lines, self.check)
            return "" if witness.name in kept else "its answer is not its cosignature of the checkpoint"
        if answer.status == CONFLICT or answer.status == 422:
            self._compare(witness, latest)
        return f"it answers {answer.status}: {answer.body[:120]!a}"

    def check(self, checkpoint: Checkpoint, line: str) -> str | None:
        """Return the name of the witness whose valid cosignature of a checkpoint a line is; else None."""
        try:
            note = Note.parse(f"{checkpoint.text}\n{line}\n")
            names = [one.name for one in self._witnesses if note.signed_by([one.key]) is not None]
        except ValueError:
            return None
        return names[0] if names else None

    def _submit(self, witness: Witness, old: int, latest: SignedSize) -> Answer:
        path = consistency(old, latest.size, self._store.transparency.hashes())
        return submitted(witness.url, Submission(old, tuple(path), latest.note), SECONDS)

    def _compare(self, witness: Witness, latest: SignedSize) -> None:
        """The witness has cosigned what this log is not: was the store restored from a backup?"""
        origin = Checkpoint.parse(Note.parse(latest.note).text).origin
        address = f"{witness.url.rstrip('/')}/checkpoint?origin={quote(origin, safe='')}"
        note = fetched(address, most=MOST_NOTE, seconds=SECONDS, redirects=False).decode(errors="replace")
        if self._store.log_guard.seen(note, self._keys):
            _log.error("the log is behind what a witness cosigned", extra={"witness": witness.name})

    def _say(self, witness: Witness, said: str) -> None:
        """Log what is wrong with a witness, once."""
        if said and said != self._said.get(witness.name) and not self._stopping.is_set():
            _log.warning("a witness did not cosign", extra={"witness": witness.name, "reason": said})
        self._said[witness.name] = said
