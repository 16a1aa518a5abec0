"""What nothing may break: real workers under load, and one fault in each module."""
