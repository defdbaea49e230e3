"""Signed webhooks: `X-Quaymark-Signature: t=<unix time>,v1=<hmac sha-256 of "<t>.<body>">`."""

import hashlib
import hmac


def sign(secret: bytes, body: bytes, at: int) -> str:
    digest = hmac.new(secret, f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"
