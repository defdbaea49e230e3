"""Who may come in: the names we are reached by, and the tokens."""

import base64
import binascii
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from legoenv_mcp.gateway.problems import Problem

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")

Role = Literal["control", "agent", ""]


class Names:
    """The host names that requests may be addressed to, against DNS rebinding: a page in someone's browser can reach a
    server on their machine, but only under the page's own name.

    A name allows every port, `name:port` one port, `*` every name.
    """

    def __init__(self, host: str = "", allowed: Iterable[str] = ()) -> None:
        own = () if host in EVERYWHERE else (f"[{host}]" if ":" in host else host,)
        self._names = {name.lower() for name in (*LOOPBACK, *own, *allowed)}

    def allow(self, host: str) -> bool:
        host = host.lower()
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        return "*" in self._names or (host != "" and (host in self._names or name in self._names))

    def check(self, host: str, origin: str | None) -> None:
        """Raises the Problem for a Host or Origin that is none of ours."""
        if not self.allow(host):
            raise Problem(
                421, "foreign-host", "This server does not go by the name in the Host header (see --allowed-host)."
            )
        if origin is not None:
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or not self.allow(parts.netloc):
                raise Problem(403, "foreign-origin", "Requests from this Origin are not allowed (see --allowed-host).")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The agent's token and the controlling side's; empty where none is asked for. With an agent's token alone, it controls too."""

    agent: str = ""
    control: str = ""

    @property
    def any(self) -> bool:
        return bool(self.agent or self.control)

    def role(self, authorization: str, *, vendors: bool) -> Role:
        """Whose token a request carries. `vendors`: also in the shapes of vendors' SDKs (`token T`, Basic with T as either half)."""
        given = _presented(authorization, vendors=vendors)
        # Every comparison is made, whatever the outcome of another, and each takes as long whatever is given.
        control = [hmac.compare_digest(value, self.control.encode()) for value in given if self.control]
        agent = [hmac.compare_digest(value, self.agent.encode()) for value in given if self.agent]
        if any(control) or (any(agent) and not self.control):
            return "control"
        return "agent" if any(agent) else ""

    def admit(self, authorization: str, *, control: bool, vendors: bool = False) -> bool:
        """Whether a request may go on, to the controlling paths or to the agent's."""
        if control:
            return not self.any or self.role(authorization, vendors=False) == "control"
        return not self.agent or self.role(authorization, vendors=vendors) != ""


def _presented(authorization: str, *, vendors: bool) -> list[bytes]:
    scheme, _, value = authorization.partition(" ")
    scheme, value = scheme.lower(), value.strip()
    if scheme == "bearer" or (scheme == "token" and vendors):
        return [value.encode("latin-1", "replace")]
    if scheme == "basic" and vendors:
        try:
            user, _, password = base64.b64decode(value, validate=True).partition(b":")
        except (binascii.Error, ValueError):
            return []
        return [user, password]
    return []
