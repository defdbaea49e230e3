"""A note taker for tests: bare answers with an output schema."""
