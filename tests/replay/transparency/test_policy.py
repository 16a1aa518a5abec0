"""Policy files: what is a policy, what is none, and which checkpoints fulfil one."""

from __future__ import annotations

from itertools import combinations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.log import Damaged, b64, unb64
from domain.signed_notes import Checkpoint, SigningKey
from replay.transparency.cosignature import Cosigner
from replay.transparency.policy import MOST_BYTES, MOST_EACH, Policy


def private(number: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)


LOG = SigningKey("log.example", private(1))
OTHER_LOG = SigningKey("other.example", private(2))
W = {
    name: Cosigner(f"{name.lower()}.example", private(number))
    for number, name in enumerate(("X1", "X2", "X3", "Y1", "Y2", "Y3"), 3)
}
POINT = Checkpoint("log.example", 5, bytes(range(32)))

# The example of C2SP tlog-policy, with keys.
EXAMPLE = f"""\
log {LOG.verifying.text}

witness X1 {W["X1"].verifying.text}
witness X2 {W["X2"].verifying.text}
witness X3 {W["X3"].verifying.text}
group X-witnesses 2 X1 X2 X3

witness Y1 {W["Y1"].verifying.text}
witness Y2 {W["Y2"].verifying.text}
witness Y3 {W["Y3"].verifying.text}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
"""


def note(*by: str, log: SigningKey = LOG, point: Checkpoint = POINT) -> str:
    return log.sign(point.text) + "".join(W[name].cosign(point.text, 1_700_000_000) for name in by)


def policy(text: str) -> Policy:
    return Policy.parse(text.encode())


def two_of_three() -> Policy:
    lines = [f"witness {name} {W[name].verifying.text}" for name in ("X1", "X2", "X3")]
    return policy("\n".join([f"log {LOG.verifying.text}", *lines, "group g 2 X1 X2 X3", "quorum g", ""]))


def test_the_example_of_the_specification_counts_as_it_says() -> None:
    """Two of the X witnesses and one of the Y witnesses: every one of the 64 sets of witnesses is tried."""
    found = policy(EXAMPLE)
    for count in range(7):
        for names in combinations(W, count):
            x, y = (sum(name.startswith(letter) for name in names) for letter in "XY")
            assert found.fulfilled(names) == (x >= 2 and y >= 1), names


def test_two_of_three_witnesses_are_enough_and_one_is_not() -> None:
    cosigned = two_of_three().checked(note("X1", "X3"))
    assert cosigned.stated == POINT
    assert cosigned.words == (f"signed by {LOG.verifying.label}, cosigned by 2 of 3 witnesses (X1, X3)")
    with pytest.raises(Damaged, match="1 of 3 witnesses of the policy cosigned"):
        two_of_three().checked(note("X2"))


def test_one_witness_that_cosigns_twice_counts_once() -> None:
    again = W["X1"].cosign(POINT.text, 1_700_000_060)
    with pytest.raises(Damaged, match="1 of 3 witnesses"):
        two_of_three().checked(note("X1") + again)


def test_witnesses_that_the_policy_does_not_know_do_not_count() -> None:
    with pytest.raises(Damaged, match="1 of 3 witnesses"):
        two_of_three().checked(note("X1", "Y1", "Y2"))


def test_a_flipped_cosignature_is_named_even_if_enough_others_fit() -> None:
    line = W["X3"].cosign(POINT.text, 1_700_000_000).split(" ")
    data = bytearray(unb64(line[2].strip()))
    data[-1] ^= 1
    flipped = f"— {line[1]} {b64(bytes(data))}\n"
    with pytest.raises(Damaged, match=r"x3\.example\+.* does not fit"):
        two_of_three().checked(note("X1", "X2") + flipped)


def test_a_log_that_the_policy_does_not_know_is_named() -> None:
    with pytest.raises(Damaged, match=r"other\.example"):
        two_of_three().checked(note("X1", "X2", log=OTHER_LOG))


def test_a_known_key_counts_only_for_its_own_origin() -> None:
    """A log whose key is in the policy cannot sign for another log of it."""
    both = policy(f"log {LOG.verifying.text}\nlog {OTHER_LOG.verifying.text}\nquorum none\n")
    assert both.checked(note()).stated == POINT
    with pytest.raises(Damaged, match="log"):
        both.checked(note(log=OTHER_LOG))


def test_blanks_comments_and_names_beyond_ascii_are_allowed() -> None:
    text = f"\t# ein Zeuge: größer\n  witness \t Zürich {W['X1'].verifying.text}   \n\nquorum Zürich"
    assert policy(text).fulfilled(policy(text).witnesses[0].name.split())
    assert policy("quorum none\n").fulfilled([])


ONE = f"witness A {W['X1'].verifying.text}\n"
TWO = f"{ONE}witness B {W['X2'].verifying.text}\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "this one has none"),
        (ONE, "this one has none"),
        ("quorum none\nquorum none\n", "line 2: a policy has one quorum"),
        ("quorum A\n" + ONE, "line 1: no line before this one defines 'A'"),
        (f"{ONE}group g any A B\nquorum g\n", "line 2: no line before this one defines 'B'"),
        (f"{ONE}group g any g\nquorum g\n", "line 2: no line before this one defines 'g'"),
        (f"{ONE}group g any none\nquorum g\n", "line 2: no line before this one defines 'none'"),
        (f"{ONE}group g any\nquorum g\n", "with a member at least"),
        (f"{TWO}group g 2 A A\nquorum g\n", "'A' is a member already"),
        (f"{TWO}group g any A\ngroup h all A B\nquorum h\n", "line 4: 'A' is a member already"),
        (f"{TWO}group g 0 A B\nquorum g\n", "neither `any` nor `all` nor a number from 1 to 2"),
        (f"{TWO}group g 3 A B\nquorum g\n", "neither `any` nor `all` nor a number from 1 to 2"),
        (f"{TWO}group g 02 A B\nquorum g\n", "neither `any` nor `all`"),
        (f"{TWO}group A 1 A B\nquorum A\n", "the name 'A' is taken"),
        (f"{ONE}{ONE}quorum A\n", "line 2: this key of a witness is in the policy already"),
        (f"witness none {W['X1'].verifying.text}\nquorum none\n", "the name 'none' is taken"),
        (f"witness A {LOG.verifying.text}\nquorum A\n", "not an Ed25519 key of a witness"),
        (f"log {W['X1'].verifying.text}\nquorum none\n", "not an Ed25519 key"),
        (f"log {LOG.verifying.text}\n" * 2 + "quorum none\n", "this key of a log is in the policy already"),
        (f"log {LOG.verifying.text} a b\nquorum none\n", "a log is stated as"),
        ("witness A\nquorum none\n", "a witness is stated as"),
        ("quorum\n", "the quorum is stated as"),
        ("Quorum none\n", "no statement begins with 'Quorum'"),
        ("quorum none\r\n", "no control characters"),
        ("quorum none\x00\n", "no control characters"),
        ("#" * (MOST_BYTES + 1), "at most 65536 bytes"),
    ],
)
def test_what_is_no_policy_is_refused_and_the_line_is_named(text: str, says: str) -> None:
    with pytest.raises(Damaged) as refused:
        policy(text)
    assert says in str(refused.value)


def test_two_names_around_one_key_are_one_witness() -> None:
    """Else one witness could count as two."""
    renamed = Cosigner("another.example", private(3))
    with pytest.raises(Damaged, match="this key of a witness is in the policy already"):
        policy(f"{ONE}witness B {renamed.verifying.text}\nquorum none\n")


def test_a_policy_is_bounded() -> None:
    many = "".join(
        f"witness w{number} {Cosigner('w', private(number)).verifying.text}\n"
        for number in range(MOST_EACH + 1)
    )
    with pytest.raises(Damaged, match=f"line {MOST_EACH + 1}: a policy has at most 64"):
        policy(many + "quorum none\n")
