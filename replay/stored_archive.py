"""Large zip archives that are never whole in memory: written in one way only, and read only as written.

Members are stored, sorted by name, with fixed times, and nothing else is in the file; so equal members give
equal bytes, and no member can be larger than the file.  Reading refuses every other archive by its directory:
one that was packed again is to be fetched again.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Iterable
from typing import IO

from domain.log import Damaged
from domain.refusals import Sentence
from replay.archive import MODE, TIME

MOST_BYTES = 2**31 - 1  # of the whole archive: beyond that a zip needs other headers
_END = struct.Struct("<4s4H2LH")  # of the directory: the last bytes of the file
_END_MARK, _LARGE_MARK = b"PK\x05\x06", b"PK\x06\x07"
_LARGE = 20  # bytes before the end in which an archive may say that it has the other headers
TooLarge = zipfile.LargeZipFile
"""The archive would be larger than `MOST_BYTES`."""
_HEADER = 46 + 30  # bytes of the headers of a member, without its name twice
_LONGEST = 255  # characters of a name


def write(out: IO[bytes], members: Iterable[tuple[str, bytes]]) -> None:
    """Write an archive of members, which come sorted by name, into a file.

    Raises:
        ValueError: they are not sorted, or a name is there twice.
        TooLarge: the archive would be larger than `MOST_BYTES`.
    """
    before = ""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED, allowZip64=False) as archive:
        for name, content in members:
            if name <= before:
                raise ValueError(f"member {name!r} after {before!r}")
            archive.writestr(_info(name), content)
            before = name


class StoredArchive:
    """An archive in an open file, with the sizes of its members; their content is read on request.

    Args:
        most: bytes that a member of this name may have; None: no such member may be there.
        members: how many there may be.

    Raises:
        Damaged: the file is no such archive.
        OSError: it cannot be read.
    """

    def __init__(self, file: IO[bytes], most: Callable[[str], int | None], members: int) -> None:
        self._file = file
        size = file.seek(0, 2)
        directory = _directory(file, size, members)
        try:
            with zipfile.ZipFile(file) as archive:
                found = archive.infolist()
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error) as error:
            raise Damaged(Sentence("not-an-archive", {"error": str(error)[:200]})) from error
        self._places: dict[str, tuple[int, int]] = {}
        self._sums: dict[str, int] = {}
        at, before = 0, ""
        for info in found:
            at = self._add(info, at, before, most(info.filename))
            before = info.filename
        if at != directory:
            raise Damaged(Sentence("archive-without-end"))

    def _add(self, info: zipfile.ZipInfo, at: int, before: str, most: int | None) -> int:
        """Note a member that begins at a place; return where the next one begins."""
        name = info.filename
        if most is None:
            raise Damaged(Sentence("foreign-member", {"name": repr(name[:80])}))
        if name <= before:
            twice = Sentence("member-of-archive-twice", {"name": name})
            raise Damaged(twice if name == before else Sentence("not-packed-here", {"name": name}))
        if info.file_size > most:
            raise Damaged(Sentence("member-too-large", {"name": name, "most": most}))
        right = _info(name)
        right.CRC, right.file_size, right.compress_size = info.CRC, info.file_size, info.file_size
        header = right.FileHeader(zip64=False)
        is_ours = _plain(info) == _plain(right) and info.header_offset == at
        if not is_ours or self._bytes(at, len(header)) != header:
            raise Damaged(Sentence("not-packed-here", {"name": name}))
        self._places[name], self._sums[name] = (at + len(header), info.file_size), info.CRC
        return at + len(header) + info.file_size

    @property
    def names(self) -> list[str]:
        """The names of the members, sorted."""
        return list(self._places)

    def read(self, name: str) -> bytes:
        """Return the content of a member; its checksum is not checked.

        Raises:
            Damaged: the file got shorter.
            OSError: it cannot be read.
        """
        content = self._bytes(*self._places[name])
        if len(content) != self._places[name][1]:
            raise Damaged(Sentence("member-cut-off", {"name": name}))
        return content

    def place(self, name: str) -> tuple[int, int]:
        """Return where the content of a member begins, and its length in bytes."""
        return self._places[name]

    def checksum(self, name: str) -> int:
        """Return the CRC-32 that the directory states for a member."""
        return self._sums[name]

    def _bytes(self, at: int, count: int) -> bytes:
        self._file.seek(at)
        return self._file.read(count)


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, TIME)
    info.create_system, info.external_attr = 3, MODE  # 3: Unix, also when written elsewhere
    return info


def _plain(info: zipfile.ZipInfo) -> tuple[object, ...]:
    """The fields of a directory entry that are the same for all members, and its sizes."""
    return (
        info.compress_type,
        info.flag_bits,
        info.date_time,
        info.create_system,
        info.external_attr,
        info.internal_attr,
        info.extra,
        info.comment,
        info.compress_size,
        info.file_size,
    )


def _directory(file: IO[bytes], size: int, members: int) -> int:
    """Return where the directory begins; check the end of the file before it is read.  Raises Damaged."""
    if size > MOST_BYTES:
        raise Damaged(Sentence("file-too-large", {"most": MOST_BYTES}))
    file.seek(max(0, size - _END.size - _LARGE))
    last = file.read()
    if len(last) < _END.size or not last[-_END.size :].startswith(_END_MARK):
        raise Damaged(Sentence("archive-without-end"))
    _, disk, first, here, count, directory, begin, comment = _END.unpack(last[-_END.size :])
    whole = begin + directory + _END.size == size
    if (disk, first, comment, here) != (0, 0, 0, count) or not whole or last.startswith(_LARGE_MARK):
        raise Damaged(Sentence("archive-without-end"))
    if count > members or directory > count * (_HEADER + _LONGEST):
        raise Damaged(Sentence("too-many-members"))
    return int(begin)
