"""Games that were played elsewhere: their logs, read into a structure, and the deal that they imply.

`structure` holds what a log can say, `reader` reads one (with `sections` and `turns` for its parts, `lines`
for a single line and `names` for cards and countries).  `card_tracking` follows the cards from hand to hand;
`draw_intervals` finds when each card must be drawn, `deal` assigns the cards to draws, and a `dealer` gives
them to the rules.  `driver` runs our rules along the log (with `answers`, `comparison`, `statement_pool`,
`stated_position` and `places`), and `report` says what came of it.
"""
