"""What can happen in Imperial Struggle.

`flow` is the course of a match, `tracks` the markers beside the board, `board` what lies on it, `cards` where
cards and tiles go, `wars` the war tiles and the wars.  A fact says what it changes (`apply`) and who may know
it; sums and reasons in it are there for the reader.
"""
