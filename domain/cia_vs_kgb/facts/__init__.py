"""What can have happened in CIA vs. KGB.

`decks` holds the facts that turn up, look at or put back cards of the two decks; the others follow the turn:
`preparation` (Briefing, Planning), `struggle`, `outcome` (Cease-fire, Debriefing, Detente).

A fact says what it changes (`apply`) and who may know it.  Sums, scores and reasons in a fact are there for
the reader: the table's score follows from the objectives won, so nothing is counted twice.
"""
