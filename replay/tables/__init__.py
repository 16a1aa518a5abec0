"""The tables of a data set: what each one holds, and the rows of one match."""
