"""The page `verify.html`, as it stands on the disk, and what is served out of it.

It is one file that works without this server.  Its verifier of matches is also served as a script of its own,
for the page of an audit: so there is one source, and no build.
"""

from __future__ import annotations

import importlib.resources
import re
from functools import cache

_SCRIPT = re.compile(r'<script id="verifier">(.*?)</script>', re.DOTALL)
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


@cache
def text() -> str:
    """The page."""
    return (importlib.resources.files("api.web") / "verify.html").read_text("utf-8")


def verifier() -> str:
    """The script of the verifier."""
    return _found(_SCRIPT, text())


def policy(page: str) -> str:
    """The content security policy that the page states."""
    return _found(_POLICY, page)


def with_upload(section: str, script: str) -> str:
    """Return the page for a reader who may put the file on this server.

    Args:
        section: HTML that stands below the result.
        script: the address of the module that sends the file.
    """
    page = text()
    wider = policy(page).replace("script-src", "script-src 'self'") + "; connect-src 'self'"
    module = f'<script type="module" src="{script}"></script>'
    return page.replace(policy(page), wider, 1).replace("</main>", f"{section}</main>\n{module}", 1)


def _found(pattern: re.Pattern[str], page: str) -> str:
    found = pattern.search(page)
    assert found is not None, f"verify.html has no {pattern.pattern}"
    return found[1]
