"""The store of the log: interface, SQLite and PostgreSQL, group commit, keys, accounts and backup."""
