"""Approvals and reports. https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference"""

from typing import ClassVar

from .. import fields as f
from .base import NOT_VIEWED, READ_ONLY, SObject

APPROVABLE = ("Account", "Campaign", "Case", "Lead", "Opportunity")


class ProcessInstance(SObject, table=True):
    """A record's way through an approval process."""

    prefix = "04g"
    label, plural = "Process Instance", "Process Instance"
    operations = READ_ONLY
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED

    TargetObjectId: str | None = f.lookup(
        "Target Object ID", *APPROVABLE, relation="TargetObject", children="ProcessInstances", cascade=True
    )
    Status: str | None = f.picklist("Status", ("Pending", "Approved", "Rejected", "Removed"))
    SubmittedById: str | None = f.lookup("User ID", "User", relation="SubmittedBy")
    CompletedDate: str | None = f.datetime("Completed Date")
    LastActorId: str | None = f.lookup("Last Actor ID", "User", relation="LastActor")
    Comments: str | None = f.area("Comments", 4000)


class ProcessInstanceWorkitem(SObject, table=True):
    """A pending decision of one approver."""

    prefix = "04i"
    label, plural = "Approval Request", "Approval Requests"
    operations = READ_ONLY
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED

    ProcessInstanceId: str | None = f.lookup(
        "Process Instance ID", "ProcessInstance", relation="ProcessInstance", children="Workitems", cascade=True
    )
    ActorId: str | None = f.lookup("Actor ID", "Group", "User", relation="Actor")
    OriginalActorId: str | None = f.lookup("Original Actor ID", "Group", "User", relation="OriginalActor")


class Report(SObject, table=True):
    """A saved report. `Definition` is what the Analytics API calls its report metadata."""

    prefix = "00O"
    label, plural = "Report", "Reports"
    operations = READ_ONLY
    searchable = True

    Name: str | None = f.text("Report Name", 40, name_field=True)
    Description: str | None = f.text("Description")
    DeveloperName: str | None = f.text("Report Unique Name", 80)
    FolderName: str | None = f.text("Folder Name", 256)
    Format: str | None = f.picklist("Report Format", ("Tabular", "Summary"))
    OwnerId: str | None = f.lookup("Owner ID", "User", relation="Owner")
    LastRunDate: str | None = f.datetime("Last Run")
    Definition: str | None = f.area("Definition")
