"""Everything that a document shows is executed here.

`documents` reads the files; `session` runs the blocks of one document, in their order, in one shell beside
one real server; `regenerate` (started by `./ops/docs`) writes the shown outputs anew.
"""
