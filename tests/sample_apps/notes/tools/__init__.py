"""Notes' operations."""
