"""Where canonical entities live: of each entity that an app's views show, the table and key of the row it is the head of.

Looking every row of an app through its views takes tens of milliseconds; a verifier asks for a few entities by id, thousands of times.
So the index of a template is made once, and that of an episode is the template's with the rows looked at anew that changed.
"""

from typing import Any
from weakref import WeakKeyDictionary

from legoenv_mcp.kernel.context import Ctx, Request, entity_name
from legoenv_mcp.kernel.episode import LiveApp, Template
from legoenv_mcp.kernel.store import Key, read_keys

Heads = dict[str, dict[str, Key]]
_KNOWN: "WeakKeyDictionary[Template, Heads]" = WeakKeyDictionary()


def heads(template: Template) -> Heads:
    """Entity name -> id -> (table, key), of a template."""
    if template not in _KNOWN:
        ctx = Ctx(LiveApp(template), None, None, Request())
        if template.base is not None:
            found = {name: dict(ids) for name, ids in heads(template.base).items()}
            for (table, _), values in read_keys(template.connection, template.app.shapes, template.touched).items():
                if values is not None:
                    _note(found, ctx, table, template.app.shapes[table].decode(tuple(values.values())))
        else:
            found = dict[str, dict[str, Key]]()
            for table, shape in template.app.shapes.items():
                for raw in template.connection.execute(shape.select):
                    _note(found, ctx, table, shape.decode(raw))
        _KNOWN[template] = found
    return _KNOWN[template]


def _note(found: Heads, ctx: Ctx, table: str, row: dict[str, Any]) -> None:
    app = ctx.app
    for capability in app.provides.values():
        entity = capability.view(ctx, table, row)
        if entity is not None:
            key = tuple(row[name] for name in app.shapes[table].key)
            found.setdefault(entity_name(type(entity)), {})[entity.id] = (table, key)
