"""The JSON schemas of the structs, as programs understand them that make clients of the OpenAPI document.

msgspec tells what it would decode.  What is told here besides: which fields of an answer are always there
(all but those that are left out at their default), and where the names of an object are free.  No `default`
is told: generators take a field that has one for a field that is always there.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.inspect import StructType, Type, multi_type_info

REF = "#/components/schemas/{name}"
BYTES = {"type": "string", "format": "binary"}
TEXT = {"type": "string"}
_NULL = {"type": "null"}

Schema = dict[str, Any]


def schemas(kinds: Iterable[Any]) -> tuple[list[Schema], dict[str, Schema]]:
    """The schema of each kind, and by name those of all structs in them."""
    kinds = tuple(kinds)
    told, named = msgspec.json.schema_components(kinds, ref_template=REF)
    structs = {struct.__name__: struct for struct in _structs(kinds)}
    for name, schema in named.items():
        _refine(schema, structs[name])
    return [_plain(schema) for schema in told], {name: _plain(schema) for name, schema in named.items()}


def without_null(schema: Schema) -> Schema:
    """The schema of something that is left out where there is none: null is never sent."""
    told = {name: value for name, value in schema.items() if name != "anyOf"}
    if "enum" in told:
        told["enum"] = [value for value in told["enum"] if value is not None]
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != _NULL]
    return told | kinds[0] if len(kinds) == 1 else told | ({"anyOf": kinds} if kinds else {})


def _structs(kinds: Iterable[Any]) -> Iterator[type[Struct]]:
    """All structs that these kinds are made of."""
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
    """Tell which fields are always there, and what it means where one is not."""
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


def _plain(schema: Any) -> Any:
    """A schema that says of everything of which type it is."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: _plain(part) for name, part in schema.items()}
    words = told.get("enum")
    if words == [True]:
        return {name: part for name, part in told.items() if name != "enum"} | {
            "type": "boolean",
            "const": True,
        }
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        told.setdefault("type", "string")
    if told.get("type") == "object" and "properties" not in told and "anyOf" not in told:
        told.setdefault("additionalProperties", True)
    if "discriminator" in told and "anyOf" in told:  # exactly one fits, which its tag tells
        told["oneOf"] = told.pop("anyOf")
    return told
