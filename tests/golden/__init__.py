"""Golden playthroughs: one text file per game, with every prompt, view and fact of a seeded match."""
