"""Gmail's operations, a module a resource."""
