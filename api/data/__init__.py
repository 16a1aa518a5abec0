"""The data process: answers from a data set, which every client may download.

It opens neither a store nor keys nor the table of people.  `serving` runs it, `routes` has its addresses,
`reader` the open data set, `answers` what is asked of it; `sql` and what begins with it run SQL of callers.
"""
