"""Calendly: event types, and the meetings that people book with their hosts."""
