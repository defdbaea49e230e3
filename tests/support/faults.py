"""What the tests of faults share: waiting, and what the system says of a process."""

import resource
import time
from collections.abc import Callable
from pathlib import Path


def until(so: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether it comes to be so. Generous: a busy machine is slow, not broken."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if so():
            return True
        time.sleep(0.05)
    return so()


def connected(pid: int, client_port: int) -> bool:
    """Whether the process still has a connection with this port at the other end."""
    wanted = f":{client_port:04X}"
    for line in Path(f"/proc/{pid}/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        fields = line.split()
        if fields[2].endswith(wanted) and fields[3] == "01":
            return True
    return False


def limit(pid: int, what: int, most: int | None) -> None:
    """From now on the running process may have no more of this; None takes the limit away. Needs no rights: it is our child."""
    _, hard = resource.prlimit(pid, what)
    resource.prlimit(pid, what, (hard if most is None else most, hard))


def files_of(pid: int) -> int:
    """How many files the process has open."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))
