"""Every operation is given what nobody sends in good faith, over both faces: it is refused in the product's own words, or taken as the
product would take it. Nothing fails, nothing hangs, nothing is half done."""

import itertools
import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from pydantic_core import to_json
from support import hostile
from support.arguments import pool, shown

from legoenv_mcp import registry, templates
from legoenv_mcp.faces import rest
from legoenv_mcp.faces import tools as mcp_face
from legoenv_mcp.kernel import bounds
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Reply, Request, as_json
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.kernel.operations import Operation

ROUNDS = int(os.environ.get("LEGOENV_HOSTILE_ROUNDS", "1"))
"""How often every operation is gone over, each time with other values; the nightly mode asks for more."""
A_ROUND = 2
LONGEST = 1_000_000
HANG = 30.0
"""Processor seconds after which a call counts as hanging: the kernel breaks it off, and answers 503."""


@pytest.fixture(autouse=True)
def no_call_hangs() -> Iterator[None]:
    bounds.bound_calls(HANG)
    yield
    bounds.bound_calls(0)


class Attack:
    """An app under attack: values in turn, and what came of each call."""

    def __init__(self, slug: str) -> None:
        self.template = templates.template(slug, templates.DEFAULT_WORLD)
        self.slug, self.app, self.known = slug, registry.load(slug), pool(self.template)
        self.turn, self.calls = 0, 0
        self.values = itertools.cycle([*hostile.TEXTS, *hostile.NUMBERS])
        self.long = itertools.cycle(hostile.long(3000))
        digits = "9" * 5000
        deep = (hostile.nested(150), hostile.nested(10_000, "{"))
        self.heavy = itertools.cycle(["x" * LONGEST, digits, deep[0], digits, deep[1], digits])
        self.bodies = itertools.cycle(hostile.bodies())
        self.queries = itertools.cycle(hostile.QUERY_STRINGS)
        self.renew()

    def renew(self) -> None:
        """A fresh episode now and then, so that what was done before does not hide what comes."""
        self.episode = Episode(lambda _: self.template, (self.slug,), "hostile")
        self.live = self.episode.app(self.slug)

    def arguments(self, operation: Operation, name: str, value: Any) -> dict[str, Any]:
        """By the function's names: the hostile value, and what else is required."""
        properties = operation.input_properties
        made = {
            p.name: hostile.plausible(properties[p.name], self.known, self.turn)
            for p in operation.params.values()
            if p.required
        }
        if self.turn % 3 == 0 and properties:
            extra = list(properties)[self.turn % len(properties)]
            made[extra] = hostile.plausible(properties[extra], self.known, self.turn)
        return {**made, name: hostile.placed(properties[name], value)}

    def attack(self, operation: Operation, face: Any, arguments: dict[str, Any]) -> None:
        self.calls += 1
        before, count = dict(self.live.touched), self.live.write_count
        reply: Reply = face(operation, arguments)
        if reply.status >= 500 or reply.error != (reply.status >= 400):
            raise AssertionError(f"{self.told(operation, arguments)} answered {reply.status}: {str(reply.body)[:300]}")
        if reply.error and not reply.keep and (self.live.touched, self.live.write_count) != (before, count):
            raise AssertionError(f"{self.told(operation, arguments)} was refused and wrote")
        to_json(mcp_face.result(reply))
        rest.encode(reply)
        assert not self.live.store.connection.in_transaction

    def told(self, operation: Operation, arguments: dict[str, Any]) -> str:
        try:
            return f"{self.slug}.{operation.tool}({shown(arguments)})"
        except RecursionError:
            return f"{self.slug}.{operation.tool}({', '.join(arguments)})"

    # Faces

    def by_tool(self, operation: Operation, arguments: dict[str, Any]) -> Reply:
        if not operation.mcp:
            return self.live.perform(operation, arguments, Request())
        return self.live.call(
            operation.tool, {operation.params[n].tool_name: v for n, v in arguments.items() if operation.params[n].mcp}
        )

    def by_request(self, operation: Operation, arguments: dict[str, Any]) -> Reply:
        return rest.handle(self.live, *request(self.app, operation, arguments))

    def by_bytes(self, operation: Operation, arguments: dict[str, Any]) -> Reply:
        made, _ = request(self.app, operation, arguments)
        kind, body = next(self.bodies)
        query = next(self.queries)
        headers = {**made.headers, "content-type": kind, "content-encoding": "gzip", "x-http-method-override": "GET"}
        flat = dict(rest.parse_qsl(query, keep_blank_values=True))
        return rest.handle(
            self.live, Request(made.method, made.path, f"{made.path}?{query}", flat, headers, "http://x"), body
        )

    # Rounds

    def go(self, operation: Operation) -> None:
        names = [n for n, p in operation.params.items() if p.rest or p.mcp]
        faces = (self.by_tool, self.by_request) if operation.path else (self.by_tool,)
        if self.turn % 7 == 0:
            self.renew()
        for n in range(A_ROUND if names else 0):
            self.turn += 1
            for face in faces:
                self.attack(operation, face, self.arguments(operation, names[n % len(names)], next(self.values)))
        for value in [next(self.heavy if self.turn % 2 else self.long)] if names else []:
            self.turn += 1
            self.attack(operation, self.by_tool, self.arguments(operation, names[self.turn % len(names)], value))
        if operation.path:
            self.attack(operation, self.by_bytes, self.arguments(operation, names[0], "x") if names else {})


def request(app: App, operation: Operation, arguments: dict[str, Any]) -> tuple[Request, bytes]:
    """A call as an HTTP request: values in the path, the query, the headers and the body, where the product has them."""
    path, query, fields, headers = operation.path, list[tuple[str, str]](), dict[str, Any](), dict[str, str]()
    body = b""
    for name, value in arguments.items():
        param = operation.params[name]
        text = value if isinstance(value, str) else as_json(value).decode()
        if not param.rest:
            continue
        if param.where == "path":
            for spelt in (f"{{{param.wire}}}", f"{{{param.wire}:path}}"):
                path = path.replace(spelt, quote(text.encode("utf-8", "replace"), safe=""))
        elif param.where == "query":
            query.append((param.wire, text.encode("utf-8", "replace").decode()))
        elif param.where == "header":
            headers[param.wire.lower()] = text.replace("\n", " ")
        elif param.where == "payload":
            body = text.encode("utf-8", "replace")
        else:
            fields[param.wire] = value
    if fields:
        fields = {app.body_key: fields} if app.body_key else fields
        body = as_json(fields)
    headers["content-type"] = "application/json"
    text = urlencode(query)
    flat = dict(rest.parse_qsl(text, keep_blank_values=True))
    path = rest.normal_path(path)
    return Request(operation.method, path, f"http://x{path}?{text}", flat, headers, "http://x"), body


@pytest.mark.parametrize("slug", registry.slugs())
def test_every_operation_withstands(slug: str) -> None:
    attack = Attack(slug)
    for _ in range(ROUNDS):
        for operation in attack.app.operations.values():
            attack.go(operation)
    assert attack.calls >= len(attack.app.operations)
