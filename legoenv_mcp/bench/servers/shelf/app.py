"""Answers as they are."""

from legoenv_mcp.app import App

from .models import Table

app = App("shelf", Table)
