"""Workers: programs that another virtual environment's Python runs, because a package's pins clash with ours or it evaluates code.

A worker is a file, not a module: it imports nothing of LegoEnv but its neighbour `wire.py`, and its Python may be 3.10 or later.
`legoenv_mcp.evaluate.foreign.worker` starts them.
"""
