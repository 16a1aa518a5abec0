"""The 41 events of Imperial Struggle, era by era: each a few functions that read like the card."""

from __future__ import annotations

from domain.imperial_struggle.events import empire, revolution, succession
from domain.imperial_struggle.rules.registry import EVENTS

__all__ = ["EVENTS", "empire", "revolution", "succession"]
