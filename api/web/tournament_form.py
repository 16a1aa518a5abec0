"""The form of a new tournament: its fields as terms, and what is wrong beside the field that it is about.

Each format has fields of its own; those of the other formats are not read.  A form that is wrong is shown
again as it was sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args
from zoneinfo import available_timezones

import msgspec
from msgspec import Struct
from starlette.responses import Response

from api.http.caching import NEVER
from api.http.routes.tournaments import actor_of, imported
from api.http.routing import Call
from api.http.tournament_schemas import TournamentImport
from api.web.shell import HasShell, texts
from api.web.tournament_parts import back_to, form_of
from domain.games import GAMES
from domain.kernel import Refused
from domain.tournaments.formats.knockout import MOST as MOST_SEEDS
from domain.tournaments.formats.knockout import MOST_GAMES, BestOf
from domain.tournaments.formats.knockout import rounds as rounds_of_bracket
from domain.tournaments.formats.league import MOST_DIVISIONS
from domain.tournaments.terms import (
    AFTER_MATCH,
    BOTH,
    GAME_POINTS,
    MOST_BYES,
    MOST_ENTRANTS,
    MOST_ROUNDS,
    MOST_STAGES,
    TITLE,
    Format,
    StageFormat,
    Terms,
    usual_tie_breaks,
)
from replay.game_words import game_words, title_of

ORGANIZING = ("organizer", "admin")
FORMATS: tuple[str, ...] = get_args(Format)
ZONES = tuple(sorted(available_timezones()))
STAGES = range(1, MOST_STAGES + 1)
PLACES = 500  # that the form begins with
_BOUNDS = {  # of the numbers of the form, both included
    "rounds": (1, MOST_ROUNDS),
    "days": (1, 365),
    "cap": (1, 365),
    "main": (1, 525_600),
    "increment": (0, 604_800),
    "most_entrants": (2, MOST_ENTRANTS),
    "late_rounds": (0, MOST_ROUNDS),
    "byes": (0, MOST_BYES),
    "grace_hours": (0, 720),
    "cycles": (1, 2),
    "best_of": (1, max(get_args(BestOf))),
    "up": (0, 32),
    "down": (0, 32),
    "division": (2, 64),
    "stage_rounds": (1, MOST_ROUNDS),
    "stage_entrants": (2, MOST_ENTRANTS),
}
_ABOUT = {  # the field that a refusal of terms is about
    "title-blank": "title",
    "text-character": "title",
    "tie-breaks": "tie_breaks",
    "more-move-than-stay": "divisions",
    "stage-sizes": "stages",
    "stage-rounds": "stages",
    "cycles-of-swiss": "cycles",
    "both-sides-of-knockout": "both_sides",
    "both-sides-entrants": "most_entrants",
    "import-format": "format",
    "no-place-left": "most_entrants",
}
_OF_FORM = ("terms", "invalid", "unknown-game", "bad-option", "no-place", "not-entered", "too-large")
_OF_FILE = ("trf-", "import-", "name-", "body-")  # how the ids of refusals begin that are about a TRF
_PATH = re.compile(r"`\$\.(\w+)")
_START = {
    "format": "swiss",
    "rounds": "5",
    "clock": "days",
    "days": "3",
    "cap": "7",
    "main": "90",
    "increment": "30",
    "waiting_list": "true",
    "calls_hold": "true",
    "rated": "true",
    "late_rounds": "0",
    "grace_hours": "24",
    "most_entrants": str(PLACES),
    "byes": "1",
    "time_zone": "UTC",
    "cycles": "1",
    "best_of": "1",
    "divisions": "8, 8",
    "up": "2",
    "down": "2",
    "stage.1.format": "swiss",
    "stage.1.rounds": "5",
    "stage.2.format": "knockout",
    "stage.2.entrants": "8",
}


class Wrong(Struct, frozen=True):
    """What is wrong with a field: the key of a text with its values, or a refusal."""

    key: str = ""
    values: Mapping[str, int] = {}
    refusal: Refused | None = None


class WrongFieldsError(Exception):
    """A form is wrong; `found` by field, "" is the form itself."""

    def __init__(self, found: dict[str, Wrong]) -> None:
        super().__init__(f"wrong fields: {', '.join(found)}")
        self.found = found


class _Reader:
    """Reads the fields of a form, and collects what is wrong with them."""

    def __init__(self, form: Mapping[str, str]) -> None:
        self.form, self.wrong = form, dict[str, Wrong]()

    def number(self, name: str, kind: str = "", *, field: str = "", default: int | None = None) -> int:
        """A number within the bounds of its kind; the least one stands for one that is wrong."""
        least, most = _BOUNDS[kind or name]
        text = self.form.get(name, "" if default is None else str(default))
        return self.bounded(text, least, most, field or name)

    def bounded(self, text: str, least: int, most: int, field: str) -> int:
        """A number of a text."""
        if text.isascii() and text.isdigit() and len(text) <= 9 and least <= int(text) <= most:
            return int(text)
        self.wrong.setdefault(field, Wrong("wrong_number", {"least": least, "most": most}))
        return least

    def chosen(self, name: str, among: tuple[str, ...], field: str = "") -> str:
        """One of several; the first stands for one that is wrong."""
        value = self.form.get(name, "")
        if value in among:
            return value
        self.wrong.setdefault(field or name, Wrong("wrong_choice"))
        return among[0]


def terms_in(form: Mapping[str, str]) -> Terms:
    """Return the terms of a form; whether they are possible is judged by the gate.

    Raises:
        WrongFieldsError: fields are wrong.
    """
    reader = _Reader(form)
    if not 0 < len(form.get("title", "")) <= TITLE:
        reader.wrong["title"] = Wrong("wrong_title", {"most": TITLE})
    plain = {**_common(reader), **_of_format(reader)}
    if reader.wrong:
        raise WrongFieldsError(reader.wrong)
    try:
        return msgspec.convert(plain, Terms)
    except msgspec.ValidationError as error:
        found = _PATH.search(str(error))
        refusal = Refused("invalid", "quoted", {"said": str(error)[:200]})
        raise WrongFieldsError({found[1] if found else "": Wrong(refusal=refusal)}) from error


def _common(reader: _Reader) -> dict[str, Any]:
    """What all formats have."""
    form = reader.form
    game, _, edition = form.get("game", "").partition("/")
    plain: dict[str, Any] = {"game": game, "edition": edition or None, "clock": _clock(reader)}
    if game not in GAMES:
        reader.wrong["game"] = Wrong("wrong_choice")
    if "tie_breaks" in form:
        plain["tie_breaks"] = form["tie_breaks"].replace(",", " ").upper().split()
    for name, usual in (("most_entrants", PLACES), ("byes", 1)):
        plain[name] = reader.number(name, default=usual)
    plain["grace"] = 3_600 * reader.number("grace_hours", default=24)
    for name, values in (("time_zone", ZONES), ("visibility", ("public", "link"))):
        if name in form:
            plain[name] = reader.chosen(name, values)
    for name in ("rated", "waiting_list", "late_byes", "calls_hold"):
        plain[name] = form.get(name) == "true"
    if form.get("reads_after") == "true":
        plain["privileged_reads"] = AFTER_MATCH
    return plain


def _clock(reader: _Reader) -> list[dict[str, object]]:
    reports = {"time_up": "report"} if reader.form.get("report") == "true" else {}
    match reader.chosen("clock", ("none", "days", "bank")) if "clock" in reader.form else "none":
        case "bank":
            main, increment = 60 * reader.number("main"), reader.number("increment")
            return [{"mode": "bank", "main": main, "increment": increment, **reports}]
        case "days":
            days, cap = reader.number("days"), reader.number("cap")
            return [{"mode": "days", "days": days, "cap": cap, **reports}]
    return []


def _of_format(reader: _Reader) -> dict[str, Any]:
    """What the chosen format has; its rounds, where they follow from the other fields."""
    chosen = reader.chosen("format", FORMATS)
    plain: dict[str, Any] = {"format": chosen}
    match chosen:
        case "swiss":
            late = reader.number("late_rounds", default=0)
            accelerated = reader.form.get("accelerated") == "true"
            plain |= {"rounds": reader.number("rounds"), "late_rounds": late, "accelerated": accelerated}
        case "round_robin":
            cycles, places = (
                reader.number("cycles", default=1),
                reader.number("most_entrants", default=PLACES),
            )
            plain |= {"rounds": _rounds_of_table(places, cycles), "cycles": cycles}
        case "knockout":
            best_of, places = (
                reader.number("best_of", default=1),
                reader.number("most_entrants", default=PLACES),
            )
            plain |= {"rounds": _rounds_of(places, best_of), "knockout": {"best_of": best_of}}
        case "league":
            cycles, divisions = reader.number("cycles", default=1), _divisions(reader)
            rounds = _rounds_of_table(max(divisions, default=2), cycles)
            plain |= {"rounds": rounds, "cycles": cycles}
            plain["league"] = {
                "divisions": divisions,
                "up": reader.number("up", default=2),
                "down": reader.number("down", default=2),
            }
        case _:
            stages = list(_stages(reader))
            plain |= {"rounds": sum(one["rounds"] for one in stages), "stages": stages}
            if len(stages) < 2:
                reader.wrong.setdefault("stages", Wrong("wrong_stages"))
            elif plain["rounds"] > MOST_ROUNDS:
                reader.wrong.setdefault("stages", Wrong("wrong_stage_rounds", {"most": MOST_ROUNDS}))
    if chosen != "knockout" and reader.form.get("both_sides") == "true":
        plain["sides"] = BOTH
        if "tie_breaks" not in reader.form:
            plain["tie_breaks"] = [GAME_POINTS, *usual_tie_breaks(chosen)]
    return plain


def _divisions(reader: _Reader) -> list[int]:
    parts = reader.form.get("divisions", "").replace(",", " ").split()
    if not 0 < len(parts) <= MOST_DIVISIONS:
        reader.wrong["divisions"] = Wrong("wrong_divisions", {"most": MOST_DIVISIONS})
        return []
    return [reader.bounded(part, *_BOUNDS["division"], "divisions") for part in parts]


def _stages(reader: _Reader) -> Iterator[dict[str, Any]]:
    """The stages that have a format; the rounds of a knock-out follow from its entrants."""
    for number in STAGES:
        if f"stage.{number}.format" not in reader.form:
            continue
        name = f"stage.{number}."
        one: dict[str, Any] = {"format": reader.chosen(f"{name}format", get_args(StageFormat), "stages")}
        one["entrants"] = (
            reader.number(f"{name}entrants", "stage_entrants", field="stages") if number > 1 else 0
        )
        if one["format"] == "knockout":
            one["best_of"] = reader.number("best_of", default=1)
            one["rounds"] = _rounds_of(one["entrants"] or MOST_SEEDS, one["best_of"])
        else:
            one["rounds"] = reader.number(f"{name}rounds", "stage_rounds", field="stages")
        yield one


def _rounds_of_table(entrants: int, cycles: int) -> int:
    """The most rounds that a round robin of so many entrants may have."""
    return min(MOST_ROUNDS, ((entrants - 1) | 1) * cycles)


def _rounds_of(entrants: int, best_of: Any) -> int:
    """The most rounds that a knock-out of so many entrants may have."""
    games: int = MOST_GAMES[best_of]
    return rounds_of_bracket(min(entrants, MOST_SEEDS)) * games


async def new_tournament_page(pages: HasShell, call: Call) -> Response:
    """A form with the terms of a tournament; what it leaves open has the usual value."""
    return _page(pages, call, _START, {})


async def announce(pages: HasShell, call: Call) -> Response:
    """Announce a tournament with the terms of the form, or show the form again with what is wrong.

    Raises:
        Refused: unauthorized, forbidden, and what is about no field of the form.
    """
    form = await form_of(call, TournamentImport.most_bytes)
    actor = actor_of(call)
    try:
        if "trf" in form:
            return await _import(pages, call, form)
        terms = terms_in(form)
        accepted = await call.services.tournaments.commands.announce(
            actor, form.get("title", ""), terms, None
        )
    except WrongFieldsError as error:
        return _page(pages, call, form, error.found)
    except Refused as error:
        if error.kind not in _OF_FORM:
            raise
        usual = "game" if error.kind in ("unknown-game", "bad-option") else ""
        usual = "trf" if error.id.startswith(_OF_FILE) else usual
        field = _ABOUT.get(error.id, usual)
        return _page(pages, call, form, {field: Wrong(refusal=error)})
    return back_to(call, accepted.log.id, "desk")


async def _import(pages: HasShell, call: Call, form: Mapping[str, str]) -> Response:
    """Import the TRF of the form, whose rounds and points count, and show the codes once."""
    terms = terms_in({"title": "-", **form})
    made = await imported(call, form["trf"], terms, form.get("title", ""), by_file=True)
    response = pages.shell.page(call, "tournament_imported.html", 201, made=made)
    response.headers["cache-control"] = NEVER
    return response


def _page(pages: HasShell, call: Call, form: Mapping[str, str], wrong: Mapping[str, Wrong]) -> Response:
    person = call.visitor.person
    response = pages.shell.page(
        call,
        "tournament_new.html",
        422 if wrong else 200,
        editions=_editions(call.language),
        form=form,
        wrong={field: _said(one, call.language) for field, one in wrong.items()},
        bounds=_BOUNDS,
        title_most=TITLE,
        stages=STAGES,
        stage_formats=get_args(StageFormat),
        zones=ZONES,
        organizes=person is not None and person.role in ORGANIZING,
    )
    response.headers["cache-control"] = NEVER
    return response


def _said(one: Wrong, language: str) -> str:
    """What is wrong, in a language."""
    if one.refusal is not None:
        return one.refusal.text(language)
    return texts(language).of_tournament(one.key, **one.values)


def _editions(language: str) -> list[tuple[str, str]]:
    """All editions of all games, by their value in the form."""
    return [
        (
            f"{name}/{edition}",
            f"{title_of(game, language)}{f' · {words}' if len(game.editions) > 1 else ''}",
        )
        for name, game in GAMES.items()
        for edition, words in game_words(game, language).editions.items()
    ]
