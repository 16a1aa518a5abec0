"""The 26 ministries of Imperial Struggle, era by era: what their sides may do with them, and what they bring.

What only makes something cheaper or possible stands where prices and payments are worked out
(`rules.prices`, `rules.paying`); what counts in scoring stands in `steps.scoring`.
"""

from __future__ import annotations

from domain.imperial_struggle.ministries import empire, revolution, succession
from domain.imperial_struggle.rules.registry import ABILITIES

__all__ = ["ABILITIES", "empire", "revolution", "succession"]
