"""The draws of a log: how a ledger counts them, and whether a move showed one."""

from __future__ import annotations

from domain.chance import Drawn, Ledger
from domain.events import FactEntry
from domain.log import HOUSE, Record


def draws(record: Record) -> tuple[Drawn, ...]:
    """Every draw of a move, open and secret."""
    house, entry = record.parts.get(HOUSE), record.entry
    opened: tuple[Drawn, ...] = entry.draws if isinstance(entry, FactEntry) else ()
    return (*opened, *house.draws) if house and house.draws else opened


def shown(record: Record, drawn: tuple[Drawn, ...]) -> bool:
    """Did this move, which brought facts and these draws, show one, or one seat's secret to another?"""
    if drawn:
        return True
    entry = record.entry
    for fact in entry.facts:
        if fact.reveals:
            return True
    own = getattr(entry, "seat", "")
    return any(part.facts and name not in (own, HOUSE) for name, part in record.parts.items())


def count(ledger: Ledger, record: Record) -> None:
    """Count the next move, which brought facts: the periods that it ended, and its draws."""
    for _ in record.entry.keys:
        ledger.close_period()
    for draw in draws(record):
        ledger.count(draw)
