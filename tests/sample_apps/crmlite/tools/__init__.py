"""CRM Lite's operations."""
