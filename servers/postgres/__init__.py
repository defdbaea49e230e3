"""PostgreSQL: databases reached by SQL, over MCP and over HTTP."""
