"""Cases and their comments. https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference"""

from typing import ClassVar

from .. import fields as f
from .base import NOT_VIEWED, READ_ONLY, SETUP, SObject

CASE_STATUSES = ("New", "Working", "Escalated", "Closed")
PRIORITIES = ("High", "Medium", "Low")


class Case(SObject, table=True):
    """A customer's question or problem."""

    prefix = "500"
    label, plural = "Case", "Cases"
    searchable = True

    CaseNumber: str | None = f.text(
        "Case Number", 30, createable=False, updateable=False, name_field=True, auto_number=True
    )
    ContactId: str | None = f.lookup("Contact ID", "Contact", relation="Contact", children="Cases")
    AccountId: str | None = f.lookup("Account ID", "Account", relation="Account", children="Cases")
    ParentId: str | None = f.lookup("Parent Case ID", "Case", relation="Parent", children="Cases")
    SuppliedName: str | None = f.text("Web Name", 80)
    SuppliedEmail: str | None = f.email("Web Email")
    SuppliedPhone: str | None = f.text("Web Phone", 40)
    SuppliedCompany: str | None = f.text("Web Company", 80)
    Type: str | None = f.picklist(
        "Case Type", ("Mechanical", "Electrical", "Electronic", "Structural", "Question", "Problem", "Feature Request")
    )
    Status: str | None = f.picklist("Status", CASE_STATUSES, default="New", restricted=True)
    Reason: str | None = f.picklist(
        "Case Reason", ("Installation", "Performance", "User didn't attend training", "Complex functionality", "Other")
    )
    Origin: str | None = f.picklist("Case Origin", ("Phone", "Email", "Web"))
    Subject: str | None = f.text("Subject")
    Priority: str | None = f.picklist("Priority", PRIORITIES, default="Medium", restricted=True)
    Description: str | None = f.area("Description")
    IsClosed: bool = f.system(f.checkbox, "Closed", calculated=True)
    ClosedDate: str | None = f.system(f.datetime, "Closed Date")
    IsEscalated: bool = f.checkbox("Escalated")
    OwnerId: str | None = f.lookup("Owner ID", "Group", "User", relation="Owner", required=True)
    ContactPhone: str | None = f.system(f.text, "Contact Phone", 40, kind="phone", calculated=True)
    ContactEmail: str | None = f.system(f.text, "Contact Email", 80, kind="email", calculated=True)
    Comments: str | None = f.area("Internal Comments", 4000)
    External_Id__c: str | None = f.custom()


class CaseStatus(SObject, table=True):
    """A value of Case.Status."""

    prefix = "01J"
    label, plural = "Case Status Value", "Case Status Value"
    operations = READ_ONLY
    hidden: ClassVar[frozenset[str]] = SETUP | NOT_VIEWED

    MasterLabel: str | None = f.text("Master Label", createable=False, updateable=False, name_field=True)
    ApiName: str | None = f.text("API Name", createable=False, updateable=False)
    SortOrder: int | None = f.number("Sort Order", createable=False, updateable=False)
    IsDefault: bool = f.checkbox("Is Default", createable=False, updateable=False)
    IsClosed: bool = f.checkbox("Is Closed", createable=False, updateable=False)


class CaseComment(SObject, table=True):
    """A comment on a case."""

    prefix = "00a"
    label, plural = "Case Comment", "Case Comments"
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED

    ParentId: str | None = f.lookup(
        "Parent ID", "Case", relation="Parent", children="CaseComments", cascade=True, required=True, updateable=False
    )
    IsPublished: bool = f.checkbox("Published")
    CommentBody: str | None = f.area("Body", 4000)
