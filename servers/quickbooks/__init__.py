"""QuickBooks Online, Accounting API v3."""
