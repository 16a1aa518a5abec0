"""The keys outside the store: made once, private, rotated by a signed note."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from api.store.interface import StoreError
from api.store.keys import RING, WRAP_KEY, KeyRing, Vault, _new_ring, create_keys, wrap_key
from api.store.sqlite import SqliteStore
from domain.log import Damaged, unb64
from domain.signed_notes import Note, VerifyingKey

NAME = "games.example"
NOW = 1_790_000_000_000_000


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    folder = tmp_path / "keys"
    create_keys(folder, NAME)
    return folder


def test_keys_are_private_to_their_owner(keys: Path) -> None:
    assert stat.S_IMODE(keys.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in keys.iterdir()} == {
        RING: 0o600,
        WRAP_KEY: 0o600,
    }
    KeyRing.open(keys, NAME).rotate(NOW)
    assert stat.S_IMODE((keys / RING).stat().st_mode) == 0o600


def test_keys_are_made_once(keys: Path) -> None:
    before = {path.name: path.read_bytes() for path in keys.iterdir()}
    create_keys(keys, "another.example")
    assert {path.name: path.read_bytes() for path in keys.iterdir()} == before


def test_two_key_folders_have_nothing_in_common(keys: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    create_keys(other, NAME)
    assert wrap_key(other) != wrap_key(keys)
    assert KeyRing.open(other, NAME).present != KeyRing.open(keys, NAME).present


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_that_others_can_read_is_refused(keys: Path, mode: int) -> None:
    for file in (RING, WRAP_KEY):
        (keys / file).chmod(mode)
    with pytest.raises(StoreError, match="chmod 600"):
        KeyRing.open(keys, NAME)
    with pytest.raises(StoreError, match="chmod 600"):
        wrap_key(keys)


@pytest.mark.parametrize(
    "content", [b"", b"short", b"{}", b"AAAA\n", b'{"name":"x","private":"AAAA"}', b"\xff"]
)
def test_a_damaged_key_is_refused_with_the_way_out(keys: Path, content: bytes) -> None:
    for file in (RING, WRAP_KEY):
        (keys / file).write_bytes(content)
    with pytest.raises(StoreError, match=rf"{RING} is damaged .* GLASNOST_KEYS"):
        KeyRing.open(keys, NAME)
    with pytest.raises(StoreError, match=rf"{WRAP_KEY} is damaged .* GLASNOST_KEYS"):
        wrap_key(keys)


def test_missing_keys_are_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=rf"{RING} cannot be read .* GLASNOST_KEYS"):
        KeyRing.open(tmp_path, NAME)
    with pytest.raises(StoreError, match=rf"{WRAP_KEY} cannot be read .* GLASNOST_KEYS"):
        wrap_key(tmp_path)


def test_a_folder_that_cannot_hold_keys_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot hold keys"):
        create_keys(tmp_path / "file", NAME)


def test_a_ring_signs_under_its_own_name_only(keys: Path) -> None:
    with pytest.raises(StoreError, match=f"signs as {NAME}, not as other.example: set GLASNOST_NAME={NAME}"):
        KeyRing.open(keys, "other.example")


def test_a_rotation_is_a_note_by_the_old_key_that_names_the_new_one(keys: Path) -> None:
    ring = KeyRing.open(keys, NAME)
    old = ring.present
    note = Note.parse(ring.rotate(NOW))
    assert note.signed_by([old]) == old
    title, was, now, at = note.text.splitlines()
    assert (title, at) == ("glasnost key rotation", str(NOW))
    assert (VerifyingKey.parse(was), VerifyingKey.parse(now)) == (old, ring.present)


def test_retired_keys_are_kept_and_sign_no_more(keys: Path) -> None:
    ring = KeyRing.open(keys, NAME)
    seen = [ring.present]
    for number in range(2):
        ring.rotate(NOW + number)
        seen.append(ring.present)
    assert len({key.id for key in seen}) == 3
    again = KeyRing.open(keys, NAME)
    assert (again.retired, again.present) == (tuple(seen[:2]), seen[2])
    assert again.rotations == ring.rotations
    signed = Note.parse(again.signing.sign("text\n"))
    assert signed.signed_by(seen[:2]) is None
    assert signed.signed_by(seen) == seen[2]


def test_a_chain_of_rotations_leads_from_the_first_key_to_the_present(keys: Path) -> None:
    ring = KeyRing.open(keys, NAME)
    trusted = ring.present
    for number in range(3):
        ring.rotate(NOW + number)
    for text in ring.rotations:
        note = Note.parse(text)
        assert note.signed_by([trusted]) == trusted
        trusted = VerifyingKey.parse(note.text.splitlines()[2])
    assert trusted == ring.present


def test_a_forged_rotation_does_not_pass(keys: Path) -> None:
    ring = KeyRing.open(keys, NAME)
    old = ring.present
    forged = ring.rotate(NOW).replace(str(NOW), str(NOW + 1))
    with pytest.raises(Damaged):
        Note.parse(forged).signed_by([old])


def test_the_private_part_of_a_retired_key_is_gone(keys: Path) -> None:
    ring = KeyRing.open(keys, NAME)
    private = ring.signing._private.private_bytes_raw()
    before = (keys / RING).read_bytes()
    ring.rotate(NOW)
    assert any(unb64(text) == private for text in before.decode().split('"') if len(text) == 44)
    assert not any(unb64(text) == private for text in (keys / RING).read_text().split('"') if len(text) == 44)


def test_a_server_may_change_its_name_with_a_rotation(keys: Path) -> None:
    ring = KeyRing.open(keys, NAME)
    ring.rotate(NOW, "new.example")
    assert KeyRing.open(keys, "new.example").present.name == "new.example"
    assert [key.name for key in ring.retired] == [NAME]


def test_two_rings_of_one_folder_do_not_rotate_over_each_other(keys: Path) -> None:
    first, second = KeyRing.open(keys, NAME), KeyRing.open(keys, NAME)
    first.rotate(NOW)
    with pytest.raises(StoreError, match="changed by another process"):
        second.rotate(NOW)
    assert KeyRing.open(keys, NAME).present == first.present


def test_of_two_that_rotate_at_once_one_is_refused_and_no_key_is_lost(
    keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = KeyRing.open(keys, NAME), KeyRing.open(keys, NAME)
    refusals: list[StoreError] = []

    def rotate() -> None:
        try:
            second.rotate(NOW)
        except StoreError as error:
            refusals.append(error)

    late, made = Thread(target=rotate), _new_ring

    def between_look_and_change(name: str) -> Any:
        if late.ident is None:
            late.start()
            late.join(0.2)  # it waits for us, and for nothing else
        return made(name)

    monkeypatch.setattr("api.store.keys._new_ring", between_look_and_change)
    first.rotate(NOW)
    late.join()
    assert [str(error) for error in refusals] == [
        f"{keys / RING} was changed by another process; open it anew"
    ]
    assert KeyRing.open(keys, NAME).present == first.present


def test_a_ring_that_was_read_half_written_is_read_again(keys: Path) -> None:
    ring, path = KeyRing.open(keys, NAME), keys / RING
    before = ring.present
    KeyRing.open(keys, NAME).rotate(NOW)
    whole, moment = path.read_bytes(), path.stat().st_mtime_ns
    for content, signs in ((whole[:20], before), (whole, KeyRing.open(keys, NAME).present)):
        path.write_bytes(content)
        os.utime(path, ns=(moment, moment))  # a copy takes less time than the clock of files tells apart
        assert ring.present == signs


def test_the_vault_opens_only_with_its_own_key_and_for_its_own_match(keys: Path) -> None:
    vault, secret = Vault(wrap_key(keys)), bytes(range(32))
    wrapped = vault.wrap("m1", secret)
    assert vault.unwrap("m1", wrapped) == secret
    assert secret not in wrapped
    assert vault.wrap("m1", secret) != wrapped  # a fresh nonce each time
    flipped = wrapped[:-1] + bytes([wrapped[-1] ^ 1])
    foreign = Vault(bytes(32))
    for opener, match, kept in ((vault, "m2", wrapped), (foreign, "m1", wrapped), (vault, "m1", flipped)):
        with pytest.raises(StoreError, match=f"the secret of match {match} does not open"):
            opener.unwrap(match, kept)
    with pytest.raises(StoreError, match="does not open"):
        vault.unwrap("m1", b"")


def test_a_key_that_another_process_rotated_signs_here_too(folder: Path) -> None:
    create_keys(folder, "games.example")
    one, other = KeyRing.open(folder, "games.example"), KeyRing.open(folder, "games.example")
    first = other.signing.verifying
    note = one.rotate(5)
    assert other.signing.verifying.text == one.present.text != first.text
    assert [key.text for key in other.retired] == [first.text]
    assert other.rotations == (note,)


def test_a_ring_that_cannot_be_read_for_a_moment_is_kept(folder: Path) -> None:
    create_keys(folder, "games.example")
    ring = KeyRing.open(folder, "games.example")
    signing = ring.present.text
    (folder / "ring.json").write_text("{")
    assert ring.present.text == signing
    (folder / "ring.json").unlink()
    assert ring.present.text == signing


def test_a_link_does_not_bring_the_keys_into_the_store(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "store")
    with pytest.raises(StoreError, match="must lie outside"):
        SqliteStore.open(tmp_path / "store", keys=tmp_path / "link" / "keys")
