"""sObjects as tables: one class each, its columns named as the fields are."""

from .accounts import Account, Contact, Lead, LeadStatus
from .activities import ContentDocumentLink, ContentNote, Event, Note, Task
from .base import SObject, Table
from .bulk import BulkJob
from .marketing import Campaign, CampaignMember, CampaignMemberStatus
from .opportunities import (
    Opportunity,
    OpportunityContactRole,
    OpportunityLineItem,
    OpportunityStage,
    Pricebook2,
    PricebookEntry,
    Product2,
)
from .organization import CurrencyType, Group, Organization, Profile, RecordType, User, UserRole
from .process import ProcessInstance, ProcessInstanceWorkitem, Report
from .service import Case, CaseComment, CaseStatus

__all__ = [
    "Account", "BulkJob", "Campaign", "CampaignMember", "CampaignMemberStatus", "Case", "CaseComment", "CaseStatus", "Contact",
    "ContentDocumentLink", "ContentNote", "CurrencyType", "Event", "Group", "Lead", "LeadStatus", "Note", "Opportunity",
    "OpportunityContactRole", "OpportunityLineItem", "OpportunityStage", "Organization", "Pricebook2", "PricebookEntry",
    "ProcessInstance", "ProcessInstanceWorkitem", "Product2", "Profile", "RecordType", "Report", "SObject", "Table", "Task",
    "User", "UserRole",
]  # fmt: skip
