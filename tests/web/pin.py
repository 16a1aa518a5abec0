"""The hashes in the policy of verify.html: it runs the scripts and the style that stand in it, no others.

python -m tests.web.pin     write them after a change of the page
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "api" / "web" / "verify.html"


def pinned(text: str) -> str:
    """Return the page with the hashes that its scripts and its style have."""
    scripts = " ".join(map(_source, re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)))
    styles = " ".join(map(_source, re.findall(r"<style[^>]*>(.*?)</style>", text, re.DOTALL)))
    text = re.sub(r"script-src [^;]*;", f"script-src {scripts};", text, count=1)
    return re.sub(r"style-src [^;]*;", f"style-src {styles};", text, count=1)


def _source(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


if __name__ == "__main__":
    PAGE.write_text(pinned(PAGE.read_text("utf-8")), "utf-8")
