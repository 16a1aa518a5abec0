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
SESSIONS = ("DROP TABLE sessions", "DROP TABLE links")
MAIL = tuple(f"DROP TABLE {name}" for name in ("outbox", "subscriptions", "mail_quota", "followers"))
LOG = tuple(f"DROP TABLE {name}" for name in ("log_leaves", "log_tiles", "log_openings", "log_checkpoints"))
LOG_IN_DATABASE = (*LOG, "DROP FUNCTION log_leaves_follow, log_stays, log_tiles_grow")
REPORTED = "DROP TABLE reported_files"
KIND = ("DROP INDEX milestones", "ALTER TABLE stored_events DROP COLUMN kind")
_SQLITE, _POSTGRES = "PRAGMA user_version = {}", "UPDATE meta SET value = '{}' WHERE name = 'schema'"
TO_SCHEMA_8 = (REPORTED, _SQLITE.format(8))
TO_SCHEMA_7 = (REPORTED, *LOG, _SQLITE.format(7))
TO_SCHEMA_5 = (REPORTED, *LOG, *MAIL, _SQLITE.format(5))
TO_SCHEMA_4 = (REPORTED, *LOG, *MAIL, *SESSIONS, _SQLITE.format(4))
TO_SCHEMA_2 = (REPORTED, *LOG, *MAIL, *SESSIONS, *KIND, *PEOPLE, _SQLITE.format(2))
TO_SCHEMA_1 = (REPORTED, *LOG, *MAIL, *SESSIONS, *KIND, *PEOPLE, _SQLITE.format(1))
DATABASE_TO_SCHEMA_9 = (REPORTED, _POSTGRES.format(9))
DATABASE_TO_SCHEMA_8 = (REPORTED, *LOG_IN_DATABASE, _POSTGRES.format(8))
DATABASE_TO_SCHEMA_6 = (REPORTED, *LOG_IN_DATABASE, *MAIL, _POSTGRES.format(6))
DATABASE_TO_SCHEMA_5 = (REPORTED, *LOG_IN_DATABASE, *MAIL, *SESSIONS, _POSTGRES.format(5))
DATABASE_TO_SCHEMA_3 = (REPORTED, *LOG_IN_DATABASE, *MAIL, *SESSIONS, *KIND, *PEOPLE, _POSTGRES.format(3))
DATABASE_TO_SCHEMA_2 = (REPORTED, *LOG_IN_DATABASE, *MAIL, *SESSIONS, *KIND, *PEOPLE, _POSTGRES.format(2))
DATABASE_TO_SCHEMA_1 = (REPORTED, *LOG_IN_DATABASE, *MAIL, *SESSIONS, *KIND, *PEOPLE, _POSTGRES.format(1))
