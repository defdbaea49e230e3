"""Functions that look up, and those that make arrays."""

from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from .formulas import Node
from .functions import function
from .operators import each
from .values import (
    Matrix,
    Problem,
    Scalar,
    compare,
    fail,
    like,
    matrix,
    number,
    rank,
    scalar,
    sort_key,
    sound,
    text,
    truth,
    whole,
)

if TYPE_CHECKING:
    from .engine import Engine

_NOT_FOUND = "Did not find value '{}' in {} evaluation."


def _same(wanted: Scalar, value: Scalar, *, wild: bool = True) -> bool:
    if isinstance(value, Problem) or value is None or rank(wanted) != rank(value):
        return False
    if isinstance(wanted, str) and wild and any(c in wanted for c in "*?~"):
        return like(wanted, value)
    return compare(wanted, value) == 0


def _last_not_over(wanted: Scalar, values: list[Scalar]) -> int:
    """In ascending values the place of the last that is not over the wanted one; -1 if there is none."""
    found = -1
    for at, value in enumerate(values):
        if value is None or isinstance(value, Problem) or rank(value) != rank(wanted):
            continue
        if compare(value, wanted) > 0:
            break
        found = at
    return found


def _position(wanted: Scalar, values: list[Scalar], approximate: bool) -> int:
    wanted = sound(wanted)
    if wanted is None:
        wanted = 0
    if approximate:
        return _last_not_over(wanted, values)
    return next((at for at, value in enumerate(values) if _same(wanted, value)), -1)


def _missing(wanted: Scalar, name: str) -> Problem:
    return Problem("N_A", _NOT_FOUND.format("" if isinstance(wanted, Problem) else text(wanted)[:60], name))


@function("VLOOKUP", 3, 4)
def _vlookup(engine: "Engine", wanted: Any, area: Any, index: Any, ordered: Any = True) -> Any:
    table, column = matrix(area), whole(index, engine.locale)
    if not 1 <= column <= table.width:
        return Problem(
            "REF" if column > 0 else "VALUE", f"VLOOKUP evaluates to an out of bounds range: index {column}."
        )

    def one(value: Scalar) -> Scalar:
        at = _position(value, [row[0] for row in table.rows], truth(ordered))
        return _missing(value, "VLOOKUP") if at < 0 else table.rows[at][column - 1]

    return each(one, wanted)


@function("HLOOKUP", 3, 4)
def _hlookup(engine: "Engine", wanted: Any, area: Any, index: Any, ordered: Any = True) -> Any:
    table, row = matrix(area), whole(index, engine.locale)
    if not 1 <= row <= table.height:
        return Problem("REF" if row > 0 else "VALUE", f"HLOOKUP evaluates to an out of bounds range: index {row}.")
    value = scalar(wanted)
    at = _position(value, table.rows[0], truth(ordered))
    return _missing(value, "HLOOKUP") if at < 0 else table.rows[row - 1][at]


def _nearest(wanted: Scalar, values: list[Scalar], mode: int) -> int:
    """XLOOKUP's next smaller (-1) or next larger (1) value."""
    best = -1
    for at, value in enumerate(values):
        if value is None or isinstance(value, Problem) or rank(value) != rank(wanted):
            continue
        apart = compare(value, wanted)
        if apart == 0:
            return at
        if apart * mode > 0 and (best < 0 or compare(value, values[best]) * mode < 0):
            best = at
    return best


@function("XLOOKUP", 3, 6, lazy=True)
def _xlookup(
    engine: "Engine", array: bool, wanted: Node, where: Node, result: Node, missing: Node | None = None, match: Node = ("number", 0),
    search: Node = ("number", 1),
) -> Any:  # fmt: skip
    values, results = matrix(engine.result(where, True)), matrix(engine.result(result, True))
    down = values.width == 1
    if min(values.width, values.height) != 1 or (results.height if down else results.width) != len(values.flat()):
        return Problem("VALUE", "Array arguments to XLOOKUP are of different size.")
    mode, backward = whole(engine.one(match)), whole(engine.one(search)) in (-1, -2)
    line = values.flat()[::-1] if backward else values.flat()

    def one(value: Scalar) -> Any:
        value = sound(value)
        value = "" if value is None else value
        if mode in (-1, 1):
            at = _nearest(value, line, mode)
        else:
            at = next((i for i, v in enumerate(line) if _same(value, v, wild=mode == 2)), -1)
        if at < 0:
            return _missing(value, "XLOOKUP") if missing is None or missing == ("blank",) else engine.one(missing)
        at = len(line) - 1 - at if backward else at
        return Matrix([results.rows[at]]) if down else Matrix([[row[at]] for row in results.rows])

    said = engine.result(wanted, True) if array else engine.one(wanted)
    if isinstance(said, Matrix):
        return Matrix([[scalar(one(v)) for v in row] for row in said.rows])
    made = one(said)
    return made.rows[0][0] if isinstance(made, Matrix) and made.height == made.width == 1 else made


@function("MATCH", 2, 3)
def _match(engine: "Engine", wanted: Any, area: Any, kind: Any = 1) -> Any:
    values, way = matrix(area), number(kind, engine.locale)
    if min(values.width, values.height) != 1:
        return Problem("N_A", "MATCH range must be a single row or a single column.")
    line = values.flat()

    def one(value: Scalar) -> Scalar:
        if way < 0:
            value = sound(value)
            over = [
                i for i, v in enumerate(line) if v is not None and rank(v) == rank(value) and compare(v, value) >= 0
            ]
            at = over[-1] if over else -1
        else:
            at = _position(value, line, way > 0)
        return _missing(value, "MATCH") if at < 0 else at + 1

    return each(one, wanted)


@function("XMATCH", 2, 4)
def _xmatch(engine: "Engine", wanted: Any, area: Any, match: Any = 0, search: Any = 1) -> Any:
    values, mode = matrix(area), whole(match, engine.locale)
    if min(values.width, values.height) != 1:
        return Problem("VALUE", "XMATCH range must be a single row or a single column.")
    backward = whole(search, engine.locale) in (-1, -2)
    line = values.flat()[::-1] if backward else values.flat()

    def one(value: Scalar) -> Scalar:
        value = sound(value)
        if mode in (-1, 1):
            at = _nearest(value, line, mode)
        else:
            at = next((i for i, v in enumerate(line) if _same(value, v, wild=mode == 2)), -1)
        return _missing(value, "XMATCH") if at < 0 else len(line) - at if backward else at + 1

    return each(one, wanted)


@function("LOOKUP", 2, 3)
def _lookup(engine: "Engine", wanted: Any, area: Any, result: Any = None) -> Any:
    table = matrix(area)
    if result is None:  # the longer side is searched, the last row or column answers
        across = table.width > table.height
        keys = table.rows[0] if across else [row[0] for row in table.rows]
        answers = table.rows[-1] if across else [row[-1] for row in table.rows]
    else:
        keys, answers = table.flat(), matrix(result).flat()

    def one(value: Scalar) -> Scalar:
        at = _position(value, keys, True)
        if at < 0:
            return _missing(value, "LOOKUP")
        return answers[at] if at < len(answers) else Problem("REF", "LOOKUP evaluates to an out of bounds range.")

    return each(one, wanted)


@function("INDEX", 1, 3)
def _index(engine: "Engine", area: Any, row: Any = 0, column: Any = 0) -> Any:
    table, r, c = matrix(area), whole(row, engine.locale), whole(column, engine.locale)
    if table.height == 1 and table.width > 1 and c == 0 and r > 0:
        r, c = 0, r
    if not (0 <= r <= table.height and 0 <= c <= table.width):
        return Problem("NUM" if min(r, c) < 0 else "REF", f"Function INDEX parameters {r}, {c} are out of range.")
    rows = table.rows if r == 0 else [table.rows[r - 1]]
    made = [line if c == 0 else [line[c - 1]] for line in rows]
    return made[0][0] if len(made) == 1 and len(made[0]) == 1 else Matrix(made)


@function("CHOOSECOLS", 2, -1)
def _choosecols(engine: "Engine", area: Any, *columns: Any) -> Any:
    table, wanted = matrix(area), [whole(c, engine.locale) for c in columns]
    if any(not 1 <= abs(c) <= table.width for c in wanted):
        return Problem("VALUE", "Function CHOOSECOLS parameter is out of range.")
    return Matrix([[row[c - 1 if c > 0 else c] for c in wanted] for row in table.rows])


def _reference(name: str, least: int, most: int) -> Any:
    return function(name, least, most, lazy=True)


@_reference("ROW", 0, 1)
def _row(engine: "Engine", array: bool, node: Node | None = None) -> Any:
    if node is None:
        return engine.place[1] + 1
    if node[0] != "ref":
        return Problem("N_A", "Argument must be a range.")
    made = matrix(engine.result(node))
    top = node[1].top or 0
    return Matrix([[top + i + 1] for i in range(made.height)]) if array else top + 1


@_reference("COLUMN", 0, 1)
def _column(engine: "Engine", array: bool, node: Node | None = None) -> Any:
    if node is None:
        return engine.place[2] + 1
    if node[0] != "ref":
        return Problem("N_A", "Argument must be a range.")
    made = matrix(engine.result(node))
    left = node[1].left or 0
    return Matrix([[left + i + 1 for i in range(made.width)]]) if array else left + 1


@function("ROWS", 1)
def _rows(engine: "Engine", area: Any) -> int:
    return matrix(area).height


@function("COLUMNS", 1)
def _columns(engine: "Engine", area: Any) -> int:
    return matrix(area).width


@function("TRANSPOSE", 1, arrays=True)
def _transpose(engine: "Engine", area: Any) -> Matrix:
    return Matrix([list(line) for line in zip(*matrix(area).rows, strict=True)])


@function("FLATTEN", 1, -1, arrays=True)
def _flatten(engine: "Engine", *areas: Any) -> Matrix:
    return Matrix([[v] for a in areas for v in matrix(a).flat()])


@function("SEQUENCE", 1, 4)
def _sequence(engine: "Engine", rows: Any, columns: Any = 1, start: Any = 1, step: Any = 1) -> Matrix:
    height, width = whole(rows, engine.locale), whole(columns, engine.locale)
    if height < 1 or width < 1 or height * width > 100_000:
        raise fail("NUM", "Function SEQUENCE parameters are out of range.")
    first, apart = number(start, engine.locale), number(step, engine.locale)
    return Matrix([[first + (r * width + c) * apart for c in range(width)] for r in range(height)])


def _key(row: list[Scalar]) -> tuple[Any, ...]:
    return tuple((sort_key(v)) for v in row)


@function("UNIQUE", 1, 3, arrays=True)
def _unique(engine: "Engine", area: Any, by_column: Any = False, once: Any = False) -> Any:
    table = matrix(area)
    rows = [list(line) for line in zip(*table.rows, strict=True)] if truth(by_column) else table.rows
    seen = dict[tuple[Any, ...], list[list[Scalar]]]()
    for row in rows:
        seen.setdefault(_key(row), []).append(row)
    kept = [same[0] for same in seen.values() if len(same) == 1 or not truth(once)]
    if not kept:
        return Problem("N_A", "No unique values found.")
    return Matrix([list(line) for line in zip(*kept, strict=True)] if truth(by_column) else kept)


@function("SORT", 1, -1, arrays=True)
def _sort(engine: "Engine", area: Any, *by: Any) -> Any:
    table = matrix(area)
    keys = list[tuple[list[Scalar], bool]]()
    for at in range(0, len(by) or 1, 2):
        chosen = by[at] if by else 1
        ascending = truth(by[at + 1]) if at + 1 < len(by) else True
        if isinstance(chosen, Matrix) and chosen.height == table.height and chosen.height > 1:
            keys.append(([row[0] for row in chosen.rows], ascending))
            continue
        column = whole(chosen, engine.locale)
        if not 1 <= column <= table.width:
            return Problem(
                "VALUE", f"Function SORT parameter 2 value is {column}. It should be between 1 and {table.width}."
            )
        keys.append(([row[column - 1] for row in table.rows], ascending))

    return Matrix([table.rows[i] for i in sort_order(table.height, keys)])


def sort_order(height: int, keys: list[tuple[list[Scalar], bool]]) -> list[int]:
    """The rows' places in sorted order; blanks are last whichever the direction, and ties stay as they were."""

    def order(a: int, b: int) -> int:
        for values, ascending in keys:
            x, y = sort_key(values[a]), sort_key(values[b])
            if x == y:
                continue
            if x[0] == 4 or y[0] == 4:
                return 1 if x[0] == 4 else -1
            return (-1 if x < y else 1) * (1 if ascending else -1)
        return 0

    return sorted(range(height), key=cmp_to_key(order))


@function("FILTER", 2, -1, arrays=True)
def _filter(engine: "Engine", area: Any, *conditions: Any) -> Any:
    table = matrix(area)
    tests = [matrix(c) for c in conditions]
    across = all(t.height == 1 and t.width == table.width for t in tests) and table.width > 1
    lines = [list(line) for line in zip(*table.rows, strict=True)] if across else table.rows
    flags = list[list[bool]]()
    for test in tests:
        if len(test.flat()) != len(lines):
            return Problem("N_A", "FILTER has mismatched range sizes.")
        flags.append([not isinstance(v, Problem) and not isinstance(v, str) and bool(v) for v in test.flat()])
    kept = [line for at, line in enumerate(lines) if all(flag[at] for flag in flags)]
    if not kept:
        return Problem("N_A", "No matches are found in FILTER evaluation.")
    return Matrix([list(line) for line in zip(*kept, strict=True)] if across else kept)
