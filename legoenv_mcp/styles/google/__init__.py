"""Google's REST APIs: the parts that all of them have."""

from legoenv_mcp.styles.google.batches import perform_batch
from legoenv_mcp.styles.google.errors import COMMON, envelope, unknown_parameters
from legoenv_mcp.styles.google.refusals import invalid, malformed, not_found, unauthorized
from legoenv_mcp.styles.google.selection import BadSelection, Names, read_selection, select

__all__ = [
    "COMMON",
    "BadSelection",
    "Names",
    "envelope",
    "invalid",
    "malformed",
    "not_found",
    "perform_batch",
    "read_selection",
    "select",
    "unauthorized",
    "unknown_parameters",
]
