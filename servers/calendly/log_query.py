"""The activity log's search language, read with a grammar and tried on an entry's text."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

from . import errors

Test = Callable[[str], bool]
_DEPTH = 40


@cache
def _parser() -> Lark:
    return Lark((Path(__file__).parent / "log_query.lark").read_text(), parser="earley", maybe_placeholders=False)


def compiled(text: str) -> Test:
    """A test of an entry's text, folded to lower case."""
    if text.count("(") > _DEPTH or text.count("-") > 10 * _DEPTH:
        raise errors.invalid(("search_term", "is nested too deeply"))
    try:
        tree = _parser().parse(text)
    except LarkError as error:
        raise errors.invalid(("search_term", "is in invalid format")) from error
    return _test(tree.children[0])


def _test(node: Tree[Token] | Token) -> Test:
    assert isinstance(node, Tree)
    match node.data:
        case "or_":
            some = [_test(child) for child in node.children]
            return lambda text: any(test(text) for test in some)
        case "and_":
            every = [_test(child) for child in node.children]
            return lambda text: all(test(text) for test in every)
        case "not_":
            inner = _test(node.children[-1])
            return lambda text: not inner(text)
        case _:
            return _word(str(node.children[0]))


def _word(term: str) -> Test:
    """A phrase or word as it stands, or what begins as it does, or with * in front what ends so."""
    wanted = term.strip('"').lower()
    if term.startswith('"'):
        return lambda text: wanted in text
    head, tail = wanted.startswith("*"), wanted.endswith("*")
    bare = wanted.strip("*")
    if head:
        return lambda text: any(word.endswith(bare) for word in text.split())
    if tail:
        return lambda text: any(word.startswith(bare) for word in text.split())
    return lambda text: bare in text
