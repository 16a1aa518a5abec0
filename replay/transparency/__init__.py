"""The transparency log of a server."""
