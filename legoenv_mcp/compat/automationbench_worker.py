"""AutomationBench in its own virtual environment: its tasks and worlds, its `api` toolset, its rubric.

Nothing here needs its runner, nor what that imports. Scores are taken from the live world: a dump of it forgets some of what tools did.
"""

# ruff: noqa: PLC0415 - the package is slow to import, and says what it lacks only then
# pyright: reportMissingImports=false
import copy
import functools
import hashlib
import importlib.metadata
import json
import os
import sys
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wire

DOMAINS = ("sales", "marketing", "operations", "support", "finance", "hr")
"""What counts; `simple` is there to try things on, and is not scored."""
TOOLS = [
    {
        "name": "api_search",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "top_k": {"type": "integer", "default": 5}},
            "required": ["query"],
        },
    },
    {
        "name": "api_fetch",
        "parameters": {
            "type": "object",
            "properties": {
                "method": {"type": "string"},
                "url": {"type": "string"},
                "params": {"type": "string", "description": "Query parameters, a JSON object as text."},
                "body": {"type": "string", "description": "The body, a JSON object as text."},
            },
            "required": ["method", "url"],
        },
    },
    {
        "name": "base64_encode",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    },
]

_sessions = {}


@functools.cache
def _tools():
    """The package's functions and what a model is told of them: their own words."""
    from automationbench.tools.api import api_fetch, api_search, base64_encode

    return {"api_search": api_search, "api_fetch": api_fetch, "base64_encode": base64_encode}


@functools.cache
def _domain(domain):
    """A domain's tasks by name. The package draws noise by task, the same each time."""
    from automationbench.domains import get_domain_dataset

    found = {}
    for row in get_domain_dataset(domain):
        info = json.loads(row["info"]) if isinstance(row["info"], str) else row["info"]
        info = _without_nulls(info)
        name = str(info.get("task_name") or row.get("task") or row["example_id"])
        prompt = [_without_nulls(dict(message)) for message in row["prompt"]]
        found[name] = {"prompt": prompt, "info": info}
    return found


def _without_nulls(value) -> Any:
    """Datasets give every row every key, null where it has none; a world takes no nulls for what is absent."""
    if isinstance(value, dict):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    return [_without_nulls(v) for v in value if v is not None] if isinstance(value, list) else value


def hello():
    for name in ("automationbench", "automation-bench"):
        try:
            return {"version": importlib.metadata.version(name)}
        except importlib.metadata.PackageNotFoundError:
            continue
    try:
        import automationbench
    except ImportError:
        raise wire.Refused(f"{sys.executable} has no package automationbench") from None
    return {"version": getattr(automationbench, "__version__", "unknown")}


def listing(wanted):
    """The tasks of the domains and the tasks wanted (default: all six domains), and how many tasks each domain has."""
    known = (*DOMAINS, "simple")
    chosen = []
    for word in wanted or DOMAINS:
        domain = word.partition(".")[0]
        if domain not in known or (word != domain and word not in _domain(domain)):
            raise wire.Refused(f"no task or domain {word!r}; the domains are {', '.join(known)}")
        chosen += [(domain, name) for name in _domain(domain) if word in (domain, name)]
    tasks = [_listed(domain, name) for domain, name in dict.fromkeys(chosen)]
    return {"tasks": tasks, "sizes": {d: len(_domain(d)) for d in dict.fromkeys(d for d, _ in chosen)}}


def _listed(domain, name):
    task = _domain(domain)[name]
    info = task["info"]
    said = [m["content"] for m in task["prompt"] if m["role"] == "user"]
    return {
        "group": domain,
        "key": name,
        "apps": allowed(info),
        "instruction": "\n\n".join(said),
        "hash": _hash([task["prompt"], info]),
        "verifier_hash": _hash(info.get("assertions", [])),
    }


def _hash(value):
    return hashlib.blake2b(json.dumps(value, sort_keys=True, default=str).encode(), digest_size=16).hexdigest()


def allowed(info):
    """The services a task's world is connected to: seeded, asserted on, or granted by a tool."""
    from automationbench.schema.world import WorldState

    services = sorted((str(f) for f in WorldState.model_fields if f != "meta"), key=len, reverse=True)
    named = [str(a.get("type", "")) for a in info.get("assertions", [])] + list(info.get("zapier_tools", []))
    found = {key for key in info.get("initial_state", {}) if key in services}
    for name in named:
        found.update([s for s in services if name == s or name.startswith(f"{s}_")][:1])
    return sorted(found)


class Session:
    """One task being lived in."""

    def __init__(self, domain, name):
        from automationbench.schema.world import WorldState

        task = copy.deepcopy(_domain(domain)[name])
        self.prompt, self.info = task["prompt"], task["info"]
        self.initial = copy.deepcopy(self.info.get("initial_state", {}))
        self.world = WorldState(**copy.deepcopy(self.initial))
        self.world.meta.allowed_services = allowed(self.info)
        self.before = self.world.model_dump(mode="json")
        self.begun = False

    def next_turn(self):
        if self.begun:
            return None
        self.begun = True
        tools = [{"type": "function", "function": {**t, "description": _said(t["name"])}} for t in TOOLS]
        return {"messages": self.prompt, "tools": tools}

    def call(self, tool, arguments, step):
        if tool not in _tools():
            return {"status": 404, "text": json.dumps({"error": {"code": 404, "message": f"there is no tool {tool}"}})}
        known = next(t["parameters"] for t in TOOLS if t["name"] == tool)
        lost = [n for n in known["required"] if n not in arguments]
        extra = [n for n in arguments if n not in known["properties"]]
        if lost or extra:
            why = f"missing: {', '.join(lost)}" if lost else f"no such parameter: {', '.join(extra)}"
            return {"status": 400, "text": json.dumps({"error": {"code": 400, "message": why}})}
        given = {k: json.dumps(v) if isinstance(v, (dict, list)) else v for k, v in arguments.items()}
        world = {"world": self.world} if tool == "api_fetch" else {}
        try:
            said = _tools()[tool](**world, **given)
        except (
            TypeError,
            ValueError,
            AttributeError,
            KeyError,
        ) as error:  # the package's own runner tells the model, too
            said = json.dumps({"error": {"code": 400, "message": f"{type(error).__name__}: {error}"}})
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, default=str)
        return {"status": _status(text), "text": text}

    def grade(self):
        from automationbench.rubric import partial_credit, task_completed_correctly
        from automationbench.rubric.registry import AssertionRegistry
        from automationbench.schema.world import WorldState

        state = {"info": self.info, "world": self.world, "initial_state": self.initial}
        share = float(partial_credit(state))  # first: the other reads what it leaves in the state
        passed = float(task_completed_correctly(state)) == 1.0
        start = WorldState(**copy.deepcopy(self.initial))
        checked = []
        for assertion in self.info.get("assertions", []):
            if assertion.get("scored") is False or assertion.get("excluded") is True:
                continue
            held = bool(AssertionRegistry.check(self.world, assertion))
            if held and "excluded" not in assertion and AssertionRegistry.check(start, assertion):
                continue  # true from the start, and not broken: it does not count
            about = {k: v for k, v in assertion.items() if k != "type"}
            checked.append({"name": assertion["type"], "passed": held, "detail": json.dumps(about, default=str)[:1000]})
        return {"passed": passed, "share": share, "assertions": checked, "diff": self._diff()}

    def _diff(self):
        after, found = self.world.model_dump(mode="json"), []
        for service, now in after.items():
            was = self.before.get(service)
            if service == "meta" or was == now or not isinstance(now, dict):
                continue
            for table, rows in now.items():
                old = (was or {}).get(table)
                if old != rows:
                    found += _changes(service, table, old, rows)
        return found


def _changes(service, table, old, new):
    """What became of one collection: rows by id where they have one, else the whole as one value."""
    shown = {"app": service, "table": table}
    if not all(isinstance(rows, list) and all(isinstance(r, dict) and "id" in r for r in rows) for rows in (old, new)):
        return [{**shown, "change": "update", "key": [table], "columns": {"value": {"before": old, "after": new}}}]
    was, now, found = {str(r["id"]): r for r in old}, {str(r["id"]): r for r in new}, []
    for key in dict.fromkeys([*was, *now]):
        if key not in was:
            found.append({**shown, "change": "insert", "key": [key], "after": now[key]})
        elif key not in now:
            found.append({**shown, "change": "delete", "key": [key], "before": was[key]})
        elif was[key] != now[key]:
            names = [c for c in {**was[key], **now[key]} if was[key].get(c) != now[key].get(c)]
            columns = {c: {"before": was[key].get(c), "after": now[key].get(c)} for c in names}
            found.append({**shown, "change": "update", "key": [key], "columns": columns})
    return found


def _said(tool):
    return " ".join((_tools()[tool].__doc__ or tool).split())


def _status(text):
    """AutomationBench has no HTTP statuses: an error says its code in the body."""
    try:
        error = json.loads(text).get("error")
    except (ValueError, AttributeError):
        return 200
    if not error:
        return 200
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 500 else 400


wire.serve(
    {
        "hello": hello,
        "list": listing,
        "open": lambda session, group, key: _sessions.update({session: Session(group, key)}),
        "next_turn": lambda session: _sessions[session].next_turn(),
        "call": lambda session, **asked: _sessions[session].call(**asked),
        "grade": lambda session: _sessions[session].grade(),
        "reference": lambda session: None,
        "close": lambda session: _sessions.pop(session) and None,
    }
)
