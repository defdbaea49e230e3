"""The server's tools, and the SQL endpoint of its HTTP proxy."""
