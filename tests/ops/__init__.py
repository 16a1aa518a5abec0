"""The examples for operators in `ops/`: they say what the program understands, and protect what they must."""
