"""What holds for each kind of object when it is saved."""
