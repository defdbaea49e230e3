"""The faces of an operation: MCP tools, the product's REST surface, the two-tool API. No logic of their own."""
