"""Date and time functions and operators."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from . import datetimes, formats
from .datetimes import DAY, Interval
from .errors import SqlError
from .signatures import function, operator
from .values import Setting

_EPOCH = datetime.combine(date(1970, 1, 1), time())
_MICRO = timedelta(microseconds=1)


def _day(value: date, days: int) -> date:
    try:
        return value + timedelta(days=days)
    except OverflowError:
        raise SqlError("22008", "date out of range") from None


def _naive(value: date) -> datetime:
    return datetime.combine(value, time())


def _moved(sign: int) -> Any:
    def run(s: Setting, value: datetime, by: Interval) -> datetime:
        if value.tzinfo is None or not (by.months or by.days):
            return datetimes.shift(value, by, sign)
        # Months and days are those of the session's zone.
        local = datetimes.shift(
            value.astimezone(s.where).replace(tzinfo=None), Interval(by.months, by.days), sign
        ).replace(tzinfo=s.where)
        return datetimes.shift(local.astimezone(UTC), Interval(0, 0, by.micros), sign)

    return run


def _scaled(value: Interval, by: float) -> Interval:
    months = value.months * by
    days = value.days * by + (months - int(months)) * 30
    whole = int(round(days, 6)) if abs(days - round(days)) < 1e-6 else int(days)
    micros = value.micros * by + (days - whole) * DAY
    return Interval(int(months), whole, round(micros))


def _sum(a: Interval, b: Interval) -> Interval:
    return Interval(a.months + b.months, a.days + b.days, a.micros + b.micros)


def _negative(a: Interval) -> Interval:
    return Interval(-a.months, -a.days, -a.micros)


def _on(value: time, by: Interval, sign: int) -> time:
    moved = datetime.combine(date(2000, 1, 1), value) + timedelta(microseconds=sign * by.micros % DAY)
    return moved.time()


_TRUNC = (
    "microseconds",
    "milliseconds",
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "quarter",
    "year",
    "decade",
    "century",
    "millennium",
)


def _unit(unit: str, kind: str) -> str:
    low = unit.lower()
    short = {"mon": "month", "yr": "year", "y": "year", "hr": "hour", "h": "hour", "min": "minute", "m": "minute", "sec": "second",
        "s": "second", "d": "day", "w": "week",
             "us": "microseconds", "ms": "milliseconds", "microsecond": "microseconds", "millisecond": "milliseconds",
             "centuries": "century", "millenniums": "millennium"}  # fmt: skip
    low = short.get(low, low)
    if low not in _TRUNC and low.removesuffix("s") in _TRUNC:
        low = low.removesuffix("s")
    if low not in _TRUNC:
        raise SqlError("22023", f'unit "{unit}" not recognized for type {kind}')
    return low


def truncated(unit: str, value: datetime, kind: str = "timestamp without time zone") -> datetime:
    match _unit(unit, kind):
        case "microseconds":
            return value
        case "milliseconds":
            return value.replace(microsecond=value.microsecond // 1000 * 1000)
        case "second":
            return value.replace(microsecond=0)
        case "minute":
            return value.replace(second=0, microsecond=0)
        case "hour":
            return value.replace(minute=0, second=0, microsecond=0)
        case other:
            start = value.replace(hour=0, minute=0, second=0, microsecond=0)
    year = value.year
    match other:
        case "day":
            return start
        case "week":
            return start - timedelta(days=start.weekday())
        case "month":
            return start.replace(day=1)
        case "quarter":
            return start.replace(month=(start.month - 1) // 3 * 3 + 1, day=1)
        case "year":
            return start.replace(month=1, day=1)
        case "decade":
            return start.replace(year=max(year // 10 * 10, 1), month=1, day=1)
        case "century":
            return start.replace(year=(year - 1) // 100 * 100 + 1, month=1, day=1)
        case _:
            return start.replace(year=(year - 1) // 1000 * 1000 + 1, month=1, day=1)


def _trunc_tz(s: Setting, unit: str, value: datetime, where: str = "") -> datetime:
    place = datetimes.zone(where) if where else s.where
    local = truncated(unit, value.astimezone(place).replace(tzinfo=None), "timestamp with time zone")
    return local.replace(tzinfo=place).astimezone(UTC)


def _trunc_interval(unit: str, value: Interval) -> Interval:
    name = _unit(unit, "interval")
    sizes = {"second": 1_000_000, "minute": 60_000_000, "hour": 3_600_000_000, "milliseconds": 1000, "microseconds": 1}
    months = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200, "millennium": 12000}
    if name in sizes:
        return Interval(value.months, value.days, int(value.micros / sizes[name]) * sizes[name])
    if name == "day":
        return Interval(value.months, value.days)
    if name in months:
        return Interval(int(value.months / months[name]) * months[name])
    raise SqlError(
        "0A000", f'unit "{unit}" not supported for type interval', detail="Months usually have fractional weeks."
    )


def _extract(s: Setting, unit: str, value: Any) -> Decimal:
    low = unit.lower()
    if isinstance(value, Interval):
        return _extract_interval(low, value)
    if isinstance(value, time):
        value = datetime.combine(date(1970, 1, 1), value)
        if low in ("epoch", "hour", "minute", "second", "milliseconds", "microseconds"):
            return _extract(s, unit, value)
        raise SqlError("22023", f'unit "{unit}" not supported for type time without time zone')
    aware = isinstance(value, datetime) and value.tzinfo is not None
    local = value.astimezone(s.where) if aware else value if isinstance(value, datetime) else _naive(value)
    kind = (
        "timestamp with time zone"
        if aware
        else "timestamp without time zone"
        if isinstance(value, datetime)
        else "date"
    )
    if kind == "date" and low in (
        "hour",
        "minute",
        "second",
        "milliseconds",
        "microseconds",
        "timezone",
        "timezone_hour",
        "timezone_minute",
    ):
        raise SqlError("0A000", f'unit "{unit}" not supported for type date')
    year, iso = local.year, local.isocalendar()
    offset = int((local.utcoffset() or timedelta()).total_seconds()) if aware else 0
    if low == "epoch":
        micros = (local.replace(tzinfo=None) - _EPOCH) // _MICRO - offset * 1_000_000
        return Decimal(micros // 1_000_000) if kind == "date" else Decimal(micros).scaleb(-6)
    seconds = local.second * 1_000_000 + local.microsecond
    simple: dict[str, Any] = {
        "year": year, "years": year, "month": local.month, "months": local.month, "day": local.day, "days": local.day, "hour": local.hour,
        "hours": local.hour,
        "minute": local.minute, "minutes": local.minute, "second": Decimal(seconds).scaleb(-6), "seconds": Decimal(seconds).scaleb(-6),
        "milliseconds": Decimal(seconds).scaleb(-3), "microseconds": seconds, "dow": local.isoweekday() % 7, "isodow": local.isoweekday(),
        "doy": local.timetuple().tm_yday, "week": iso.week, "isoyear": iso.year, "quarter": (local.month + 2) // 3, "decade": year // 10,
        "century": (year + 99) // 100, "millennium": (year + 999) // 1000, "julian": local.toordinal() + 1721425,
    }  # fmt: skip
    if aware:
        simple |= {"timezone": offset, "timezone_hour": int(offset / 3600), "timezone_minute": int(offset / 60) % 60}
    if low not in simple:
        raise SqlError("22023", f'unit "{unit}" not recognized for type {kind}')
    return Decimal(simple[low])


def _extract_interval(unit: str, value: Interval) -> Decimal:
    years, micros = int(value.months / 12), value.micros
    seconds = micros - int(micros / 60_000_000) * 60_000_000
    found: dict[str, Any] = {
        "epoch": Decimal(years * (365 * DAY + DAY // 4) + ((value.months - years * 12) * 30 + value.days) * DAY + micros).scaleb(-6),
        "year": years, "month": value.months - years * 12, "day": value.days, "hour": int(micros / 3_600_000_000),
        "minute": int(micros / 60_000_000) % 60 if micros >= 0 else -(int(-micros / 60_000_000) % 60),
        "second": Decimal(seconds).scaleb(-6), "milliseconds": Decimal(seconds).scaleb(-3), "microseconds": seconds,
        "quarter": (value.months - years * 12) // 3 + 1,
        "decade": int(years / 10), "century": int(years / 100), "millennium": int(years / 1000),
    }  # fmt: skip
    name = unit if unit in found else unit.removesuffix("s")
    if name not in found:
        raise SqlError("22023", f'unit "{unit}" not recognized for type interval')
    return Decimal(found[name])


def _make(*parts: Any, aware: Any = None) -> datetime:
    year, month, day, hour, minute, second = parts
    try:
        micros = round(second * 1_000_000)
        return datetime.combine(date(year, month, day), time(hour, minute)) + timedelta(microseconds=micros)
    except (ValueError, OverflowError):
        raise SqlError("22008", f"date field value out of range: {year}-{month:02}-{day:02}") from None


def _make_date(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise SqlError("22008", f"date field value out of range: {year}-{month:02}-{day:02}") from None


def _from_epoch(seconds: float) -> datetime:
    try:
        return (_EPOCH + timedelta(microseconds=round(seconds * 1_000_000))).replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        raise SqlError("22008", f'timestamp out of range: "{seconds:g}"') from None


def _interval_of(
    years: int = 0, months: int = 0, weeks: int = 0, days: int = 0, hours: int = 0, mins: int = 0, secs: float = 0
) -> Interval:
    return Interval(years * 12 + months, weeks * 7 + days, (hours * 60 + mins) * 60_000_000 + round(secs * 1_000_000))


def _bin(stride: Interval, value: datetime, origin: datetime) -> datetime:
    if stride.months:
        raise SqlError("0A000", "timestamps cannot be binned into intervals containing months or years")
    span = stride.days * DAY + stride.micros
    if span <= 0:
        raise SqlError("22008", "stride must be greater than zero")
    return origin + (value - origin) // _MICRO // span * span * _MICRO


def _overlaps(a: Any, b: Any, c: Any, d: Any) -> bool:
    def ends(start: Any, stop: Any) -> tuple[Any, Any]:
        stop = datetimes.shift(start, stop) if isinstance(stop, Interval) else stop
        return (start, stop) if start <= stop else (stop, start)

    (s1, e1), (s2, e2) = ends(a, b), ends(c, d)
    return s1 == s2 or (s1 < e2 and s2 < e1)


def _at_zone(name: str, value: datetime) -> datetime:
    place = datetimes.zone(name)
    return value.astimezone(place).replace(tzinfo=None) if value.tzinfo else value.replace(tzinfo=place).astimezone(UTC)


operator("+(date,int4) date", _day)
operator("+(int4,date) date", lambda n, d: _day(d, n))
operator("-(date,int4) date", lambda d, n: _day(d, -n))
operator("-(date,date) int4", lambda a, b: (a - b).days)
for _kind in ("timestamp", "timestamptz"):
    operator(f"+({_kind},interval) {_kind}", _moved(1), env=True)
    operator(f"+(interval,{_kind}) {_kind}", lambda s, by, v: _moved(1)(s, v, by), env=True)
    operator(f"-({_kind},interval) {_kind}", _moved(-1), env=True)
    operator(f"-({_kind},{_kind}) interval", datetimes.between)
operator("+(date,interval) timestamp", lambda d, by: datetimes.shift(_naive(d), by))
operator("+(interval,date) timestamp", lambda by, d: datetimes.shift(_naive(d), by))
operator("-(date,interval) timestamp", lambda d, by: datetimes.shift(_naive(d), by, -1))
operator("+(date,time) timestamp", datetime.combine)
operator("+(time,date) timestamp", lambda t, d: datetime.combine(d, t))
operator("+(time,interval) time", lambda t, by: _on(t, by, 1))
operator("-(time,interval) time", lambda t, by: _on(t, by, -1))
operator(
    "-(time,time) interval",
    lambda a, b: Interval(0, 0, (datetime.combine(date.min, a) - datetime.combine(date.min, b)) // _MICRO),
)
operator("+(interval,interval) interval", _sum)
operator("-(interval,interval) interval", lambda a, b: _sum(a, _negative(b)))
operator("-(interval) interval", _negative)
operator("*(interval,float8) interval", _scaled)
operator("*(float8,interval) interval", lambda n, v: _scaled(v, n))
operator("/(interval,float8) interval", lambda v, n: _scaled(v, 1 / n) if n else _fail())


def _fail() -> Any:
    raise SqlError("22012", "division by zero")


function(
    "now() timestamptz; transaction_timestamp() timestamptz; statement_timestamp() timestamptz; clock_timestamp() timestamptz;"
    " current_timestamp() timestamptz",
    lambda s: s.now,
    env=True,
)
function("current_date() date", lambda s: s.now.astimezone(s.where).date(), env=True)
function("current_time() timetz; localtime() time", lambda s: s.now.astimezone(s.where).time(), env=True)
function("localtimestamp() timestamp", lambda s: s.now.astimezone(s.where).replace(tzinfo=None), env=True)
function("timeofday() text", lambda s: s.now.strftime("%a %b %d %H:%M:%S.%f %Y UTC"), env=True)
function("date_trunc(text,timestamp) timestamp", truncated)
function("date_trunc(text,timestamptz) timestamptz; date_trunc(text,timestamptz,text) timestamptz", _trunc_tz, env=True)
function("date_trunc(text,interval) interval", _trunc_interval)
for _kind in ("date", "timestamp", "timestamptz", "time", "interval"):
    function(f"extract(text,{_kind}) numeric", _extract, env=True)
    function(f"date_part(text,{_kind}) float8", lambda s, u, v: float(_extract(s, u, v)), env=True)
function("age(timestamp,timestamp) interval; age(timestamptz,timestamptz) interval", datetimes.age)
function("age(timestamp) interval", lambda s, v: datetimes.age(_naive(s.now.astimezone(s.where).date()), v), env=True)
function(
    "age(timestamptz) interval",
    lambda s, v: datetimes.age(_naive(s.now.astimezone(s.where).date()), v.astimezone(s.where).replace(tzinfo=None)),
    env=True,
)
function("make_date(int4,int4,int4) date", _make_date)
function("make_time(int4,int4,float8) time", lambda h, m, sec: _make(2000, 1, 1, h, m, sec).time())
function("make_timestamp(int4,int4,int4,int4,int4,float8) timestamp", _make)
function(
    "make_timestamptz(int4,int4,int4,int4,int4,float8) timestamptz",
    lambda s, *p: _make(*p).replace(tzinfo=s.where).astimezone(UTC),
    env=True,
)
_NAMED_INTERVAL = ("years", "months", "weeks", "days", "hours", "mins", "secs")
for _n in range(8):
    function(f"make_interval({','.join(['int4'] * min(_n, 6) + ['float8'] * (_n > 6))}) interval", _interval_of)
function("to_timestamp(float8) timestamptz", _from_epoch)
function(
    "to_timestamp(text,text) timestamptz",
    lambda s, v, f: formats.read(v, f).replace(tzinfo=s.where).astimezone(UTC),
    env=True,
)
function("to_date(text,text) date", lambda v, f: formats.read(v, f).date())
function("to_char(timestamp,text) text", formats.moment)
function("to_char(timestamptz,text) text", lambda s, v, f: formats.moment(v.astimezone(s.where), f), env=True)
function("to_char(interval,text) text", formats.interval)
function(
    "to_char(numeric,text) text; to_char(int4,text) text; to_char(int8,text) text; to_char(float8,text) text",
    formats.number,
)
function("to_number(text,text) numeric", formats.read_number)
function("timezone(text,timestamp) timestamptz; timezone(text,timestamptz) timestamp", _at_zone)
function(
    "justify_days(interval) interval",
    lambda v: Interval(v.months + int(v.days / 30), v.days - int(v.days / 30) * 30, v.micros),
)
function(
    "justify_hours(interval) interval",
    lambda v: Interval(v.months, v.days + int(v.micros / DAY), v.micros - int(v.micros / DAY) * DAY),
)
function("justify_interval(interval) interval", datetimes.justify)
function(
    "date_bin(interval,timestamp,timestamp) timestamp; date_bin(interval,timestamptz,timestamptz) timestamptz", _bin
)
function(
    "isfinite(date) bool; isfinite(timestamp) bool; isfinite(timestamptz) bool; isfinite(interval) bool", lambda _: True
)
for _kind in ("timestamp", "timestamptz"):
    function(
        f"overlaps({_kind},{_kind},{_kind},{_kind}) bool; overlaps({_kind},interval,{_kind},interval) bool", _overlaps
    )
