"""Stores of matches: what one must do (`interface`), how one is opened (`open`), SQLite, PostgreSQL, keys."""
