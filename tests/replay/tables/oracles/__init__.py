"""The tables of three games a second time: match files, folded fact by fact.

Nothing of this project is imported; `test_games.py` checks that.  What is printed on cards and spaces is read
from the data files of the games.
"""
