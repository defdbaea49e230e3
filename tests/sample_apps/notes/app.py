"""How Notes answers: rows as they are, errors in an `error` member."""

from legoenv_mcp.app import App

from .models import Table

app = App("notes", Table, unknown="ignore")
