"""Reports, computed from the postings."""
