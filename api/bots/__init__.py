"""The bots of the server: their levels, and the processes in which they search."""
