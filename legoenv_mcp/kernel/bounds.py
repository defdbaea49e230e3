"""How long one call may run. A server answers its callers one call at a time: one that does not end would be the end of all.

What is counted is the process's own processor time, so a busy machine changes nothing. Off until a server asks for it.
"""

import atexit
import gc
import signal
import threading
import weakref
from types import FrameType

CALL_SECONDS = 5.0
"""What servers ask for by default. The slowest call that is any use takes a tenth of it."""
_TICK = 0.2
"""Seconds of processor time between two looks at the call that runs. One timer goes on for good: to set one for each call would cost two
system calls of it. A call's end is thus late by up to a tick, and met again at the next where an interruption met with deaf ears (in a
destructor, a callback from C)."""


class TookTooLong(BaseException):
    """The call was interrupted. No app may catch it, so it is no Exception."""


class _Bound:
    ticks = 0
    """How many ticks a call may see; 0: calls are not bounded."""
    thread = 0
    running = False
    seen = 0
    struck = False


def bound_calls(seconds: float) -> None:
    """From now on, no call that the main thread makes runs longer; signals reach no other. 0 ends that."""
    signal.signal(signal.SIGVTALRM, _strike)
    tick = min(_TICK, seconds / 2)
    _Bound.ticks = round(seconds / tick) + 1 if seconds else 0
    _Bound.thread = threading.get_ident()
    signal.setitimer(signal.ITIMER_VIRTUAL, tick, tick)
    atexit.register(
        signal.setitimer, signal.ITIMER_VIRTUAL, 0
    )  # at the end of the process nobody hears it, and it would be its end


class bounded:
    """Within it, TookTooLong is raised once the call has had its time; and in place of what an interrupted callback turned it into.
    Within another one, or on another thread, it does nothing."""

    __slots__ = ("_mine",)

    def __enter__(self) -> None:
        self._mine = bool(_Bound.ticks) and not _Bound.running and threading.get_ident() == _Bound.thread
        if self._mine:
            _Bound.seen, _Bound.struck, _Bound.running = 0, False, True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if not self._mine:
            return
        _Bound.running = False
        if _Bound.struck and isinstance(error, Exception):
            raise TookTooLong from None


def _strike(_number: int, frame: FrameType | None) -> None:
    if not _Bound.running:
        return
    _Bound.seen += 1
    if _Bound.seen < _Bound.ticks:
        return
    # What is raised while objects are cleared away (destructors, callbacks of weak references and of the collector) is printed and
    # forgotten: the next time, then.
    clearing = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    clearing.add(bounded.__exit__.__code__)  # the call is over
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or code in clearing or code.co_filename == weakref.__file__:
            return
        frame = frame.f_back
    _Bound.struck = True
    raise TookTooLong
