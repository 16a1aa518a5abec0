"""What public logs and witnesses signed, and what C2SP shows as examples: our code reads and checks it.

The numbers are published facts: the example of C2SP signed-note, a tree head of the Go checksum database, and
a checkpoint of a Certificate Transparency log (TrustFabric's Arche 2025h1) that four witnesses cosigned.
Its first signature is by another key of that log, of a kind that we do not know.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from domain.log import Damaged
from domain.signed_notes import Checkpoint, Note, VerifyingKey
from replay.transparency.cosignature import CosignerKey, cosigned_at
from replay.transparency.policy import Policy

VECTORS = Path(__file__).parents[2] / "vectors" / "logs"

EXAMPLE_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
EXAMPLE_SIGNATURE = (
    "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM="
)
EXAMPLE = f"This is an example message.\n\n— example.com/foo {EXAMPLE_SIGNATURE}\n"

GO_KEY = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"
GO_SIGNATURES = {
    (6_476_701, "mb8QLQIs0Z0yP5Cstq6guj87oXWeC9gEM8oVikmm9Wk="): (
        "Az3grsLX85Gz+s1SiTbgkuqxgItqFq7gsMUEyVnrsa9LM7Us9S+1xbFIGu95949rj4nPRYfvimWEPWL+o3GeoWwOoAw="
    ),
    (65_209_736, "5+uGFjx6xBZG8ip1+wi77v+grwbhhukIrxEUS8PXvRo="): (
        "Az3grnbssgK7ubgFX36gVETtNv0U23qxyAhAMai2QUfeGa3nB/akvkMdlUErfcZz7l/R3cVtYspg3dxXABkGZZKdsQ8="
    ),
}

ARCHE = "arche2025h1.staging.ct.transparency.dev"
ARCHE_KEY = f"{ARCHE}+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
COSIGNED = (VECTORS / "arche2025h1.note").read_text("utf-8")
STATED = (VECTORS / "arche2025h1.witnesses").read_text("utf-8")  # four that cosigned it, and navigli
WITNESSES = dict(line.split(" ")[1:] for line in STATED.splitlines())
TIME = 1_779_573_024  # in seconds since 1970, of all four cosignatures


def policy(least: int, log: str = ARCHE_KEY) -> Policy:
    """So many of the five witnesses."""
    return Policy.parse(f"log {log}\n{STATED}group g {least} {' '.join(WITNESSES)}\nquorum g\n".encode())


def test_the_example_of_signed_notes_verifies() -> None:
    key = VerifyingKey.parse(EXAMPLE_KEY)
    assert (key.name, key.id, key.text) == ("example.com/foo", "530d903a", EXAMPLE_KEY)
    assert Note.parse(EXAMPLE).signed_by([key]) == key
    with pytest.raises(Damaged, match="does not fit"):
        Note.parse(EXAMPLE.replace("example message", "other message")).signed_by([key])


@pytest.mark.parametrize(("head", "signature"), GO_SIGNATURES.items(), ids=["6 million", "65 million"])
def test_tree_heads_of_the_go_checksum_database_verify(head: tuple[int, str], signature: str) -> None:
    size, root = head
    key = VerifyingKey.parse(GO_KEY)
    note = f"go.sum database tree\n{size}\n{root}\n\n— sum.golang.org {signature}\n"
    assert Note.parse(note).signed_by([key]) == key
    stated = Checkpoint.parse(Note.parse(note).text)
    assert (stated.origin, stated.size) == ("go.sum database tree", size)
    with pytest.raises(Damaged, match="does not fit"):
        Note.parse(note.replace(str(size), str(size + 1))).signed_by([key])


def test_four_public_witnesses_cosigned_a_checkpoint() -> None:
    note = Note.parse(COSIGNED)
    times = {name: cosigned_at(note, CosignerKey.parse(key)) for name, key in WITNESSES.items()}
    assert times == {**dict.fromkeys(WITNESSES, TIME), "navigli": None}


def test_a_policy_accepts_four_of_them_and_not_five() -> None:
    found = policy(4).checked(COSIGNED)
    assert (found.stated.size, found.log, len(found.by)) == (1_432_088_532, f"{ARCHE}+ba2f06c0", 4)
    with pytest.raises(Damaged, match="4 of 5"):
        policy(5).checked(COSIGNED)
    with pytest.raises(Damaged, match="no log of the policy"):
        policy(4, EXAMPLE_KEY).checked(COSIGNED)


@pytest.mark.parametrize("name", sorted(set(WITNESSES) - {"navigli"}))
def test_a_changed_time_of_a_public_cosignature_is_found(name: str) -> None:
    key = CosignerKey.parse(WITNESSES[name])
    changed, count = re.subn(rf"(— {re.escape(key.name)} \S{{10}})Bq", r"\1Br", COSIGNED)
    assert count == 1
    with pytest.raises(Damaged, match="does not fit"):
        cosigned_at(Note.parse(changed), key)
