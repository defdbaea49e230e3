"""People: the staff of a world's company, who are the users of every app."""

from legoenv_mcp.capabilities.base import Entity


class Person(Entity):
    """An employee. `handle` is the person's short name everywhere (chat name, login); `manager` is another person's key."""

    first_name: str
    last_name: str
    email: str
    handle: str
    title: str
    department: str
    manager: str = ""
    phone: str = ""
    city: str = ""
    country: str = ""
    time_zone: str = "UTC"
    start_date: str = ""
    admin: bool = False
    active: bool = True

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}"


class Organisation(Entity):
    """The world's company, and `agent`: the key of the person on whose behalf calls are made."""

    name: str
    domain: str
    industry: str = ""
    currency: str = "USD"
    time_zone: str = "UTC"
    agent: str
