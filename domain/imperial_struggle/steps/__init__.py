"""What can remain to be done in Imperial Struggle.

`flow` strings a match together, `rounds` is an action round, `tiles` what chance deals, `scoring` the end of
a peace turn and `wars` a war; `choices` asks what cards ask, and `deeds` holds what often happens.
"""
