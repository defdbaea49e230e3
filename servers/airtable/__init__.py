"""Airtable: bases of tables of records, over the Web API and the tools of its MCP servers."""
