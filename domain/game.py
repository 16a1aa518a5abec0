"""What a game package offers: its seats, editions, options, table, vocabulary and texts.

A game package exports one object, `GAME = Game(...)`; `domain.games` lists them.  Options are values, checked
here once, recorded in the first event with every default written out, and read from the table afterwards.
"""

from __future__ import annotations

import hashlib
import importlib.resources
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property, reduce
from importlib.resources.abc import Traversable
from operator import or_
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from domain.kernel import AnyStep, Refused, Seat, Table
from domain.refusals import Sentence
from domain.texts import Texts, TextsByLanguage
from domain.upcast import NO_OLD_TAGS, Upcasters

OptionValue = str | int | bool | None | dict[str, Any]
Options = dict[str, OptionValue]


class Option(Struct, frozen=True):
    """One named reading or variant.

    `choices` lists the legal values (booleans as True and False); `least`...`most` is the range of an
    integer, which may also be None if `none` is set; `data` checks an object (a card set) and returns it
    completed, or raises `Refused` (bad-option).  `why` says in a refusal why no other value is possible.
    """

    name: str
    default: OptionValue
    choices: tuple[str | bool, ...] = ()
    least: int | None = None
    most: int | None = None
    none: bool = False
    data: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    why: str = ""

    def check(self, value: object) -> OptionValue:
        """`value`, in the form in which it is recorded.

        Raises:
            Refused: bad-option; it is not one of the legal values, which the text lists.
        """
        if isinstance(value, dict) and self.data is not None:
            return self.data(value)
        if value is None and self.none:
            return None
        if type(value) is int and self._is_in_range(value):
            return value
        for choice in self.choices:
            if type(value) is type(choice) and value == choice:
                return choice
        about = {"option": self.name, "value": _quoted(value), "why": f" ({self.why})" if self.why else ""}
        raise Refused("bad-option", "option-value", {**about, "legal": self._legal})

    def _is_in_range(self, value: int) -> bool:
        return self.least is not None and self.most is not None and self.least <= value <= self.most

    @property
    def legal(self) -> str:
        """The legal values in words, for refusals and help."""
        return ", ".join(map(str, self._legal))

    @property
    def _legal(self) -> list[str | Sentence]:
        words: list[str | Sentence] = [_plain(choice) for choice in self.choices]
        if self.least is not None and self.most is not None:
            words.append(Sentence("range", {"least": self.least, "most": self.most}))
        return words + ["none"] * self.none + [Sentence("an-object")] * (self.data is not None)

    def read(self, text: str) -> OptionValue:
        """The value that a word of a command line stands for ("true", "7", "none"); it is not checked."""
        words: dict[str, OptionValue] = {"true": True, "false": False}
        if self.none:
            words["none"] = None
        if text in words:
            return words[text]
        return int(text) if self.least is not None and text.lstrip("-").isdecimal() else text


class Game:
    """One game of the house.

    Args:
        name: stable name in addresses and logs, also the package's name below `domain`.
        seats: the players' seats, in the rulebook's order.
        editions: the first is the default.
        options: every named reading and variant.
        table: the empty table for an edition and complete options.
        first: the steps that begin a game on that table, in order.
        state, facts, steps: the game's table class and its two closed unions.
        score: the score of each seat on a table.
        components: cards, maps and tables as plain data for clients.
        ids: all ids that occur in picks, by the word that stands for them in `Step.spelling`.
        adapt: the options as an edition changes them (edition, those given, all); may raise `Refused`.
        names: names that an edition or the match's own options add (edition, options, language).
        backstage: fields of the table that only the rules need; a table shown in words leaves them out.
        idle: fields of the table that a picture leaves out while they are 0.
        upcasters: how facts and steps of old tags are read (see `domain.upcast`).
    """

    def __init__(
        self,
        *,
        name: str,
        seats: tuple[Seat, ...],
        editions: tuple[str, ...],
        options: tuple[Option, ...],
        table: Callable[[str, Options], Table],
        first: Callable[[Any], tuple[AnyStep, ...]],
        state: type[Table],
        facts: Any,
        steps: Any,
        score: Callable[[Any], dict[Seat, int]],
        components: Callable[[], Mapping[str, Any]],
        ids: Mapping[str, Collection[str]] = MappingProxyType({}),
        adapt: Callable[[str, Mapping[str, object], Options], Options] = lambda edition, given, options: (
            options
        ),
        names: Callable[[str, Options, str], Mapping[str, str]] = lambda edition, options, language: {},
        backstage: tuple[str, ...] = (),
        idle: tuple[str, ...] = (),
        upcasters: Upcasters = NO_OLD_TAGS,
    ) -> None:
        self.name, self.seats, self.editions, self.options = name, seats, editions, options
        self.table, self.first, self.score, self.components = table, first, score, components
        self.state, self.facts, self.steps = state, facts, steps
        self.ids = ids
        self.backstage, self.idle, self.upcasters = backstage, idle, upcasters
        self._adapt, self._names = adapt, names

    def settle(self, edition: str | None, given: Mapping[str, object]) -> tuple[str, Options]:
        """The edition and the complete options of a match, every default written out.

        Raises:
            Refused: bad-option; unknown edition, unknown option, or a value that is not legal.
        """
        edition = self.editions[0] if edition is None else edition
        if edition not in self.editions:
            about = {"game": self.name, "edition": repr(edition), "editions": self.editions}
            raise Refused("bad-option", "no-such-edition", about)
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                about = {"game": self.name, "option": repr(name), "options": list(known)}
                raise Refused("bad-option", "no-such-option", about)
        options = {
            name: option.check(given[name]) if name in given else option.default
            for name, option in known.items()
        }
        return edition, self._adapt(edition, given, options)

    @cached_property
    def across(self) -> dict[Seat, Seat]:
        """Each seat's counterpart, with which its player may exchange seats (see `kernel.SeatsSettled`)."""
        return dict(zip(self.seats, reversed(self.seats), strict=True))

    @cached_property
    def rules(self) -> str:
        """Hash of the code and data that decide: the modules that games share and the game's package."""
        root = importlib.resources.files("domain")
        shared = [root / name for name in ("choices.py", "kernel.py", "piles.py")]
        return hash_of([*shared, *source_files(root / self.name)])

    @cached_property
    def texts(self) -> Mapping[str, Texts]:
        """Names, labels and sentences, by language."""
        return TextsByLanguage(importlib.resources.files("domain") / self.name / "components")

    def words(self, language: str, options: Options, edition: str) -> Texts:
        """The texts for a match of this edition with these options."""
        texts = self.texts[language]
        names = self._names(edition, options, language)
        return texts.with_names(names) if names else texts


def closed_union(base: type, package: str) -> Any:
    """The union of all facts (`base`: Fact) or steps (Step) of a game, for the codec.

    It holds each class that derives from `base`, is defined in a module of `package` and has no subclasses.
    The package calls it after its modules are imported.
    """
    kinds = [base]
    for kind in kinds:
        kinds += kind.__subclasses__()
    parents = {parent for kind in kinds for parent in kind.__bases__}
    own = dict.fromkeys(
        kind for kind in kinds if kind.__module__.startswith(f"{package}.") and kind not in parents
    )
    return reduce(or_, own)


def hash_of(files: Iterable[Traversable]) -> str:
    """The first 16 hexadecimal digits of a hash over the names and contents of these files, in this order."""
    digest = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def source_files(folder: Traversable) -> list[Traversable]:
    """The code and data of a package, and of the packages in it, by name."""
    found: list[Traversable] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found += source_files(entry)
        elif entry.name.endswith((".py", ".json")):
            found.append(entry)
    return found


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)


def _quoted(value: object) -> str:
    """A refused value; a text stands in quotes, so that "true" is not read as true."""
    return f'"{value}"' if isinstance(value, str) else _plain(value)
