"""Intercom's operations, one module a resource."""
