"""The receipt: the signed opening move comes with every read of a match before its seats are taken."""

from __future__ import annotations

from pathlib import Path

from domain.game import Game
from domain.signed_notes import Checkpoint, Note, VerifyingKey
from replay import verify
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import spectator


def key_of(client: Client) -> VerifyingKey:
    return VerifyingKey.parse(client.get("/v1/keys").json["present"])


def test_receipt_is_sent_on_opening_and_until_all_seats_are_taken(server: Served) -> None:
    ann, ben = server.player(), server.player("Ben")
    opened = ann.post("/v1/matches", {"game": "toy"}, idempotency_key="k")
    match, receipt = opened.json["match"], opened.json["receipt"]
    note = Note.parse(receipt)
    assert note.signed_by([key_of(ann)])
    checkpoint = Checkpoint.parse(note.text)
    assert (checkpoint.size, checkpoint.origin.endswith(f"/match/{match}")) == (1, True)
    address = f"/v1/matches/{match}"
    assert ben.get(f"{address}/checkpoint?move=1").body.decode() == receipt
    for look in (address, f"{address}?at=1", f"{address}?view=spectator"):
        assert server.client().get(look).json["receipt"] == receipt
    with spectator(server.port) as watching:
        assert watching.done("follow", match=match) == {"move": 1, "receipt": receipt}
    assert ann.post(f"{address}/seats/left").json["receipt"] == receipt
    assert server.client().get(f"{address}?at=1").json["receipt"] == receipt
    assert ben.post(f"{address}/seats/right").json["receipt"] is None
    assert ann.get(address).json["receipt"] is None
    assert ann.post("/v1/matches", {"game": "toy"}, idempotency_key="k").body == opened.body
    with spectator(server.port) as watching:
        assert watching.done("follow", match=match) == {"move": 3}
    ann.post(f"{address}/resignation", {})
    file = ann.get(f"{address}/file").body
    assert verify.verify(file, [key_of(ann)], receipt=receipt).ok
    assert not verify.verify(file, [key_of(ann)], receipt=receipt.replace("\n1\n", "\n2\n")).ok


def test_uploaded_match_has_no_receipt(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path / "one") as one, served(tmp_path / "other") as other:
        ann, eve = one.player(), other.player()
        match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
        void = {"reason": "the opponent did not come", "void": True}
        assert one.person("organizer").post(f"/v1/matches/{match}/rulings", void).status == 201
        file = ann.get(f"/v1/matches/{match}/file").body
        stored = eve.send("POST", "/v1/replays", file, {"content-type": "application/zip"})
        assert (stored.status, stored.json["receipt"]) == (201, None)
        for look in (f"/v1/matches/{match}", f"/v1/matches/{match}?at=1"):
            assert eve.get(look).json["receipt"] is None
