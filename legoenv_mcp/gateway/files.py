"""How the files that a process may open are shared out: databases of durable episodes, connections, all else."""

OPEN_DATABASES = 128
"""Most databases held open at a time."""
MOST_CONNECTIONS = 4096
_RESERVE = 64
"""Files for the process itself: modules being read, the log, the loop."""


def _allowed() -> int:
    try:
        import resource  # noqa: PLC0415 - not there on every system
    except ImportError:
        return 512
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else 1 << 20


def open_databases() -> int:
    """How many databases may be open: each is three files, and half of all files are for connections."""
    return max(2, min(OPEN_DATABASES, (_allowed() - _RESERVE) // 6))


def most_connections() -> int:
    """How many connections there may be."""
    return max(8, min(MOST_CONNECTIONS, _allowed() - _RESERVE - 3 * open_databases()))
