"""Merge patches (RFC 7396) between plain data without nulls: scenes have none."""

from __future__ import annotations

from typing import Any

Data = dict[str, Any]


def patch(before: Data, after: Data) -> Data:
    """What makes `after` of `before`: only what differs, null where something is gone."""
    changes: Data = {key: None for key in before if key not in after}
    for key, value in after.items():
        old: Any = before.get(key)
        if old is value or (old == value and type(old) is type(value)):
            continue
        whole = not (isinstance(old, dict) and isinstance(value, dict))
        changes[key] = value if whole else patch(old, value)
    return changes


def patched(before: Data, changes: Data) -> Data:
    """`before` with the changes of a merge patch; neither is changed."""
    after = dict(before)
    for key, value in changes.items():
        if value is None:
            after.pop(key, None)
        elif isinstance(value, dict):
            old = after.get(key)
            after[key] = patched(old if isinstance(old, dict) else {}, value)
        else:
            after[key] = value
    return after
