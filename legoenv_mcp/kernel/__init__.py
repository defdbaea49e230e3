"""The kernel: one path from any face to a row. Apps see only what `legoenv_mcp.app` re-exports."""
