"""Shopify: the Admin API of one shop, over REST."""
