"""What is made from a log: positions, differences, narration, match files, verification, audit, export."""
