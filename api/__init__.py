"""The server: HTTP and the command line, the one gate behind both, and the store behind the gate."""
