"""A zip archive as plain bytes: packed the same way every time, and unpacked without trusting its content.

Packing is reproducible on every machine, so the members are stored, not compressed: what deflate writes
depends on the build of zlib.  Unpacking reads both, because a file may have been repacked on its way.

The checksums of the archive are not checked: the caller compares the members' content byte for byte, and can
say which line of which member is wrong instead of "bad CRC".
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Collection, Mapping

from domain.log import Damaged
from domain.refusals import Sentence

TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say
MODE = 0o100644 << 16  # an ordinary file, readable by everybody
_LOCAL = b"PK\x03\x04"
_CENTRAL = b"PK\x01\x02"
_MOST_HEADERS = 64  # far more than a correct file has, far fewer than a hostile directory needs to cost time
_MOST_RATIO = 50  # of deflate, which packs the logs of all games to a third at best (hashes do not compress)
_SMALL = 64 * 1024  # bytes of a member; the ratio of a smaller one is not checked


def pack(members: Mapping[str, bytes]) -> bytes:
    """Return the archive of `members`, in their order; the same members give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, TIME)
            info.create_system, info.external_attr = 3, MODE  # 3: Unix, also when written elsewhere
            archive.writestr(info, content)
    return buffer.getvalue()


def unpack(data: bytes, names: Collection[str], most: int, whole: int) -> dict[str, bytes]:
    """Return the members of an archive.

    Only members in `names` may be there, each once and of at most `most` bytes, all together of at most
    `whole` bytes.  The archive is refused by its directory, before anything is unpacked.

    Raises:
        Damaged: it is not such an archive; the text names the member.
    """
    if data.count(_CENTRAL) > _MOST_HEADERS:
        raise Damaged(Sentence("too-many-members"))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error) as error:
        raise Damaged(Sentence("not-an-archive", {"error": str(error)})) from error
    for info in found:
        _must_be_within(info, most)
    if sum(info.file_size for info in found) > whole:
        raise Damaged(Sentence("unpacked-too-large", {"most": whole}))
    members: dict[str, bytes] = {}
    for info in found:
        if info.filename not in names:
            raise Damaged(Sentence("foreign-member", {"name": repr(info.filename[:80])}))
        if info.filename in members:
            raise Damaged(Sentence("member-of-archive-twice", {"name": info.filename}))
        members[info.filename] = _content(data, info)
    return members


def _must_be_within(info: zipfile.ZipInfo, most: int) -> None:
    """Raise Damaged if the directory entry states a size beyond the limits."""
    if max(info.file_size, info.compress_size) > most:
        raise Damaged(Sentence("member-too-large", {"name": info.filename[:80], "most": most}))
    if info.file_size > max(_SMALL, info.compress_size * _MOST_RATIO):
        raise Damaged(Sentence("packed-too-small", {"part": info.filename[:80], "ratio": _MOST_RATIO}))


def _content(data: bytes, info: zipfile.ZipInfo) -> bytes:
    if info.flag_bits & 0x41:
        raise Damaged(Sentence("member-encrypted", {"name": info.filename}))
    packed = _packed(data, info)
    if info.compress_type == zipfile.ZIP_STORED:
        content = packed
    elif info.compress_type == zipfile.ZIP_DEFLATED:
        content = _inflated(packed, info)
    else:
        raise Damaged(Sentence("unknown-compression", {"name": info.filename, "method": info.compress_type}))
    if len(content) != info.file_size:
        raise Damaged(
            Sentence(
                "size-not-as-said", {"name": info.filename, "count": len(content), "size": info.file_size}
            )
        )
    return content


def _packed(data: bytes, info: zipfile.ZipInfo) -> bytes:
    start = info.header_offset
    if start < 0 or data[start : start + 4] != _LOCAL or len(data) < start + 30:
        raise Damaged(Sentence("archive-without-beginning", {"name": info.filename}))
    name, extra = struct.unpack_from("<HH", data, start + 26)
    begin = start + 30 + name + extra
    packed = data[begin : begin + info.compress_size]
    if len(packed) != info.compress_size:
        raise Damaged(Sentence("member-cut-off", {"name": info.filename}))
    return packed


def _inflated(packed: bytes, info: zipfile.ZipInfo) -> bytes:
    """Unpack; return at most one byte more than the directory states, whatever the packed bytes hold."""
    try:
        content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, info.file_size + 1)
    except zlib.error as error:
        raise Damaged(Sentence("not-decompressed", {"name": info.filename, "error": str(error)})) from error
    if len(content) > info.file_size:
        raise Damaged(Sentence("larger-than-said", {"part": info.filename, "size": info.file_size}))
    return content
