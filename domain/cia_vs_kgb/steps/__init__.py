"""What can remain to be done in CIA vs. KGB, by phases; `turn` strings the phases together."""
