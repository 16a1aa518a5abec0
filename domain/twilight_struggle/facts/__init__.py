"""What can have happened in Twilight Struggle.

`flow` is the course of a match, `cards` where the cards go, `board` what happens on the map, `tracks` what
happens beside it.  A fact says what it changes (`apply`) and who may know it; dice, sums and reasons in it
are there for the reader.
"""
