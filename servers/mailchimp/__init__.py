"""Mailchimp: the Marketing API 3.0."""
