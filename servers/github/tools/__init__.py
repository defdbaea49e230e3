"""Operations, one module a resource of the API reference."""
