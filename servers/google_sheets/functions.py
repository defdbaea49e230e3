"""The functions of formulas: how they are called, and those of logic. https://support.google.com/docs/table/25273"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .formulas import Node
from .operators import each
from .values import Failed, Matrix, Problem, Scalar, compare, fail, flat, matrix, scalar, sound, truth, whole

if TYPE_CHECKING:
    from .engine import Engine

_ANY = 255


@dataclass(frozen=True, slots=True)
class Function:
    """run(engine, *arguments). single: it takes single values, and is applied to each of a matrix in an array formula. lazy: it gets its
    arguments unevaluated. arrays: operators in its arguments work on whole ranges."""

    run: Callable[..., Any]
    least: int
    most: int
    single: bool = False
    lazy: bool = False
    arrays: bool = False


FUNCTIONS = dict[str, Function]()


def function(name: str, least: int, most: int = 0, **how: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a function with its numbers of arguments; most 0 is as least, -1 any number."""

    def declare(run: Callable[..., Any]) -> Callable[..., Any]:
        FUNCTIONS[name] = Function(run, least, _ANY if most < 0 else most or least, **how)
        return run

    return declare


def call(engine: "Engine", name: str, arguments: tuple[Node, ...], array: bool) -> Any:
    known = FUNCTIONS.get(name)
    if known is None:
        return Problem("NAME", f"Unknown function: '{name}'.")
    if not known.least <= len(arguments) <= known.most:
        wanted = (
            str(known.least) if known.least == known.most else f"at least {known.least}" if len(arguments) < known.least
            else f"at most {known.most}"
        )  # fmt: skip
        message = (
            f"Wrong number of arguments to {name}. Expected {wanted} arguments, but got {len(arguments)} arguments."
        )
        return Problem("N_A", message)
    if known.lazy:
        return known.run(engine, array, *arguments)
    if not known.single:
        return known.run(engine, *(engine.result(a, array or known.arrays) for a in arguments))
    if not array:
        return known.run(engine, *(sound(engine.one(a)) for a in arguments))
    values = [engine.result(a, True) for a in arguments]
    return each(lambda *v: known.run(engine, *map(sound, v)), *values) if values else known.run(engine)


# Logic


def _value(engine: "Engine", array: bool, node: Node) -> Any:
    return engine.result(node, array)


@function("IF", 2, 3, lazy=True)
def _if(engine: "Engine", array: bool, test: Node, then: Node, other: Node = ("boolean", False)) -> Any:
    said = engine.result(test, True) if array else engine.one(test)
    if isinstance(said, Matrix):
        yes, no = engine.result(then, True), engine.result(other, True)
        return each(lambda s, y, n: y if truth(s) else n, said, yes, no)
    return _value(engine, array, then if truth(said) else other)


@function("IFS", 2, -1, lazy=True)
def _ifs(engine: "Engine", array: bool, *pairs: Node) -> Any:
    if len(pairs) % 2:
        return Problem("N_A", "Wrong number of arguments to IFS. Expected an even number of arguments.")
    for at in range(0, len(pairs), 2):
        if truth(engine.one(pairs[at])):
            return _value(engine, array, pairs[at + 1])
    return Problem("N_A", "No match.")


@function("SWITCH", 3, -1, lazy=True)
def _switch(engine: "Engine", array: bool, said: Node, *cases: Node) -> Any:
    value = sound(engine.one(said))
    for at in range(0, len(cases) - 1, 2):
        if compare(value, engine.one(cases[at])) == 0:
            return _value(engine, array, cases[at + 1])
    return _value(engine, array, cases[-1]) if len(cases) % 2 else Problem("N_A", "No match.")


@function("CHOOSE", 2, -1, lazy=True)
def _choose(engine: "Engine", array: bool, index: Node, *choices: Node) -> Any:
    at = whole(engine.one(index), engine.locale)
    if not 1 <= at <= len(choices):
        return Problem(
            "NUM",
            f"Function CHOOSE parameter 1 value is {at}. Valid values are between 1 and {len(choices)} inclusive.",
        )
    return _value(engine, array, choices[at - 1])


def _caught(engine: "Engine", array: bool, node: Node) -> Any:
    try:
        return engine.result(node, array)
    except Failed as failed:
        return failed.problem


def _replaced(engine: "Engine", array: bool, node: Node, other: Node, wrong: Callable[[Scalar], bool]) -> Any:
    made = _caught(engine, array, node)
    if isinstance(made, Matrix):
        if not any(wrong(v) for v in made.flat()):
            return made
        spare = engine.one(other)
        return Matrix([[spare if wrong(v) else v for v in row] for row in made.rows], made.top, made.left)
    return _value(engine, array, other) if wrong(made) else made


@function("IFERROR", 1, 2, lazy=True)
def _iferror(engine: "Engine", array: bool, node: Node, other: Node = ("blank",)) -> Any:
    return _replaced(engine, array, node, other, lambda v: isinstance(v, Problem))


@function("IFNA", 2, lazy=True)
def _ifna(engine: "Engine", array: bool, node: Node, other: Node) -> Any:
    return _replaced(engine, array, node, other, lambda v: isinstance(v, Problem) and v.kind == "N_A")


@function("ARRAYFORMULA", 1, lazy=True)
def _arrayformula(engine: "Engine", array: bool, node: Node) -> Any:
    return engine.result(node, True)


def _truths(arguments: tuple[Any, ...]) -> list[bool]:
    out = list[bool]()
    for argument in arguments:
        inside = isinstance(argument, Matrix)
        for value in map(sound, flat(argument)):
            if inside and (value is None or isinstance(value, str)):
                continue
            out.append(truth(value))
    if not out:
        raise fail("VALUE", "The function has no values to work on.")
    return out


@function("AND", 1, -1)
def _and(engine: "Engine", *arguments: Any) -> bool:
    return all(_truths(arguments))


@function("OR", 1, -1)
def _or(engine: "Engine", *arguments: Any) -> bool:
    return any(_truths(arguments))


@function("XOR", 1, -1)
def _xor(engine: "Engine", *arguments: Any) -> bool:
    return sum(_truths(arguments)) % 2 == 1


@function("NOT", 1, single=True)
def _not(engine: "Engine", value: Scalar) -> bool:
    return not truth(value)


@function("TRUE", 0)
def _true(engine: "Engine") -> bool:
    return True


@function("FALSE", 0)
def _false(engine: "Engine") -> bool:
    return False


@function("NA", 0)
def _na(engine: "Engine") -> Problem:
    return Problem("N_A", "Error")


def _test(name: str, holds: Callable[[Scalar], bool]) -> None:
    def run(engine: "Engine", array: bool, node: Node) -> Any:
        made = _caught(engine, array, node)
        if array and isinstance(made, Matrix):
            return Matrix([[holds(v) for v in row] for row in made.rows])
        return holds(scalar(matrix(made)))

    FUNCTIONS[name] = Function(run, 1, 1, lazy=True)


_test("ISBLANK", lambda v: v is None)
_test("ISERROR", lambda v: isinstance(v, Problem))
_test("ISERR", lambda v: isinstance(v, Problem) and v.kind != "N_A")
_test("ISNA", lambda v: isinstance(v, Problem) and v.kind == "N_A")
_test("ISNUMBER", lambda v: isinstance(v, int | float) and not isinstance(v, bool))
_test("ISTEXT", lambda v: isinstance(v, str))
_test("ISNONTEXT", lambda v: not isinstance(v, str))
_test("ISLOGICAL", lambda v: isinstance(v, bool))
