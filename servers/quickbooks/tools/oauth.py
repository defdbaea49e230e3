"""OAuth 2.0, as far as SDKs ask for it: the discovery document and tokens, which are never checked."""

from typing import Any

from legoenv_mcp.app import Ctx

from ..app import REALM, app


@app.get("/.well-known/openid_configuration", tool="openid_configuration", mcp=False)
def openid_configuration(ctx: Ctx) -> dict[str, Any]:
    """Where the endpoints of OAuth are."""
    base = ctx.request.base
    return {
        "issuer": "https://oauth.platform.intuit.com/op/v1", "authorization_endpoint": f"{base}/connect/oauth2",
        "token_endpoint": f"{base}/oauth2/v1/tokens/bearer", "userinfo_endpoint": f"{base}/v1/openid_connect/userinfo",
        "revocation_endpoint": f"{base}/v2/oauth2/tokens/revoke", "jwks_uri": f"{base}/op/v1/jwks",
        "response_types_supported": ["code"], "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
        "scopes_supported": ["openid", "com.intuit.quickbooks.accounting"],
    }  # fmt: skip


@app.post("/oauth2/v1/tokens/bearer", tool="refresh_token", effect="read", mcp=False)
def refresh_token(
    ctx: Ctx,
    grant_type: str,
    refresh_token: str | None = None,
    code: str | None = None,
    redirect_uri: str | None = None,
) -> dict[str, Any]:
    """An access token for a refresh token or a code.

    grant_type: refresh_token or authorization_code.
    refresh_token: The refresh token.
    code: The code.
    redirect_uri: The application's address.
    """
    return {
        "token_type": "bearer", "access_token": "access-token", "refresh_token": refresh_token or "refresh-token", "expires_in": 3600,
        "x_refresh_token_expires_in": 8726400, "realmId": REALM,
    }  # fmt: skip
