"""What can happen in Twilight Struggle.

`flow` is the course of a match, `cards` where the cards go, `board` what happens on the map, `tracks` what
happens beside it.  A fact says what it changes (`apply`) and which seats may know it; dice, sums and reasons
in it are for the reader only.
"""
