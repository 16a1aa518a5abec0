"""The terms of a tournament: what they are if a field is not given, and how an older log has them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.log import canonical
from domain.tournaments.terms import FIELDS, League, Stage, Terms, digest, settled

STAGES = (Stage("swiss", 2), Stage("knockout", 6, 4))


@pytest.mark.parametrize(
    ("terms", "tie_breaks"),
    [
        (Terms(game="toy", format="swiss", rounds=3), ("BH/C1", "BH", "SB", "DE", "WIN", "LOT")),
        (Terms(game="toy", format="round_robin", rounds=3), ("DE", "SB", "WIN", "LOT")),
        (Terms(game="toy", format="league", rounds=9, league=League((4, 4))), ("DE", "SB", "VPD")),
        (
            Terms(game="toy", format="stages", rounds=9, stages=STAGES),
            ("BH/C1", "BH", "SB", "DE", "WIN", "LOT"),
        ),
        (Terms(game="toy", format="round_robin", rounds=3, tie_breaks=()), ()),
    ],
)
def test_tie_breaks_that_are_not_given_are_those_of_the_format(
    terms: Terms, tie_breaks: tuple[str, ...], toy_game: object
) -> None:
    # given terms as they come in a request
    sent = msgspec.json.decode(msgspec.json.encode(terms), type=Terms)

    # when they are settled, then every tie-break is written out
    assert settled(sent, None).tie_breaks == tie_breaks
    assert sent.ranked_by == tie_breaks


def test_terms_without_newer_fields_have_the_bytes_that_older_logs_have(toy_game: object) -> None:
    # given terms as an older log has them: all fields but the newer ones
    newer: dict[str, Any] = {"vpd_cap": 10, "privileged_reads": "at_once"}
    plain = msgspec.to_builtins(settled(Terms(game="toy", format="round_robin", rounds=3), None))
    assert set(FIELDS) - plain.keys() == {"knockout", "league", "stages", "forbidden", *newer}

    # when they are read, then they have the same bytes and the same hash
    read = msgspec.convert(plain, Terms)
    assert canonical(read) == canonical(plain)
    for name, value in newer.items():
        assert digest(read) != digest(msgspec.structs.replace(read, **{name: value}))
