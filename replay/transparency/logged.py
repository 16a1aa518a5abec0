"""Is what a file holds in the server's log, under a checkpoint that a policy accepts?  Needs no network."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from domain.log import Damaged
from domain.refusals import Sentence
from domain.signed_notes import Note, visible
from replay.transparency import evidence
from replay.transparency.policy import Policy


def logged(
    data: bytes | None, leaves: Sequence[bytes], policy: Policy | None, named: Callable[[int], str]
) -> str:
    """Return in words what the proof of a file shows; "" if there is no proof, and none is asked for.

    Args:
        data: the proof, as the file holds it; None: the file holds none.
        leaves: the leaves that must be in the log, in its order.
        policy: which logs and witnesses count; None: who signed is not checked, and a proof may be missing.
        named: gives a name to so many of the first of these leaves.

    Raises:
        Damaged: the proof is damaged, cut off or of something else; or, with a policy, it is missing, does
            not cover the last leaf, or its checkpoint does not fulfil the policy.
    """
    if data is None:
        if policy is not None:
            raise Damaged(Sentence("log-proof-missing"))
        return ""
    proof = evidence.read(data, len(leaves))
    stated = evidence.check(proof, leaves)
    if policy is None:
        who = f"names {Note.parse(proof.checkpoint).names}, not checked"
    else:
        if len(proof.proofs) < len(leaves):
            raise Damaged(Sentence("log-proof-without-end"))
        who = policy.checked(proof.checkpoint).words
    log = f"the {stated.size} leaves of {visible(stated.origin[:120])}"
    return f"the server's log: {named(len(proof.proofs))} among {log}, {who}"
