"""The tournament file: how it is written, read and verified, what it publishes, and other exports."""
