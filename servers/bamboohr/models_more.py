"""Goals, training, hiring, webhooks and timesheets as tables."""

from typing import Any, Literal

from legoenv_mcp.app import Field

from .models import Table


class Goal(Table, table=True):
    """A goal of an employee, whom `sharedWithEmployeeIds` always holds."""

    id: int = Field(primary_key=True)
    employeeId: int = Field(foreign_key="employee.id", index=True)
    title: str
    description: str | None = None
    percentComplete: int = 0
    alignsWithOptionId: int | None = None
    sharedWithEmployeeIds: list[int]
    dueDate: str
    completionDate: str | None = None
    closed: bool = False
    milestones: list[dict[str, Any]] | None = None
    lastChangedDateTime: str = Field(derived=True)


class GoalComment(Table, table=True):
    """A remark about a goal."""

    __tablename__ = "goal_comment"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    goalId: int = Field(foreign_key="goal.id", index=True)
    authorUserId: int
    createdAt: str
    text: str


class TrainingCategory(Table, table=True):
    """What trainings are grouped by."""

    __tablename__ = "training_category"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    name: str


class TrainingType(Table, table=True):
    """A training that employees can have."""

    __tablename__ = "training_type"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    name: str
    renewable: bool = False
    frequency: int | None = None
    dueFromHireDate: int | None = None
    required: bool | None = None
    categoryId: int | None = Field(default=None, foreign_key="training_category.id")
    linkUrl: str | None = None
    description: str | None = None
    allowEmployeesToMarkComplete: bool = False


class TrainingRecord(Table, table=True):
    """A training that an employee has had."""

    __tablename__ = "training_record"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    employeeId: int = Field(foreign_key="employee.id", index=True)
    type: int = Field(foreign_key="training_type.id")
    completed: str
    notes: str | None = None
    instructor: str | None = None
    credits: float | None = None
    hours: float | None = None
    cost: float | None = None
    costCurrency: str | None = None


JobStatus = Literal["Draft", "Open", "On Hold", "Filled", "Canceled"]


class JobOpening(Table, table=True):
    """A position to be filled."""

    __tablename__ = "job_opening"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    postingTitle: str
    jobStatus: str
    hiringLead: int = Field(foreign_key="employee.id")
    department: str | None = None
    employmentType: str
    minimumExperience: str | None = None
    compensation: str | None = None
    jobLocation: int | None = Field(default=None, foreign_key="list_option.id")
    jobDescription: str
    internalJobCode: str | None = None
    questions: dict[str, str] = Field(default_factory=dict)
    postedDate: str


class ApplicantStatus(Table, table=True):
    """A status that an application can have; `group` says in which part of the pipeline."""

    __tablename__ = "applicant_status"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    code: str | None = None
    name: str
    group: Literal["NEW", "ACTIVE", "INACTIVE", "HIRED"]
    enabled: bool = True
    manageable: bool = True


class Application(Table, table=True):
    """Someone's application for a job opening."""

    id: int = Field(primary_key=True)
    applicantId: int
    jobId: int = Field(foreign_key="job_opening.id", index=True)
    statusId: int = Field(foreign_key="applicant_status.id")
    statusChanged: str
    statusChangedBy: int | None = None
    rating: int | None = None
    firstName: str
    lastName: str
    email: str | None = None
    phoneNumber: str | None = None
    source: str | None = None
    address: dict[str, str] = Field(default_factory=dict)
    answers: dict[str, str] = Field(default_factory=dict)
    appliedDate: str
    lastUpdated: str = Field(derived=True)


class ApplicationComment(Table, table=True):
    """A remark about an application, or that its status changed."""

    __tablename__ = "application_comment"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    applicationId: int = Field(foreign_key="application.id", index=True)
    type: str = "comment"
    comment: str
    userId: int | None = None
    created: str


class Webhook(Table, table=True):
    """A webhook of the API key's user."""

    id: int = Field(primary_key=True)
    name: str
    url: str
    format: Literal["json", "form-encoded"]
    monitorFields: list[str] | None = None
    postFields: dict[str, str] = Field(default_factory=dict)
    events: list[str]
    includeCompanyDomain: bool = False
    privateKey: str
    created: str
    lastSent: str | None = None


class TimesheetEntry(Table, table=True):
    """Hours worked on a day: clocked from `start` to `end`, or simply entered."""

    __tablename__ = "timesheet_entry"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    employeeId: int = Field(foreign_key="employee.id", index=True)
    type: Literal["clock", "hour"]
    date: str
    start: str | None = None
    end: str | None = None
    timezone: str | None = None
    hours: float | None = None
    note: str | None = None
    approved: bool = False
    createdAt: str
    updatedAt: str = Field(derived=True)
