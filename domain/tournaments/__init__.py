"""Tournaments: pure functions on what their logs say."""
