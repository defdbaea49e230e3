"""Vendor-format ids from a seed: number n of a kind is `blake2b(seed, app, kind, n)`, spelt in the vendor's alphabet."""

import hashlib
import uuid

DIGITS = "0123456789"
HEX = "0123456789abcdef"
LOWER36 = "0123456789abcdefghijklmnopqrstuvwxyz"
UPPER36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
URLSAFE = BASE62 + "-_"


def draw(*parts: object, size: int = 32) -> bytes:
    """`size` (at most 64) bytes that depend on the parts alone."""
    return hashlib.blake2b("\x1f".join(map(str, parts)).encode("utf-8", "backslashreplace"), digest_size=size).digest()


def spell(number: int, length: int, alphabet: str) -> str:
    """The `length` lowest digits of a number in the alphabet's base."""
    base, out = len(alphabet), list[str]()
    for _ in range(length):
        number, digit = divmod(number, base)
        out.append(alphabet[digit])
    return "".join(reversed(out))


def text(length: int, alphabet: str, *parts: object) -> str:
    """`length` characters of an alphabet, drawn from the parts."""
    return spell(int.from_bytes(draw(*parts, size=64)), length, alphabet)


def integer(low: int, high: int, *parts: object) -> int:
    """A whole number between `low` and `high`, both included, drawn from the parts."""
    return low + int.from_bytes(draw(*parts)) % (high - low + 1)


def uuid4(*parts: object) -> str:
    """A version 4 UUID drawn from the parts."""
    return str(uuid.UUID(bytes=draw(*parts, size=16), version=4))
