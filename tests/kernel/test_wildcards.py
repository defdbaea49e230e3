"""Wildcards match what they say, in time that does not grow with what they could all stand for."""

import re

from hypothesis import given
from hypothesis import strategies as st

from legoenv_mcp.app import wildcard


@given(st.text("ab*?.", max_size=8), st.text("ab.", max_size=10))
def test_a_wildcard_matches_what_a_plain_translation_does(pattern: str, text: str) -> None:
    plain = "".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in pattern)
    assert (wildcard(pattern, one="?").fullmatch(text) is None) == (re.fullmatch(plain, text) is None)


@given(st.text("aA%_ ", max_size=8), st.text("aA_ ", max_size=10))
def test_another_sign_another_class_and_flags(pattern: str, text: str) -> None:
    plain = "".join(r"\w*" if c == "%" else re.escape(c) for c in pattern)
    found = wildcard(pattern, many="%", of=r"\w", flags=re.IGNORECASE).fullmatch(text)
    assert (found is None) == (re.fullmatch(plain, text, re.IGNORECASE) is None)


def test_many_wildcards_on_a_long_text_come_to_an_end() -> None:
    assert wildcard("*a" * 500 + "*b").fullmatch("a" * 50_000) is None
    assert wildcard("*a" * 500 + "*").fullmatch("a" * 50_000) is not None
