"""Arithmetic as the server does it: overflow checks, exact numeric with its rules for scales."""

import math
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from typing import Any

from .errors import SqlError
from .jsontext import CONTEXT
from .signatures import function, operator
from .types import RANGES, shown

_ZERO = SqlError("22012", "division by zero")


def fits(kind: str, value: int) -> int:
    bound = RANGES[kind]
    if not -bound <= value < bound:
        raise SqlError("22003", f"{shown(kind)} out of range")
    return value


def scale(value: Decimal) -> int:
    return max(0, -int(value.as_tuple().exponent)) if value.is_finite() else 0


def _weight(value: Decimal) -> tuple[int, int]:
    """The weight and value of the first base-10000 digit."""
    if not value:
        return 0, 0
    top = value.adjusted()
    weight = top // 4
    return weight, int(abs(value).scaleb(-weight * 4, context=CONTEXT))


def rounded(value: Decimal, places: int, how: str = ROUND_HALF_UP) -> Decimal:
    if not value.is_finite():
        return value
    places = min(max(places, -1000), 1000)
    made = value.quantize(Decimal(1).scaleb(-places), rounding=how, context=CONTEXT)
    if places < 0:
        made = made.quantize(Decimal(1), context=CONTEXT)
    return made if made else abs(made)


def divide(left: Decimal, right: Decimal) -> Decimal:
    if left.is_nan() or right.is_nan():
        return Decimal("NaN")
    if not right:
        raise _ZERO
    (w1, f1), (w2, f2) = _weight(left), _weight(right)
    weight = w1 - w2 - (f1 <= f2)
    places = min(max(16 - weight * 4, scale(left), scale(right)), 1000)
    return rounded(CONTEXT.divide(left, right), places)


def _remainder(left: Any, right: Any) -> Any:
    if not right:
        raise _ZERO
    return left - right * (abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1))


def _numeric_remainder(left: Decimal, right: Decimal) -> Decimal:
    if not right:
        raise _ZERO
    made = CONTEXT.remainder(left, right)
    return rounded(made, max(scale(left), scale(right)))


def _whole_division(kind: str) -> Any:
    def run(left: int, right: int) -> int:
        if not right:
            raise _ZERO
        made = abs(left) // abs(right)
        return fits(kind, made if (left < 0) == (right < 0) else -made)

    return run


def _float(value: float) -> float:
    if math.isinf(value):
        raise SqlError("22003", "value out of range: overflow")
    return value


def _float_division(left: float, right: float) -> float:
    if not right:
        raise _ZERO
    return _float(left / right)


def power(left: Any, right: Any) -> float:
    if left == 0 and right < 0:
        raise SqlError("2201F", "zero raised to a negative power is undefined")
    if left < 0 and math.isfinite(right) and right != int(right):
        raise SqlError("2201F", "a negative number raised to a non-integer power yields a complex result")
    try:
        return _float(left**right)
    except OverflowError:
        raise SqlError("22003", "value out of range: overflow") from None


def _significant(value: Decimal, places: int) -> Decimal:
    return rounded(value, max(0, min(places, 1000)))


_MOST_DIGITS = 1950
"""What the engine's numbers hold, of the server's 131,072: to raise to a power takes the cube of the digits in time."""


def _numeric_power(left: Decimal, right: Decimal) -> Decimal:
    if not right:
        return rounded(Decimal(1), max(16, scale(left)))
    if left.is_nan() or right.is_nan():
        return Decimal("NaN")
    power(
        float(left) if abs(left) < 10**300 else 1.0, float(right) if abs(right) < 10**300 else 1.0
    ) if not left or left < 0 else None
    whole = right == right.to_integral_value()
    size = abs(left.copy_abs().log10(Context(prec=30)) * right) if left else Decimal(0)
    if size > _MOST_DIGITS or (right != right.to_integral_value() and abs(right) > 10_000):
        raise SqlError("22003", "value overflows numeric format")
    places = max(
        scale(left), scale(right), 16 - int(float(left.copy_abs().log10(Context(prec=30)) * right) if left else 0)
    )
    made = Context(prec=int(size) + 60, rounding=ROUND_HALF_UP).power(left, right)
    return _significant(made, max(16, scale(left)) if whole else places)


def _numeric_root(value: Decimal) -> Decimal:
    if value.is_nan():
        return value
    if value < 0:
        raise SqlError("2201F", "cannot take square root of a negative number")
    weight = (_weight(value)[0] + 1) * 4 // 2 - 1
    return _significant(Context(prec=1100).sqrt(value), max(16 - weight, scale(value)))


def _numeric_log(value: Decimal, base10: bool) -> Decimal:
    if value.is_nan():
        return value
    if value <= 0:
        raise SqlError(
            "2201E", "cannot take logarithm of zero" if not value else "cannot take logarithm of a negative number"
        )
    context = Context(prec=60)
    made = value.log10(context) if base10 else value.ln(context)
    weight = made.adjusted() if made else 0
    return _significant(made, max(16 - weight, scale(value)))


def _numeric_exp(value: Decimal) -> Decimal:
    if value.is_nan():
        return value
    if value < -4500:
        return rounded(Decimal(0), 1000)
    if value > 4500:
        raise SqlError("22003", "value overflows numeric format")
    estimate = float(value) * 0.434294481903252
    places = max(16 - int(estimate), scale(value), 0)
    return _significant(value.exp(Context(prec=max(int(estimate), 0) + places + 20)), places)


def _log_base(base: Decimal, value: Decimal) -> Decimal:
    if base.is_nan() or value.is_nan():
        return Decimal("NaN")
    top, bottom = _numeric_log(value, False), _numeric_log(base, False)
    if not bottom:
        raise _ZERO
    context = Context(prec=60)
    made = context.divide(value.ln(context), base.ln(context))
    del top
    return _significant(made, 16 - (made.adjusted() if made else 0))


def _bucket(value: Any, low: Any, high: Any, count: int) -> int:
    if not all(math.isfinite(v) for v in (value, low, high)):
        raise SqlError("2201G", "operand, lower bound, and upper bound cannot be NaN")
    if count <= 0:
        raise SqlError("2201G", "count must be greater than zero")
    if low == high:
        raise SqlError("2201G", "lower bound cannot equal upper bound")
    place = (value - low) * count // (high - low)
    return 0 if place < 0 else count + 1 if place >= count else int(place) + 1


def _factorial(n: int) -> Decimal:
    if n < 0:
        raise SqlError("22003", "factorial of a negative number is undefined")
    if n > 3000:
        raise SqlError("22003", "value overflows numeric format")
    return Decimal(math.factorial(n))


def _half_even(value: float) -> float:
    return float(round(value)) if math.isfinite(value) else value


for _kind in ("int2", "int4", "int8"):

    def _checked(run: Any, kind: str = _kind) -> Any:
        return lambda *args: fits(kind, run(*args))

    operator(f"+({_kind},{_kind}) {_kind}", _checked(lambda a, b: a + b))
    operator(f"-({_kind},{_kind}) {_kind}", _checked(lambda a, b: a - b))
    operator(f"*({_kind},{_kind}) {_kind}", _checked(lambda a, b: a * b))
    operator(f"/({_kind},{_kind}) {_kind}", _whole_division(_kind))
    operator(f"%({_kind},{_kind}) {_kind}", _remainder)
    function(f"mod({_kind},{_kind}) {_kind}", _remainder)
    operator(f"-({_kind}) {_kind}", _checked(lambda a: -a))
    operator(f"@({_kind}) {_kind}", _checked(abs))
    function(f"abs({_kind}) {_kind}", _checked(abs))
    operator(f"&({_kind},{_kind}) {_kind}", lambda a, b: a & b)
    operator(f"|({_kind},{_kind}) {_kind}", lambda a, b: a | b)
    operator(f"#({_kind},{_kind}) {_kind}", lambda a, b: a ^ b)
    operator(f"~({_kind}) {_kind}", lambda a: ~a)
    operator(f"<<({_kind},int4) {_kind}", lambda a, b, w=RANGES[_kind]: ((a << (b % 64)) + w) % (2 * w) - w)
    operator(f">>({_kind},int4) {_kind}", lambda a, b: a >> (b % 64))

operator("+(numeric,numeric) numeric", CONTEXT.add)
operator("-(numeric,numeric) numeric", CONTEXT.subtract)
operator("*(numeric,numeric) numeric", CONTEXT.multiply)
operator("/(numeric,numeric) numeric", divide)
operator("%(numeric,numeric) numeric", _numeric_remainder)
operator("-(numeric) numeric", lambda a: -a if a else a)
operator("@(numeric) numeric", abs)
operator("^(numeric,numeric) numeric", _numeric_power)
for _kind in ("float4", "float8"):
    for _other in ("float4", "float8"):
        _both = f"({_kind},{_other}) {'float4' if _kind == _other == 'float4' else 'float8'}"
        operator(f"+{_both}", lambda a, b: _float(a + b))
        operator(f"-{_both}", lambda a, b: _float(a - b))
        operator(f"*{_both}", lambda a, b: _float(a * b))
        operator(f"/{_both}", _float_division)
    operator(f"-({_kind}) {_kind}", lambda a: -a)
    operator(f"@({_kind}) {_kind}", abs)
    function(f"abs({_kind}) {_kind}", abs)
operator("^(float8,float8) float8", power)
operator("|/(float8) float8", lambda a: _root(a))
operator("||/(float8) float8", lambda a: math.copysign(abs(a) ** (1 / 3), a))


def _root(value: float) -> float:
    if value < 0:
        raise SqlError("2201F", "cannot take square root of a negative number")
    return math.sqrt(value)


def _log(value: float, run: Any) -> float:
    if value <= 0:
        raise SqlError(
            "2201E", "cannot take logarithm of zero" if not value else "cannot take logarithm of a negative number"
        )
    return run(value)


def _whole(value: float, run: Any) -> float:
    return float(run(value)) if math.isfinite(value) else value


function("mod(numeric,numeric) numeric", _numeric_remainder)
function(
    "div(numeric,numeric) numeric", lambda a, b: rounded(CONTEXT.divide(a, b) if b else _raise(_ZERO), 0, ROUND_DOWN)
)
function("abs(numeric) numeric", abs)
function("ceil(numeric) numeric; ceiling(numeric) numeric", lambda a: rounded(a, 0, ROUND_CEILING))
function("floor(numeric) numeric", lambda a: rounded(a, 0, ROUND_FLOOR))
function("ceil(float8) float8; ceiling(float8) float8", lambda a: _whole(a, math.ceil))
function("floor(float8) float8", lambda a: _whole(a, math.floor))
function("round(numeric) numeric", lambda a: rounded(a, 0))
function("round(numeric,int4) numeric", lambda a, n: rounded(a, max(-2000, min(n, 2000))))
function("round(float8) float8", _half_even)
function("trunc(numeric) numeric", lambda a: rounded(a, 0, ROUND_DOWN))
function("trunc(numeric,int4) numeric", lambda a, n: rounded(a, max(-2000, min(n, 2000)), ROUND_DOWN))
function("trunc(float8) float8", lambda a: _whole(a, math.trunc))
function("sign(numeric) numeric", lambda a: a if a.is_nan() else Decimal((a > 0) - (a < 0)))
function("sign(float8) float8", lambda a: float((a > 0) - (a < 0)))
function("sqrt(numeric) numeric", _numeric_root)
function("sqrt(float8) float8", _root)
function("cbrt(float8) float8", lambda a: math.copysign(round(abs(a) ** (1 / 3), 14), a))
function("power(numeric,numeric) numeric; pow(numeric,numeric) numeric", _numeric_power)
function("power(float8,float8) float8; pow(float8,float8) float8", power)
function("exp(numeric) numeric", _numeric_exp)
function("exp(float8) float8", lambda a: _float(math.exp(a)) if a < 709 else _float(math.inf))
function("ln(numeric) numeric", lambda a: _numeric_log(a, False))
function("ln(float8) float8", lambda a: _log(a, math.log))
function("log(numeric) numeric; log10(numeric) numeric", lambda a: _numeric_log(a, True))
function("log(float8) float8; log10(float8) float8", lambda a: _log(a, math.log10))
function("log(numeric,numeric) numeric", _log_base)
function("pi() float8", lambda: math.pi)
function("degrees(float8) float8", math.degrees)
function("radians(float8) float8", math.radians)
for _name in ("sin", "cos", "tan", "atan", "sinh", "cosh", "tanh"):
    function(
        f"{_name}(float8) float8", lambda a, run=getattr(math, _name): run(a) if abs(a) < 700 else _float(math.inf)
    )
function(
    "asin(float8) float8", lambda a: math.asin(a) if abs(a) <= 1 else _raise(SqlError("22003", "input is out of range"))
)
function(
    "acos(float8) float8", lambda a: math.acos(a) if abs(a) <= 1 else _raise(SqlError("22003", "input is out of range"))
)
function("atan2(float8,float8) float8", math.atan2)
for _kind in ("int4", "int8"):
    function(f"gcd({_kind},{_kind}) {_kind}", math.gcd)
    function(f"lcm({_kind},{_kind}) {_kind}", lambda a, b, kind=_kind: fits(kind, math.lcm(a, b)))
function("factorial(int8) numeric", _factorial)
function("scale(numeric) int4", scale)
function("trim_scale(numeric) numeric", lambda a: rounded(a.normalize(CONTEXT), scale(a.normalize(CONTEXT))))
function("width_bucket(float8,float8,float8,int4) int4; width_bucket(numeric,numeric,numeric,int4) int4", _bucket)


def _raise(error: SqlError) -> Any:
    raise error
