"""Records the contract anew: `python -m tests.contract [NAME ...]`; what git then shows has changed.

It is run by hand, before and after a change that users must not see.  What is pushed over sockets and
listed by read models is recorded once all is quiet, so it is no test of the suite.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.contract.scenarios import RECORDINGS

for name in sys.argv[1:] or RECORDINGS:
    with tempfile.TemporaryDirectory() as folder:
        text = RECORDINGS[name](Path(folder))
    (Path(__file__).parent / f"{name}.txt").write_text(text, "utf-8")
    print(f"{name}: {text.count(chr(10))} lines")
