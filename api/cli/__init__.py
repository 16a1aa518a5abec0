"""The command-line program `glasnost`: decodes the arguments, calls, prints.  No rule of a game is here."""
