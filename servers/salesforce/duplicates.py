"""The standard duplicate rules: they block a save unless the caller says that a duplicate is meant."""

import re
from collections.abc import Mapping
from typing import Any

from legoenv_mcp.app import Ctx

from . import errors
from .metadata import SObjectType
from .models import Account, Contact, Lead, SObject

_SUFFIXES = re.compile(r"\b(incorporated|inc|llc|ltd|limited|corp|corporation|co|company|gmbh|plc|ag|sa|bv|the)\b")
_RULES = {
    "Account": ("Standard_Account_Duplicate_Rule", "Standard_Account_Match_Rule_v1_0"),
    "Contact": ("Standard_Contact_Duplicate_Rule", "Standard_Contact_Match_Rule_v1_1"),
    "Lead": ("Standard_Lead_Duplicate_Rule", "Standard_Lead_Match_Rule_v1_0"),
}  # fmt: skip
_FIELDS = {
    "Account": {"Name", "Website", "Phone", "BillingCity", "BillingStreet"}, "Contact": {"FirstName", "LastName", "Email", "AccountId"},
    "Lead": {"FirstName", "LastName", "Email", "Company"},
}  # fmt: skip


def company_key(name: str | None) -> str:
    """A company's name without punctuation, legal form and case."""
    plain = re.sub(r"[^\w\s]", " ", (name or "").casefold())
    return " ".join(_SUFFIXES.sub(" ", plain).split())


def _same(a: Any, b: Any) -> bool:
    return bool(a) and bool(b) and str(a).casefold() == str(b).casefold()


def _account(ctx: Ctx, draft: Mapping[str, Any]) -> list[SObject]:
    key = company_key(draft["Name"])
    return [
        a
        for a in ctx.db.find(Account, IsDeleted=False)
        if company_key(a.Name) == key and all(_agree(draft.get(n), getattr(a, n)) for n in ("Website", "BillingCity"))
    ]


def _agree(a: Any, b: Any) -> bool:
    """Whether two values do not speak against a match."""
    return not a or not b or _same(a, b)


def _person(draft: Mapping[str, Any], other: Contact | Lead, firm: str, other_firm: str) -> bool:
    names = _same(draft.get("LastName"), other.LastName) and _same(draft.get("FirstName"), other.FirstName)
    if _same(draft.get("Email"), other.Email):
        return True
    return names and bool(firm) and firm == other_firm and _agree(draft.get("Email"), other.Email)


def _contact(ctx: Ctx, draft: Mapping[str, Any]) -> list[SObject]:
    firm = draft.get("AccountId") or ""
    return [c for c in ctx.db.find(Contact, IsDeleted=False) if _person(draft, c, firm, c.AccountId or "")]


def _lead(ctx: Ctx, draft: Mapping[str, Any]) -> list[SObject]:
    firm = company_key(draft.get("Company"))
    leads = ctx.db.find(Lead, IsDeleted=False, IsConverted=False)
    return [other for other in leads if _person(draft, other, firm, company_key(other.Company))]


_MATCHERS = {"Account": _account, "Contact": _contact, "Lead": _lead}


def check(ctx: Ctx, kind: SObjectType, draft: Mapping[str, Any], old: SObject | None) -> None:
    """DUPLICATES_DETECTED where the record, new or with its matching fields changed, looks like another."""
    if kind.name not in _MATCHERS or (old is not None and all(getattr(old, n) == draft[n] for n in _FIELDS[kind.name])):
        return
    found = [row for row in _MATCHERS[kind.name](ctx, draft) if old is None or row.Id != old.Id]
    if not found:
        return
    rule, match_rule = _RULES[kind.name]
    matches = [
        {
            "additionalInformation": [], "fieldDiffs": [], "matchConfidence": 100.0,
            "record": {"attributes": {"type": kind.name, "url": f"/services/data/v60.0/sobjects/{kind.name}/{row.Id}"}, "Id": row.Id},
        }
        for row in found
    ]  # fmt: skip
    raise errors.refusal(
        "DUPLICATES_DETECTED",
        "Use one of these records?",
        hint="Work with the record found, or call again with allow_save where a second one is meant.",
        duplicateResult={
            "allowSave": True, "duplicateRule": rule, "duplicateRuleEntityType": kind.name,
            "errorMessage": "You're creating a duplicate record. We recommend you use an existing record instead.",
            "matchResults": [
                {
                    "entityType": kind.name, "errors": [], "matchEngine": "FuzzyMatchEngine", "matchRecords": matches, "rule": match_rule,
                    "size": len(found), "success": True,
                }
            ],
        },
    )  # fmt: skip
