"""LegoEnv: real applications as MCP servers, composed into verifiable environments for tool-using agents."""

__version__ = "0.1.0"
