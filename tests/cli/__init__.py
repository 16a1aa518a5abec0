"""The command-line program: what it prints, what it refuses, and its exit codes."""
