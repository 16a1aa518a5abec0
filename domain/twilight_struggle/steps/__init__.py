"""What can remain to be done in Twilight Struggle.

`setup`, `flow` and `play` string a match together; `operations` and `choices` ask; `hands`, `wars` and `dice`
are left to chance; `deeds` holds what often happens.
"""
