"""`glasnost bench`: the benchmarks of `ops/bench`, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from api.cli.common import FOUND_WRONG, CannotBeDone

FOLDER = Path(__file__).parents[2] / "ops" / "bench"


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--list", "only_list", is_flag=True, help="Only say which there are.")
def bench(names: Sequence[str], only_list: bool) -> int:
    """Run benchmarks (default: all): one line for each claim, with a floor from the same run.

    \b
    Example:
      glasnost bench
      glasnost bench fold fuzz
    """
    known = _known()
    for name in names:
        if name not in known:
            raise CannotBeDone(f"there is no benchmark {name!r}; there are: {', '.join(known)}")
    if only_list:
        for name in known:
            click.echo(name)
        return 0
    failed = [name for name in names or known if subprocess.run([sys.executable, known[name]]).returncode]
    if failed:
        click.echo(f"glasnost: failed: {', '.join(failed)}", err=True)
    return FOUND_WRONG if failed else 0


def _known() -> dict[str, Path]:
    """The benchmarks by name.

    Raises:
        CannotBeDone: this installation comes without them.
    """
    paths = sorted(path for path in FOLDER.glob("*.py") if not path.name.startswith("_"))
    if not paths:
        raise CannotBeDone("the benchmarks are part of the source checkout: run ./ops/glasnost bench there")
    return {path.stem: path for path in paths}
