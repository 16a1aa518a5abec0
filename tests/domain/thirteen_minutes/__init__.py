"""13 Minutes: each rule of book 002 and each ruling T-*, by name."""
