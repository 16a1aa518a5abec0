"""What the rules of Imperial Struggle say about a table; nothing here changes one."""
