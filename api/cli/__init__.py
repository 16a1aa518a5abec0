"""The command-line program `glasnost`: decode what was typed, call, print.  No rule, no fold."""
