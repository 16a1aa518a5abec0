"""Is what a file holds in the server's log, under a checkpoint that a policy accepts?  Needs no network."""

from __future__ import annotations

from collections.abc import Sequence

from domain.log import Damaged
from domain.refusals import Sentence
from domain.signed_notes import Note, visible
from replay.transparency import evidence
from replay.transparency.policy import Policy


def logged(data: bytes | None, leaves: Sequence[bytes], policy: Policy | None, what: Sequence[str]) -> str:
    """Return in words what the proof of a file shows; "" if there is no proof, and none is asked for.

    Args:
        data: the proof, as the file holds it; None: the file holds none.
        leaves: the leaves that must be in the log: of the opening and, if it is over, of the end.
        policy: which logs and witnesses count; None: who signed is not checked, and a proof may be missing.
        what: the names of these leaves.

    Raises:
        Damaged: the proof is damaged, cut off or of something else; or, with a policy, it is missing, does
            not cover the end, or its checkpoint does not fulfil the policy.
    """
    if data is None:
        if policy is not None:
            raise Damaged(Sentence("log-proof-missing"))
        return ""
    proof = evidence.read(data)
    stated = evidence.check(proof, leaves)
    if policy is None:
        who = f"names {Note.parse(proof.checkpoint).names}, not checked"
    else:
        if len(proof.proofs) < len(leaves):
            raise Damaged(Sentence("log-proof-without-end"))
        who = policy.checked(proof.checkpoint).words
    named = " and ".join(what[: len(proof.proofs)])
    return (
        f"the server's log: {named} among the {stated.size} leaves of {visible(stated.origin[:120])}, {who}"
    )
