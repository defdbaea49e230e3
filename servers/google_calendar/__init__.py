"""Google Calendar API v3."""
