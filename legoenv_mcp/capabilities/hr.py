"""Human resources: employees, pay and time off."""

from abc import abstractmethod
from typing import Any, ClassVar, Literal

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks
from legoenv_mcp.capabilities.people import Person


class Employment(Entity):
    """What HR knows of a Person (`person` is its key) beyond the directory. Pay is a year's, in `currency`."""

    person: str
    number: int
    pay: float
    currency: str = "USD"
    kind: Literal["full_time", "part_time", "contractor"] = "full_time"
    born: str = ""
    terminated: str = ""


class TimeOff(Entity):
    """A request for time off; first and last day are ISO days."""

    person: str
    kind: Literal["vacation", "sick", "parental", "unpaid"] = "vacation"
    first_day: str
    last_day: str
    status: Literal["requested", "approved", "denied", "canceled"] = "requested"
    note: str = ""
    created: str = ""


class Hr(Capability):
    name = "hr"
    entities: ClassVar[tuple[type[Entity], ...]] = (Person, Employment, TimeOff)

    @abstractmethod
    def list_employees(self) -> Plan: ...
    @abstractmethod
    def get_employee(self, employee_id: str) -> Plan: ...
    @abstractmethod
    def hire_employee(
        self, first_name: str, last_name: str, email: str, title: str, department: str, start_date: str
    ) -> Plan: ...
    @abstractmethod
    def update_employee(self, employee_id: str, **changes: Any) -> Plan:
        """Changes any of title, department, phone."""

    @abstractmethod
    def change_pay(self, employee_id: str, pay: float, currency: str, day: str) -> Plan: ...
    @abstractmethod
    def terminate_employee(self, employee_id: str, day: str) -> Plan: ...
    def list_time_off(self, first_day: str, last_day: str) -> Plan:
        return lacks(self, "list_time_off")

    def request_time_off(self, employee_id: str, first_day: str, last_day: str, kind: str = "vacation") -> Plan:
        return lacks(self, "request_time_off")

    def decide_time_off(self, request_id: str, *, approve: bool) -> Plan:
        return lacks(self, "decide_time_off")
