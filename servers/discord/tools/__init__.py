"""Discord's endpoints, a module a resource."""
