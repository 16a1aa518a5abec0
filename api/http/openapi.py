"""The OpenAPI document of all routes and the page at /docs, which are made when they are first requested.

In this order: the JSON schemas of structs, the documentation of a route, the document, the page.
FastAPI writes the document; it serves none of these routes (`api.http.routing`).
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from html import escape
from typing import Any

import msgspec
from fastapi import APIRouter, FastAPI, Response
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from msgspec import UNSET, Struct
from msgspec.inspect import StructType, Type, multi_type_info

from api.http import decoding, problems
from api.http.decoding import JSON
from api.http.routing import FILE, OCTETS, Api, Route
from api.http.schemas import REF, Problem
from api.http.ws_messages import PATH, SAID, TOLD, TYPES

# ── The JSON schemas of the structs, in the form that generators of clients understand ──
#
# msgspec describes what it would decode.  This code adds which fields of an answer are always present (all
# but those that are left out at their default), and which objects have free keys.  It removes `default`:
# generators take a field that has one for a field that is always present.

BYTES = {"type": "string", "format": "binary"}
TEXT = {"type": "string"}
_NULL = {"type": "null"}

Schema = dict[str, Any]
Kinds = list[Any]  # structs, and what msgspec makes of them


def schemas(kinds: Iterable[Any]) -> tuple[list[Schema], dict[str, Schema]]:
    """Return the schema of each kind, and the schemas of all structs in them by name."""
    kinds = tuple(kinds)
    told, named = msgspec.json.schema_components(kinds, ref_template=REF)
    structs = {struct.__name__: struct for struct in _structs(kinds)}
    for name, schema in named.items():
        _refine(schema, structs[name])
    return [_inlined(schema) for schema in told], {name: _inlined(schema) for name, schema in named.items()}


def without_null(schema: Schema) -> Schema:
    """Return the schema of a field that is left out if it has no value: null is never sent."""
    told = {name: value for name, value in schema.items() if name != "anyOf"}
    if "enum" in told:
        told["enum"] = [value for value in told["enum"] if value is not None]
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != _NULL]
    return told | kinds[0] if len(kinds) == 1 else told | ({"anyOf": kinds} if kinds else {})


def _structs(kinds: Iterable[Any]) -> Iterator[type[Struct]]:
    """All structs in these kinds."""
    waiting: list[Type] = list(multi_type_info(kinds))
    seen = set[type[Struct]]()
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, StructType):
            if kind.cls in seen:
                continue
            seen.add(kind.cls)
            yield kind.cls
            waiting += [field.type for field in kind.fields]
        for name in ("type", "types", "item_type", "item_types", "key_type", "value_type"):
            below = getattr(kind, name, ())
            waiting += [below] if isinstance(below, Type) else list(below or ())


def _refine(schema: Schema, struct: type[Struct]) -> None:
    """Add which fields are always present, and what it means if one is left out."""
    config, properties = struct.__struct_config__, schema["properties"]
    asks, required = (
        config.forbid_unknown_fields,
        [name for name in (config.tag_field,) if name in properties],
    )
    for field in msgspec.structs.fields(struct):
        told, default = properties[field.encode_name], field.default
        told.pop("default", None)
        if field.required or not (asks or config.omit_defaults or default is UNSET):
            required.append(field.encode_name)
        elif default is None and not asks:
            properties[field.encode_name] = without_null(told)
        elif isinstance(default, str | int) and default != "":
            means = f"Left out: {msgspec.json.encode(default).decode()}."
            told["description"] = f"{told['description']}  {means}" if "description" in told else means
    schema["required"] = required
    schema.pop("title")  # it is the name
    schema["description"] = inspect.cleandoc(schema["description"])


def _inlined(schema: Any) -> Any:
    """The schema with an explicit type for every value."""
    if isinstance(schema, list):
        return [_inlined(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: _inlined(part) for name, part in schema.items()}
    words = told.get("enum")
    if words == [True]:
        return {name: part for name, part in told.items() if name != "enum"} | {
            "type": "boolean",
            "const": True,
        }
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        told.setdefault("type", "string")
    if told.get("items") is False:  # `maxItems` says the same, and generators of clients understand it
        del told["items"]
    if told.get("type") == "array" and not {"items", "prefixItems"} & set(told):
        told["items"] = {}  # anything: generators of clients want it said
    if told.get("type") == "object" and "properties" not in told and "anyOf" not in told:
        told.setdefault("additionalProperties", True)
    if "discriminator" in told and "anyOf" in told:  # exactly one fits; its tag says which
        told["oneOf"] = told.pop("anyOf")
    return told


# ── The documentation of a route ──

_TOKEN, _NO_TOKEN = "This takes a token.", "No token is needed."
_MAY = "No token is needed; with a token, the answer is for its player."


def documented(topic: str, routes: Iterable[Route], kinds: Kinds) -> list[APIRoute]:
    """Return the routes of a topic as FastAPI documents them.

    Args:
        kinds: gets every struct that their requests and answers consist of.
    """
    router = APIRouter(tags=[topic])
    for route in routes:
        known = [{"bearer": list[str]()}] if route.token or route.personal else []
        extra: dict[str, Any] = {"security": [{}, *known] if route.personal else known}
        if route.body is not None:
            extra["requestBody"] = _request_body(route.body, kinds)
        summary, *more = inspect.cleandoc(route.endpoint.__doc__ or "").split("\n\n")
        token = _TOKEN if route.token else _MAY if route.personal else _NO_TOKEN
        router.add_api_route(
            route.path,
            route.endpoint,
            methods=[route.method],
            response_model=None,
            response_class=Response,
            status_code=route.status,
            responses=_responses(route, kinds),
            openapi_extra=extra,
            summary=" ".join(summary.split()).rstrip("."),
            description="\n\n".join([*more, token]),
            operation_id=route.endpoint.__name__,
        )
    return [route for route in router.routes if isinstance(route, APIRoute)]


def _request_body(body: Any, kinds: Kinds) -> dict[str, Any]:
    if isinstance(body, str):
        return {"required": True, "content": {body: {"schema": BYTES}}}
    return {"required": not decoding.optional(body), "content": {JSON: {"schema": _schema(body, kinds)}}}


def _responses(route: Route, kinds: Kinds) -> dict[int | str, dict[str, Any]]:
    returns = route.returns
    content = _plain(returns) if isinstance(returns, str) else {JSON: {"schema": _schema(returns, kinds)}}
    told: dict[int | str, dict[str, Any]] = {route.status: {"description": "Done", "content": content}}
    for other in route.also:
        media = _plain(*other.media)
        if other.returns is not None:
            media[JSON] = {"schema": _schema(other.returns, kinds)}
        known = told.setdefault(other.status, {"description": other.meaning})
        if media:
            known.setdefault("content", {}).update(media)
    problem = {problems.MEDIA_TYPE: {"schema": _schema(Problem, kinds)}}
    for status in sorted({problems.KINDS[kind].status for kind in route.refusals}):
        told[status] = {"description": problems.meaning(status, route.refusals), "content": problem}
    return told


def _schema(kind: Any, kinds: Kinds) -> dict[str, Any]:
    if isinstance(kind, tuple):
        return {"oneOf": [_schema(one, kinds) for one in kind]}
    kinds.append(kind)
    return deepcopy(_alone(kind))


@cache
def _alone(kind: Any) -> Schema:
    """The schema of one kind; most routes share that of a refusal, and each takes milliseconds to make."""
    (schema,), _ = schemas([kind])
    return schema


def _plain(*media: str) -> dict[str, Any]:
    """Bodies other than JSON, by media type: text, or bytes."""
    return {kind: {"schema": BYTES if kind in (FILE, OCTETS) else TEXT} for kind in media}


# ── The document ──


def document(app: FastAPI, topics: Sequence[Api]) -> Schema:
    """Return the OpenAPI document, with the schemas of every struct."""
    kinds: list[Any] = [Problem]
    told = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=[route for topic in topics for route in documented(topic.topic, topic.routes, kinds)],
        tags=[{"name": topic.topic, "description": topic.about} for topic in topics],
        servers=[{"url": "/", "description": "This server"}],
        contact={"name": "The operator of this server"},
    )
    for methods in told["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                parameter["schema"] = _schema_of(parameter["schema"])
    _, structs = schemas(kinds + list(TYPES))
    bearer = {"type": "http", "scheme": "bearer"}
    told["components"] = {"schemas": structs, "securitySchemes": {"bearer": bearer}}
    told["x-sockets"] = {PATH: {"client": _any_of(SAID), "server": _any_of(TOLD)}}
    return told


def _schema_of(parameter: dict[str, Any]) -> dict[str, Any]:
    """What a parameter may be; its name and its description stand beside it."""
    schema = without_null(parameter)
    return {name: value for name, value in schema.items() if name not in ("title", "description")}


def _any_of(kinds: Iterable[Any]) -> dict[str, Any]:
    told, _ = schemas(kinds)
    return {"anyOf": told}


# ── The page at /docs ──

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


def docs_page(document: Schema) -> str:
    """Return the HTML page for an OpenAPI document, complete without any other server."""
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
