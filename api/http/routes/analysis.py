"""The analysis of a match that is over: what an agent thinks of it.  See `replay.analysis`."""

from __future__ import annotations

from starlette.responses import Response

from api.bots.analysis import SOON
from api.bots.analysis_worker import Analysis
from api.bots.opinion import ADVISER
from api.bots.strengths import strength_of
from api.http.bot_schemas import AnalysedMove, AnalysisAgent, AnalysisProgress, AnalysisView, SuggestionView
from api.http.permissions import looked
from api.http.routes import MatchId
from api.http.routes.server_info import strength_view
from api.http.routing import LOOKS, Api, Call, Documented
from domain.kernel import Picks, Seat
from domain.match import Match
from replay.analysis import MoveAnalysis, Suggestion
from replay.words import Words

api = Api("analysis", "What an agent thinks of a match that is over.")
_ACCEPTED = 202


@api.get(
    "/v1/matches/{match}/analysis",
    AnalysisView,
    refusals=(*LOOKS, "unfinished", "not-found", "not-offered"),
    also=(Documented(_ACCEPTED, "It is being made: ask again later", returns=AnalysisProgress),),
    fleeting=True,
)
async def read_analysis(call: Call, match: MatchId) -> AnalysisView | Response:
    """Win probabilities, luck and choices, turning points, and what an agent would have played.

    It is the opinion of an agent, and stands in no log.  While the match runs, it is refused to all callers.
    A caller with a token has it made by asking: until it is there, the answer is 202 and says how far it is.
    One is made at a time, and each player may wait for one.  Numbers are rounded to four places.
    """
    found = (await looked(call, match)).match
    analysis = call.services.analyses.of(found)
    if analysis is None:
        call.services.analyses.must_be_offered()
        progress = call.services.analyses.ask(found, call.person().id)
        response = call.answer(AnalysisProgress(progress.done, progress.of), _ACCEPTED)
        response.headers["retry-after"] = SOON["retry-after"]
        return response
    return _view(found, analysis, Words(found, call.language))


def _view(match: Match, analysis: Analysis, words: Words) -> AnalysisView:
    found, game = analysis.summary, match.game
    measured = strength_of(ADVISER, game.name)
    strength = strength_view(measured) if measured else None
    return AnalysisView(
        match.id,
        AnalysisAgent(ADVISER, analysis.version, analysis.playouts, strength),
        found.first,
        _rounded(found.start),
        found.result,
        {seat: _rounded(_for(seat, found.first, found.luck)) for seat in game.seats},
        {seat: _rounded(_for(seat, found.first, change)) for seat, change in found.choices.items()},
        _rounded(found.ending),
        list(found.turning_points),
        [_move(one, words) for one in analysis.moves],
    )


def _for(seat: Seat, first: Seat, change: float) -> float:
    """A change of the win probability of the first seat, as a change of that of `seat`."""
    return change if seat == first else -change


def _move(one: MoveAnalysis, words: Words) -> AnalysedMove:
    return AnalysedMove(
        one.move,
        one.seat,
        one.ask,
        list(one.picks),
        _said(one.ask, one.picks, words),
        _rounded(one.before),
        _rounded(one.after),
        _rounded(one.luck),
        _rounded(one.known) if one.compared else None,
        _rounded(one.loss) if one.compared else None,
        [_suggestion(one.ask, best, words) for best in one.best],
    )


def _suggestion(ask: str, best: Suggestion, words: Words) -> SuggestionView:
    said, chance = _said(ask, best.picks, words), _rounded(best.win_probability)
    return SuggestionView(list(best.picks), said, chance, best.playouts)


def _said(ask: str, picks: Picks, words: Words) -> str:
    return words.picks(ask, picks).text


def _rounded(number: float) -> float:
    return round(number, 4) + 0.0  # never -0.0
