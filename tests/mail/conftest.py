"""The toy game with words, as in the tests of HTTP."""

from tests.api.http.conftest import toy_in_words

__all__ = ["toy_in_words"]
