"""Runs MCPMark's own pipeline with the service `legoenv` added.

    python legoenv_pipeline.py --models MODEL --k 4 --exp-name NAME [--tasks CATEGORY[/TASK]] ...     as pipeline.py
    python legoenv_pipeline.py aggregate --exp-name NAME --k 4                                        as the results aggregator

LEGOENV_GATEWAY says where the gateway is (see src/mcp_services/legoenv/service.py for the other variables).
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import sys
from pathlib import Path

from src.mcp_services.legoenv import service


def aggregate() -> int:
    """MCPMark's aggregator over this service alone: it knows its own five by name, and wants results of all of them."""
    from src.aggregators import aggregate_results

    def tasks_of(task_set: str = "standard") -> dict[str, list[str]]:
        found = Path("tasks", service.SERVICE, task_set).glob("*/*/verify.py")
        return {service.SERVICE: sorted(f"{path.parent.parent.name}__{path.parent.name}" for path in found)}

    aggregate_results.discover_tasks = tasks_of
    return aggregate_results.main()


def run() -> int:
    import pipeline

    service.register()
    if not any(word == "--mcp" or word.startswith("--mcp=") for word in sys.argv):
        sys.argv[1:1] = ["--mcp", service.SERVICE]
    return pipeline.main() or 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["aggregate"]:
        del sys.argv[1]
        sys.exit(aggregate())
    sys.exit(run())
