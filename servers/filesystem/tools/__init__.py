"""The server's tools: reading, listing and finding, writing."""
