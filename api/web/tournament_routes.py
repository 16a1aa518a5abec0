"""The pages of tournaments and the forms that they take: path, handler and methods of each."""

from __future__ import annotations

from api.web.tournaments import announce, do_command, new_tournament_page, tournament_page, tournaments_page

_GET, _POST = ["GET"], ["POST"]
TOURNAMENT_PAGES = (
    ("/t", tournaments_page, _GET),
    ("/t/new", new_tournament_page, _GET),
    ("/t/new", announce, _POST),
    ("/t/{tournament}", tournament_page, _GET),
    ("/t/{tournament}/do", do_command, _POST),
)
