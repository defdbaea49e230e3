"""Operations over an app's tables: its own look-ups and renderings, told by their types, with the writes that bring a goal about.

Which columns a goal asks for is found by trying: the row, changed, is seen through the app's own view.
"""

import ast
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from legoenv_mcp import registry, templates
from legoenv_mcp.controller.derive import Outline
from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.fleet import Patch
from legoenv_mcp.evolve.schema.declaring import declared_as
from legoenv_mcp.evolve.schema.documents import failing
from legoenv_mcp.evolve.schema.wanted import Wanted, read_keys
from legoenv_mcp.evolve.schema.words import plural, singular, tokens
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import LiveApp, Template
from legoenv_mcp.kernel.rows import Shape
from legoenv_mcp.verify.state import BadTarget, fits, split_target


@dataclass(frozen=True)
class Part:
    """A function of the app: a look-up (context and key to a row) or a rendering (a row to what is shown)."""

    name: str
    needs_ctx: bool
    module: source.Module

    def call(self, argument: str) -> str:
        return f"{self.name}({'ctx, ' if self.needs_ctx else ''}{argument})"


def tables(wanted: Wanted) -> list[Shape]:
    """The tables that the operation may be about: whose key an argument is, then those of its nouns."""
    app = registry.load(wanted.slug)
    found = list[Shape]()
    template = templates.template(wanted.slug)
    for value in wanted.arguments.values():
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            for shape in app.shapes.values():
                if (
                    len(shape.key) == 1
                    and template.connection.execute(shape.by_key, (value,)).fetchone()
                    and shape not in found
                ):
                    found.append(shape)
    nouns = list(wanted.nouns[::-1])
    named = [s for n in nouns for s in app.shapes.values() if n in [singular(t) for t in tokens(s.cls.__name__)]]
    ranked = sorted(
        {id(s): s for s in (*found, *named)}.values(),
        # A list is about what it is called after, everything else about what it names.
        key=lambda s: (
            s not in named,
            wanted.verb == "list" and wanted.nouns[-1] not in [singular(t) for t in tokens(s.cls.__name__)][-1:],
            s not in found,
            len(s.table),
        ),
    )
    return ranked[:3]


def look_ups_of(wanted: Wanted, shape: Shape) -> tuple[list[Part], list[Part]]:
    """The app's look-ups and renderings of a table."""
    name, look_ups, renderings = shape.cls.__name__, list[Part](), list[Part]()
    for module in source.modules(wanted.slug):
        if re.search(r"capabilities|seed|fill|/views|/models", module.path):
            continue
        for fn in [
            n
            for n in module.tree.body
            if isinstance(n, ast.FunctionDef) and not any(isinstance(d, ast.Call) for d in n.decorator_list)
        ]:
            args = fn.args.args
            required = args[: len(args) - len(fn.args.defaults)]
            ctx = bool(required) and required[0].arg == "ctx"
            rest = required[1:] if ctx else required
            returns = ast.unparse(fn.returns) if fn.returns else ""
            if len(rest) != 1 or any(d is None for d in fn.args.kw_defaults):
                continue
            shown = ast.unparse(rest[0].annotation) if rest[0].annotation else ""
            if returns == name and ctx and re.match(r"(str|int|object)\b|\w*Id\b", shown):
                look_ups.append(Part(fn.name, True, module))
            elif (
                shown == name
                and (returns.startswith(("dict", "Any")) or returns[:1].isupper())
                and returns not in (name, "None")
            ):
                renderings.append(Part(fn.name, ctx, module))
    return look_ups, renderings


def keys(wanted: Wanted) -> list[str]:
    """The arguments that may be the row's key, the likeliest first."""
    ids = [
        n
        for n in wanted.arguments
        if re.search(r"(^|_)(id|key|gid|sid)$|I[dD]$|Key$", n) or singular(n.lower()) in wanted.nouns
    ]
    return ids or [n for n, v in wanted.arguments.items() if isinstance(v, (str, int)) and n in wanted.always][:2]


def _shown(wanted: Wanted, renderings: list[Part], row: str, shape: Shape) -> Iterator[str]:
    noun = wanted.nouns[-1] if wanted.nouns else shape.table
    for part in renderings[:4]:
        yield from (part.call(row), f"{{{noun!r}: {part.call(row)}}}")
    yield row
    yield f"{{{noun!r}: {row}}}"


def reads(wanted: Wanted) -> Iterator[Patch]:
    """Get by key; list by columns."""
    for shape in tables(wanted):
        look_ups, renderings = look_ups_of(wanted, shape)
        name = shape.cls.__name__
        if wanted.verb == "get":
            named = {n: c for n in wanted.always for c in shape.columns if _same(c, n) and c not in shape.key}
            told = [(f"ctx.db.first({name}, {c}={n})", n) for n, c in named.items()]
            for key in keys(wanted)[:2]:
                found = [*(p.call(key) for p in look_ups), f"ctx.require({name}, {key})"]
                told += [(one, "") for one in found[:3]]
            for (look_up, by), shown in itertools.product(told[:5], _shown(wanted, renderings, "row", shape)):
                none = f"if row is None:\n    raise ctx.app.not_found({name!r}, {by})\n" if by else ""
                made = declared_as(
                    wanted,
                    f"row = {look_up}\n{none}return {shown}",
                    f"over {name}",
                    f"Shows a {' '.join(wanted.nouns)}, told by its id.",
                    method="get",
                    returns="Any",
                )
                if made is not None:
                    yield made
        else:
            columns = {c: n for n in wanted.arguments for c in shape.columns if _same(c, n)}
            filters = "".join(f", {c}={n}" for c, n in columns.items())
            for part in (*renderings[:3], None):
                rows = f"ctx.db.find({name}{filters})"
                items = f"[{part.call('row')} for row in {rows}]" if part else rows
                for shown in _listings(wanted, items):
                    made = declared_as(
                        wanted,
                        f"return {shown}",
                        f"over {name}",
                        f"Lists the {plural(wanted.nouns[-1])} that fit what is asked for.",
                        method="get",
                        returns="Any",
                    )
                    if made is not None:
                        yield made


def _listings(wanted: Wanted, items: str) -> Iterator[str]:
    """How the app's lists are wrapped: under the keys that its own lists use."""
    keys = dict.fromkeys(read_keys(wanted.slug, wanted.tool))
    for noun in wanted.nouns[::-1]:
        keys[plural(noun)] = None
    for module in source.modules(wanted.slug):
        for match in re.finditer(r"return \{\"(\w+)\": \[", module.text):
            keys[match[1]] = None
    yield from (f"{{{key!r}: {items}}}" for key in [*keys, "data", "results", "items", "values"][:6])
    yield items


def _same(column: str, name: str) -> bool:
    a, b = (re.sub(r"[^a-z0-9]", "", x.lower()) for x in (column, name))
    return a == b or a == f"{b}id" or f"{a}id" == b


def writes(wanted: Wanted) -> Iterator[Patch]:
    """Change columns of one row: those that arguments name, those that the goal needs; then show the row."""
    for shape in tables(wanted):
        look_ups, renderings = look_ups_of(wanted, shape)
        name = shape.cls.__name__
        stamps = "".join(f", {c}={v}" for c, v in _stamps(wanted, shape).items())
        for key in keys(wanted)[:2]:
            found = [*(p.call(key) for p in look_ups), f"ctx.require({name}, {key})"]
            ways = [
                {
                    c: n
                    for n in wanted.arguments
                    if n != key and n in wanted.calls[0]
                    for c in shape.columns
                    if _same(c, n)
                },
                *_sent(wanted, shape),
                *_goal_writes(wanted, shape, key),
            ]
            for way in [w for n, w in enumerate(ways) if w and w not in ways[:n]][:6]:
                changed = ", ".join(f"{c}={v}" if c.isidentifier() else v for c, v in way.items())
                for look_up, shown in itertools.product(found[:2], _shown(wanted, renderings, "row", shape)):
                    body = f"row = {look_up}\nctx.db.update(row, {changed}{stamps})\nreturn {shown}"
                    made = declared_as(
                        wanted,
                        body,
                        f"writing {', '.join(way)}",
                        f"Changes a {' '.join(wanted.nouns)}, and shows it as it is then.",
                        returns="Any",
                    )
                    if made is not None:
                        yield made
            if wanted.verb == "delete":
                for look_up in found[:2]:
                    body = f"row = {look_up}\nctx.db.delete(row)\nreturn Reply(None, 204)"
                    made = declared_as(
                        wanted,
                        body,
                        f"deleting the {name}",
                        f"Deletes a {' '.join(wanted.nouns)}, told by its id.",
                        returns="Reply",
                        method="delete",
                    )
                    if made is not None:
                        yield made


def _sent(wanted: Wanted, shape: Shape) -> Iterator[dict[str, str]]:
    """The columns that a structured argument names."""
    for name, value in wanted.arguments.items():
        if isinstance(value, dict) and set(value) & set(shape.columns) - set(shape.key):
            held = f"**{{column: value for column, value in {name}.items() if column in type(row).model_fields}}"
            yield {f"what {name} says": held}


def _stamps(wanted: Wanted, shape: Shape) -> dict[str, str]:
    """Columns that the app's writes set to the time, as they do it."""
    found = dict[str, str]()
    for module in source.modules(wanted.slug):
        for match in re.finditer(
            r"\b(\w*(?:updated|modified|changed)\w*)=(ctx\.(?:timestamp|epoch)\([^()]*\))", module.text
        ):
            if match[1] in shape.columns:
                found.setdefault(match[1], match[2])
    return found


def _goal_writes(wanted: Wanted, shape: Shape, key: str) -> Iterator[dict[str, str]]:
    """Column -> source of the value, such that the row, so changed, is what the goal asks for."""
    for found in failing(wanted.finding):
        for goal in found.goals:
            slug, entity, name = split_target(goal.target)
            if slug != wanted.slug or goal.kind not in ("changed", "absent", "deleted") or not goal.row:
                continue
            row = row_of(found, wanted, shape, key)
            if row is None:
                continue
            if not entity:
                yield {
                    c: _spelt(v, wanted, key)
                    for c, v in goal.to.items()
                    if c in shape.columns and not isinstance(v, dict)
                }
                continue
            yield from _seen_writes(found, wanted, shape, name, goal.to, row, key)


def template_of(found: Outline, slug: str) -> Template:
    """An app as an environment begins."""
    return templates.extended(slug, found.scene.recipe.world, tuple(found.scene.added))


def row_of(found: Outline, wanted: Wanted, shape: Shape, key: str) -> dict[str, Any] | None:
    """The row that the known calls are about, where it is of this table."""
    connection = template_of(found, wanted.slug).connection
    values = list(dict.fromkeys(v for c in wanted.calls if isinstance(v := c.get(key), (str, int))))
    if len(shape.key) == 1:
        for value in values:
            if raw := connection.execute(shape.by_key, (value,)).fetchone():
                return shape.decode(raw)
    # Callers may tell it by a name of its own: an issue's key beside its id.
    for column in [c for c in shape.columns if c not in shape.key and tokens(c)[-1:] == tokens(key)[-1:]]:
        for value in values:
            raws = connection.execute(f'{shape.select} WHERE "{column}" = ? LIMIT 2', (value,)).fetchall()
            if len(raws) == 1:
                return shape.decode(raws[0])
    return None


def _seen_writes(
    found: Outline, wanted: Wanted, shape: Shape, entity: str, to: Mapping[str, Any], row: dict[str, Any], key: str
) -> Iterator[dict[str, str]]:
    capability, _, kind = entity.partition(".")
    provider = registry.load(wanted.slug).provides.get(capability)
    if provider is None:
        return
    template = template_of(found, wanted.slug)
    ctx = Ctx(LiveApp(template), None, None, Request())

    def view(changes: Mapping[str, Any]) -> dict[str, Any] | None:
        try:
            seen = provider.view(ctx, shape.table, {**row, **changes})
        except Exception:  # noqa: BLE001 - a view may refuse what no product has
            return None
        return seen.model_dump() if seen is not None and type(seen).__name__ == kind else None

    chosen = dict[str, str]()
    for field, wish in to.items():
        for column, value in _values(wanted, shape, key):
            seen = view({column: value})
            try:
                if seen is not None and fits({field: wish}, seen) and column not in chosen:
                    chosen[column] = _spelt(value, wanted, key)
                    break
            except BadTarget:
                break
    if chosen:
        yield chosen


def _values(wanted: Wanted, shape: Shape, key: str) -> Iterator[tuple[str, Any]]:
    """What a column may become: what callers give, one of its choices, yes or no."""
    given = [v for n, v in wanted.arguments.items() if n != key]
    for column in shape.columns:
        if column in shape.key:
            continue
        annotation = shape.cls.model_fields[column].annotation
        for value in (*given, *_choices(annotation), *((True, False) if "bool" in str(annotation) else ())):
            try:
                yield column, shape.adapters[column].validate_python(value)
            except ValueError:
                continue


def _choices(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(c for arm in get_args(annotation) for c in _choices(arm))


def _spelt(value: Any, wanted: Wanted, key: str) -> str:
    return next(
        (n for n, v in wanted.arguments.items() if n != key and v == value and type(v) is type(value)), repr(value)
    )
