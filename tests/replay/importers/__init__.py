"""Logs of games played elsewhere: reading them, and the deal that they imply."""
