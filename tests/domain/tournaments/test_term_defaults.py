"""The terms of a tournament: what they are if a field is not given, and how an older log has them."""

from __future__ import annotations

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


def test_terms_without_a_cap_have_the_bytes_that_older_logs_have(toy_game: object) -> None:
    # given terms as an older log has them: all fields but the new one
    plain = msgspec.to_builtins(settled(Terms(game="toy", format="round_robin", rounds=3), None))
    assert set(FIELDS) - plain.keys() == {"knockout", "league", "stages", "forbidden", "vpd_cap"}

    # when they are read, then they have the same bytes and the same hash
    read = msgspec.convert(plain, Terms)
    assert canonical(read) == canonical(plain)
    assert digest(read) != digest(msgspec.structs.replace(read, vpd_cap=10))
