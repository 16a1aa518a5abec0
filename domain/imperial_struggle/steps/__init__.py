"""The steps of Imperial Struggle.

`flow` holds the course of a match, `rounds` an action round, `tiles` what chance deals, `scoring` the end of
a peace turn and `wars` a war; `choices` asks what cards ask, and `deeds` holds sequences of facts that
several steps share.
"""
