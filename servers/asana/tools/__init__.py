"""Asana's operations, one module a resource."""
