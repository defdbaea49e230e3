"""Types: their names inside and out, oids, categories, and which casts are made unasked.

Inside, a type is pg_type's own name ("int4"), an array type is that with an underscore before it ("_int4"), an enum is its
qualified name ("public.mood").
"""

OIDS = {
    "bool": 16, "bytea": 17, '"char"': 18, "name": 19, "int8": 20, "int2": 21, "int4": 23, "text": 25, "oid": 26, "tid": 27, "json": 114,
    "float4": 700,
    "float8": 701, "unknown": 705, "inet": 869, "bpchar": 1042, "varchar": 1043, "date": 1082, "time": 1083, "timestamp": 1114,
    "timestamptz": 1184, "interval": 1186, "timetz": 1266, "bit": 1560, "varbit": 1562, "numeric": 1700, "regclass": 2205, "regtype": 2206,
    "record": 2249, "void": 2278, "uuid": 2950, "jsonb": 3802,
}  # fmt: skip
_ARRAY_OIDS = {
    "bool": 1000, "bytea": 1001, "name": 1003, "int2": 1005, "int4": 1007, "text": 1009, "bpchar": 1014, "varchar": 1015, "int8": 1016,
    "float4": 1021, "float8": 1022, "oid": 1028, "tid": 1010, "timestamp": 1115, "date": 1182, "time": 1183, "timestamptz": 1185,
    "interval": 1187,
    "numeric": 1231, "json": 199, "uuid": 2951, "jsonb": 3807, "regclass": 2210,
}  # fmt: skip
SIZES = {"bool": 1, "int2": 2, "int4": 4, "int8": 8, "oid": 4, "float4": 4, "float8": 8, "date": 4, "time": 8, "timestamp": 8,
         "timestamptz": 8, "interval": 16, "uuid": 16, "name": 64, "regclass": 4}  # fmt: skip
_LONG = {
    "int2": "smallint", "int4": "integer", "int8": "bigint", "float4": "real", "float8": "double precision", "bool": "boolean",
    "varchar": "character varying", "bpchar": "character", "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
    "time": "time without time zone", "timetz": "time with time zone", "varbit": "bit varying",
}  # fmt: skip
INTEGERS = ("int2", "int4", "int8")
NUMBERS = (*INTEGERS, "numeric", "float4", "float8")
STRINGS = ("text", "varchar", "bpchar", "name", '"char"', "unknown")
PREFERRED = {"text", "float8", "timestamptz", "bool", "interval", "oid"}
RANGES = {"int2": 2**15, "int4": 2**31, "int8": 2**63}
_WIDER = {
    "int2": ("int4", "int8", "numeric", "float4", "float8", "oid", "regclass"), "int4": ("int8", "numeric", "float4", "float8", "oid",
    "regclass"),
    "int8": ("numeric", "float4", "float8", "oid", "regclass"), "numeric": ("float4", "float8"), "float4": ("float8",),
    "varchar": ("text", "bpchar", "name", "regclass"), "bpchar": ("text", "varchar", "name"), "name": ("text", "varchar", "bpchar"),
    "text": ("varchar", "bpchar", "name", "regclass"),
    '"char"': ("text", "varchar", "bpchar"), "date": ("timestamp", "timestamptz"), "timestamp": ("timestamptz",), "time": ("interval",
    "timetz"),
    "regclass": ("oid", "int8"), "oid": ("int8", "regclass"), "regtype": ("oid", "int8"), "bit": ("varbit",),
}  # fmt: skip
"""Implicit casts."""
_ASSIGNED = {
    "int4": ("int2",), "int8": ("int2", "int4"), "numeric": INTEGERS, "float4": (*INTEGERS, "numeric"), "float8": (*INTEGERS, "numeric",
    "float4"),
    "timestamp": ("date", "time"), "timestamptz": ("timestamp", "date", "time", "timetz"), "timetz": ("time",), "interval": ("time",),
    "json": ("jsonb",), "jsonb": ("json",), "oid": ("int4",), "regclass": ("int4",),
}  # fmt: skip
"""Casts that INSERT and UPDATE make besides. Everything may be assigned to text."""
_EXPLICIT = {
    ("int4", "bool"), ("bool", "int4"), ("jsonb", "bool"), ("jsonb", "int2"), ("jsonb", "int4"), ("jsonb", "int8"), ("jsonb", "numeric"),
    ("jsonb", "float4"), ("jsonb", "float8"), ("int4", "bit"), ("int8", "bit"), ("bit", "int4"), ("bit", "int8"), ("int4", '"char"'),
        ('"char"', "int4"),
}  # fmt: skip


def is_array(kind: str) -> bool:
    return kind.startswith("_")


def element(kind: str) -> str:
    return kind[1:]


def is_enum(kind: str) -> bool:
    return "." in kind and not is_array(kind)


def is_string(kind: str) -> bool:
    return kind in STRINGS


def category(kind: str) -> str:
    if is_array(kind):
        return "A"
    if is_enum(kind):
        return "E"
    if kind in NUMBERS or kind in ("oid", "regclass", "regtype"):
        return "N"
    if kind == "unknown":
        return "X"
    if kind in STRINGS:
        return "S"
    return {
        "bool": "B",
        "date": "D",
        "timestamp": "D",
        "timestamptz": "D",
        "time": "D",
        "timetz": "D",
        "interval": "T",
    }.get(kind, "U")


def implicit(source: str, target: str) -> bool:
    """Whether a value becomes this type unasked."""
    return source == target or source == "unknown" or target in _WIDER.get(source, ())


def assignable(source: str, target: str) -> bool:
    """Whether a value may be stored in a column of this type."""
    if implicit(source, target) or target in _ASSIGNED.get(source, ()):
        return True
    if is_array(source) and is_array(target):
        return assignable(element(source), element(target))
    return target in ("text", "varchar", "bpchar", "name")


def castable(source: str, target: str) -> bool:
    """Whether CAST makes this of that: everything goes by way of text, but only from text or to it."""
    if assignable(source, target) or (source, target) in _EXPLICIT or is_string(source):
        return True
    if is_array(source) and is_array(target):
        return castable(element(source), element(target))
    return category(source) == category(target) == "N" and "regclass" not in (source, target)


def shown(kind: str, mods: tuple[int, ...] = ()) -> str:
    """The type as format_type prints it."""
    if is_array(kind):
        return shown(element(kind), mods) + "[]"
    if is_enum(kind):
        schema, _, name = kind.partition(".")
        return name if schema == "public" else kind
    long = _LONG.get(kind, kind)
    if not mods:
        return long
    inside = f"({','.join(map(str, mods))})"
    head, space, tail = long.partition(" with")
    return f"{head}{inside}{space}{tail}" if kind in ("timestamp", "timestamptz", "time", "timetz") else long + inside


def spelt(kind: str, mods: tuple[int, ...] = ()) -> str:
    """The type in an expression that is printed back: there `character` would be one character wide."""
    return "bpchar" + "[]" * is_array(kind) if kind.lstrip("_") == "bpchar" and not mods else shown(kind, mods)


def oid(kind: str) -> int:
    if is_array(kind):
        return _ARRAY_OIDS.get(element(kind), 2277)
    return OIDS.get(kind, 3500)


def modifier(kind: str, mods: tuple[int, ...]) -> int:
    """atttypmod, the number that packs a type's modifiers."""
    if not mods:
        return -1
    if kind == "numeric":
        return ((mods[0] << 16) | (mods[1] if len(mods) > 1 else 0)) + 4
    return mods[0] + 4 if kind in ("varchar", "bpchar") else mods[0]


def common(kinds: list[str]) -> str | None:
    """The type of CASE, COALESCE, UNION and arrays over these; None where there is none."""
    known = [k for k in kinds if k != "unknown"]
    if not known:
        return "text"
    chosen = known[0]
    for kind in known[1:]:
        if kind == chosen:
            continue
        if category(kind) != category(chosen):
            return None
        if implicit(chosen, kind) and not (implicit(kind, chosen) and chosen in PREFERRED):
            chosen = kind
    return chosen
