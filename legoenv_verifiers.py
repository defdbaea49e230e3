"""The taskset under a name of its own: `verifiers` finds tasksets by the name of a top-level module (`vf-eval legoenv_verifiers`)."""

from legoenv_mcp.training.verifiers import LegoenvTaskset

__all__ = ["LegoenvTaskset"]
