"""Operations as files of their own: `servers/<slug>/evolved/eNNN_<tool>.py`, written as a person would, with the imports that they need."""

import ast
import builtins
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from legoenv_mcp import registry
from legoenv_mcp.evolve import fleet, source
from legoenv_mcp.evolve.fleet import Atom, Edit, Patch
from legoenv_mcp.evolve.source import Module

INIT = (
    '"""Operations that evolution has added or changed, one a file. A person may move any of them into `tools/`."""\n'
)
_HOMES = {
    "Annotated": "typing",
    "Any": "typing",
    "Literal": "typing",
    "Ctx": "legoenv_mcp.app",
    "MISSING": "legoenv_mcp.app",
    "Field": "legoenv_mcp.app",
    "ApiError": "legoenv_mcp.app",
    "Query": "legoenv_mcp.app",
    "Body": "legoenv_mcp.app",
}


def patch(
    slug: str,
    tool: str,
    function: ast.FunctionDef,
    homes: Sequence[Module],
    title: str,
    shape: str,
    why: str,
    extra: Iterable[str] = (),
    own: Sequence[tuple[str, Module]] = (),
) -> Patch | None:
    """A patch that adds the function as a file of its own; None where a name in it is nobody's, or meant from two modules. `homes` are the
    modules in which its names are looked for, in order, but for its `own`, which are said."""
    meant = dict(own)
    if any(meant[name].path != module.path for name, module in own):
        return None
    found = _imports(slug, function, homes, meant)
    if found is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)  # a constant that is called, or indexed, is no candidate
            compile(ast.unparse(function), tool, "exec")
    except (SyntaxError, SyntaxWarning, ValueError):  # a name twice among the parameters, say
        return None
    folder = registry.folder(slug) / "evolved"
    number = 1 + max((int(m[1]) for p in folder.glob("e*.py") if (m := re.match(r"e(\d+)_", p.name))), default=0)
    name = re.sub(r"\W+", "_", tool).strip("_").lower()
    path = f"servers/{slug}/evolved/e{number:03}_{name}.py"
    lines = [f'"""{why}"""', "", *found, *extra, "", "", ast.unparse(function), ""]
    edits = [Edit(path, tidy("\n".join(lines)))]
    if not (folder / "__init__.py").is_file():
        edits.insert(0, Edit(f"servers/{slug}/evolved/__init__.py", INIT))
    return Patch(Atom("server", slug), title, tuple(edits), why, tool, shape=shape)


def _imports(
    slug: str, function: ast.FunctionDef, homes: Sequence[Module], own: Mapping[str, Module]
) -> list[str] | None:
    outer, inner = dict[str, set[str]](), dict[str, set[str]]()
    for name in sorted(free_names(function)):
        places = [own[name]] if name in own else homes
        line = next((found for module in places if (found := _from(name, module))), None) or _from_models(slug, name)
        if line is None and name in _HOMES:
            line = (_HOMES[name], name)
        if line is None:
            return None
        where = inner if line[0].startswith(".") else outer
        where.setdefault(line[0], set()).add(line[1])
    if "app" not in {n for names in inner.values() for n in names}:
        inner.setdefault("..app", set()).add("app")
    made = list[str]()
    for part in (
        {k: v for k, v in outer.items() if not k.startswith("legoenv_mcp")},
        {k: v for k, v in outer.items() if k.startswith("legoenv_mcp")},
        inner,
    ):
        if part:
            made += [
                "",
                *(
                    f"from {k} import {', '.join(sorted(part[k]))}" if k != "import" else "\n".join(sorted(part[k]))
                    for k in sorted(part)
                ),
            ]
    return made[1:]


def free_names(function: ast.FunctionDef) -> set[str]:
    """The names that a function takes from outside, its decorator's `app` left out."""
    bound = {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
    bound |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.name for n in ast.walk(function) if isinstance(n, (ast.FunctionDef, ast.ExceptHandler)) and n.name}
    used = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    annotated = {
        n.id
        for a in ast.walk(function)
        if isinstance(a, ast.arg) and a.annotation
        for n in ast.walk(a.annotation)
        if isinstance(n, ast.Name)
    }
    if function.returns is not None:
        annotated |= {n.id for n in ast.walk(function.returns) if isinstance(n, ast.Name)}
    return ((used - bound) | annotated) - set(dir(builtins)) - {"app"}


def _from(name: str, module: Module) -> tuple[str, str] | None:
    """Where a module has a name from, as the evolved file imports it."""
    here = module.dotted if module.path.endswith("__init__.py") else module.dotted[:-1]
    for node in module.tree.body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    said = alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"
                    if not node.level:
                        return node.module or "", said
                    target = [*here[: len(here) - node.level + 1], *(node.module or "").split(".")]
                    return ".." + ".".join(filter(None, target)), said
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return "import", f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if node.name == name:
                return ".." + ".".join(module.dotted), name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(n, ast.Name) and n.id == name for t in targets for n in ast.walk(t)):
                return ".." + ".".join(module.dotted), name
    return None


def _from_models(slug: str, name: str) -> tuple[str, str] | None:
    """A table's class, from wherever the app declares it."""
    for module in source.modules(slug):
        if "models" in module.dotted and any(isinstance(n, ast.ClassDef) and n.name == name for n in module.tree.body):
            return ".." + ".".join(module.dotted), name
    return None


def tidy(text: str) -> str:
    """The text as ruff formats it, where there is ruff."""
    beside = Path(sys.executable).with_name("ruff")
    program = str(beside) if beside.exists() else shutil.which("ruff")
    if program is None:
        return text
    done = subprocess.run(
        [program, "format", "--line-length", "120", "-"],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout if done.returncode == 0 else text


def decorated(function: ast.FunctionDef, method: str, path: str, tool: str, options: str = "") -> ast.FunctionDef:
    """The function under the decorator that declares it."""
    text = f"app.{method.lower()}({path!r}, tool={tool!r}{options})"
    function.decorator_list = [ast.parse(text, mode="eval").body]
    return ast.fix_missing_locations(function)


__all__ = ["decorated", "fleet", "free_names", "patch", "tidy"]
