"""What can happen in CIA vs. KGB.

`decks` holds the facts that turn up, look at or put back cards of the two decks; the others follow the turn:
`preparation` (Briefing, Planning), `struggle`, `outcome` (Cease-fire, Debriefing, Detente).

A fact says what it changes (`apply`) and which seats may know it.  Sums, scores and reasons in a fact are for
the reader only: the score of a table follows from the objectives won.
"""
