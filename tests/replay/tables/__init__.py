"""The tables of a data set, against oracles that share nothing with them."""
