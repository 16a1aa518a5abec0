"""The rules of the games and what a match is.  Pure: no clock, no random source, no I/O, no framework."""
