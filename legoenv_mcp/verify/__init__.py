"""Verifiers: data that says what the right end state is, and one pure function that grades a state by it.

There is no parameter through which a transcript or a call log could enter: `grade` sees the state before, the state after, and
the answer. A verifier has goals (false before, true after) and a frame: whatever it does not expressly allow must not have
changed. `invalid` is for our own faults and is never a reward of 0.
"""

from legoenv_mcp.verify.checks import check
from legoenv_mcp.verify.grading import Assertion, Verdict, grade
from legoenv_mcp.verify.model import Allow, Answer, Goal, Select, Verifier
from legoenv_mcp.verify.state import AppState, State

__all__ = [
    "Allow",
    "Answer",
    "AppState",
    "Assertion",
    "Goal",
    "Select",
    "State",
    "Verdict",
    "Verifier",
    "check",
    "grade",
]
