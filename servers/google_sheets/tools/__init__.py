"""Operations by resource."""
