"""Scenes: how the table of each game looks, as plain data in one closed vocabulary."""
