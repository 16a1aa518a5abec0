"""The log's other life: positions, differences, narration, match files, verification, audit and export."""
