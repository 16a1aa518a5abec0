"""The server's transparency log: a Merkle tree over what the server opened, closed and published, in C2SP's
formats (`tlog-tiles`, `tlog-checkpoint`).
"""
