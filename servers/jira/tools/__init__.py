"""Jira's operations, one module a resource."""
