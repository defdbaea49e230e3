"""What the products of one house share, for their apps to import: error envelopes, field selection, batches."""
