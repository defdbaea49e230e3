"""Router: HTTP method and path -> operation and path arguments."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from legoenv_mcp.kernel.operations import Operation


class Router:
    """Paths are templates: `/v1/customers/{id}`, `/contents/{path:path}` (many segments). Literal segments win over parameters.

    trailing_slash: whether a path may end in one slash more than its template.
    suffix: what any path may end in and mean the same, as `.json` in APIs made with Rails. prefix: what it may start with, one
    or several (`/api/v10`, `/api`), of which the first that fits is taken off; `{account}` in one is any one segment.
    """

    def __init__(
        self,
        operations: "Iterable[Operation]",
        *,
        trailing_slash: bool = False,
        suffix: str = "",
        prefix: str | tuple[str, ...] = "",
    ) -> None:
        self._trailing_slash = trailing_slash
        self._suffix = suffix
        starts = (prefix,) if isinstance(prefix, str) else prefix
        self._prefix = re.compile("|".join(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(start)) for start in starts))
        self._routes = list[tuple[tuple[int, ...], re.Pattern[str], "dict[str, Operation]"]]()
        by_path = dict[str, "dict[str, Operation]"]()
        for operation in operations:
            if not operation.path:
                continue
            same = by_path.setdefault(re.sub(r"\{\w+(:\w+)?\}", r"{\1}", operation.path), {})
            for method in operation.methods:
                same.setdefault(method, operation)
        self._literal = dict[str, "dict[str, Operation]"]()
        for methods in by_path.values():
            path = next(iter(methods.values())).path
            if "{" in path:
                self._routes.append((_rank(path), _pattern(path), methods))
            else:
                self._literal[path] = methods
        self._routes.sort(key=lambda route: route[0])

    def match(self, method: str, path: str) -> "tuple[Operation | None, dict[str, str], list[str]]":
        """The operation and its path arguments; else None and the methods that the path does have (empty: no such path)."""
        if self._suffix:
            path = path.removesuffix(self._suffix)
        if (start := self._prefix.match(path)) is not None:
            path = path[start.end() :]
        allowed = list[str]()
        if (methods := self._literal.get(path)) is not None:
            if (operation := methods.get(method)) is not None:
                return operation, {}, []
            allowed += methods
        for _, pattern, methods in self._routes:
            if (found := pattern.fullmatch(path)) is None:
                continue
            if (operation := methods.get(method)) is not None:
                names = [m[0] for m in re.findall(r"\{(\w+)(:\w+)?\}", operation.path)]
                return operation, dict(zip(names, map(unquote, found.groups()), strict=True)), []
            allowed += methods
        if self._trailing_slash and not allowed and len(path) > 1 and path.endswith("/"):
            return self.match(method, path[:-1])
        return None, {}, allowed


def _rank(path: str) -> tuple[int, ...]:
    """Sorts literal segments before parameters before the rest of a path, segment by segment, longer paths first.

    The end of a path ranks last, so that `/branches/{name:path}/protection` is tried before `/branches/{name:path}`.
    """
    parts = path.strip("/").split("/")
    return (*(2 if ":path}" in p else 1 if p.startswith("{") and p.endswith("}") else 0 for p in parts), 3)


def _pattern(path: str) -> re.Pattern[str]:
    """Segments do not span slashes unless `:path` says so; `{id}.json` and `{name}:action` are fine."""
    out = list[str]()
    for literal, name, kind in re.findall(r"([^{}]*)(?:\{(\w+)(:\w+)?\})?", path):
        out.append(re.escape(literal))
        if name:
            out.append("(.*)" if kind == ":path" else "([^/]+?)")
    return re.compile("".join(out))
