"""Operations, one module a resource."""
