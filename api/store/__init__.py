"""Where the log lies: the seam (`seam`), its SQLite side, the group-committing writer, the keys."""
