"""Intercom: contacts, conversations, tickets, companies, the help center, and search over them."""
