"""What an app as a whole must keep: it loads, imports only what it may, its reads do not write, its capabilities are whole."""

import ast
import inspect
import sys
from collections.abc import Callable
from pathlib import Path

from legoenv_mcp import registry
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.operations import Operation
from legoenv_mcp.lint.findings import Finding, Level

MIN_OPERATIONS, USUAL_OPERATIONS, MAX_LINES = 3, 14, 400
_FORBIDDEN = {
    "random",
    "secrets",
    "time",
    "uuid",
    "sqlite3",
    "sqlalchemy",
    "sqlmodel",
    "mcp",
    "os",
    "socket",
    "subprocess",
    "threading",
}
_ALLOWED_OURS = ("legoenv_mcp.app", "legoenv_mcp.capabilities", "legoenv_mcp.styles")
_LIBRARIES = {"lark", "markdown_it", "pydantic", "pydantic_core", "dateutil", "typing_extensions"}
_WRITERS = {"add", "update", "delete", "delete_where"}
_DRAWERS = {"id", "sequence", "integer", "uuid"}
_CLOCKS = {"now", "utcnow", "today"}


def check_app(slug: str) -> tuple[list[str], list[Finding]]:
    """The app's tool names (none where it does not load) and the findings over it as a whole."""
    findings = list[Finding]()

    def report(rule: str, message: str, level: Level = "error", tool: str = "", path: str = "") -> None:
        findings.append(Finding(slug, tool, rule, level, path, message))

    for source in registry.sources(slug):
        if source.suffix == ".py":
            for line, message in _check_source(source):
                report("P1", message, path=f"{source.relative_to(registry.folder(slug))}:{line}")
    try:
        app = registry.load(slug)
    except Exception as error:  # noqa: BLE001 - whatever an app does wrong while loading is the finding
        report("P2", f"does not load: {type(error).__name__}: {error}")
        return [], findings
    _check_whole(slug, app, report)
    for operation in app.operations.values():
        for message in _check_operation(operation):
            report("P5", message, tool=operation.tool)
    return [op.tool for op in app.operations.values() if op.mcp], findings


def _check_whole(slug: str, app: App, say: Callable[..., None]) -> None:
    info = registry.info(slug)
    shown = [op for op in app.operations.values() if op.mcp]
    if len(shown) < USUAL_OPERATIONS:
        level = "error" if len(shown) < MIN_OPERATIONS else "warn"
        say("P3", f"{len(shown)} tools; apps of the fleet have {USUAL_OPERATIONS} and more", level)
    if info.tools != len(shown):
        say("P3", f"the index counts {info.tools} tools from the sources, the loaded app has {len(shown)}")
    if set(info.capabilities) != set(app.provides):
        say("P4", f"app.toml claims {sorted(info.capabilities)}, capabilities.py provides {sorted(app.provides)}")
    for name, capability in app.provides.items():
        missing = sorted(getattr(type(capability), "__abstractmethods__", ()))
        if missing:
            say("P4", f"{name} lacks {', '.join(missing)}")


def _check_operation(operation: Operation) -> list[str]:
    """A read writes nothing and draws nothing, as far as its own text shows; the dispatcher enforces the rest at run time."""
    if not operation.reads:
        return []
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(operation.fn)))
    found = list[str]()
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner = node.func.value
        if node.func.attr in _WRITERS and isinstance(owner, ast.Attribute) and owner.attr == "db":
            found.append(f"is a read but calls db.{node.func.attr}")
        if node.func.attr in _DRAWERS and isinstance(owner, ast.Name) and owner.id == "ctx":
            found.append(f"is a read but draws ctx.{node.func.attr}")
    return found


def _check_source(path: Path) -> list[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    found = list[tuple[int, str]]()
    lines = text.count("\n")
    if lines > MAX_LINES:
        found.append((lines, f"{lines} lines; a module has at most {MAX_LINES}"))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, why) for alias in node.names if (why := _bad_import(alias.name))]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            if why := _bad_import(node.module or ""):
                found.append((node.lineno, why))
        elif isinstance(node, ast.Call) and (why := _bad_call(node.func)):
            found.append((node.lineno, why))
    return found


def _bad_import(name: str) -> str:
    top = name.partition(".")[0]
    if top in _FORBIDDEN:
        return f"imports {name}, which apps may not"
    if top == "legoenv_mcp":
        ours = name.startswith(_ALLOWED_OURS)
        return (
            ""
            if ours
            else f"imports {name}; apps see legoenv_mcp.app, legoenv_mcp.capabilities and legoenv_mcp.styles only"
        )
    return (
        "" if top in sys.stdlib_module_names or top in _LIBRARIES else f"imports {name}, which is no dependency of apps"
    )


def _bad_call(function: ast.expr) -> str:
    if isinstance(function, ast.Name) and function.id == "hash":
        return "hash() is salted per process; use hashlib"
    if isinstance(function, ast.Attribute) and function.attr in _CLOCKS:
        owner = function.value
        name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
        if name in ("datetime", "date"):
            return f"reads the wall clock ({name}.{function.attr}); the episode's time is ctx.now"
    return ""
