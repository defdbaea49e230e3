"""BambooHR's records as tables. Field names are the API's. https://documentation.bamboohr.com/docs/list-of-field-names

What changes from a day on (job, pay, employment status) is never a column of the employee but a dated row of its own table.
"""

from typing import Literal

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()):
    """The base of BambooHR's tables."""


class Account(Table, table=True):
    """The company. `agent` is the employee to whom the API key belongs."""

    id: int = Field(primary_key=True)
    domain: str
    name: str
    currency: str
    timezone: str
    agent: int | None = None


class Employee(Table, table=True):
    """What is true of an employee whatever the day. `active` is the Status field as it was set; see employees.status."""

    id: int = Field(primary_key=True)
    employeeNumber: str | None = Field(default=None, index=True)
    firstName: str
    middleName: str | None = None
    lastName: str
    preferredName: str | None = None
    dateOfBirth: str | None = None
    gender: str | None = None
    maritalStatus: str | None = None
    ethnicity: str | None = None
    ssn: str | None = None
    address1: str | None = None
    address2: str | None = None
    city: str | None = None
    state: str | None = None
    zipcode: str | None = None
    country: str | None = None
    homePhone: str | None = None
    mobilePhone: str | None = None
    workPhone: str | None = None
    workPhoneExtension: str | None = None
    homeEmail: str | None = None
    workEmail: str | None = Field(default=None, index=True)
    linkedIn: str | None = None
    skypeUsername: str | None = None
    hireDate: str | None = None
    originalHireDate: str | None = None
    active: bool = True
    created: str
    lastChanged: str = Field(derived=True)


class Photo(Table, table=True):
    """An employee's photo, its bytes in base64."""

    employeeId: int = Field(primary_key=True, foreign_key="employee.id")
    content: str
    type: str


class User(Table, table=True):
    """A login. An employee who has left has none that is enabled, whatever `enabled` says."""

    id: int = Field(primary_key=True)
    employeeId: int | None = Field(default=None, foreign_key="employee.id", index=True)
    email: str
    enabled: bool = True
    admin: bool = False
    lastLogin: str | None = None


class TableRow(Table):
    """A row of an employee's table."""

    id: int = Field(primary_key=True)
    employeeId: int = Field(foreign_key="employee.id", index=True)


class JobInfo(TableRow, table=True):
    """A job from `date` on. `reportsTo` is an employee's id."""

    __tablename__ = "job_info"  # pyright: ignore[reportAssignmentType]
    date: str
    location: str | None = None
    department: str | None = None
    division: str | None = None
    jobTitle: str | None = None
    reportsTo: int | None = Field(default=None, foreign_key="employee.id")


class Compensation(TableRow, table=True):
    """Pay from `startDate` on."""

    startDate: str
    endDate: str | None = None
    rate: float | None = None
    rateCurrency: str | None = None
    type: str | None = None
    exempt: str | None = None
    reason: str | None = None
    comment: str | None = None
    paidPer: str | None = None
    paySchedule: str | None = None
    overtimeRate: float | None = None
    overtimeRateCurrency: str | None = None


class EmploymentStatus(TableRow, table=True):
    """An employment status from `date` on; `Terminated` ends the employment."""

    __tablename__ = "employment_status"  # pyright: ignore[reportAssignmentType]
    date: str
    employmentStatus: str | None = None
    comment: str | None = None
    terminationTypeId: str | None = None
    terminationReasonId: str | None = None
    terminationRehireId: str | None = None


class EmergencyContact(TableRow, table=True):
    """Whom to call."""

    __tablename__ = "emergency_contact"  # pyright: ignore[reportAssignmentType]
    name: str
    relationship: str | None = None
    homePhone: str | None = None
    mobilePhone: str | None = None
    workPhone: str | None = None
    workPhoneExtension: str | None = None
    email: str | None = None
    addressLine1: str | None = None
    addressLine2: str | None = None
    city: str | None = None
    state: str | None = None
    zipcode: str | None = None
    country: str | None = None
    primaryContact: bool = False


class Bonus(TableRow, table=True):
    """A bonus that was paid."""

    date: str
    amount: float | None = None
    amountCurrency: str | None = None
    reason: str | None = None
    comment: str | None = None


class Commission(TableRow, table=True):
    """A commission that was paid."""

    date: str
    amount: float | None = None
    amountCurrency: str | None = None
    comment: str | None = None


class EmployeeEducation(TableRow, table=True):
    """A degree."""

    __tablename__ = "employee_education"  # pyright: ignore[reportAssignmentType]
    college: str | None = None
    degree: str | None = None
    major: str | None = None
    gpa: str | None = None
    startDate: str | None = None
    endDate: str | None = None


class EmployeeAsset(TableRow, table=True):
    """Something of the company's that an employee has."""

    __tablename__ = "employee_asset"  # pyright: ignore[reportAssignmentType]
    category: str | None = None
    description: str | None = None
    serialNumber: str | None = None
    dateLoaned: str | None = None
    dateReturned: str | None = None
    cost: float | None = None
    costCurrency: str | None = None
    notes: str | None = None


class ListOption(Table, table=True):
    """An option of a list field, which is named by its field's id."""

    __tablename__ = "list_option"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    fieldId: int = Field(index=True)
    name: str
    archived: bool = False
    createdDate: str
    archivedDate: str | None = None


class TimeOffType(Table, table=True):
    """A kind of time off."""

    __tablename__ = "time_off_type"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    name: str
    units: Literal["hours", "days"] = "days"
    color: str | None = None
    icon: str | None = None


class TimeOffPolicy(Table, table=True):
    """A policy: an accruing one gives `annual` a year, a twelfth on the first of each month."""

    __tablename__ = "time_off_policy"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    timeOffTypeId: int = Field(foreign_key="time_off_type.id")
    name: str
    type: Literal["accruing", "discretionary", "manual"]
    annual: float = 0


class PolicyAssignment(Table, table=True):
    """A policy that an employee has, at most one a type."""

    __tablename__ = "policy_assignment"  # pyright: ignore[reportAssignmentType]
    employeeId: int = Field(primary_key=True, foreign_key="employee.id")
    timeOffTypeId: int = Field(primary_key=True, foreign_key="time_off_type.id")
    timeOffPolicyId: int = Field(foreign_key="time_off_policy.id")
    accrualStartDate: str | None = None


RequestStatus = Literal["requested", "approved", "denied", "canceled", "superceded"]


class TimeOffRequest(Table, table=True):
    """A request; `dates` has each day's amount."""

    __tablename__ = "time_off_request"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    employeeId: int = Field(foreign_key="employee.id", index=True)
    timeOffTypeId: int = Field(foreign_key="time_off_type.id")
    status: RequestStatus
    start: str
    end: str
    amount: float
    dates: dict[str, float]
    employeeNote: str | None = None
    managerNote: str | None = None
    created: str
    lastChanged: str = Field(derived=True)
    lastChangedByUserId: int | None = None


class TimeOffHistory(Table, table=True):
    """An entry of a balance's history: an adjustment, or that an approved request was used on another day than planned."""

    __tablename__ = "time_off_history"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    employeeId: int = Field(foreign_key="employee.id", index=True)
    timeOffTypeId: int = Field(foreign_key="time_off_type.id")
    date: str
    eventType: Literal["used", "override"]
    amount: float
    timeOffRequestId: int | None = Field(default=None, foreign_key="time_off_request.id")
    note: str | None = None


class Holiday(Table, table=True):
    """A company holiday."""

    id: int = Field(primary_key=True)
    name: str
    start: str
    end: str


class FileCategory(Table, table=True):
    """A section of employees' files, or of the company's."""

    __tablename__ = "file_category"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    name: str
    owner: Literal["employee", "company"]


class File(Table, table=True):
    """A file of an employee, or of the company where there is no employee. `content` is base64."""

    id: int = Field(primary_key=True)
    employeeId: int | None = Field(default=None, foreign_key="employee.id", index=True)
    categoryId: int = Field(foreign_key="file_category.id")
    name: str
    originalFileName: str
    type: str
    size: int
    content: str
    share: bool = False
    dateCreated: str
    createdBy: int | None = None


class Report(Table, table=True):
    """A saved report: fields of employees, of those whose status is `status` where it is set."""

    id: int = Field(primary_key=True)
    name: str
    fields: list[str]
    status: str | None = None
