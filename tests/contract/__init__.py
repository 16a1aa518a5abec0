"""The contract: requests over HTTP, the socket and the command line, with their answers, recorded."""
