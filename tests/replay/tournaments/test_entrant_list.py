"""Lists of entrants: what is read, and the one precise refusal of everything else."""

from __future__ import annotations

import pytest

from api.mail.settings import is_address
from domain.kernel import Refused
from replay.tournaments.entrant_list import MOST_BYTES, ListedEntrant, read_entrants


def test_a_list_is_read_with_and_without_a_byte_order_mark() -> None:
    content = "name,rating,seed,player\nAnn,1500,1,\n\n Ёлка ,,,p7\n".encode()
    wanted = [ListedEntrant(2, "Ann", "", 1500, 1), ListedEntrant(4, "Ёлка", "p7")]
    assert read_entrants(content) == read_entrants(b"\xef\xbb\xbf" + content) == wanted
    assert read_entrants(content.replace(b"\n", b"\r\n")) == wanted


def test_a_line_may_have_an_address_that_is_taken() -> None:
    content = b"name,mail\nAnn,ann@example.org\nBen,\n"
    assert read_entrants(content, is_address) == [
        ListedEntrant(2, "Ann", mail="ann@example.org"),
        ListedEntrant(3, "Ben"),
    ]


@pytest.mark.parametrize(
    ("content", "id", "values"),
    [
        (b"", "csv-columns", {}),
        (b"name\n", "csv-count", {"count": 0}),
        (b"nom\nAnn\n", "csv-columns", {}),
        (b"name,name\nAnn,Ben\n", "csv-columns", {}),
        ("name\nAnn\nЁлка\n".encode("cp1251"), "csv-encoding", {"line": 3}),
        ("name\nAnn\n".encode("utf-16"), "csv-encoding", {"line": 1}),
        (b"name,rating\nAnn\n", "csv-fields", {"line": 2, "count": 1, "wanted": 2}),
        (b"name,rating\nAnn,1,2\n", "csv-fields", {"line": 2, "count": 3}),
        (b"name,rating\nAnn,-1\n", "csv-value", {"line": 2, "column": "rating"}),
        (b"name,rating\nAnn,1e9\n", "csv-value", {"line": 2, "column": "rating"}),
        (b"name,rating\nAnn,99999\n", "csv-value", {"line": 2, "column": "rating"}),
        ("name,rating\nAnn,\u0661\n".encode(), "csv-value", {"line": 2, "column": "rating"}),
        (b"name\n" + b"x" * 65 + b"\n", "csv-value", {"line": 2, "column": "name"}),
        (b"name,mail\nAnn,ann\n", "csv-value", {"line": 2, "column": "mail"}),
        (b'name,mail\nAnn,"a@b.org\nBcc: x@y.org"\n', "csv-value", {"line": 3, "column": "mail"}),
        (b"name,player,mail\nAnn,p1,a@b.org\n", "csv-value", {"line": 2, "column": "mail"}),
        (b"name,seed\nAnn,1\nBen,1\n", "csv-twice", {"line": 3, "column": "seed", "other": 2}),
        (b"name\nAnn\nAnn\n", "csv-twice", {"line": 3, "column": "name", "other": 2}),
        ("name\n\u202eAnn\n".encode(), "text-character", {"field": "name"}),
        (b'name\n"Ann\nBen"\n', "text-character", {"field": "name"}),
        (b'name\n"Ann\n', "csv-broken", {}),
        (b"name\n" + b"".join(b"x%d\n" % number for number in range(1_001)), "csv-count", {"count": 1_001}),
    ],
    ids=str,
)
def test_bad_lists_are_refused_with_line_and_column(
    content: bytes, id: str, values: dict[str, object]
) -> None:
    with pytest.raises(Refused) as refused:
        read_entrants(content, is_address)
    assert refused.value.id == id
    assert {name: refused.value.values[name] for name in values} == values


def test_a_list_that_is_too_long_is_not_read() -> None:
    with pytest.raises(Refused) as refused:
        read_entrants(b"name\n" + b"x" * MOST_BYTES)
    assert refused.value.kind == "too-large"
