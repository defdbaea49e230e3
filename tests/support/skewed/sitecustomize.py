"""A clock that jumps: with this folder on PYTHONPATH, a process's wall clock is off by what the file LEGOENV_TEST_CLOCK names says, in
seconds, read anew each time. The monotonic clock goes on as it should."""

import datetime
import os
import time

_real, _file = time.time, os.environ["LEGOENV_TEST_CLOCK"]
_Real = datetime.datetime


def _skew() -> float:
    with open(_file, encoding="ascii") as file:
        return float(file.read() or 0)


def _time() -> float:
    return _real() + _skew()


class _Kind(type):
    """A moment made by the real class is one of ours."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _Real)


class _Skewed(_Real, metaclass=_Kind):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return _Real.fromtimestamp(_time(), tz)

    @classmethod
    def utcnow(cls) -> datetime.datetime:
        return _Real.fromtimestamp(_time(), datetime.UTC).replace(tzinfo=None)


time.time = _time
datetime.datetime = _Skewed
