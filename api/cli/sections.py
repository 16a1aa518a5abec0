"""The list of commands in a help text, by section."""

from __future__ import annotations

from collections.abc import Mapping

import click


def write_sections(formatter: click.HelpFormatter, sections: Mapping[str, Mapping[str, str]]) -> None:
    """Write what each command does: by the title of the section, the name and the text."""
    for title, section in sections.items():
        with formatter.section(title):
            formatter.write_dl(list(section.items()))
