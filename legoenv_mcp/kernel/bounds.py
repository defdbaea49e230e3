"""How long one call may run. A server answers its callers one call at a time: one that does not end would be the end of all.

What is counted is the process's own processor time, so a busy machine changes nothing. Off until a server asks for it.
"""

import gc
import signal
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

CALL_SECONDS = 5.0
"""What servers ask for by default. The slowest call that is any use takes a tenth of it."""
_AGAIN = 0.2
"""Seconds after which a call is interrupted once more, where the first time met with deaf ears (in a destructor, a callback from C)."""


class TookTooLong(BaseException):
    """The call was interrupted. No app may catch it, so it is no Exception."""


class _Bound:
    seconds = 0.0
    thread = 0
    running = False
    struck = False


def bound_calls(seconds: float) -> None:
    """From now on, no call that the main thread makes runs longer; signals reach no other. 0 ends that."""
    signal.signal(signal.SIGVTALRM, _strike)
    _Bound.seconds, _Bound.thread = seconds, threading.get_ident()


@contextmanager
def bounded() -> Iterator[None]:
    """Raises TookTooLong within, once the call has had its time; and in place of what an interrupted callback turned it into."""
    if not _Bound.seconds or _Bound.running or threading.get_ident() != _Bound.thread:
        yield
        return
    _Bound.struck, _Bound.running = False, True
    signal.setitimer(signal.ITIMER_VIRTUAL, _Bound.seconds, _AGAIN)
    try:
        yield
    except Exception:
        if _Bound.struck:
            raise TookTooLong from None
        raise
    finally:
        _Bound.running = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _strike(_number: int, frame: FrameType | None) -> None:
    if not _Bound.running:
        return
    # What is raised while objects are cleared away (destructors, callbacks of weak references and of the collector) is printed and
    # forgotten: the next time, then.
    clearing = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or code in clearing or code.co_filename == weakref.__file__:
            return
        frame = frame.f_back
    _Bound.struck = True
    raise TookTooLong
