"""The browser of the tests: one Chromium for each test process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

FINDER = Path(__file__).parents[2] / "ops" / "lib" / "browser.py"


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running Chromium: the one that `ops/lib/browser.py` finds; `./ops/test` installs one."""
    command = [sys.executable, str(FINDER), "--print"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    with sync_playwright() as playwright:
        # One process draws all pages: starting one for each page took a tenth of the time of these tests.
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--renderer-process-limit=1"]
        browser = playwright.chromium.launch(executable_path=found.stdout.strip(), args=arguments)
        yield browser
        browser.close()
