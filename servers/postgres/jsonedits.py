"""What jsonb operators do to JSON data: paths, containment, merging, removing, setting."""

from typing import Any

from .errors import SqlError
from .values import J


def _steps(path: Any) -> list[Any]:
    """An array of texts as a path: of one dimension, without NULLs."""
    for n, step in enumerate(path, 1):
        if step is None:
            raise SqlError("22004", f"path element at position {n} is null")
    if any(isinstance(step, list) for step in path):
        raise SqlError("2202E", "wrong number of array subscripts")
    return path


def _at(data: Any, step: Any) -> tuple[bool, Any]:
    if isinstance(data, dict) and isinstance(step, str):
        return step in data, data.get(step)
    if isinstance(data, list):
        try:
            n = int(step)
        except ValueError:
            return False, None
        return (True, data[n]) if -len(data) <= n < len(data) else (False, None)
    return False, None


def _path(data: Any, path: list[Any]) -> tuple[bool, Any]:
    found = True
    for step in path:
        if step is None or isinstance(step, list):
            return False, None
        found, data = _at(data, step)
        if not found:
            return False, None
    return found, data


def contains(whole: Any, part: Any) -> bool:
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(k in whole and contains(whole[k], v) for k, v in part.items())
    if isinstance(whole, list):
        if isinstance(part, list):
            return all(any(contains(w, p) for w in whole) for p in part)
        return not isinstance(part, dict) and any(J(w) == J(part) for w in whole)
    return J(whole) == J(part)


def _concat(a: Any, b: Any) -> Any:
    if isinstance(a, dict) and isinstance(b, dict):
        return {**a, **b}
    if isinstance(a, list) or isinstance(b, list) or not (isinstance(a, dict) or isinstance(b, dict)):
        return [*(a if isinstance(a, list) else [a]), *(b if isinstance(b, list) else [b])]
    raise SqlError("22023", "invalid concatenation of jsonb objects")


def _without(data: Any, key: Any) -> Any:
    if isinstance(data, dict):
        if isinstance(key, int):
            raise SqlError("22023", "cannot delete from object using integer index")
        drop = _steps(key) if isinstance(key, list) else [key]
        return {k: v for k, v in data.items() if k not in drop}
    if not isinstance(data, list):
        raise SqlError("22023", "cannot delete from scalar")
    if isinstance(key, int):
        at = key if key >= 0 else len(data) + key
        return [v for n, v in enumerate(data) if n != at]
    drop = _steps(key) if isinstance(key, list) else [key]
    return [v for v in data if not (isinstance(v, str) and v in drop)]


def _without_path(data: Any, path: list[Any]) -> Any:
    if not path:
        return data
    found, inner = _at(data, path[0])
    if not found:
        return data
    if isinstance(data, dict):
        return (
            {k: v for k, v in data.items() if k != path[0]}
            if len(path) == 1
            else {**data, path[0]: _without_path(inner, path[1:])}
        )
    at = int(path[0]) % len(data)
    return (
        [v for n, v in enumerate(data) if n != at]
        if len(path) == 1
        else [_without_path(v, path[1:]) if n == at else v for n, v in enumerate(data)]
    )


def _set(data: Any, path: list[Any], new: Any, create: bool, insert: bool = False, after: bool = False) -> Any:
    if not path:
        return data
    step, last = path[0], len(path) == 1
    if isinstance(data, dict):
        if last:
            if insert and step in data:
                raise SqlError(
                    "22023",
                    "cannot replace existing key",
                    hint="Try using the function jsonb_set to replace key value.",
                )
            return {**data, step: new} if step in data or create else data
        return {**data, step: _set(data[step], path[1:], new, create, insert, after)} if step in data else data
    if isinstance(data, list):
        try:
            n = int(step)
        except ValueError:
            raise SqlError("22P02", f'path element at position 1 is not an integer: "{step}"') from None
        at = n if n >= 0 else len(data) + n
        if not last:
            return [_set(v, path[1:], new, create, insert, after) if k == at else v for k, v in enumerate(data)]
        if insert:
            at = max(0, min(at + after, len(data)))
            return [*data[:at], new, *data[at:]]
        if 0 <= at < len(data):
            return [new if k == at else v for k, v in enumerate(data)]
        return ([new, *data] if n < 0 else [*data, new]) if create else data
    if last:
        raise SqlError("22023", "cannot set path in scalar")
    return data


def _strip(data: Any) -> Any:
    if isinstance(data, dict):
        return {k: _strip(v) for k, v in data.items() if v is not None}
    return [_strip(v) for v in data] if isinstance(data, list) else data
