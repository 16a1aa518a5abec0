"""The words of each game as they are sent, with the address at which a cache may keep them for ever.

Most matches have the words of their edition.  A match whose options bring names of their own (a card set) has
words of its own, at an address that names the match.
"""

from __future__ import annotations

from functools import cache, lru_cache

import msgspec
from msgspec import Struct

from domain.game import Game
from domain.match_base import Outline
from domain.texts import LANGUAGES
from replay.game_words import game_words

_MATCHES = 32  # with words of their own are kept, in each language
_encode = msgspec.json.Encoder().encode


class EncodedWords(Struct, frozen=True):
    """Words as JSON, and their hash, which is in them."""

    body: bytes
    hash: str


def encoded_words(game: Game, language: str, edition: str | None = None) -> EncodedWords:
    """Return the words of a game in one language; `edition` None: its first one.

    Raises:
        Refused: bad-option; there is no such edition.
    """
    return _of_edition(game, language, game.settle(edition, {})[0])


def encoded_words_of(match: Outline, language: str) -> EncodedWords:
    """Return the words of a match in one language."""
    opened = match.opened
    if not _has_own(match, language):
        return _of_edition(match.game, language, opened.edition)
    return _of_match(match.game, language, opened.edition, _encode(opened.options))


def words_address(game: Game, language: str, edition: str | None = None) -> str:
    """Return the address of the words of a game, which changes if they do.

    Raises:
        Refused: bad-option; there is no such edition.
    """
    edition = game.settle(edition, {})[0]
    found = encoded_words(game, language, edition)
    return f"/v1/games/{game.name}?lang={language}&edition={edition}&hash={found.hash}"


def words_address_of(match: Outline, language: str) -> str:
    """Return the address of the words of a match, which changes if they do."""
    if not _has_own(match, language):
        return words_address(match.game, language, match.opened.edition)
    found = encoded_words_of(match, language)
    return f"/v1/games/{match.game.name}?lang={language}&match={match.id}&hash={found.hash}"


def _has_own(match: Outline, language: str) -> bool:
    """Do the options of a match bring names that its edition does not have?"""
    game, opened = match.game, match.opened
    usual = game.words(language, game.settle(opened.edition, {})[1], opened.edition)
    return game.words(language, opened.options, opened.edition).names != usual.names


@cache  # two languages of a few editions for each game
def _of_edition(game: Game, language: str, edition: str) -> EncodedWords:
    words = game_words(game, language, edition)
    return EncodedWords(_encode(words), words.hash)


@lru_cache(maxsize=len(LANGUAGES) * _MATCHES)
def _of_match(game: Game, language: str, edition: str, options: bytes) -> EncodedWords:
    words = game_words(game, language, edition, msgspec.json.decode(options))
    return EncodedWords(_encode(words), words.hash)
