"""Operations that broader or bulk operations already do, called from within."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from legoenv_mcp import registry, templates
from legoenv_mcp.controller import catalogue
from legoenv_mcp.evolve.fleet import Patch
from legoenv_mcp.evolve.schema.declaring import declared_as
from legoenv_mcp.evolve.schema.wanted import Wanted
from legoenv_mcp.evolve.schema.words import VERBS, nouns, plural, tokens
from legoenv_mcp.kernel.operations import kinds_of


def through_others(wanted: Wanted) -> Iterator[Patch]:
    """A broader read, called from within, of which only what is asked for is kept."""
    entry = catalogue.entries().get(wanted.finding["environments"][0])
    world = entry.recipe.world if entry else templates.DEFAULT_WORLD
    app = registry.load(wanted.slug)
    siblings = [op for op in app.operations.values() if op.reads and op.mcp]
    siblings.sort(key=lambda op: (-len(set(wanted.nouns) & nouns(op.tool)), op.tool))
    found = list[tuple[int, Patch]]()
    for op in siblings:
        properties: dict[str, Any] = op.input_schema.get("properties", {})
        required = set(op.input_schema.get("required", ()))
        shared = [n for n in wanted.arguments if n in properties]
        if not required <= set(wanted.always):
            continue
        sizes = {
            n: s
            for n in properties
            if re.search(r"limit|per_page|page_?size|max_?results|count$|first$|size$", n)
            and (s := _most(properties[n]))
        }
        for passed in ([shared] if shared else []) + ([[]] if not required else []):
            episode = templates.episode([wanted.slug], world, "evolve")
            reply = episode.call(wanted.slug, op.tool, {**{n: wanted.arguments[n] for n in passed}, **sizes})
            if reply.status < 400:
                found += list(_narrowed(wanted, op.tool, passed, sizes, reply.body))
    yield from (patch for _, patch in sorted(found, key=lambda f: f[0]))


def _most(schema: Mapping[str, Any]) -> int:
    if "integer" not in kinds_of(schema):
        return 0
    arms = [schema, *schema.get("anyOf", ())]
    return next((int(a["maximum"]) for a in arms if "maximum" in a), 0)


def _narrowed(
    wanted: Wanted, tool: str, passed: list[str], sizes: Mapping[str, int], body: Any
) -> Iterator[tuple[int, Patch]]:
    own = {n: n for n in wanted.arguments}
    given = ", ".join([*(f"{n!r}: {own[n]}" for n in passed), *(f"{n!r}: {v}" for n, v in sizes.items())])
    call = f"reply = ctx.call({tool!r}, {{{given}}})\nif reply.error:\n    return reply\n"
    rest = [n for n in wanted.arguments if n not in passed]
    for path, items in _lists(body):
        where = "reply.body" + "".join(f"[{p!r}]" for p in path)
        if wanted.verb == "get":
            for name in rest:
                held = next((p for i in items for p, v in _leaves(i) if str(v) == str(wanted.arguments[name])), None)
                if held is None:
                    continue
                told = "one" + "".join(f".get({p!r}, {{}})" for p in held[:-1]) + f".get({held[-1]!r})"
                pick = (
                    f"found = next((one for one in {where} if str({told}) == str({name})), None)\nif found is None:\n"
                )
                pick += f"    raise ctx.app.not_found({wanted.nouns[-1].capitalize() if wanted.nouns else 'Object'!r}, {name})\n"
                for order, shown in enumerate(
                    ("found", f"{{{wanted.nouns[-1] if wanted.nouns else 'object'!r}: found}}")
                ):
                    made = declared_as(
                        wanted,
                        f"{call}{pick}return Reply({shown})",
                        f"out of {tool}",
                        f"Shows a {' '.join(wanted.nouns)}, told by its id.",
                        returns="Reply",
                        method="get",
                    )
                    if made is not None:
                        yield order - len(items[0]), made
        else:
            tests = [t for n in rest if (t := _test(n, wanted.arguments[n], items, n in wanted.always))]
            kept = f"kept = [one for one in {where} if {' and '.join(tests)}]\n" if tests else ""
            if not tests and rest and set(rest) & wanted.always:
                continue
            put = f"{where} = kept\n" if tests else ""
            made = declared_as(
                wanted,
                f"{call}{kept}{put}return Reply(reply.body)",
                f"out of {tool}",
                f"Lists the {' '.join(map(plural, wanted.nouns[-1:]))} that fit what is asked for.",
                returns="Reply",
                method="get",
            )
            if made is not None:
                yield 10 - 3 * len(tests), made


def _leaves(item: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values of an item and of the objects in it, each with its path."""
    for key, value in item.items():
        if isinstance(value, dict):
            yield from (((key, inner), v) for inner, v in value.items() if not isinstance(v, (dict, list)))
        elif not isinstance(value, list):
            yield (key,), value


def _test(name: str, value: Any, items: list[dict[str, Any]], always: bool) -> str:
    """A condition on an item that an argument states: that a field of its name, or one that holds such values, is equal, or says it."""
    plain = re.sub(r"[^a-z]", "", name.lower())
    keys = [k for k in items[0] if re.sub(r"[^a-z]", "", k.lower()) in (plain, f"{plain}id", plain.removesuffix("id"))]
    keys += [
        k
        for k in items[0]
        if isinstance(value, (int, str)) and any(str(i.get(k)) == str(value) for i in items) and k not in keys
    ]
    optional = "" if always else f"{name} is None or "
    if keys:
        return f"({optional}str(one[{keys[0]!r}]) == str({name}))"
    if isinstance(value, str) and re.search(r"query|text|search|name|term|^q$", name):
        return f"({optional}str({name}).lower() in str(one).lower())"
    return ""


def _lists(body: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], list[dict[str, Any]]]]:
    if isinstance(body, dict):
        for key, inner in body.items():
            if isinstance(inner, list) and inner and all(isinstance(i, dict) for i in inner):
                yield (*path, key), inner
            elif isinstance(inner, dict) and len(path) < 2:
                yield from _lists(inner, (*path, key))
    elif isinstance(body, list) and body and all(isinstance(i, dict) for i in body):
        yield path, body


def through_bulk(wanted: Wanted) -> Iterator[Patch]:
    """The operation for many, called for one."""
    app = registry.load(wanted.slug)
    for tool, op in app.operations.items():
        words = tokens(tool)
        if (
            op.reads
            or not set(words) & {"many", "bulk", "batch"}
            or not wanted.nouns
            or wanted.nouns[-1] not in nouns(words)
        ):
            continue
        if next((VERBS[w] for w in words if w in VERBS), "") != wanted.verb:
            continue
        keys = [n for n in wanted.arguments if re.search(r"(^|_)id$|Id$|^id", n)][:1]
        rest = [n for n in wanted.arguments if n not in keys]
        properties = op.input_schema.get("properties", {})
        ways = list[str]()
        if keys and "ids" in properties:
            ways.append(f"{{'ids': [{keys[0]}], " + ", ".join(f"{n!r}: {n}" for n in rest if n in properties) + "}")
        if keys and "inputs" in properties:
            ways.append(f"{{'inputs': [{{'id': {keys[0]}, " + ", ".join(f"{n!r}: {n}" for n in rest) + "}]}")
        for name in properties:
            if keys and name in (plural(wanted.nouns[-1]), "records", "items"):
                ways.append(f"{{{name!r}: [{{'id': {keys[0]}, " + ", ".join(f"{n!r}: {n}" for n in rest) + "}]}")
        for given in ways:
            for shown in (
                "reply.body",
                "reply.body['results'][0]",
                f"{{{wanted.nouns[-1]!r}: reply.body[{plural(wanted.nouns[-1])!r}][0]}}",
            ):
                body = f"reply = ctx.call({tool!r}, {given})\nif reply.error:\n    return reply\nreturn Reply({shown})"
                made = declared_as(
                    wanted,
                    body,
                    f"as {tool} does it for many",
                    f"Changes a {wanted.nouns[-1]}, and shows it as it is then.",
                    returns="Reply",
                )
                if made is not None:
                    yield made
