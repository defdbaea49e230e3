"""Shopify's operations, one module a resource."""
