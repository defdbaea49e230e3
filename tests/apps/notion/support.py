"""What the tests of Notion share."""

from typing import Any

from legoenv_mcp.capabilities import Entity, Plan
from legoenv_mcp.capabilities.docs_notes import Document
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode

BODY = """# Title

A *first* paragraph with **bold *and both***, ~~gone~~, `code` and a [link](https://a.example/x?y=1).
Its second line: 2 * 3 < 7, snake_case_name.

- one
  - deeper

    with a paragraph
- [ ] to do
- [x] done

3. three
4. four

> said
> so
>
> - here

| a | b |
| --- | --- |
| 1 \\| 2 | `z` |

```sh
ls -l
```

---

$$
x^2
$$

![A map](https://a.example/map.png)"""


DOCUMENTS = [
    Document(
        key="guide",
        title="Guide",
        body=BODY,
        author="alex.doyle",
        created="2025-01-01T08:00:05Z",
        updated="2026-01-01T08:00:07Z",
    ),
    Document(key="guide/start", title="Getting started", body="Begin here.", parent="guide", author="bea"),
    Document(key="notes", title="Meeting notes", body="* odd *bullets*\n\n\n* spelt _otherwise_\n", author="bea"),
]


BEA = Person(
    key="bea", first_name="Bea", last_name="Reed", email="bea@brightwater.example", handle="bea", title="Analyst",
    department="Finance", manager="alex.doyle", city="Leeds", active=False,
)  # fmt: skip


SCHEMA: dict[str, Any] = {
    "Name": {"title": {}},
    "Stage": {"select": {"options": [{"name": "New"}, {"name": "Won", "color": "green"}]}},
    "State": {"status": {}},
    "Tags": {"multi_select": {}},
    "Due": {"date": {}},
    "Cost": {"number": {"format": "euro"}},
    "Done": {"checkbox": {}},
    "Mail": {"email": {}},
    "Text": {"rich_text": {}},
    "Who": {"people": {}},
    "No": {"unique_id": {"prefix": "T"}},
    "Made": {"created_time": {}},
    "Size": {"formula": {"expression": 'if(prop("Cost") > 15, "big " + prop("Name"), "small")'}},
    "Double": {"formula": {"expression": 'round(prop("Cost") * 2 + 0.4)'}},
}


def call(episode: Episode, tool: str, /, **arguments: Any) -> Any:
    reply = episode.app("notion").call(f"API-{tool}", arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, /, status: int = 400, **arguments: Any) -> str:
    """The message of a refusal, which leaves nothing behind."""
    live = episode.app("notion")
    before = live.store.connection.serialize()
    reply = live.call(f"API-{tool}", arguments)
    assert reply.error, reply.body
    assert (reply.status, reply.body["object"], reply.body["status"]) == (status, "error", status)
    assert live.store.connection.serialize() == before
    return reply.body["message"]


def ref(episode: Episode, key: str) -> str:
    return episode.app("notion").refs("docs_notes.Document")[key]


def person(episode: Episode, key: str) -> str:
    return episode.app("notion").refs("people.Person")[key]


def rich(content: str) -> list[dict[str, Any]]:
    return [{"text": {"content": content}}]


def paragraph(content: str, *children: Any) -> dict[str, Any]:
    return {"paragraph": {"rich_text": rich(content), **({"children": list(children)} if children else {})}}


def kinds(episode: Episode, page: str) -> list[str]:
    return [b["type"] for b in call(episode, "get-block-children", block_id=page, page_size=100)["results"]]


def viewed(episode: Episode, table: str) -> dict[str, Entity]:
    live = episode.app("notion")
    ctx, shape = Ctx(live, None, None, Request()), live.app.shapes[table]
    rows = [shape.decode(raw) for raw in live.store.connection.execute(shape.select)]
    found = [live.app.provides["docs_notes"].view(ctx, table, row) for row in rows]
    return {e.id: e for e in found if e is not None}


def carry_out(episode: Episode, plan: Plan) -> Any:
    reply: Any = None
    try:
        step = next(plan)
        while True:
            made = episode.app("notion").call(step.tool, step.arguments)
            assert not made.error, made.body
            reply = made.body
            step = plan.send(reply)
    except StopIteration:
        return reply


def found(episode: Episode, source: str, condition: Any, **more: Any) -> str:
    """The numbers of the tasks that match, in order of cost."""
    more.setdefault("sorts", [{"property": "Cost", "direction": "ascending"}])
    results = call(episode, "query-data-source", data_source_id=source, filter=condition, **more)["results"]
    return "".join(p["properties"]["Name"]["title"][0]["plain_text"][-1] for p in results)
