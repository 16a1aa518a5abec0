"""Games that were played elsewhere: their logs, read into a structure, and the deal that they imply.

`structure` holds what a log can say, `reading` reads one (with `sections` for its parts, `lines` for a single
line and `names` for cards and countries).  `following` follows the cards from hand to hand, as `moves`;
`stays` asks what has to be dealt when, `deal` finds the draws (with `matching`), and a `dealer` hands them
out.
"""
