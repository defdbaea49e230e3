"""Operations, a module per resource."""
