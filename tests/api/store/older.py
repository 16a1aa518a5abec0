"""What makes a store of this version one of an older: the statements that undo its migrations."""

from __future__ import annotations

PEOPLE = (
    "DROP INDEX people_folded",
    "ALTER TABLE people DROP COLUMN folded",
    "DROP TABLE audit_log",
    "DROP TABLE reservations",
    "DROP TABLE upload_quota",
    "DROP TABLE withdrawals",
)
KIND = ("DROP INDEX milestones", "ALTER TABLE stored_events DROP COLUMN kind")
_SQLITE, _POSTGRES = "PRAGMA user_version = {}", "UPDATE meta SET value = '{}' WHERE name = 'schema'"
TO_SCHEMA_2 = (*KIND, *PEOPLE, _SQLITE.format(2))
TO_SCHEMA_1 = (*KIND, *PEOPLE, _SQLITE.format(1))
DATABASE_TO_SCHEMA_3 = (*KIND, *PEOPLE, _POSTGRES.format(3))
DATABASE_TO_SCHEMA_2 = (*KIND, *PEOPLE, _POSTGRES.format(2))
DATABASE_TO_SCHEMA_1 = (*KIND, *PEOPLE, _POSTGRES.format(1))
