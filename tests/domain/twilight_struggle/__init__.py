"""The rules of Twilight Struggle, one test for each."""
