"""Tokens for wall screens: they do not expire, but can be revoked."""

import secrets


def new_token() -> str:
    return "kiosk_" + secrets.token_urlsafe(24)
