"""What the command line's words may be: types for argparse that say in one line what was expected."""

from argparse import ArgumentTypeError


def port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is not a port (0 to 65535)")
    return int(text)


def count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)
