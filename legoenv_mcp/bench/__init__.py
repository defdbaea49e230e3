"""`legoenv bench`: what a fork, a call, a connection and a start cost, each beside a floor measured in the same run.

A floor is the least the same work could cost: the same SQL through bare `sqlite3`, the same payload from a bare server of the
`mcp` package. Ratios hold across machines; microseconds do not.
"""

from legoenv_mcp.bench.figures import Figure, run

__all__ = ["Figure", "run"]
