"""Importers: matches that were played elsewhere, one package for each game and log format."""
