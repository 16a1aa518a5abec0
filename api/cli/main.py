"""The entry point: the table of commands, which are imported when called, and the exit of every error."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence

import click

from api.cli.common import NOT_DONE, our_error, write_sections

INTERRUPTED = 130  # the exit code that a shell reports after Ctrl-C

SECTIONS = {
    "Serve": {
        "serve": ("api.cli.admin", "Serve the HTTP API."),
        "admin-token": ("api.cli.admin", "Make a token for an administrator."),
    },
    "Play": {
        "games": ("api.cli.games", "List the games, their editions and options."),
        "play": ("api.cli.play", "Play one whole match between bots."),
        "arena": ("api.cli.arena", "Measure how strong the bots are."),
        "bot": ("api.cli.bot", "Play on any server as a bot."),
        "selfplay": ("api.cli.selfplay", "Play many matches between bots into a folder."),
        "script": ("api.cli.script", "Play a scripted match from a file."),
        "import-log": ("api.cli.import_log", "Import logs of games played elsewhere."),
    },
    "Look and check": {
        "replay": ("api.cli.replay", "Show a match from its file, at any move."),
        "verify": ("api.cli.verify", "Check match files, or a whole store."),
        "export": ("api.cli.export", "Write matches as files, NDJSON or Parquet."),
        "keys": ("api.cli.admin", "Print the keys that sign a store's matches."),
        "witness": ("api.cli.witness", "Follow the log of a server, and cosign it."),
        "watch": ("api.cli.watch", "Look whether a server keeps its log as it says."),
        "evidence": ("api.cli.evidence", "Check the proof of a server's lie."),
    },
    "Organize": {
        "tournament": ("api.cli.tournament", "Run tournaments: pair, publish, rule, standings."),
    },
    "Analyse": {
        "data": ("api.cli.data", "Build data sets, and answer from them."),
        "sql": ("api.cli.analysis", "Ask a data set in SQL."),
        "query": ("api.cli.analysis", "Ask one of the saved queries."),
        "find": ("api.cli.analysis", "Find positions in a data set."),
        "analyse": ("api.cli.analyse", "Say what an agent thinks of a finished match."),
        "luck": ("api.cli.chart", "Say what dice brought in a match."),
        "chart": ("api.cli.chart", "Draw charts of a data set."),
    },
    "Maintain": {
        "withdraw": ("api.cli.admin", "Withdraw an uploaded match."),
        "people": ("api.cli.people", "Forget, rename, lock out or find people."),
        "mail": ("api.cli.mail", "Send a test message by mail."),
        "backup": ("api.cli.admin", "Copy a store while it is in use."),
        "restore": ("api.cli.admin", "Make a store from a backup."),
        "log": ("api.cli.log", "Export the transparency log; say that it was restored."),
        "migrate": ("api.cli.migrate", "Copy a store into another one, and verify it."),
    },
    "Test": {
        "fuzz": ("api.cli.fuzz", "Play random matches to find errors."),
        "bench": ("api.cli.fuzz", "Run the benchmarks."),
    },
}
COMMANDS = {name: place for section in SECTIONS.values() for name, place in section.items()}


class Program(click.Group):
    """The group of all commands; the module of a command is imported when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with this name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that `args` begin with; if there is none, raise an error that lists all."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]!r}; there are: {', '.join(COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section, from the table, so that the help imports no command."""
        texts = {
            title: {name: text for name, (_, text) in section.items()} for title, section in SECTIONS.items()
        }
        write_sections(formatter, texts)


def _print_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        import importlib.metadata

        click.echo(f"glasnost {importlib.metadata.version('glasnost')}")
        ctx.exit()


@click.command(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version)
def program() -> None:
    """A game server whose every game can be rebuilt, replayed, audited and queried.

    \b
    Example:
      glasnost play cia_vs_kgb --seed 1 --out first.glasnost
      glasnost replay first.glasnost
      glasnost verify first.glasnost

    Exit codes: 0 done, 1 something was found wrong, 2 it could not be done.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code.  An error is one line on standard error."""
    try:
        code = program.main(arguments, prog_name="glasnost", standalone_mode=False)
        if sys.stdout:  # None if it was closed from the start
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.UsageError as error:
        place = error.ctx.command_path if error.ctx else "glasnost"
        return _failed(f"{error.format_message()} (see {place} --help)", error.exit_code)
    except click.ClickException as error:
        return _failed(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _failed("interrupted", INTERRUPTED)
    except SystemExit:
        # The reader of the output has closed it: not all was printed, but nothing was found wrong either.
        return _unread()
    except BrokenPipeError:
        return _unread()
    except Exception as error:
        return _unforeseen(error)


def _unread() -> int:
    """Keep the interpreter's last flush from reporting that the reader has closed the output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return NOT_DONE


def _unforeseen(error: Exception) -> int:
    """Report an error of the system, or of the program."""
    if os.environ.get("GLASNOST_DEBUG"):
        raise error
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return _failed(f"{where}{error.strerror or error}", NOT_DONE)
    if isinstance(error, UnicodeEncodeError):
        return _failed(f"an argument is not UTF-8 text: {error.object[:80]!r}", NOT_DONE)
    return _failed(our_error(error), NOT_DONE)


def _failed(text: str, code: int) -> int:
    from replay.sanitize import one_line

    click.echo("glasnost: " + "\n".join(map(one_line, text.split("\n"))), err=True)
    return code


def main() -> None:
    """The program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # print a mark for what the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run())


if __name__ == "__main__":
    main()
