"""The formats of tournaments: who meets whom, and who goes on, each a pure function.

Swiss rounds are paired by an engine (`replay.tournaments.pairing`); all others are computed here.
"""
