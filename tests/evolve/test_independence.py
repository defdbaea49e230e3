"""The repairing side neither imports the benchmark's damage nor names its files."""

import ast
from pathlib import Path

from legoenv_mcp import evolve

HOME = Path(evolve.__file__).parent
APART = {"damage.py", "damage_ground.py", "damage_servers.py", "benchmark.py"}


def test_no_repairing_module_knows_the_damage() -> None:
    for path in sorted(HOME.rglob("*.py")):
        if path.name in APART:
            continue
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            names = [a.name for a in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(n.rpartition(".")[2] in {name.removesuffix(".py") for name in APART} for n in names), path
        assert "damage.json" not in text, path
