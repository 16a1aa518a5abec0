"""A file becomes a log: set-up, turns, entries, and the ways in which logs differ."""

from __future__ import annotations

import pytest

from replay.importers.twilight_struggle.reader import read
from replay.importers.twilight_struggle.structure import (
    ActionRound,
    BadLog,
    Bid,
    Cleanup,
    Column,
    Defcon,
    Discards,
    EventNamed,
    Headlined,
    InfluenceChange,
    InPlay,
    NotInPlay,
    OpsHeader,
    Paragraph,
    Score,
    Unread,
    Wins,
)
from tests.replay.importers.logs import HEADLINES, SET_UP, log_of, round_of, said_in

ROUND = "Turn 1, USSR AR1: Summit: Place Influence (1 Ops):\nUSSR +1 in Sudan [7][1]\n"
WHOLE = "\n\n".join((SET_UP, HEADLINES, ROUND))


# --------------------------------------------------------------------------- the set-up


def test_the_set_up_names_players_handicap_and_influence() -> None:
    log = log_of()
    assert (log.ussr, log.us, log.handicap, log.clock) == ("Ada", "Grace", {"us": 1}, "7 Hours")
    assert (log.scenario, log.added, log.optional_cards) == ("Standard", ("Optional Cards",), True)
    assert log.setup[0] == InfluenceChange(7, "ussr", 6, "hungary", 0, 6)
    assert [one.country for one in log.setup] == ["hungary", "greece"]
    assert (log.turns, log.unread) == ((), ())


def test_without_the_word_there_are_no_optional_cards() -> None:
    assert not log_of(set_up=SET_UP.replace("Optional Cards Added", "")).optional_cards


def test_players_who_bid_have_the_winning_bid_as_handicap() -> None:
    bids = (
        "SETUP: : Ada bids 1 Influence for USSR\nGrace bids 4 Influence for USSR\nGrace will play as USSR.\n"
    )
    log = log_of(set_up=bids + "Ada will play as USA.\nAdditional Influence from bidding: US +4\n")
    assert log.bids == (Bid("Ada", 1, "ussr"), Bid("Grace", 4, "ussr"))
    assert (log.ussr, log.us, log.handicap) == ("Grace", "Ada", {"us": 4})


def test_a_handicap_may_help_the_ussr_or_no_side() -> None:
    for text, handicap in (("USSR +3", {"ussr": 3}), ("None", {}), ("US +0", {"us": 0})):
        assert log_of(set_up=SET_UP.replace("US +1", text, 1)).handicap == handicap


def test_one_colon_after_the_word_setup_is_enough() -> None:
    assert log_of(set_up=SET_UP.replace("SETUP: :", "SETUP:")) == log_of()


def test_the_head_of_the_file_is_no_part_of_the_game() -> None:
    log = log_of(set_up="REPLAY 5\nDATA_SOURCE=somewhere\nhello\n" + SET_UP)
    assert (log.ussr, log.unread) == ("Ada", (Unread(3, "hello"),))


def test_a_strange_line_in_the_set_up_is_kept() -> None:
    assert log_of(set_up=SET_UP + "\nWeather: Fine").unread == (Unread(9, "Weather: Fine"),)


# --------------------------------------------------------------------------- entries


def test_a_headline_phase_knows_whose_card_is_whose_from_the_lines_below_its_head() -> None:
    text = "Turn 1, Headline Phase: Summit & Junta: US Headlines Summit\nUSSR Headlines Junta"
    headline = log_of(text).turns[0].headline
    assert headline is not None
    assert (headline.us, headline.ussr, headline.of("us"), headline.of("ussr")) == (
        "summit",
        "junta",
        "summit",
        "junta",
    )
    assert headline.said == (Headlined(10, "us", "summit"), Headlined(11, "ussr", "junta"))


def test_a_headline_phase_without_these_lines_names_the_card_of_the_ussr_first() -> None:
    headline = log_of("Turn 1, Headline Phase: Junta & Summit").turns[0].headline
    assert headline is not None
    assert (headline.ussr, headline.us, headline.said) == ("junta", "summit", ())


def test_a_headline_phase_may_name_one_card_only() -> None:
    headline = log_of("Turn 1, Headline Phase: Junta: US Headlines Junta").turns[0].headline
    assert headline is not None
    assert (headline.ussr, headline.us) == ("", "junta")


def test_an_action_round_has_side_number_card_and_statements() -> None:
    entry = round_of("Event: Nasser*\nUSSR +2 in Egypt [1][7]")
    assert entry == ActionRound(
        line=18,
        side="ussr",
        number=1,
        card="nasser",
        said=(EventNamed(18, "nasser"), InfluenceChange(19, "ussr", 2, "egypt", 1, 7)),
    )


@pytest.mark.parametrize("head", ["Turn 1, USSR AR1: :", "Turn 1, USSR AR1"])
def test_an_action_round_without_a_card_was_passed(head: str) -> None:
    assert log_of(HEADLINES, head).turns[0].rounds[0] == ActionRound(line=18, side="ussr", number=1)


def test_a_blank_line_ends_a_paragraph_and_several_end_it_once() -> None:
    said = said_in("Event: Nasser*\n\n\nPlace Influence (1 Ops):\n\n")
    assert said == (EventNamed(18, "nasser"), Paragraph(19), OpsHeader(21, "influence", 1))


def test_operations_in_the_paragraph_of_an_event_belong_to_that_event() -> None:
    said = said_in("Event: Lone Gunman*\nUS reveals Summit\nCoup (1 Ops):\n\nCoup (1 Ops):", '"Lone Gunman"*')
    headers = [one for one in said if isinstance(one, OpsHeader)]
    assert [one.inside_event for one in headers] == ["lone_gunman", ""]


def test_a_turn_gives_its_entries_in_order() -> None:
    log = log_of(HEADLINES, "Turn 1, USSR AR1: :", "Turn 1, US AR1: :", "Turn 4, Cleanup: Score is even.")
    turn = log.turns[0]
    assert turn.entries() == (turn.headline, *turn.rounds, turn.cleanup)
    assert [(one.side, one.number) for one in turn.rounds] == [("ussr", 1), ("us", 1)]


def test_an_unread_line_is_kept_with_its_number() -> None:
    log = log_of(HEADLINES, "Turn 1, USSR AR1: Summit: somebody sneezes\nand coughs")
    assert log.unread == (Unread(18, "somebody sneezes"), Unread(19, "and coughs"))


# --------------------------------------------------------------------------- the end of a turn


@pytest.mark.parametrize("head", ["Turn 9, Cleanup: ", "Turn 1, Cleanup: : ", "Turn 3, Cleanup\n"])
def test_the_end_of_a_turn_belongs_to_the_turn_before_whatever_number_it_prints(head: str) -> None:
    log = log_of(HEADLINES, "Turn 1, USSR AR1: :", head + "USSR gains 13 VP. Score is USSR 3.")
    cleanup = log.turns[0].cleanup
    assert cleanup is not None
    assert [type(one) for one in cleanup.said] == [Score]
    assert len(log.turns) == 1


def test_in_older_logs_the_end_of_a_turn_follows_its_last_round() -> None:
    last = "Turn 1, US AR6: Junta: Coup (2 Ops):\n\nNuclear Subs* is no longer in play.\nUS discards Junta"
    log = log_of(HEADLINES, last, "Turn 2, Headline Phase: Summit & Junta:")
    assert log.turns[0].rounds[0].said == (OpsHeader(18, "coup", 2),)
    said = (NotInPlay(20, "nuclear_subs"), Discards(21, "us", "junta"))
    assert log.turns[0].cleanup == Cleanup(line=20, said=said)


def test_an_effect_that_does_not_end_with_the_turn_stays_in_the_round() -> None:
    last = 'Turn 1, US AR6: Junta: Coup (2 Ops):\n\n"We Will Bury You"* is no longer in play.'
    log = log_of(HEADLINES, last, "Turn 2, Headline Phase: Summit & Junta:")
    assert log.turns[0].cleanup is None
    assert log.turns[0].rounds[0].said[-1] == NotInPlay(20, "we_will_bury_you")


def test_the_last_paragraph_of_a_turn_that_goes_on_is_no_end() -> None:
    log = log_of(HEADLINES, "Turn 1, US AR1: Junta: Coup (2 Ops):\n\nNuclear Subs* is no longer in play.")
    assert log.turns[0].cleanup is None


# --------------------------------------------------------------------------- the end of the game


def test_the_end_of_the_game_has_a_head_without_words() -> None:
    log = log_of(HEADLINES, ": : US gains 4 VP. Score is US 9.")
    assert log.end == (Score(18, "us", 4, 9),)
    assert log_of(HEADLINES, ": :").end == ()


def test_the_end_of_the_game_may_follow_the_last_entry() -> None:
    log = log_of(
        HEADLINES, "Turn 1, USSR AR1: Junta: Coup (2 Ops):\nDEFCON degrades to 1\n\nUS wins by DEFCON"
    )
    assert log.end == (Wins(21, "us", "DEFCON"),)
    assert log.turns[0].rounds[0].said == (OpsHeader(18, "coup", 2), Defcon(19, 1, False))


def test_in_the_headline_phase_too() -> None:
    log = log_of("Turn 1, Headline Phase: Summit & Junta: DEFCON degrades to 1\n\nUSSR wins")
    assert log.end == (Wins(12, "ussr", ""),)


def test_after_turn_ten_points_without_a_head_are_the_final_score() -> None:
    turns = [f"Turn {number}, Headline Phase: Summit & Junta:" for number in range(1, 11)]
    last = "Turn 10, US AR7: OPEC: Place Influence (3 Ops):\n\nContainment* is no longer in play.\n"
    log = log_of(*turns, last + "\nUS gains 6 VP. Score is US 2.")
    assert [type(one) for one in log.end] == [Score]
    cleanup = log.turns[-1].cleanup
    assert cleanup is not None
    assert [type(one) for one in cleanup.said if not isinstance(one, Paragraph)] == [NotInPlay]


# --------------------------------------------------------------------------- columns

COLUMNS = """REPLAY 7

--- Turn 1, both Headline: Junta & Summit ---
[score -2] [defcon 5]

{set_up}
Turn 1, Headline Phase: Junta & Summit: USSR Headlines Junta

--- Turn 1, USSR AR1: Nasser* ---
[score 3] [defcon 4]

Turn 1, USSR AR1: Nasser*: Place Influence (1 Ops):

--- Turn 1, US AR1:  ---
[score 3] [defcon 3]

Turn 1, US AR1: :

--- Turn 1, US AR1:  ---
[score 5] [defcon 4]

Nuclear Subs* is no longer in play.

--- Turn 2, both Headline: Summit & Junta ---
[score 0] [defcon 5]
"""


def test_a_column_belongs_to_the_entry_that_follows_it() -> None:
    log = read(COLUMNS.format(set_up=SET_UP).encode())
    first, second = log.turns
    assert [entry.column for entry in first.entries()] == [
        Column(4, -2, 5),
        Column(17, 3, 4),
        Column(22, 3, 3),
        Column(27, 5, 4),
    ]
    assert [type(entry).__name__ for entry in first.entries()] == [
        "Headline",
        "ActionRound",
        "ActionRound",
        "Cleanup",
    ]
    assert second.headline is not None
    assert (second.headline.ussr, second.headline.column) == ("summit", Column(32, 0, 5))
    assert log.unread == ()


def test_the_same_log_without_columns_says_the_same() -> None:
    text = COLUMNS.format(set_up=SET_UP)
    bare = "\n".join(line for line in text.splitlines() if not line.startswith(("---", "[")))
    first = read(text.encode()).turns[0].rounds[0]
    again = read(bare.encode()).turns[0].rounds[0]
    assert (again.column, first.column) == (None, Column(17, 3, 4))
    assert (again.card, [type(one) for one in again.said]) == (first.card, [type(one) for one in first.said])


# --------------------------------------------------------------------------- bytes


@pytest.mark.parametrize(
    "data",
    [
        WHOLE.replace("\n", "\r\n").encode(),
        WHOLE.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + WHOLE.encode(),
        WHOLE.replace(" ", "\t").encode(),
        WHOLE.replace("\n", "  \n").encode(),
    ],
    ids=["CRLF", "CR", "BOM", "tabs", "blanks"],
)
def test_the_bytes_of_a_file_may_differ(data: bytes) -> None:
    assert read(data) == read(WHOLE.encode())


def test_ends_of_lines_may_be_mixed() -> None:
    assert read(WHOLE.replace("\n\n", "\r\n\r\n").encode()) == read(WHOLE.encode())


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "latin-1"])
def test_a_name_may_be_written_in_three_encodings(encoding: str) -> None:
    assert read(WHOLE.replace("Ada", "Zoë").encode(encoding)).ussr == "Zoë"


def test_quotation_marks_of_an_old_code_page_do_no_harm() -> None:
    text = WHOLE.replace("Summit", "“One Small Step…”")
    assert read(text.encode("cp1252")).turns[0].rounds[0].card == "one_small_step"


# --------------------------------------------------------------------------- what is no log

NONSENSE = [
    (b"", 1, "expected a log, found an empty file"),
    (b" \r\n\n \t", 1, "expected a log, found an empty file"),
    (b"\n\nDear diary,\n", 3, "expected the set-up of a game, found 'Dear diary,'"),
    (b"PK\x03\x04\x14\x00", 1, "expected text, found signs that no text holds"),
    (WHOLE.encode("utf-16"), 1, "expected text, found signs that no text holds"),
    (b"x" * 500_001, 1, "expected a log of at most 500,000 bytes, found 500,001"),
]


@pytest.mark.parametrize(("data", "line", "text"), NONSENSE, ids=[text[:50] for _, _, text in NONSENSE])
def test_what_is_no_log_is_refused_with_the_line_and_what_was_expected(
    data: bytes, line: int, text: str
) -> None:
    with pytest.raises(BadLog) as refused:
        read(data)
    assert refused.value.line == line
    assert refused.value.text.startswith(text)
    assert str(refused.value) == f"line {line}: {refused.value.text}"


STRANGE = [
    (WHOLE.encode() + b"\xc3\xab\n\xeb\n", {20, 21}),
    (WHOLE.encode() + b"\x81\n", {20}),
    ((WHOLE + "Target: Atlant").encode(), {20}),
    ((WHOLE + "USSR Military Op").encode(), {20}),
    ((WHOLE + "Turn 1, US A").encode(), {20}),
    ((SET_UP + "\nWeather: Fi").encode(), {9}),
    ((WHOLE + "\nTurn 11, US AR1: Junta: \n").encode(), {21}),
    ((WHOLE + "\nTurn 1, US AR1: Atlantis: \n").encode(), {21}),
    ((WHOLE + "\nTurn 1, US AR9: Junta: \n").encode(), {21}),
    ((WHOLE + SET_UP).encode(), {20}),
    ((HEADLINES + "\n" + SET_UP).encode(), set[int]()),
    (SET_UP.replace("Grace will", "Grace may").encode(), {2}),
]


@pytest.mark.parametrize(("data", "lines"), STRANGE)
def test_no_line_makes_a_log_unreadable(data: bytes, lines: set[int]) -> None:
    assert {one.line for one in read(data).unread} == lines


def test_turns_may_be_missing_but_never_go_back() -> None:
    late = "Turn 3, Headline Phase: Junta & Summit:"
    log = log_of(HEADLINES, late, "Turn 2, Headline Phase: Che & Summit:", "Turn 4, USSR AR2: Junta: ")
    assert [turn.number for turn in log.turns] == [1, 2, 4]
    log = log_of(HEADLINES, late, "Turn 5, USSR AR2: Junta: ", "Turn 6, US AR1: Che: ")
    assert [turn.number for turn in log.turns] == [1, 3, 5, 6]


def test_a_head_that_is_printed_twice_is_one() -> None:
    text = "Turn 1, USSR AR1: Nasser*: Place Influence (1 Ops):"
    (turn,) = log_of(HEADLINES, f"{text}\n{text}\nUSSR +1 in Libya [0][1]").turns
    assert [(entry.number, len(entry.said)) for entry in turn.rounds] == [(1, 2)]


def test_the_lines_of_an_entry_are_limited() -> None:
    log = log_of(HEADLINES, "Turn 1, USSR AR1: Nasser*:\n" + "USSR +1 in Libya [0][1]\n" * 10_000)
    assert sum(len(entry.said) for turn in log.turns for entry in turn.entries()) < 500
    assert len(log.unread) > 9_500


def test_a_log_that_stops_after_any_line_is_a_game_that_stops_there() -> None:
    text = COLUMNS.format(set_up=SET_UP)
    lines = text.splitlines(keepends=True)
    first = text[: text.index("USSR +6")].count("\n")
    for count in range(first, len(lines) + 1):
        assert read("".join(lines[:count]).encode()).unread == ()


def test_the_last_line_needs_no_end_of_line_where_it_is_whole() -> None:
    assert read(WHOLE.rstrip("\n").encode()) == read(WHOLE.encode())


def test_what_lasts_and_what_is_said_of_it() -> None:
    assert said_in("Nuclear Subs* is now in play.") == (InPlay(18, "nuclear_subs"),)


def test_a_rule_that_numbers_its_round_otherwise_is_kept_as_a_strange_line() -> None:
    """One of the two numbers is wrong, and it is not known which."""
    text = "Turn 1, USSR AR1: Nasser*: Place Influence (1 Ops):\nUSSR +1 in Libya [0][1]"
    log = log_of(HEADLINES, f"--- Turn 1, USSR AR2: Nasser* ---\n[score 0] [defcon 5]\n\n{text}")
    assert [(entry.number, entry.card) for entry in log.turns[0].rounds] == [(1, "nasser")]
    assert [strange.text for strange in log.unread] == ["--- Turn 1, USSR AR2: Nasser* ---"]
