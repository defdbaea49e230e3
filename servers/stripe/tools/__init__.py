"""Stripe's operations, a module a resource."""
