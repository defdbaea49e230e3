"""What Salesforce offers as a CRM: canonical companies, contacts, leads, deals and activities as sObjects and back."""

import base64
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call
from legoenv_mcp.capabilities.crm import Activity, Company, Contact, Crm, Deal, Lead, Stage
from legoenv_mcp.capabilities.people import Person

from . import models, records, times
from .rules import sales

KINDS = {
    "customer": "Customer - Direct", "prospect": "Prospect", "partner": "Channel Partner / Reseller", "former_customer": "Former Customer",
}  # fmt: skip
TIERS = {"enterprise": "Enterprise", "mid_market": "Mid-Market", "smb": "SMB"}
STATUSES = {
    "new": "Open - Not Contacted", "working": "Working - Contacted", "nurturing": "Nurturing", "qualified": "Qualified",
    "unqualified": "Closed - Not Converted",
}  # fmt: skip
STAGES: dict[Stage, str] = {
    "prospecting": "Prospecting", "qualification": "Qualification", "proposal": "Proposal/Price Quote", "negotiation": "Negotiation/Review",
    "won": "Closed Won", "lost": "Closed Lost",
}  # fmt: skip
_NEAREST: dict[str, Stage] = {
    "Needs Analysis": "qualification", "Value Proposition": "proposal", "Id. Decision Makers": "proposal",
    "Perception Analysis": "proposal",
}  # fmt: skip
_CONTACT_FIELDS = {
    "first_name": "FirstName", "last_name": "LastName", "email": "Email", "title": "Title", "phone": "Phone", "mobile": "MobilePhone",
    "city": "MailingCity", "country": "MailingCountry", "owner": "OwnerId", "company": "AccountId",
}  # fmt: skip
_DEAL_SHOWN = (
    "Id, Name, StageName, Amount, CurrencyIsoCode, CloseDate, NextStep, AccountId, Account.Name, OwnerId, Owner.Name"
)
_DEAL_FIELDS = {
    "title": "Name", "owner": "OwnerId", "amount": "Amount", "close_date": "CloseDate", "next_step": "NextStep",
    "description": "Description",
}  # fmt: skip


def _back(mapping: dict[Any, str], value: str | None, default: Any) -> Any:
    return next((k for k, v in mapping.items() if v == value), default)


def _domain(website: str | None) -> str:
    return (website or "").removeprefix("https://").removeprefix("http://").removeprefix("www.").strip("/")


class SalesforceCrm(Crm):
    """Fill, view and verbs of the sObjects."""

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        """Writes the entity as records of its own dates."""
        if isinstance(entity, Person):
            return self._person(ctx, entity)
        if isinstance(entity, Company):
            return self._company(ctx, entity)
        if isinstance(entity, Contact):
            return self._contact(ctx, entity)
        if isinstance(entity, Lead):
            return self._lead(ctx, entity)
        if isinstance(entity, Deal):
            return self._deal(ctx, entity)
        if isinstance(entity, Activity):
            return self._activity(ctx, entity)
        raise TypeError(f"Salesforce holds no {type(entity).__name__}")

    def _owned(self, ctx: Ctx, owner: str) -> dict[str, str]:
        """Owner and creator of a record: the person named. What nobody owns is the system's, since every record has an owner."""
        user = ctx.ref(Person, owner) if owner else records.system_user(ctx)
        return {"OwnerId": user, "by": user}

    def _person(self, ctx: Ctx, p: Person) -> str:
        profile = ctx.db.first(models.Profile, Name=records.ADMINISTRATOR if p.admin else "Standard User")
        created = f"{p.start_date}T09:00:00Z" if p.start_date else ""
        row = records.insert(
            ctx, models.User, created=created, by=records.system_user(ctx), Username=p.email, FirstName=p.first_name, LastName=p.last_name,
            Email=p.email, Alias=p.handle[:8], CommunityNickname=p.handle, Title=p.title, Department=p.department, Phone=p.phone,
            City=p.city,
            Country=p.country, TimeZoneSidKey=p.time_zone, LocaleSidKey="en_US", LanguageLocaleKey="en_US", EmailEncodingKey="UTF-8",
            ProfileId=profile.Id if profile else None, IsActive=p.active, ManagerId=ctx.ref(Person, p.manager) if p.manager else None,
            StartDate__c=p.start_date,
        )  # fmt: skip
        return row.Id

    def _company(self, ctx: Ctx, c: Company) -> str:
        row = records.insert(
            ctx, models.Account, created=c.created, Name=c.name, Website=f"https://{c.domain}" if c.domain else None, Industry=c.industry,
            Type=KINDS[c.kind], Tier__c=TIERS.get(c.tier), NumberOfEmployees=c.employees, AnnualRevenue=c.annual_revenue, Phone=c.phone,
            BillingStreet=c.street, BillingCity=c.city, BillingState=c.state, BillingPostalCode=c.postal_code, BillingCountry=c.country,
            Description=c.description, **self._owned(ctx, c.owner),
        )  # fmt: skip
        return row.Id

    def _contact(self, ctx: Ctx, c: Contact) -> str:
        row = records.insert(
            ctx, models.Contact, created=c.created, FirstName=c.first_name, LastName=c.last_name, Email=c.email,
            AccountId=ctx.ref(Company, c.company) if c.company else None, Title=c.title, Phone=c.phone, MobilePhone=c.mobile,
            MailingCity=c.city, MailingCountry=c.country, DoNotCall=c.do_not_contact, HasOptedOutOfEmail=c.do_not_contact,
            **self._owned(ctx, c.owner),
        )  # fmt: skip
        return row.Id

    def _lead(self, ctx: Ctx, lead: Lead) -> str:
        row = records.insert(
            ctx, models.Lead, created=lead.created, FirstName=lead.first_name, LastName=lead.last_name, Email=lead.email,
            Company=lead.company_name, Title=lead.title, Phone=lead.phone, LeadSource=lead.source, Status=STATUSES[lead.status],
            Industry=lead.industry, City=lead.city, Country=lead.country, IsUnreadByOwner=lead.status == "new", **self._owned(ctx,
            lead.owner),
        )  # fmt: skip
        return row.Id

    def _deal(self, ctx: Ctx, d: Deal) -> str:
        contact = ctx.ref(Contact, d.contact) if d.contact else None
        row = records.insert(
            ctx, models.Opportunity, created=d.created, Name=d.title, AccountId=ctx.ref(Company, d.company) if d.company else None,
            ContactId=contact, Amount=d.amount, CurrencyIsoCode=d.currency, StageName=STAGES[d.stage],
            CloseDate=d.close_date or ctx.now.date().isoformat(), LeadSource=d.source, NextStep=d.next_step, Description=d.description,
            **self._owned(ctx, d.owner),
        )  # fmt: skip
        return row.Id

    def _about(self, ctx: Ctx, about: str) -> tuple[str | None, str | None]:
        """Whom and what an activity is about, as WhoId and WhatId."""
        for kind in (Contact, Lead):
            if ctx.has_ref(kind, about):
                return ctx.ref(kind, about), None
        for kind in (Deal, Company):
            if ctx.has_ref(kind, about):
                return None, ctx.ref(kind, about)
        return None, None

    def _activity(self, ctx: Ctx, a: Activity) -> str:
        who, what = self._about(ctx, a.about)
        owned = self._owned(ctx, a.owner)
        if a.kind == "note" and not (who or what):
            content = base64.b64encode(a.body.encode()).decode()
            return records.insert(
                ctx, models.ContentNote, created=a.created, Title=a.subject, Content=content, **owned
            ).Id
        if a.kind == "note":
            note = records.insert(
                ctx, models.Note, created=a.created, ParentId=who or what, Title=a.subject[:80], Body=a.body, **owned
            )
            return note.Id
        common: dict[str, Any] = {"Subject": a.subject, "Description": a.body, "WhoId": who, "WhatId": what, **owned}
        if a.kind == "meeting":
            day = a.due or (a.created or times.now(ctx))[:10]
            start = times.read_datetime(day)
            meeting = records.insert(
                ctx, models.Event, created=a.created, StartDateTime=start, DurationInMinutes=60, Type="Meeting", **common
            )  # fmt: skip
            return meeting.Id
        call_like = {"TaskSubtype": "Call", "Type": "Call"} if a.kind == "call" else {}
        status = "Completed" if a.done else "Not Started"
        task = records.insert(
            ctx, models.Task, created=a.created, ActivityDate=a.due, Status=status, **call_like, **common
        )
        return task.Id

    # View

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        """The entity that a record is, None for deleted records and those of no canonical kind."""
        if row.get("IsDeleted"):
            return None
        make = {
            "user": self._view_person, "account": self._view_company, "contact": self._view_contact, "lead": self._view_lead,
            "opportunity": self._view_deal, "task": self._view_task, "event": self._view_event, "note": self._view_note,
            "contentnote": self._view_content_note,
        }.get(table)  # fmt: skip
        if make is None:
            return None
        values = {k: "" if v is None else v for k, v in row.items()}
        if values.get("OwnerId") == records.system_user(ctx):
            values["OwnerId"] = ""
        return make(ctx, values)

    def _view_person(self, ctx: Ctx, r: dict[str, Any]) -> Person | None:
        if r["UserType"] != "Standard":
            return None
        profile = ctx.db.get(models.Profile, r["ProfileId"])
        return Person(
            id=r["Id"], first_name=r["FirstName"], last_name=r["LastName"], email=r["Email"], handle=r["CommunityNickname"] or r["Alias"],
            title=r["Title"], department=r["Department"], manager=r["ManagerId"], phone=r["Phone"], city=r["City"], country=r["Country"],
            time_zone=r["TimeZoneSidKey"], start_date=r["StartDate__c"], active=r["IsActive"],
            admin=profile is not None and profile.Name == records.ADMINISTRATOR,
        )  # fmt: skip

    def _view_company(self, ctx: Ctx, r: dict[str, Any]) -> Company:
        return Company(
            id=r["Id"], name=r["Name"], domain=_domain(r["Website"]), industry=r["Industry"], kind=_back(KINDS, r["Type"], "prospect"),
            tier=_back(TIERS, r["Tier__c"], ""), employees=r["NumberOfEmployees"] if r["NumberOfEmployees"] != "" else None,
            annual_revenue=int(r["AnnualRevenue"]) if r["AnnualRevenue"] != "" else None, phone=r["Phone"], street=r["BillingStreet"],
            city=r["BillingCity"], state=r["BillingState"], postal_code=r["BillingPostalCode"], country=r["BillingCountry"],
            owner=r["OwnerId"],
            description=r["Description"], created=times.iso(r["CreatedDate"]),
        )  # fmt: skip

    def _view_contact(self, ctx: Ctx, r: dict[str, Any]) -> Contact:
        return Contact(
            id=r["Id"], do_not_contact=r["DoNotCall"] and r["HasOptedOutOfEmail"], created=times.iso(r["CreatedDate"]),
            **{ours: r[theirs] for ours, theirs in _CONTACT_FIELDS.items()},
        )  # fmt: skip

    def _view_lead(self, ctx: Ctx, r: dict[str, Any]) -> Lead:
        converted = r["IsConverted"] or r["Status"] == "Closed - Converted"
        return Lead(
            id=r["Id"], first_name=r["FirstName"], last_name=r["LastName"], email=r["Email"], company_name=r["Company"], title=r["Title"],
            phone=r["Phone"], source=r["LeadSource"], status="qualified" if converted else _back(STATUSES, r["Status"], "new"),
            industry=r["Industry"], city=r["City"], country=r["Country"], owner=r["OwnerId"], created=times.iso(r["CreatedDate"]),
        )  # fmt: skip

    def _view_deal(self, ctx: Ctx, r: dict[str, Any]) -> Deal:
        contact = sales.contact_of(ctx, r["Id"])
        return Deal(
            id=r["Id"], title=r["Name"], company=r["AccountId"], contact=contact.Id if contact else "", owner=r["OwnerId"],
            amount=r["Amount"] or 0, currency=r["CurrencyIsoCode"] or "USD", close_date=r["CloseDate"], source=r["LeadSource"],
            stage=_back(STAGES, r["StageName"], _NEAREST.get(r["StageName"], "prospecting")), next_step=r["NextStep"],
            description=r["Description"], created=times.iso(r["CreatedDate"]),
        )  # fmt: skip

    def _view_task(self, ctx: Ctx, r: dict[str, Any]) -> Activity:
        return Activity(
            id=r["Id"], kind="call" if r["TaskSubtype"] == "Call" else "task", subject=r["Subject"], body=r["Description"],
            about=r["WhatId"] or r["WhoId"], owner=r["OwnerId"], due=r["ActivityDate"], done=r["IsClosed"],
            created=times.iso(r["CreatedDate"]),
        )  # fmt: skip

    def _view_event(self, ctx: Ctx, r: dict[str, Any]) -> Activity:
        """A meeting is done once it lies in the past."""
        return Activity(
            id=r["Id"], kind="meeting", subject=r["Subject"], body=r["Description"], about=r["WhatId"] or r["WhoId"], owner=r["OwnerId"],
            due=r["ActivityDate"], done=bool(r["EndDateTime"]) and r["EndDateTime"] < times.stamp(ctx.now),
            created=times.iso(r["CreatedDate"]),
        )  # fmt: skip

    def _view_note(self, ctx: Ctx, r: dict[str, Any]) -> Activity:
        return Activity(
            id=r["Id"], kind="note", done=True, subject=r["Title"], body=r["Body"], about=r["ParentId"], owner=r["OwnerId"],
            created=times.iso(r["CreatedDate"]),
        )  # fmt: skip

    def _view_content_note(self, ctx: Ctx, r: dict[str, Any]) -> Activity:
        link = ctx.db.first(models.ContentDocumentLink, ContentDocumentId=r["Id"], IsDeleted=False)
        return Activity(
            id=r["Id"], kind="note", done=True, subject=r["Title"], body=base64.b64decode(r["Content"]).decode("utf-8", "replace"),
            about=link.LinkedEntityId or "" if link else "", owner=r["OwnerId"], created=times.iso(r["CreatedDate"]),
        )  # fmt: skip

    # Verbs

    def find_contact(self, email: str) -> Plan:
        yield call("query", q=f"SELECT Id, Name, Email FROM Contact WHERE Email = {quoted(email)}")

    def get_contact(self, contact_id: str) -> Plan:
        yield call("get_record", sobject="Contact", id=contact_id)

    def list_contacts(self) -> Plan:
        reply = yield call("query", q="SELECT Id, Name, Email, AccountId FROM Contact ORDER BY Name")
        while not reply["done"]:
            reply = yield call("query_more", locator=reply["nextRecordsUrl"])

    def create_contact(self, contact: Contact, company_id: str = "") -> Plan:
        given = {**contact.model_dump(), "company": company_id}
        fields = {theirs: given[ours] for ours, theirs in _CONTACT_FIELDS.items() if given[ours] and ours != "owner"}
        if contact.do_not_contact:
            fields |= {"DoNotCall": True, "HasOptedOutOfEmail": True}
        yield call("create_record", sobject="Contact", fields=fields)

    def update_contact(self, contact_id: str, **changes: Any) -> Plan:
        fields = {_CONTACT_FIELDS[name]: value for name, value in changes.items() if name in _CONTACT_FIELDS}
        if "do_not_contact" in changes:
            fields |= {"DoNotCall": changes["do_not_contact"], "HasOptedOutOfEmail": changes["do_not_contact"]}
        yield call("update_record", sobject="Contact", id=contact_id, fields=fields)

    def delete_contact(self, contact_id: str) -> Plan:
        yield call("delete_record", sobject="Contact", id=contact_id)

    def find_deal(self, title: str) -> Plan:
        yield call("query", q=f"SELECT {_DEAL_SHOWN} FROM Opportunity WHERE Name = {quoted(title)}")

    def set_deal_stage(self, deal_id: str, stage: Stage) -> Plan:
        yield call("update_record", sobject="Opportunity", id=deal_id, fields={"StageName": STAGES[stage]})

    def list_deals(self, owner_id: str = "") -> Plan:
        where = f" WHERE OwnerId = {quoted(owner_id)}" if owner_id else ""
        reply = yield call("query", q=f"SELECT {_DEAL_SHOWN} FROM Opportunity{where} ORDER BY CloseDate, Id")
        while not reply["done"]:
            reply = yield call("query_more", locator=reply["nextRecordsUrl"])

    def update_deal(self, deal_id: str, **changes: Any) -> Plan:
        fields = {_DEAL_FIELDS[name]: value for name, value in changes.items()}
        yield call("update_record", sobject="Opportunity", id=deal_id, fields=fields)

    def find_company(self, name: str) -> Plan:
        fields = "Id, Name, Website, Industry, Type, Tier__c, NumberOfEmployees, BillingCountry, OwnerId, Owner.Name"
        yield call("query", q=f"SELECT {fields} FROM Account WHERE Name = {quoted(name)}")

    def list_leads(self) -> Plan:
        fields = "Id, Name, Email, Company, Title, Status, LeadSource, Country, OwnerId, Owner.Name"
        reply = yield call("query", q=f"SELECT {fields} FROM Lead ORDER BY CreatedDate, Id")
        while not reply["done"]:
            reply = yield call("query_more", locator=reply["nextRecordsUrl"])

    def update_lead(self, lead_id: str, **changes: Any) -> Plan:
        named = {"status": "Status", "owner": "OwnerId"}
        fields = {named[name]: STATUSES[value] if name == "status" else value for name, value in changes.items()}
        yield call("update_record", sobject="Lead", id=lead_id, fields=fields)

    def find_person(self, email: str) -> Plan:
        yield call("query", q=f"SELECT Id, Name, Email, IsActive FROM User WHERE Email = {quoted(email)}")


def quoted(text: str) -> str:
    """Text as a SOQL string literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


provides = {"crm": SalesforceCrm()}
