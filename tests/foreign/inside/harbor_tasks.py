"""Runs inside an environment that has harbor: its own parser over exported task folders. Prints what it read as JSON."""

# pyright: reportMissingImports=false

import json
import sys
from pathlib import Path

from harbor.models.task.task import Task

if __name__ == "__main__":
    found = {}
    for folder in sorted(p for p in Path(sys.argv[1]).iterdir() if p.is_dir()):
        task = Task(folder)
        servers = [server.model_dump(exclude_none=True) for server in task.config.environment.mcp_servers]
        found[task.name] = {
            "valid": Task.is_valid_dir(folder), "instruction": task.instruction, "servers": servers,
            "verifier": sorted(task.config.verifier.env), "solution": str(task.paths.discovered_solve_path),
            "metadata": task.config.metadata,
        }  # fmt: skip
    sys.stdout.write(json.dumps(found))
