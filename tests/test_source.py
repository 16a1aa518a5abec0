"""No function is written twice, and no public signature says Any, but at the edges that are named here."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.test_imports import MODULES

LONG = 10  # lines of a body that must not occur twice
Function = ast.FunctionDef | ast.AsyncFunctionDef

EDGES = {  # public functions that may say Any, by what passes there
    "data as JSON and TOML have it": """
        domain.texts.Texts.__init__ domain.upcast.upcast replay.positions.plain
        domain.thirteen_minutes.components.card_sets.checked
        domain.thirteen_minutes.components.describe_components
        domain.cia_vs_kgb.components.describe_components
        domain.twilight_struggle.cards.describe_components domain.imperial_struggle.faces.describe_components
        replay.positions.fields replay.importers.twilight_struggle.driver.options_of
    """,
    "a union of structs, as msgspec takes it": """
        domain.game.Game.__init__ domain.game.closed_union domain.upcast.decoder domain.log.over
    """,
    "the table of whichever game, whose fields its reader knows": """
        domain.history.History.live domain.history.History.table_at domain.match_base.Outline.table_at
        domain.partial_match.PartialMatch.table_at
    """,
    "an entry of the log of whichever kind, or the fields of one": """
        domain.drafts.Drafting.add domain.drafts.Drafting.add_decision domain.history.History.entry_at
        domain.log.Record.__init__ domain.log.Record.entry domain.log.Record.parts domain.log.overlaid
        domain.log.Codec.entry domain.log.Codec.parts domain.log.Codec.kind_of
        domain.log.Codec.fact domain.log.Codec.leaf_with
        domain.match_base.Outline.players domain.match_base.Outline.player_of
        domain.match_base.Outline.entry_at domain.match_base.expect domain.partial_match.PartialMatch.entry_at
        projections.seat_swaps.settles projections.seat_swaps.exchanged replay.positions.kind_of
    """,
    "rows and values of SQL": """
        replay.dataset.asking.Source.fetch replay.dataset.reading.DataSet.fetch
        projections.backend.Found.fetchone projections.backend.Found.fetchall
        projections.backend.Backend.execute projections.backend.Backend.executemany
        projections.backend.Backend.put projections.backend.Backend.fetch projections.backend.Reading.execute
        projections.backend.Column.__init__ projections.backend.Shape.values projections.backend.Shape.row
        projections.file.FileTables.put projections.file.FileTables.fetch projections.file.FileReading.execute
        projections.postgres.Tables.execute projections.postgres.Tables.executemany
        projections.postgres.Tables.put projections.postgres.Tables.fetch projections.postgres.Rows.execute
        projections.read.rows_of
    """,
}
MOST_IN_API = 51  # its edges are not named yet


class _Nameless(ast.NodeVisitor):
    """Writes a body without annotations, its names numbered in the order in which they occur."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {None: -1}  # None: the "keyword" of **values

    def _number(self, name: str | None) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def visit_Name(self, node: ast.Name) -> str:
        return f"Name({self._number(node.id)}{type(node.ctx).__name__})"

    def visit_Attribute(self, node: ast.Attribute) -> str:
        return f"Attribute({self.visit(node.value)}.{self._number(node.attr)}{type(node.ctx).__name__})"

    def visit_arg(self, node: ast.arg) -> str:
        return f"arg({self._number(node.arg)})"

    def visit_keyword(self, node: ast.keyword) -> str:
        return f"keyword({self._number(node.arg)}={self.visit(node.value)})"

    def visit_AnnAssign(self, node: ast.AnnAssign) -> str:
        return f"Assign([{self.visit(node.target)}],{self.visit(node.value)},None)" if node.value else ""

    def generic_visit(self, node: ast.AST) -> str:
        return f"{type(node).__name__}({','.join([self.part(value) for _, value in ast.iter_fields(node)])})"

    def part(self, value: object) -> str:
        """A field of a node: a node, a list, or a plain value."""
        if isinstance(value, list):
            return f"[{','.join([self.part(one) for one in value])}]"
        return str(self.visit(value)) if isinstance(value, ast.AST) else repr(value)


def shapes(source: str, least: int = LONG) -> Iterator[tuple[str, str]]:
    """The name of each function with so long a body, its docstring aside, and that body without names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            if body and (body[-1].end_lineno or 0) - body[0].lineno + 1 >= least:
                yield node.name, _Nameless().part(body)


def vague(node: ast.Module | ast.ClassDef, name: str) -> Iterator[str]:
    """The public functions below a module or class in whose signature stands Any."""
    for child in node.body:
        if isinstance(child, ast.ClassDef) and not child.name.startswith("_"):
            yield from vague(child, f"{name}.{child.name}")
        elif isinstance(child, Function) and (child.name == "__init__" or not child.name.startswith("_")):
            kinds = [one.annotation for one in ast.walk(child.args) if isinstance(one, ast.arg)]
            said = [part for kind in (*kinds, child.returns) if kind for part in ast.walk(kind)]
            if any(isinstance(part, ast.Name) and part.id == "Any" for part in said):
                yield f"{name}.{child.name}"


def found(top: str) -> set[str]:
    """The public functions of a folder that say Any."""
    return {
        function
        for name, path in MODULES.items()
        if name.partition(".")[0] == top
        for function in vague(ast.parse(path.read_text("utf-8")), name)
    }


def test_no_function_body_occurs_twice() -> None:
    where: dict[str, list[str]] = defaultdict(list)
    for module, path in MODULES.items():
        for name, shape in shapes(path.read_text("utf-8")):
            where[shape].append(f"{module}.{name}")
    assert len(where) > 100
    assert not [names for names in where.values() if len(names) > 1]


def test_the_same_body_is_known_by_other_names_and_another_one_is_not() -> None:
    one = 'def f(a: int):\n    "Doc."\n    b: int = a.c(d=1)\n    return b + 2\n'
    same = "async def g(x):\n    y = x.z(w=1)\n    return y + 2\n"
    other = "def h(x):\n    y = x.z(w=1)\n    return x + 2\n"
    shape, equal, unequal = (next(shapes(source, 2))[1] for source in (one, same, other))
    assert shape == equal != unequal
    assert not list(shapes(one, 3))


@pytest.mark.parametrize("top", ["domain", "projections", "replay"])
def test_no_public_signature_says_any_but_at_the_edges(top: str) -> None:
    edges = {name for names in EDGES.values() for name in names.split()}
    assert found(top) <= edges


def test_no_more_public_signatures_of_the_api_say_any() -> None:
    assert 0 < len(found("api")) <= MOST_IN_API
