"""Read models: each one a pure fold over the log's records, and the runner that takes in each record once.

Every row here can be thrown away and rebuilt from the log, also while the server runs.  Reading order:
`model` (what a projection is), the folds (`matches`, `history`, `boards`), then `tables`, `catalogue` and
`runner` (how rows and positions are kept), `file` and `postgres` (where, behind `backend`), and `read` (what
the API asks).  `turns`, over `summary`, needs every play of a match and stores no rows: it folds the log of
the match at each reading.  `sentences` puts the result in words.
"""
