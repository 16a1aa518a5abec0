"""The HTTP API: decode, authorise, call the gate, encode.  No rule and no fold lives here."""
