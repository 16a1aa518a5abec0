"""The steps of Twilight Struggle.

`setup`, `flow` and `play` hold the course of a match; `operations` and `choices` ask questions; `hands`,
`wars` and `dice` ask chance; `deeds` holds sequences of facts that several steps share.
"""
