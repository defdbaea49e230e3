"""Canonical entities and verbs: what apps of one kind have in common.

An entity is what a world's files hold and what a verifier compares; an app's `fill` turns it into rows, its `view` turns rows
back, its verbs turn an intention into tool calls. Entities name one another by world key (`owner="maya.chen"`), never by an
app's id: `Ctx.ref` gives the app's id of an entity already filled.
"""

from legoenv_mcp.capabilities.base import Capability, Entity, Lacks, Plan, ToolCall, call, lacks

__all__ = ["Capability", "Entity", "Lacks", "Plan", "ToolCall", "call", "lacks"]
