"""Gmail: one mailbox behind Google's Gmail API v1."""
