"""The file of a tournament's terms: as it is printed with every field and a comment, and as it is read."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from api.cli.common import CannotBeDone, read_bytes
from domain.tournaments.terms import GivenTerms, Terms, Title, usual_tie_breaks

MOST_BYTES = 64 * 1024

_LINES: tuple[tuple[str, str, str], ...] = (
    ('title = "Open of the club"', "shown everywhere", "название"),
    ('game = "{game}"', "a game of `glasnost games`", "игра из `glasnost games`"),
    (
        'format = "{format}"',
        "swiss, round_robin, knockout, league or stages",
        "система: swiss (швейцарская), round_robin (круговая), knockout (на выбывание), league, stages",
    ),
    (
        "rounds = {rounds}",
        "so many rounds, or the most there may be",
        "число туров, или сколько их может быть",
    ),
    ('edition = "{edition}"', "the edition of the game", "издание игры"),
    ("options = {{}}", "options of the game that are not its defaults", "параметры игры, если не обычные"),
    ("cycles = 1", "2: everybody meets everybody twice", "2 — играют в два круга"),
    (
        'sides = "colours"',
        "colours, both (two matches each), bid, lot or handicap:+2: who has which seat",
        "стороны: colours (по цвету), both (две партии), bid (торги), lot (жребий), handicap:+2",
    ),
    (
        "clock = []",
        'such as [{{mode = "bank", main = 5400, increment = 30}}], in seconds;'
        ' with time_up = "report" in it no player loses on time, and officials see whose time is up',
        'например, [{{mode = "bank", main = 5400, increment = 30}}], в секундах;'
        ' с time_up = "report" просрочка не проигрывает партию, её видят судьи',
    ),
    (
        "tie_breaks = {tie_breaks}",
        "after the points, in this order",
        "дополнительные показатели после очков, по порядку",
    ),
    (
        "points = {{win = 2, draw = 1, loss = 0, pairing_bye = 2}}",
        "in half points",
        "в половинах очка",
    ),
    (
        "windows = []",
        "for each round {{opens = ..., until = ...}}, in microseconds UTC",
        "для каждого тура {{opens = ..., until = ...}}, в микросекундах UTC",
    ),
    ('time_zone = "UTC"', "in which dates are shown", "в каком поясе показывать даты"),
    ("most_entrants = 500", "so many places", "число мест"),
    ("waiting_list = true", "later entrants wait for a place", "опоздавшие ждут места"),
    (
        "late_rounds = 0",
        "so many rounds after which one may still enter",
        "сколько туров ещё можно заявиться",
    ),
    ("byes = 1", "so many byes an entrant may ask for", "сколько пропусков может просить участник"),
    ("late_byes = false", "in the last two rounds, too", "пропуски и в двух последних турах"),
    ("grace = 86400", "seconds to sit down after the round opens", "секунд на явку после начала тура"),
    (
        "calls_hold = true",
        "no round is published while an arbiter is called",
        "тур не публикуется, пока судья не ответил на вызов",
    ),
    ('visibility = "public"', "public, or link: in no list", "public или link — нет в списках"),
    ("rated = true", "matches count for ratings", "партии идут в рейтинг"),
    (
        "house_seeded = true",
        "a match counts if its players added no salt; false: an official confirms it first",
        "партия засчитывается и без соли игроков; false — её сначала подтверждает судья",
    ),
    ("accelerated = false", "Baku acceleration of a Swiss tournament", "ускорение (бакинская система)"),
    (
        'engine = ""',
        "the pairing engine; empty: that of the first pairing",
        "программа жеребьёвки; пусто — как в первом туре",
    ),
)


_CONTESTS = (
    "knockout = {best_of = 1, decider = {}}",
    "games of a contest (1, 2 or 3); options of a deciding one, such as {bid = 'victory_points'}",
    "партий во встрече (1, 2 или 3); параметры решающей, например {bid = 'victory_points'}",
)
_MORE: dict[str, tuple[tuple[str, str, str], ...]] = {
    "swiss": (),
    "round_robin": (),
    "knockout": (_CONTESTS,),
    "league": (
        (
            "league = {divisions = [8, 8], up = 2, down = 2}",
            "sizes, the highest division first; so many move up and down",
            "размеры дивизионов от высшего; сколько переходит вверх и вниз",
        ),
    ),
    "stages": (
        (
            "stages = [{format = 'swiss', rounds = 5}, {format = 'knockout', rounds = 9, entrants = 8}]",
            "each later one for so many of the one before",
            "каждый следующий этап — для стольких лучших из предыдущего",
        ),
        _CONTESTS,
    ),
}
_ROUNDS = {"knockout": 18, "league": 14, "stages": 14}


class TermsFile(Struct, frozen=True):
    """A title, and terms."""

    title: Title
    terms: Terms


def template(format: str, game: str, edition: str, language: str) -> str:
    """Return a file with every field and a comment behind it."""
    place, rounds = (1 if language == "en" else 2), _ROUNDS.get(format, 7)
    values = {"format": format, "game": game, "edition": edition, "rounds": rounds}
    values |= {"tie_breaks": json.dumps(usual_tie_breaks(format))}
    lines = [f"{line[0].format(**values)}  # {line[place].format()}\n" for line in _LINES]
    more = "".join(f"{text}  # {(english, russian)[place - 1]}\n" for text, english, russian in _MORE[format])
    until = {
        "en": "# until = 1900000000000000  # the date of the whole tournament, in microseconds UTC\n",
        "ru": "# until = 1900000000000000  # срок всего турнира, в микросекундах UTC\n",
    }
    cap = {
        "en": "# vpd_cap = 10  # the tie-break VPD counts at most so many points of one round\n",
        "ru": "# vpd_cap = 10  # сколько очков одного тура самое большее считает показатель VPD\n",
    }
    reads = {
        "en": '# privileged_reads = "after_match"  # when all see who looked at hidden cards; else at_once\n',
        "ru": '# privileged_reads = "after_match"  # когда всем видно, кто смотрел скрытое; иначе at_once\n',
    }
    return "".join(lines) + more + cap[language] + reads[language] + until[language]


def read_terms(path: Path) -> TermsFile:
    """Read a file of terms; whether they are possible is judged by the gate.

    Raises:
        CannotBeDone: it cannot be read, is no TOML, or a field is unknown or of another type.
    """
    content = read_bytes(path, limit=MOST_BYTES, what="file of terms")
    try:
        plain: dict[str, Any] = tomllib.loads(content.decode())
        title = plain.pop("title", None)
        return TermsFile(msgspec.convert(title, Title), msgspec.convert(plain, GivenTerms).listed)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise CannotBeDone(f"{path}: {error}") from error
