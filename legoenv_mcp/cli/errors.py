"""How a command says what went wrong: one line, and the exit status of the contract."""


class Usage(Exception):
    """The command's words are off: exit status 2."""


class Failure(Exception):
    """The thing asked for failed: exit status 1."""
