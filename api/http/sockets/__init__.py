"""The second door to the same gate: one WebSocket for each player."""
