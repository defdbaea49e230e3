"""A fresh account has one note."""

from typing import Any

from legoenv_mcp.app import Ctx

from .models import Note


def seed(ctx: Ctx, organisation: Any, agent: Any) -> None:
    ctx.db.add(Note(id="n_welcome", text=f"Welcome to Notes, {agent.first_name}.", created="2026-02-01T09:00:00Z"))
