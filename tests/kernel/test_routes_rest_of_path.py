"""A path that goes on behind a many-segment parameter wins over the one that ends with it."""

from types import SimpleNamespace
from typing import Any, cast

from legoenv_mcp.kernel.routes import Router


def _operation(path: str) -> Any:
    return cast(Any, SimpleNamespace(path=path, methods=("GET",)))


def test_longer_path_behind_rest_of_path_wins():
    whole, part = _operation("/branches/{name:path}"), _operation("/branches/{name:path}/protection")
    for order in ([whole, part], [part, whole]):
        router = Router(order)
        assert router.match("GET", "/branches/feature/x/protection")[:2] == (part, {"name": "feature/x"})
        assert router.match("GET", "/branches/feature/x")[:2] == (whole, {"name": "feature/x"})
