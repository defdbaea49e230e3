"""Environments as MCPMark task folders, and the service that lets an MCPMark checkout run them.

Into a checkout (or an empty folder) go `tasks/legoenv/standard/<category>/<task>/{description.md, meta.json, verify.py}`, the service
`src/mcp_services/legoenv/` and `legoenv_pipeline.py`. No file of the checkout is changed.
"""

import json
from pathlib import Path
from typing import Any

from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.evaluate.rollout import safe_name
from legoenv_mcp.training.files import fresh_folder, text_of, write

TASKS = "tasks/legoenv/standard"
SERVICE_FOLDER = "src/mcp_services/legoenv"
PIPELINE = "legoenv_pipeline.py"


def write_task(root: Path, environment: Environment) -> Path:
    """Writes one task folder; answers it."""
    folder = fresh_folder(root / TASKS / safe_name(environment.domain or "general") / safe_name(environment.id))
    write(folder / "description.md", environment.instruction.strip() + "\n")
    write(folder / "meta.json", json.dumps(meta(environment), indent=2, ensure_ascii=False) + "\n")
    write(folder / "verify.py", text_of("mcpmark/verify.py"))
    return folder


def meta(environment: Environment) -> dict[str, Any]:
    """The task's `meta.json`, with our own members in `meta_data`."""
    category = safe_name(environment.domain or "general")
    return {
        "task_id": safe_name(environment.id),
        "task_name": environment.title,
        "category_id": category,
        "category_name": (environment.domain or "general").replace("_", " ").title(),
        "description": environment.title,
        "author": "LegoEnv",
        "created_at": None,  # the same environments give the same files
        "difficulty": f"L{environment.difficulty}",
        "tags": sorted({*environment.tags, *environment.apps}),
        "mcp": ["legoenv"],
        "meta_data": {
            "stateType": "text",
            "stateContent": ", ".join(environment.apps),
            "stateUrl": None,
            "stateOriginalUrl": None,
            "environment": environment.id,
            "environment_hash": environment.hash,
            "verifier_hash": environment.verifier_hash,
            "world": environment.world,
        },
    }


def write_service(root: Path) -> list[str]:
    """Writes the service and the script that runs the checkout with it; answers their paths below `root`."""
    written = {
        f"{SERVICE_FOLDER}/__init__.py": '"""LegoEnv environments as tasks; written by `legoenv export mcpmark`."""\n',
        f"{SERVICE_FOLDER}/service.py": text_of("mcpmark/service.py"),
        PIPELINE: text_of("mcpmark/pipeline.py"),
    }
    for name, text in written.items():
        write(root / name, text)
    return sorted(written)
