"""The MCP project's reference filesystem server, over a tree of rows instead of a disk."""
