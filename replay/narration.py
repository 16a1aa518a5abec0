"""A match in sentences: every entry of its log, and every fact of every move, in English or Russian."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from domain.events import (
    ClockPaused,
    ClockResumed,
    ClockSet,
    ClockStopped,
    Closed,
    Frozen,
    Opened,
    Played,
    Released,
    Resigned,
    Restated,
    Ruled,
    SaltOpened,
    Seated,
    SecretOpened,
    TakebackAnswered,
    TakebackAsked,
    TakenBack,
    TimedOut,
)
from domain.imported import REMARK, name_of
from domain.kernel import Seat
from domain.log import Record
from domain.match import Match
from domain.texts import Marked, join
from replay.positions import kind_of, must_see
from replay.words import Words

People = Mapping[str, str | None]  # player id: name; None where the player was forgotten


class Paragraph(Struct, frozen=True):
    """One move in words: what was done, then one sentence for each fact.

    `at` is in microseconds UTC, None if unknown; `stands`: the move was not taken back.  `opening`: what was
    done; `reports`: the facts; `seating`: who plays which seat from this move on, if that changed.
    """

    move: int
    kind: str
    seat: Seat | None
    at: int | None
    stands: bool
    opening: Marked
    reports: tuple[Marked, ...]
    seating: tuple[Marked, ...] = ()

    @property
    def sentences(self) -> tuple[Marked, ...]:
        """All sentences, with the ids that they name."""
        return (self.opening, *self.reports, *self.seating)

    @property
    def done(self) -> str:
        """What was done."""
        return self.opening.text

    @property
    def facts(self) -> tuple[str, ...]:
        """A sentence for each fact."""
        return tuple(sentence.text for sentence in self.reports)

    @property
    def players(self) -> tuple[str, ...]:
        """Who plays which seat from here on."""
        return tuple(sentence.text for sentence in self.seating)

    @property
    def after(self) -> tuple[str, ...]:
        """The sentences on what followed."""
        return (*self.facts, *self.players)

    @property
    def text(self) -> str:
        """The whole paragraph on one line."""
        return " ".join((self.done, *self.after))


def narrated(
    match: Match, words: Words, viewer: Seat | None = None, people: People | None = None
) -> Iterator[Paragraph]:
    """Yield every move in words, as `viewer` (None: a spectator; ALL) may see it.

    Raises:
        NoView: see `replay.positions`.
    """
    must_see(match, viewer)
    stands = set(match.line())
    for record in match.records:
        yield _paragraph(match, record, words, viewer, people or {}, record.move in stands)


def narrate(
    match: Match, move: int, words: Words, viewer: Seat | None = None, people: People | None = None
) -> Paragraph:
    """Return one move in words.  Raises NoView: see `replay.positions`."""
    must_see(match, viewer)
    record = match.records[move - 1]
    return _paragraph(match, record, words, viewer, people or {}, match.stands(move))


def _paragraph(
    match: Match, record: Record, words: Words, viewer: Seat | None, people: People, stands: bool
) -> Paragraph:
    entry, telling = record.entry, _Telling(match, record, words, viewer, people)
    return Paragraph(
        record.move,
        kind_of(entry),
        getattr(entry, "seat", None),
        entry.at,
        stands,
        _TELLERS[type(entry)](telling),
        () if _begins_branch(telling) else tuple(map(words.fact, match.facts_for(record, viewer))),
        tuple(_players(telling)),
    )


class _Telling(Struct, frozen=True):
    """One move with what its sentences need: match, words, viewer, names."""

    match: Match
    record: Record
    words: Words
    viewer: Seat | None
    people: People

    @property
    def entry(self) -> Any:
        """The entry of the move."""
        return self.record.entry

    def player(self, player: str) -> str:
        """Return a player's name, or the id if the name is not known here."""
        name = self.people.get(player, name_of(player) or player)
        return self.words.shown("forgotten") if name is None else name

    def say(self, sentence: str, **values: Any) -> Marked:
        """Return the entry's sentence with the name of its seat."""
        seat = self.words.marked(self.entry.seat) if hasattr(self.entry, "seat") else ""
        return self.words.entry(sentence, seat=seat, **values)


def _players(telling: _Telling) -> Iterator[Marked]:
    """The sentences on who plays which seat from this move on; none if that does not change."""
    match, move, words = telling.match, telling.record.move, telling.words
    for seat in match.seats:
        seated = match.player_of(seat, move)
        if seated is None or seated is match.player_of(seat, move - 1):
            continue
        if seated.bot:
            yield words.entry("plays_bot", seat=words.marked(seat), bot=seated.bot)
        else:
            yield words.entry("plays", seat=words.marked(seat), player=telling.player(seated.player))


def _opened(telling: _Telling) -> Marked:
    opened, words = telling.entry, telling.words
    defaults = {option.name: option.default for option in telling.match.game.options}
    chosen = {name: value for name, value in opened.options.items() if defaults.get(name) != value}
    options = "".join(f", {name} = {_option(value)}" for name, value in chosen.items())
    told = telling.say("opened", game=words.game, edition=words.field(opened.edition), options=options)
    if opened.branch is not None:
        return join((told, words.entry("branch", match=opened.branch.match, move=opened.branch.move)))
    return join((told, Marked(REMARK[words.language]))) if telling.match.imported else told


def _option(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "{…}" if isinstance(value, dict) else str(value)


def _seated(telling: _Telling) -> Marked:
    seated = telling.entry
    if seated.bot:
        first = telling.say("seated_bot", bot=seated.bot)
    else:
        first = telling.say("seated", player=telling.player(seated.player))
    return join((first, *_salt_said(telling), *_begins(telling, "play_begins")))


def _salt_said(telling: _Telling) -> Iterator[Marked]:
    """How a player gave a salt; no sentence if the match has no salts."""
    if telling.match.provable and not telling.entry.bot:
        yield telling.say(f"salt_{telling.match.salt_marks[telling.entry.seat]}")


def _begins(telling: _Telling, sentence: str) -> Iterator[Marked]:
    if telling.match.begun != telling.entry.move:
        return
    yield telling.words.entry(sentence)
    if branch := telling.match.opened.branch:
        yield telling.words.entry("branch_begins", match=branch.match, move=branch.move)


def _begins_branch(telling: _Telling) -> bool:
    """Does a branch begin with this move?  Its facts were told in another match."""
    return telling.match.opened.branch is not None and telling.match.begun == telling.entry.move


def _salt_opened(telling: _Telling) -> Marked:
    return join((telling.say("salt_opened"), *_begins(telling, "play_begins_salts")))


def _played(telling: _Telling) -> Marked:
    entry = telling.entry
    picks = telling.match.picks_for(telling.record, telling.viewer)
    if picks is None:
        return telling.say("played_secret")
    if not picks:
        return telling.say("played_nothing")
    return telling.say("played", picks=telling.words.picks(entry.ask, picks))


def _clock_stopped(telling: _Telling) -> Marked:
    times = (telling.entry.start, telling.entry.end)
    since, to = map(telling.words.moment, times)
    return telling.say("clock_stopped", since=since, to=to)


def _clock_set(telling: _Telling) -> Marked:
    entry, words = telling.entry, telling.words
    if entry.until is not None:
        return telling.say("clock_date", until=words.moment(entry.until), why=entry.why)
    left, who = words.duration(entry.left), telling.player(entry.by)
    return telling.say("clock_set" if entry.why else "clock_given", left=left, player=who, why=entry.why)


def _takeback_answered(telling: _Telling) -> Marked:
    return telling.say("takeback_agreed" if telling.entry.agree else "takeback_declined")


def _ruled(telling: _Telling) -> Marked:
    ruled = telling.entry
    if ruled.back_to is not None:
        return telling.say("ruled_back", back_to=ruled.back_to, reason=ruled.reason)
    if ruled.result is not None:
        return telling.say("ruled_result", result=telling.words.result(ruled.result), reason=ruled.reason)
    return telling.say("ruled_void", reason=ruled.reason)


def _taken_back(telling: _Telling) -> Marked:
    how = "ruling" if telling.entry.by == "ruling" else "agreement"
    return telling.say(f"taken_back_{how}", to=telling.entry.to)


def _secret_opened(telling: _Telling) -> Marked:
    return telling.say("secret_opened" if telling.match.provable else "secret_opened_recorded")


def _closed(telling: _Telling) -> Marked:
    result = telling.entry.result
    if telling.entry.unopened:
        seats = ", ".join(telling.words.name(seat) for seat in telling.entry.unopened)
        return telling.say("closed_unopened", seats=seats)
    if result is None:
        return telling.say("closed_unknown" if telling.entry.by == "record" else "closed_void")
    return telling.say("closed", result=telling.words.result(result))


_TELLERS: dict[type, Callable[[_Telling], Marked]] = {
    Opened: _opened,
    Seated: _seated,
    SaltOpened: _salt_opened,
    Played: _played,
    TakebackAsked: lambda telling: telling.say("takeback_asked", to=telling.entry.to),
    TakebackAnswered: _takeback_answered,
    TakenBack: _taken_back,
    Resigned: lambda telling: telling.say("resigned"),
    TimedOut: lambda telling: telling.say("timed_out"),
    ClockStopped: _clock_stopped,
    ClockSet: _clock_set,
    ClockPaused: lambda telling: telling.say("clock_paused", why=telling.entry.why),
    ClockResumed: lambda telling: telling.say("clock_resumed", why=telling.entry.why),
    Frozen: lambda telling: telling.say("frozen", reason=telling.entry.reason),
    Released: lambda telling: telling.say("released", reason=telling.entry.reason),
    Restated: lambda telling: telling.say("restated", line=telling.entry.line),
    Ruled: _ruled,
    SecretOpened: _secret_opened,
    Closed: _closed,
}
