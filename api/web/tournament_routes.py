"""The pages of tournaments and the forms that they take: path, handler and methods of each."""

from __future__ import annotations

from api.web.tournament_boards import board_page, rule
from api.web.tournament_officials import do_as_official, officials_page
from api.web.tournament_tables import entrant_page, standings_page
from api.web.tournaments import announce, do_command, new_tournament_page, tournament_page, tournaments_page

_GET, _POST = ["GET"], ["POST"]
_ONE = "/t/{tournament}"
_BOARD = f"{_ONE}/rounds/{{round_number}}/boards/{{board}}"
TOURNAMENT_PAGES = (
    ("/t", tournaments_page, _GET),
    ("/t/new", new_tournament_page, _GET),
    ("/t/new", announce, _POST),
    (_ONE, tournament_page, _GET),
    (f"{_ONE}/do", do_command, _POST),
    (f"{_ONE}/standings", standings_page, _GET),
    (f"{_ONE}/entrants/{{entrant}}", entrant_page, _GET),
    (_BOARD, board_page, _GET),
    (_BOARD, rule, _POST),
    (f"{_ONE}/desk", officials_page, _GET),
    (f"{_ONE}/desk", do_as_official, _POST),
)
