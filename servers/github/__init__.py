"""GitHub: the REST API of version 2022-11-28, over a real git object model."""
