"""The program of a witness: it follows transparency logs, and cosigns what is consistent."""
