"""For people who train agents: games as states and environments, every episode a match that can be proved.

`state.State` needs nothing but the rules and has the method names of OpenSpiel; `aec.env` makes a PettingZoo
environment of it and needs the extra `research`.
"""
