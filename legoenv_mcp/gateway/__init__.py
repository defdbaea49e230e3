"""The gateway: the whole fleet over HTTP in one process, an episode a path.

`front` answers at once and guards the door; everything that needs the MCP SDK and the apps (`fleet`, `single`) loads behind it.
"""
