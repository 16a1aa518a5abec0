"""The result of importing one foreign log: the match, what was compared, and what did not agree.

`imported` reads a log and runs our rules along it; `lines` puts the result in words.
"""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

from msgspec import Struct

from domain.imported import alias, named
from domain.kernel import Result, Seat
from domain.match import Match
from domain.texts import Texts
from replay.importers.twilight_struggle.comparison import Mismatch
from replay.importers.twilight_struggle.driver import Driver, follow
from replay.importers.twilight_struggle.places import Place
from replay.importers.twilight_struggle.reader import read
from replay.importers.twilight_struggle.sections import decoded
from replay.importers.twilight_struggle.structure import Log, Unread
from replay.sanitize import one_line
from replay.scripted import digest_of
from replay.words import Words

MOST_TOLD = 100  # lines of one kind in a report


class Imported(Struct, frozen=True):
    """One log, imported.

    `checked` counts the values that were compared; `mismatches` are those that differ, or the place where
    our rules could follow no further.  `unread` are the lines that are not understood, `deal_problems` the
    reasons why no deal fits the log.  `match` holds the whole game.

    `lost` are entries that the rules could not follow, so that their end is set from the log;
    `resynchronised` are entries after which the rules came to another position than the log states.  In both
    cases the match goes on with what is stated.  `missing` are rounds without a line, `faults` values that
    are known to be wrong in logs of the commercial edition.
    """

    entries: int
    plays: int
    checked: int
    mismatches: tuple[Mismatch, ...]
    unread: tuple[Unread, ...]
    deal_problems: tuple[str, ...]
    match: Match
    secret: bytes
    resynchronised: int = 0
    lost: int = 0
    missing: tuple[Place, ...] = ()
    faults: tuple[Mismatch, ...] = ()

    @property
    def followed(self) -> int:
        """The entries that the rules followed, and after which the position was the one stated."""
        return self.entries - self.resynchronised - self.lost

    @property
    def clean(self) -> bool:
        """Was every line understood, and did everything agree?"""
        return not (self.mismatches or self.unread or self.missing or self.lost or self.resynchronised)

    @property
    def result(self) -> Result | None:
        """How the game ended; None where that is not known."""
        return self.match.result


def imported(data: bytes, product: str, *, names: bool = False) -> Imported:
    """Import a log: run our rules along it.

    Args:
        data: the file.
        product: the version of this program.
        names: keep the players' names; else they become aliases.

    Raises:
        BadLog: it cannot be read as a log.
    """
    said, content = read(data), content_of(data)
    driver = follow(said, content, product, _players(said, content, names))
    return Imported(
        entries=sum(len(turn.entries()) for turn in said.turns),
        plays=driver.plays,
        checked=driver.checker.checked,
        mismatches=tuple(_mismatches(driver, last=content.count(b"\n"))),
        unread=tuple(sorted(said.unread, key=lambda one: one.line)),
        deal_problems=tuple(driver.deal_problems),
        match=driver.recorded.match,
        secret=driver.recorded.secret,
        resynchronised=len(driver.resynchronised - set(driver.lost)),
        lost=len(driver.lost),
        missing=tuple(dict.fromkeys(driver.missing)),
        faults=tuple(driver.checker.faults),
    )


def content_of(data: bytes) -> bytes:
    """Return the text of a log, independent of line endings and of blanks at the ends of lines.

    Raises:
        BadLog: the file is not text.
    """
    lines = [text for _, text in decoded(data)]
    while not lines[-1]:
        lines.pop()
    return "".join(f"{text}\n" for text in lines).encode()


def _players(said: Log, content: bytes, names: bool) -> dict[Seat, str]:
    """Who sits where, by name or alias; one name in one log always has the same alias."""
    people = list(dict.fromkeys((said.ussr, said.us)))
    ids = {
        name: named(name) if names else alias(digest_of(content).hex(), number)
        for number, name in enumerate(people)
    }
    return {"us": ids[said.us], "ussr": ids[said.ussr]}


def _mismatches(driver: Driver, last: int) -> Iterator[Mismatch]:
    """In the order of their lines, none of them beyond the last."""
    found = list(driver.checker.mismatches)
    for one in sorted(found, key=lambda mismatch: mismatch.line):
        yield Mismatch(min(one.line, last), one.what, one.stated, one.ours)


# --------------------------------------------------------------------------- in words


def lines(file: str, found: Imported, language: str) -> list[str]:
    """Return the result for a file: a line for the whole and one for everything that was found."""
    words = Words(found.match, language)
    return [one_line(line) for line in _lines(file, found, words, _own(language))]


def _lines(file: str, found: Imported, words: Words, own: dict[str, Any]) -> Iterator[str]:
    say = own["says"]
    result = words.result(found.result) if found.result else say["no_result"]
    state = say["clean" if found.clean else "wrong"].format(
        mismatches=words.texts.write(say["mismatches"], count=len(found.mismatches)),
        unread=words.texts.write(say["unread"], count=len(found.unread)),
    )
    played = {name: words.texts.write(say[name], count=getattr(found, name)) for name in ("plays", "checked")}
    yield say["whole"].format(file=file, state=state, result=result, **played)
    counts = {"followed": found.followed, "resynchronised": found.resynchronised, "lost": found.lost}
    if not found.clean:
        yield f"  {say['entries'].format(**counts)}"
    yield from _some([_mismatch(mismatch, words, own) for mismatch in found.mismatches], say)
    yield from _some([_mismatch(fault, words, own) + say["fault"] for fault in found.faults], say)
    yield from _some([_missing(place, words, say) for place in found.missing], say)
    yield from _some(
        [say["line_unread"].format(line=line.line, text=line.text[:80]) for line in found.unread], say
    )
    yield from _some([say["deal"].format(problem=problem) for problem in found.deal_problems], say)


def _some(lines: list[str], say: dict[str, Any]) -> Iterator[str]:
    """The lines, cut to `MOST_TOLD`."""
    for line in lines[:MOST_TOLD]:
        yield f"  {line}"
    if len(lines) > MOST_TOLD:
        yield f"  {say['more'].format(count=len(lines) - MOST_TOLD)}"


def _missing(place: Place, words: Words, say: dict[str, Any]) -> str:
    turn, number, side = place
    if not number:
        return str(say["no_headlines"].format(turn=turn))
    return str(say["no_round"].format(turn=turn, round=number, side=words.name(side)))


def _mismatch(one: Mismatch, words: Words, own: dict[str, Any]) -> str:
    say = own["says"]
    if one.stated is None and one.ours is None:
        return str(say["stopped"].format(line=one.line, why=one.what))
    stated, ours = (_value(value, words, say["nothing"]) for value in (one.stated, one.ours))
    what = _what(one.what, words, own["what"])
    return str(say["mismatch"].format(line=one.line, what=what, stated=stated, ours=ours))


def _what(what: str, words: Words, forms: dict[str, str]) -> str:
    """What a mismatch is about: a form of words.<language>.toml, its ids named; else as it stands."""
    for form, says in forms.items():
        if found := re.fullmatch(form, what):
            return says.format(**{name: words.name(value) for name, value in found.groupdict().items()})
    return what


def _value(value: Any, words: Words, nothing: str) -> str:
    if value is None or value == "":
        return nothing
    if isinstance(value, list):
        return "".join(f"[{number}]" for number in value)  # as a log writes both totals
    if isinstance(value, bool):
        return words.shown("yes" if value else "no")
    return words.name(value)


def kept(phrase: str, value: str, language: str) -> str:
    """Return what became of an imported match, in words: stored, known, incomplete or written, and where."""
    return one_line(_own(language)["says"][phrase].format(match=value, file=value))


def summed(clean: int, wrong: int, bad: int, language: str) -> str:
    """Return the result for several files together."""
    own, words = _own(language)["says"], Texts(language, {})
    logs = words.write(own["logs"], count=clean + wrong + bad)
    return str(own["sum"].format(logs=logs, clean=clean, wrong=wrong, bad=bad))


@cache
def _own(language: str) -> dict[str, Any]:
    file = importlib.resources.files("replay.importers.twilight_struggle") / f"report.{language}.toml"
    return tomllib.loads(file.read_text("utf-8"))
