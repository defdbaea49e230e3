"""Twilio: texts, calls, numbers, verifications and conversations over its REST APIs."""
