"""What makes a store of this version one of an older: the statements that undo its migrations."""

from __future__ import annotations

UNDO = (
    "DROP INDEX people_folded",
    "ALTER TABLE people DROP COLUMN folded",
    "DROP TABLE audit_log",
    "DROP TABLE reservations",
    "DROP TABLE upload_quota",
    "DROP TABLE withdrawals",
)
_SQLITE, _POSTGRES = "PRAGMA user_version = {}", "UPDATE meta SET value = '{}' WHERE name = 'schema'"
TO_SCHEMA_2 = (*UNDO, _SQLITE.format(2))
TO_SCHEMA_1 = (*UNDO, "DROP INDEX milestones", _SQLITE.format(1))
DATABASE_TO_SCHEMA_3 = (*UNDO, _POSTGRES.format(3))
DATABASE_TO_SCHEMA_2 = (*UNDO, _POSTGRES.format(2))
DATABASE_TO_SCHEMA_1 = (*UNDO, "DROP INDEX milestones", _POSTGRES.format(1))
