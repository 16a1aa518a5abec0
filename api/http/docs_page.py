"""The documentation at /docs: one page made from the OpenAPI document, complete without any other server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

PATH = "/docs"
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: 14px/1.45 ui-monospace, monospace; }
pre { background: #f4f4f2; padding: .7rem; overflow-x: auto; white-space: pre-wrap; }
summary { cursor: pointer; padding: .3rem 0; }
summary b { display: inline-block; width: 4rem; }
table { border-collapse: collapse; } td { padding: .15rem .8rem .15rem 0; vertical-align: top; }
@media (prefers-color-scheme: dark) {
  body { background: #161616; color: #ddd; } pre { background: #262626; }
}
"""


def page(document: Mapping[str, Any]) -> str:
    """The HTML page for an OpenAPI document."""
    info = document["info"]
    return "".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(info['title'])} API</title><style>{_STYLE}</style>",
            f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
            *(f"<p>{escape(text)}</p>" for text in info["description"].split("\n\n")),
            '<p>The same for programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>',
            *_operations(document),
            "<h2>Sockets</h2>",
            *_sockets(document["x-sockets"]),
            "<h2>Shapes</h2>",
            *_shapes(document["components"]["schemas"]),
        ]
    )


def _operations(document: Mapping[str, Any]) -> Iterator[str]:
    """All operations, topic by topic."""
    for tag in document["tags"]:
        yield f"<h2>{escape(tag['name'].title())}</h2><p>{escape(tag['description'])}</p>"
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if tag["name"] in operation["tags"]:
                    yield _operation(method.upper(), path, operation)


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> str:
    rows = [_parameter(parameter) for parameter in operation.get("parameters", ())]
    body = operation.get("requestBody", {}).get("content", {})
    rows += [_row("body", f"{_kind(content)} as {escape(media)}") for media, content in body.items()]
    rows += [_answer(status, answer) for status, answer in operation["responses"].items()]
    text = escape(operation["description"]).replace("\n\n", "<br>")
    head = f"<summary><b>{method}</b> <code>{escape(path)}</code> {escape(operation['summary'])}</summary>"
    return f"<details>{head}<p>{text}</p><table>{''.join(rows)}</table></details>"


def _parameter(parameter: Mapping[str, Any]) -> str:
    required = "" if parameter.get("required") else " (optional)"
    name = f"<code>{escape(parameter['name'])}</code> in {escape(parameter['in'])}{required}"
    return _row(name, escape(parameter.get("description", "")))


def _answer(status: str, answer: Mapping[str, Any]) -> str:
    told = ", ".join(
        f"{_kind(content)} as {escape(media)}" for media, content in answer.get("content", {}).items()
    )
    return _row(escape(status), f"{escape(answer['description'])}{': ' if told else ''}{told}")


def _kind(content: Mapping[str, Any]) -> str:
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    return f'<a href="#{name}">{name}</a>' if name else "content"


def _sockets(sockets: Mapping[str, Any]) -> Iterator[str]:
    """The messages of each side of each socket."""
    for path, sides in sockets.items():
        rows = [
            _row(side, ", ".join(_kind({"schema": kind}) for kind in kinds["anyOf"]))
            for side, kinds in sides.items()
        ]
        head = f"<summary><b>GET</b> <code>{escape(path)}</code> A WebSocket</summary>"
        yield f"<details>{head}<table>{''.join(rows)}</table></details>"


def _row(name: str, text: str) -> str:
    return f"<tr><td>{name}</td><td>{text}</td></tr>"


def _shapes(schemas: Mapping[str, Any]) -> Iterator[str]:
    for name, schema in schemas.items():
        text = escape(json.dumps(schema, indent=2, ensure_ascii=False))
        yield f'<details id="{name}"><summary><code>{name}</code></summary><pre>{text}</pre></details>'
