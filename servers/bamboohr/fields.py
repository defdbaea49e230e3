"""The fields of employees and of their tables, with ids, names, types and aliases as the account's metadata has them.

https://documentation.bamboohr.com/docs/list-of-field-names, https://documentation.bamboohr.com/docs/table-name-fields
"""

from dataclasses import dataclass

from . import models
from .models import TableRow


@dataclass(frozen=True, slots=True)
class ListField:
    """A list field. Of those that are manageable, values that are not there yet become options."""

    id: int
    alias: str
    name: str
    manageable: bool = True
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A field of a table."""

    id: int
    alias: str
    name: str
    type: str
    list: int = 0
    required: bool = False


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table; `effective` is the field from whose day on a row is true, empty where rows have no such day."""

    alias: str
    row: type[TableRow]
    effective: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of employees: a column (`source` empty), the current value of a table's field (`jobInfo.department`), or calculated."""

    id: int | str
    alias: str
    name: str
    type: str
    source: str = ""
    list: int = 0

    @property
    def calculated(self) -> bool:
        return self.source == "calculated"


_STATUSES = ("Full-Time", "Part-Time", "Contractor", "Furloughed", "Intern", "Terminated")
_REASONS = ("New Hire", "Annual Review", "Cost of Living", "Promotion", "Market Adjustment", "Transfer", "Other")
LISTS: dict[int, ListField] = {
    spec.id: spec
    for spec in (
        ListField(4, "department", "Department"),
        ListField(16, "employmentHistoryStatus", "Employment Status", options=_STATUSES),
        ListField(17, "jobTitle", "Job Title"),
        ListField(18, "location", "Location"),
        ListField(1355, "division", "Division"),
        ListField(4030, "maritalStatus", "Marital Status", False, ("Single", "Married", "Domestic Partnership")),
        ListField(4031, "ethnicity", "Ethnicity", False),
        ListField(4043, "payChangeReason", "Compensation Change Reason", options=_REASONS),
        ListField(4044, "exempt", "FLSA Code", False, ("Exempt", "Non-exempt")),
        ListField(4045, "paySchedule", "Pay Schedule", options=("Monthly", "Twice a month")),
        ListField(4050, "terminationTypeId", "Termination Type", options=(
            "Death", "Resignation (Voluntary)", "Termination (Involuntary)", "End of Contract",
        )),
        ListField(4051, "terminationReasonId", "Termination Reason", options=(
            "Another job", "Attendance", "Career change", "End of season", "Performance", "Relocation", "Restructuring", "Other",
        )),
        ListField(4052, "terminationRehireId", "Eligible For Re-hire", options=("Yes", "No", "Upon review")),
        ListField(4055, "relationship", "Relationship", options=(
            "Spouse", "Partner", "Parent", "Child", "Sibling", "Friend", "Other",
        )),
        ListField(4057, "bonusReason", "Bonus Reason", options=("Performance", "Referral", "Signing", "Other")),
        ListField(4060, "degree", "Degree", options=("Associate's", "Bachelor's", "Master's", "Doctorate", "Other")),
        ListField(4062, "assetCategory", "Asset Category", options=(
            "Laptop", "Monitor", "Phone", "Desk", "Key", "Vehicle", "Other",
        )),
    )
}  # fmt: skip
"""List fields and the options of a fresh account."""

PAY_TYPES = (
    "Salary",
    "Hourly",
    "Commission",
    "Exception Hourly",
    "Monthly",
    "Weekly",
    "Piece Rate",
    "Contract",
    "Daily",
    "Pro Rata",
)
PAID_PER = (
    "Hour",
    "Day",
    "Week",
    "Every other week",
    "Twice a month",
    "Month",
    "Quarter",
    "Year",
    "Pay Period",
    "Piece",
)
GENDERS = ("Male", "Female", "Non-binary")

_ADDRESS = ((4110, "addressLine1", "Address Line 1"), (4111, "addressLine2", "Address Line 2"), (4112, "city", "City"))
_PHONES = ((4102, "homePhone", "Home Phone"), (4103, "mobilePhone", "Mobile Phone"), (4104, "workPhone", "Work Phone"))
_CONTACT = (
    Column(4100, "name", "Name", "text", required=True),
    Column(4101, "relationship", "Relationship", "list", 4055),
    *(Column(i, alias, name, "phone") for i, alias, name in _PHONES),
    Column(4105, "workPhoneExtension", "Work Ext.", "text"),
    Column(4106, "email", "Email", "email"),
    *(Column(i, alias, name, "text") for i, alias, name in _ADDRESS),
    Column(4113, "state", "State", "state"),
    Column(4114, "zipcode", "Zip Code", "text"),
    Column(4115, "country", "Country", "country"),
    Column(4116, "primaryContact", "Primary Contact", "checkbox"),
)
TABLES: dict[str, TableSpec] = {
    spec.alias: spec
    for spec in (
        TableSpec("jobInfo", models.JobInfo, "date", (
            Column(4047, "date", "Effective Date", "date", required=True), Column(18, "location", "Location", "list", 18),
            Column(4, "department", "Department", "list", 4), Column(1355, "division", "Division", "list", 1355),
            Column(17, "jobTitle", "Job Title", "list", 17), Column(91, "reportsTo", "Reports To", "employee"),
        )),
        TableSpec("compensation", models.Compensation, "startDate", (
            Column(4046, "startDate", "Effective Date", "date", required=True), Column(4048, "endDate", "End Date", "date"),
            Column(19, "rate", "Pay Rate", "currency"), Column(14, "type", "Pay Type", "pay_type"),
            Column(4044, "exempt", "FLSA Code", "list", 4044), Column(4043, "reason", "Change Reason", "list", 4043),
            Column(4049, "comment", "Comment", "text"), Column(4054, "paidPer", "Paid Per", "paid_per"),
            Column(4045, "paySchedule", "Pay Schedule", "list", 4045), Column(4056, "overtimeRate", "Overtime Rate", "currency"),
        )),
        TableSpec("employmentStatus", models.EmploymentStatus, "date", (
            Column(1936, "date", "Effective Date", "date", required=True),
            Column(16, "employmentStatus", "Employment Status", "list", 16, required=True), Column(1937, "comment", "Comment", "text"),
            Column(4050, "terminationTypeId", "Termination Type", "list", 4050),
            Column(4051, "terminationReasonId", "Termination Reason", "list", 4051),
            Column(4052, "terminationRehireId", "Eligible For Re-hire", "list", 4052),
        )),
        TableSpec("bonus", models.Bonus, "date", (
            Column(4020, "date", "Date", "date", required=True), Column(4021, "amount", "Amount", "currency"),
            Column(4057, "reason", "Reason", "list", 4057), Column(4023, "comment", "Comment", "text"),
        )),
        TableSpec("commission", models.Commission, "date", (
            Column(4025, "date", "Date", "date", required=True), Column(4026, "amount", "Amount", "currency"),
            Column(4027, "comment", "Comment", "text"),
        )),
        TableSpec("emergencyContacts", models.EmergencyContact, "", _CONTACT),
        TableSpec("contacts", models.EmergencyContact, "", _CONTACT),
        TableSpec("employeeEducation", models.EmployeeEducation, "", (
            Column(4120, "college", "College/Institution", "text"), Column(4060, "degree", "Degree", "list", 4060),
            Column(4122, "major", "Major/Specialization", "text"), Column(4123, "gpa", "GPA", "text"),
            Column(4124, "startDate", "Start Date", "date"), Column(4125, "endDate", "End Date", "date"),
        )),
        TableSpec("employeeAssets", models.EmployeeAsset, "", (
            Column(4062, "category", "Category", "list", 4062), Column(4131, "description", "Description", "text"),
            Column(4132, "serialNumber", "Serial #", "text"), Column(4133, "dateLoaned", "Date Loaned", "date"),
            Column(4134, "dateReturned", "Date Returned", "date"), Column(4135, "cost", "Cost", "currency"),
            Column(4136, "notes", "Notes", "text"),
        )),
    )
}  # fmt: skip

_CALC = "calculated"
_ALL = (
    FieldSpec(1, "firstName", "First Name", "text"),
    FieldSpec(2, "lastName", "Last Name", "text"),
    FieldSpec(3, "hireDate", "Hire Date", "date"),
    FieldSpec(4, "department", "Department", "list", "jobInfo.department", 4),
    FieldSpec(5, "middleName", "Middle Name", "text"),
    FieldSpec(6, "dateOfBirth", "Birth Date", "date"),
    FieldSpec(7, "ssn", "SSN", "ssn"),
    FieldSpec(8, "address1", "Address Line 1", "text"),
    FieldSpec(9, "address2", "Address Line 2", "text"),
    FieldSpec(10, "city", "City", "text"),
    FieldSpec(11, "state", "State", "state"),
    FieldSpec(12, "zipcode", "Zip Code", "text"),
    FieldSpec(3991, "country", "Country", "country"),
    FieldSpec(13, "homePhone", "Home Phone", "phone"),
    FieldSpec(15, "gender", "Gender", "gender"),
    FieldSpec(4030, "maritalStatus", "Marital Status", "list", "", 4030),
    FieldSpec(4031, "ethnicity", "Ethnicity", "list", "", 4031),
    FieldSpec(16, "employmentHistoryStatus", "Employment Status", "list", "employmentStatus.employmentStatus", 16),
    FieldSpec(17, "jobTitle", "Job Title", "list", "jobInfo.jobTitle", 17),
    FieldSpec(18, "location", "Location", "list", "jobInfo.location", 18),
    FieldSpec(1355, "division", "Division", "list", "jobInfo.division", 1355),
    FieldSpec(14, "payType", "Pay Type", "pay_type", "compensation.type"),
    FieldSpec(19, "payRate", "Pay Rate", "currency", "compensation.rate"),
    FieldSpec(4054, "payPer", "Paid Per", "paid_per", "compensation.paidPer"),
    FieldSpec(4044, "exempt", "FLSA Code", "list", "compensation.exempt", 4044),
    FieldSpec(4043, "payChangeReason", "Compensation Change Reason", "list", "compensation.reason", 4043),
    FieldSpec(4045, "paySchedule", "Pay Schedule", "list", "compensation.paySchedule", 4045),
    FieldSpec(4056, "overtimeRate", "Overtime Rate", "currency", "compensation.overtimeRate"),
    FieldSpec(4046, "payRateEffectiveDate", "Compensation: Date", "date", _CALC),
    FieldSpec(1936, "employmentStatusDate", "Employment Status: Date", "date", _CALC),
    FieldSpec(4047, "jobInformationDate", "Job Information: Date", "date", _CALC),
    FieldSpec(4026, "commissionAmount", "Commission: Amount", "currency", "commission.amount"),
    FieldSpec(4025, "commissionDate", "Commission: Date", "date", _CALC),
    FieldSpec(4021, "bonusAmount", "Bonus: Amount", "currency", "bonus.amount"),
    FieldSpec(4020, "bonusDate", "Bonus: Date", "date", _CALC),
    FieldSpec(4057, "bonusReason", "Bonus: Reason", "list", "bonus.reason", 4057),
    FieldSpec(4023, "bonusComment", "Bonus: Comment", "text", "bonus.comment"),
    FieldSpec(4029, "mobilePhone", "Mobile Phone", "phone"),
    FieldSpec(4032, "workPhone", "Work Phone", "phone"),
    FieldSpec(4033, "workPhoneExtension", "Work Ext.", "text"),
    FieldSpec(4034, "homeEmail", "Home Email", "email"),
    FieldSpec(4035, "workEmail", "Work Email", "email"),
    FieldSpec(4036, "linkedIn", "LinkedIn URL", "text"),
    FieldSpec(4037, "skypeUsername", "Skype Username", "text"),
    FieldSpec(1358, "employeeNumber", "Employee #", "employee_number"),
    FieldSpec(1359, "preferredName", "Preferred Name", "text"),
    FieldSpec(4313, "status", "Status", "status", "active"),
    FieldSpec(1360, "originalHireDate", "Original Hire Date", "date"),
    FieldSpec(4314, "terminationDate", "Termination Date", "date", _CALC),
    FieldSpec("age", "age", "Age", "integer", _CALC),
    FieldSpec("birthday", "birthday", "Birthday", "text", _CALC),
    FieldSpec("bestEmail", "bestEmail", "Best Email", "email", _CALC),
    FieldSpec("displayName", "displayName", "Display Name", "text", _CALC),
    FieldSpec("fullName1", "fullName1", "Full Name: First Last", "text", _CALC),
    FieldSpec("fullName2", "fullName2", "Full Name: Last, First", "text", _CALC),
    FieldSpec("fullName3", "fullName3", "Full Name: Last, First Middle (Preferred)", "text", _CALC),
    FieldSpec("fullName4", "fullName4", "Full Name: Last, First Middle", "text", _CALC),
    FieldSpec("fullName5", "fullName5", "Full Name: First Middle Last", "text", _CALC),
    FieldSpec(91, "supervisor", "Manager", "employee", _CALC),
    FieldSpec("supervisorId", "supervisorId", "Manager's Employee #", "text", _CALC),
    FieldSpec("supervisorEId", "supervisorEId", "Manager's Id", "integer", _CALC),
    FieldSpec("supervisorEmail", "supervisorEmail", "Manager's Email", "email", _CALC),
    FieldSpec("stateCode", "stateCode", "State Code", "text", _CALC),
    FieldSpec("id", "id", "EEID", "integer", _CALC),
    FieldSpec("workPhonePlusExtension", "workPhonePlusExtension", "Work Phone and Ext.", "text", _CALC),
    FieldSpec("photoUploaded", "photoUploaded", "Employee photo", "bool", _CALC),
    FieldSpec("isPhotoUploaded", "isPhotoUploaded", "Employee photo exists", "bool", _CALC),
    FieldSpec("photoUrl", "photoUrl", "Photo URL", "url", _CALC),
    FieldSpec("lastChanged", "lastChanged", "Last Changed", "timestamp", _CALC),
)
FIELDS: dict[str, FieldSpec] = {spec.alias: spec for spec in _ALL}
_BY_ID = {str(spec.id): spec for spec in _ALL}

OTHER_NAMES = {
    "employmentStatus": "status", "flsaCode": "exempt", "paidPer": "payPer", "birthDate": "dateOfBirth", "jobTitleName": "jobTitle",
    "departmentName": "department", "divisionName": "division", "locationName": "location", "linkedinUrl": "linkedIn",
    "employmentStatusName": "employmentHistoryStatus", "reportsToName": "supervisor", "reportsToId": "supervisorEId",
    "reportsTo": "supervisor", "EEID": "id", "eid": "id", "nickname": "preferredName",
}  # fmt: skip
"""Names that fields had before, or have in newer endpoints."""


def field_of(name: str) -> FieldSpec | None:
    """The field of an alias, an id or another of its names."""
    return FIELDS.get(name) or _BY_ID.get(name) or FIELDS.get(OTHER_NAMES.get(name, ""))
