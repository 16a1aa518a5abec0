"""A zip archive as plain bytes: packed the same way every time, unpacked without trusting a word of it.

Packing is reproducible on every machine, so the members are stored, not compressed: what deflate writes
depends on the build of zlib.  Unpacking reads both, because a file may have been repacked on its way.

Checksums of the archive are not looked at: the caller compares the members' content byte for byte, and can
then say which line of which member is wrong instead of "bad CRC".
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Collection, Mapping

from domain.log import Damaged

_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say
_MODE = 0o100644 << 16  # an ordinary file, readable by everybody
_LOCAL = b"PK\x03\x04"
_CENTRAL = b"PK\x01\x02"
_MOST_HEADERS = 64  # far above what a sound file holds, far below what a hostile directory costs
_MOST_RATIO = 50  # of deflate; logs of all games are packed to a third at best, for hashes cannot be
_SMALL = 64 * 1024  # bytes of a member whose ratio is not looked at


def pack(members: Mapping[str, bytes]) -> bytes:
    """The archive of `members`, in their order; the same members give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _TIME)
            info.create_system, info.external_attr = 3, _MODE  # 3: Unix, also when written elsewhere
            archive.writestr(info, content)
    return buffer.getvalue()


def unpack(data: bytes, names: Collection[str], most: int, whole: int) -> dict[str, bytes]:
    """The members of an archive; only those in `names` may be there, each once and of at most `most` bytes,
    all together of at most `whole`.  What its directory says is enough to refuse it.

    Raises:
        Damaged: not such an archive; the text names the member.
    """
    if data.count(_CENTRAL) > _MOST_HEADERS:
        raise Damaged("the archive lists far too many members")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error) as error:
        raise Damaged(f"not a zip archive, or cut off: {error}") from error
    for info in found:
        _must_be_within(info, most)
    if sum(info.file_size for info in found) > whole:
        raise Damaged(f"unpacked it is larger than the {whole} bytes that are read")
    members: dict[str, bytes] = {}
    for info in found:
        if info.filename not in names:
            raise Damaged(f"the archive holds {info.filename[:80]!r}, which does not belong in it")
        if info.filename in members:
            raise Damaged(f"{info.filename}: it is in the archive twice")
        members[info.filename] = _content(data, info)
    return members


def _must_be_within(info: zipfile.ZipInfo, most: int) -> None:
    """Raises Damaged: its directory entry promises too much."""
    if max(info.file_size, info.compress_size) > most:
        raise Damaged(f"{info.filename[:80]}: larger than the {most} bytes that are read")
    if info.file_size > max(_SMALL, info.compress_size * _MOST_RATIO):
        raise Damaged(f"{info.filename[:80]}: packed to less than a {_MOST_RATIO}th, as no log can be")


def _content(data: bytes, info: zipfile.ZipInfo) -> bytes:
    if info.flag_bits & 0x41:
        raise Damaged(f"{info.filename}: it is encrypted")
    packed = _packed(data, info)
    if info.compress_type == zipfile.ZIP_STORED:
        content = packed
    elif info.compress_type == zipfile.ZIP_DEFLATED:
        content = _inflated(packed, info)
    else:
        raise Damaged(f"{info.filename}: compressed by a method ({info.compress_type}) that is not read")
    if len(content) != info.file_size:
        raise Damaged(f"{info.filename}: {len(content)} bytes, where the archive says {info.file_size}")
    return content


def _packed(data: bytes, info: zipfile.ZipInfo) -> bytes:
    start = info.header_offset
    if start < 0 or data[start : start + 4] != _LOCAL or len(data) < start + 30:
        raise Damaged(f"{info.filename}: the archive has lost its beginning")
    name, extra = struct.unpack_from("<HH", data, start + 26)
    begin = start + 30 + name + extra
    packed = data[begin : begin + info.compress_size]
    if len(packed) != info.compress_size:
        raise Damaged(f"{info.filename}: cut off")
    return packed


def _inflated(packed: bytes, info: zipfile.ZipInfo) -> bytes:
    """Never more than one byte beyond what the directory says, whatever the packed bytes promise."""
    try:
        content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, info.file_size + 1)
    except zlib.error as error:
        raise Damaged(f"{info.filename}: cannot be decompressed: {error}") from error
    if len(content) > info.file_size:
        raise Damaged(f"{info.filename}: larger than the {info.file_size} bytes that the archive says")
    return content
