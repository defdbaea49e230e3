"""What HubSpot offers as a CRM: canonical people, companies, contacts, leads, deals and activities as CRM objects and back."""

from html import escape
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call
from legoenv_mcp.capabilities.crm import Activity, Company, Contact, Crm, Deal, Lead, Stage
from legoenv_mcp.capabilities.people import Person

from . import associations, models, records, rules, times
from .canonical import (
    ABOUT,
    COMPANY,
    COMPANY_SHOWN,
    CONTACT,
    CONTACT_SHOWN,
    DEAL,
    DEAL_SHOWN,
    KIND_VALUES,
    LEAD_SHOWN,
    STAGES,
    STATUSES,
    filled,
    moment,
    note_parts,
)
from .kinds import COMPANIES, CONTACTS, DEALS, KINDS, LEADS, Kind
from .properties import HUBSPOT_BORN, definitions


class HubspotCrm(Crm):
    """Fill, view and verbs of the CRM objects."""

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
        raise TypeError(f"HubSpot holds no {type(entity).__name__}")

    def _add(self, ctx: Ctx, kind: Kind, created: str, **values: Any) -> models.CrmObject:
        made = filled(**values)
        return records.insert(ctx, kind, made, {"closedate": None, **made}, created=moment(created))

    def _owner(self, ctx: Ctx, key: str) -> str | None:
        return ctx.ref(Person, key) if key else None

    def _person(self, ctx: Ctx, p: Person) -> str:
        team = ctx.db.first(models.Team, name=p.department) if p.department else None
        if team is None and p.department:
            team = ctx.db.add(models.Team(id=str(ctx.sequence("team", start=4_107_231, step=61)), name=p.department))
        at = moment(f"{p.start_date}T09:00:00Z" if p.start_date else "") or times.now(ctx)
        owner = ctx.db.add(
            models.Owner(
                id=str(ctx.sequence("owner", start=61_204_113, step=8011) + ctx.integer("owner_gap", 0, 8010)),
                user_id=ctx.sequence("user", start=9_411_802, step=5003) + ctx.integer("user_gap", 0, 5002), email=p.email,
                first_name=p.first_name, last_name=p.last_name, team=team.id if team else None, super_admin=p.admin, archived=not p.active,
                created_at=at, updated_at=at,
            )
        )  # fmt: skip
        self._add(
            ctx, KINDS[models.User], at, hs_given_name=p.first_name, hs_family_name=p.last_name, hs_email=p.email,
            hs_internal_user_id=str(owner.user_id), hubspot_owner_id=owner.id, hs_job_title=p.title, hs_main_phone=p.phone,
            hs_standard_time_zone=p.time_zone, hs_deactivated=not p.active, username=p.handle, department=p.department,
            manager=ctx.ref(Person, p.manager) if p.manager else None, city=p.city, country=p.country, start_date=p.start_date,
        )  # fmt: skip
        return owner.id

    def _offer(self, ctx: Ctx, kind: Kind, name: str, value: str, label: str) -> None:
        """Adds an option that the account needs to a choice of HubSpot's, as people do in the settings."""
        d = definitions(ctx, kind)[name]
        if value and value not in d.values:
            options = [{"label": text, "value": v} for v, text in (*d.options, (value, label))]
            row = ctx.db.get(models.Property, (kind.name, name))
            if row is not None:
                ctx.db.update(row, options=options)
                return
            ctx.db.add(
                models.Property(
                    object_type=kind.name, name=name, label=d.label, type=d.type, field_type=d.field_type, group_name=d.group,
                    description=d.description, options=options, standard=True, created_at=HUBSPOT_BORN, updated_at=HUBSPOT_BORN,
                )
            )  # fmt: skip

    def _company(self, ctx: Ctx, c: Company) -> str:
        self._offer(ctx, COMPANIES, "industry", c.industry, c.industry)
        if c.kind == "former_customer":
            self._offer(ctx, COMPANIES, "type", "FORMER_CUSTOMER", "Former customer")
        values = {theirs: getattr(c, ours) for ours, theirs in COMPANY.items()}
        row = self._add(
            ctx, COMPANIES, c.created, **values, **KIND_VALUES[c.kind], hubspot_owner_id=self._owner(ctx, c.owner)
        )
        return row.id

    def _contact(self, ctx: Ctx, c: Contact) -> str:
        values = {
            theirs: getattr(c, ours) for ours, theirs in CONTACT.items() if ours not in ("owner", "do_not_contact")
        }
        company = ctx.db.get(models.Company, ctx.ref(Company, c.company)) if c.company else None
        stage = company.lifecyclestage if company and company.lifecyclestage in ("customer", "opportunity") else None
        row = self._add(
            ctx, CONTACTS, c.created, **values, hubspot_owner_id=self._owner(ctx, c.owner), hs_email_optout=c.do_not_contact or None,
            company=company.name if company else None, lifecyclestage=stage,
        )  # fmt: skip
        if company:
            associations.link(ctx, CONTACTS, row.id, COMPANIES, company.id, [1])
        return row.id

    def _lead(self, ctx: Ctx, lead: Lead) -> str:
        """A lead is an object of its own on a contact, who has the personal details."""
        owner = self._owner(ctx, lead.owner)
        contact = records.find(ctx, CONTACTS, lead.email, "email") or self._add(
            ctx, CONTACTS, lead.created, firstname=lead.first_name, lastname=lead.last_name, email=lead.email, company=lead.company_name,
            jobtitle=lead.title, phone=lead.phone, industry=lead.industry, city=lead.city, country=lead.country, lifecyclestage="lead",
            hubspot_owner_id=owner,
        )  # fmt: skip
        row = self._add(
            ctx, LEADS, lead.created, hs_lead_name=f"{lead.first_name} {lead.last_name}".strip(), hs_lead_type="NEW_BUSINESS",
            hs_pipeline=rules.DEFAULT_PIPELINES["leads"], hs_pipeline_stage=STATUSES[lead.status], lead_source=lead.source,
            hubspot_owner_id=owner,
        )  # fmt: skip
        associations.link(ctx, LEADS, row.id, CONTACTS, contact.id, [578])
        return row.id

    def _deal(self, ctx: Ctx, d: Deal) -> str:
        row = self._add(
            ctx, DEALS, d.created, dealname=d.title, amount=float(d.amount) if d.amount else None, deal_currency_code=d.currency,
            pipeline=rules.DEFAULT_PIPELINES["deals"], dealstage=STAGES[d.stage], closedate=moment(d.close_date), lead_source=d.source,
            hs_next_step=d.next_step, description=d.description, hubspot_owner_id=self._owner(ctx, d.owner),
        )  # fmt: skip
        if d.company:
            associations.link(ctx, DEALS, row.id, COMPANIES, ctx.ref(Company, d.company), [5])
        if d.contact:
            associations.link(ctx, DEALS, row.id, CONTACTS, ctx.ref(Contact, d.contact), [3])
        return row.id

    def _activity(self, ctx: Ctx, a: Activity) -> str:
        created = moment(a.created) or times.now(ctx)
        common = {"hs_timestamp": moment(a.due) or created, "hubspot_owner_id": self._owner(ctx, a.owner)}
        if a.kind == "task":
            status = "COMPLETED" if a.done else "NOT_STARTED"
            values = {
                "hs_task_subject": a.subject,
                "hs_task_body": a.body,
                "hs_task_status": status,
                "hs_task_type": "TODO",
                "hs_task_priority": "NONE",
            }
            kind = KINDS[models.Task]
        elif a.kind == "note":
            text = f"<p><strong>{escape(a.subject, quote=False)}</strong></p><p>{escape(a.body, quote=False)}</p>"
            kind, values = KINDS[models.Note], {"hs_note_body": text}
        elif a.kind == "call":
            status = "COMPLETED" if a.done else "SCHEDULED"
            kind = KINDS[models.Call]
            values = {
                "hs_call_title": a.subject,
                "hs_call_body": a.body,
                "hs_call_status": status,
                "hs_call_direction": "OUTBOUND",
            }
        else:
            outcome = "COMPLETED" if a.done else "SCHEDULED"
            kind = KINDS[models.Meeting]
            values = {
                "hs_meeting_title": a.subject, "hs_meeting_body": a.body, "hs_meeting_outcome": outcome,
                "hs_meeting_start_time": common["hs_timestamp"],
            }  # fmt: skip
        row = self._add(ctx, kind, created, **common, **values)
        for entity, to in ABOUT:
            if a.about and ctx.has_ref(entity, a.about):
                associations.link(
                    ctx, kind, row.id, to, ctx.ref(entity, a.about), [associations.plain_type(ctx, kind, to).id]
                )
                break
        return row.id

    # View

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        """The entity that a record is, None for archived records, details and those of no canonical kind."""
        make = {
            "owner": self._view_person, "company": self._view_company, "contact": self._view_contact, "lead": self._view_lead,
            "deal": self._view_deal, "task": self._view_task, "note": self._view_note, "call": self._view_call,
            "meeting": self._view_meeting,
        }.get(table)  # fmt: skip
        if make is None or (row["archived"] and table != "owner"):
            return None
        return make(ctx, {k: "" if v is None else v for k, v in row.items()})

    def _view_person(self, ctx: Ctx, r: dict[str, Any]) -> Person:
        user = ctx.db.first(models.User, hubspot_owner_id=r["id"])
        more: dict[str, Any] = {**(user.custom if user else {})}
        return Person(
            id=r["id"], first_name=r["first_name"], last_name=r["last_name"], email=r["email"], handle=more.get("username", ""),
            title=(user.hs_job_title if user else "") or "", department=more.get("department", ""), manager=more.get("manager", ""),
            phone=(user.hs_main_phone if user else "") or "", city=more.get("city", ""), country=more.get("country", ""),
            time_zone=(user.hs_standard_time_zone if user else "") or "UTC", start_date=more.get("start_date", ""), admin=r["super_admin"],
            active=not r["archived"],
        )  # fmt: skip

    def _view_company(self, ctx: Ctx, r: dict[str, Any]) -> Company:
        texts = {o: r[t] for o, t in COMPANY.items() if o not in ("employees", "annual_revenue", "tier")}
        kind: Any = {"FORMER_CUSTOMER": "former_customer", "PARTNER": "partner", "RESELLER": "partner"}.get(
            r["type"], "customer" if r["lifecyclestage"] in ("customer", "evangelist") else "prospect"
        )
        return Company(
            id=r["id"], kind=kind, tier=r["custom"].get("tier") or "", owner=r["hubspot_owner_id"], created=times.iso(r["created_at"]),
            **texts, employees=None if r["numberofemployees"] == "" else int(r["numberofemployees"]),
            annual_revenue=None if r["annualrevenue"] == "" else int(r["annualrevenue"]),
        )  # fmt: skip

    def _view_contact(self, ctx: Ctx, r: dict[str, Any]) -> Contact | None:
        """The contact whom a lead hangs on is a part of the lead until it has become more than one."""
        if r["lifecyclestage"] == "lead" and associations.related(ctx, CONTACTS, r["id"], LEADS):
            return None
        texts = {o: r[t] for o, t in CONTACT.items() if o != "do_not_contact"}
        return Contact(
            id=r["id"], company=r["associatedcompanyid"], do_not_contact=bool(r["hs_email_optout"]), created=times.iso(r["created_at"]),
            **texts,
        )  # fmt: skip

    def _view_lead(self, ctx: Ctx, r: dict[str, Any]) -> Lead:
        linked = associations.linked(ctx, LEADS, r["id"], CONTACTS)
        primary = next((i for i, types in linked if any(t.id == 578 for t in types)), linked[0][0] if linked else "")
        c = ctx.db.get(models.Contact, primary) or models.Contact(id="")
        first, _, last = r["hs_lead_name"].partition(" ")
        status: Any = next((ours for ours, theirs in STATUSES.items() if theirs == r["hs_pipeline_stage"]), "new")
        return Lead(
            id=r["id"], first_name=c.firstname or first, last_name=c.lastname or last, email=c.email or "", company_name=c.company or "",
            title=c.jobtitle or "", phone=c.phone or "", source=r["custom"].get("lead_source") or "", status=status,
            industry=c.industry or "", city=c.city or "", country=c.country or "", owner=r["hubspot_owner_id"],
            created=times.iso(r["created_at"]),
        )  # fmt: skip

    def _view_deal(self, ctx: Ctx, r: dict[str, Any]) -> Deal:
        """Stages of the account's own are won or lost by what they are, else still being negotiated."""
        companies = associations.linked(ctx, DEALS, r["id"], COMPANIES)
        company = next(
            (i for i, types in companies if any(t.id == 5 for t in types)), companies[0][0] if companies else ""
        )
        contacts = associations.related(ctx, DEALS, r["id"], CONTACTS)
        stage: Any = next((ours for ours, theirs in STAGES.items() if theirs == r["dealstage"]), None)
        if stage is None:
            stage = (
                "won"
                if r["hs_is_closed_won"]
                else "lost"
                if r["hs_is_closed_lost"]
                else "negotiation"
                if r["dealstage"]
                else "prospecting"
            )
        return Deal(
            id=r["id"], title=r["dealname"], company=company, contact=contacts[0] if contacts else "", owner=r["hubspot_owner_id"],
            amount=r["amount"] or 0, currency=r["deal_currency_code"] or "USD", stage=stage, close_date=r["closedate"][:10],
            source=r["custom"].get("lead_source") or "", next_step=r["hs_next_step"], description=r["description"],
            created=times.iso(r["created_at"]),
        )  # fmt: skip

    def _view_activity(self, ctx: Ctx, cls: type[models.CrmObject], r: dict[str, Any], **values: Any) -> Activity:
        kind = KINDS[cls]
        about = next((ids[0] for _, to in ABOUT if (ids := associations.related(ctx, kind, r["id"], to))), "")
        due = "" if r["hs_timestamp"] == r["created_at"] else r["hs_timestamp"][:10]
        return Activity(
            id=r["id"], about=about, owner=r["hubspot_owner_id"], due=due, created=times.iso(r["created_at"]), **values
        )

    def _view_task(self, ctx: Ctx, r: dict[str, Any]) -> Activity:
        done = r["hs_task_status"] == "COMPLETED"
        return self._view_activity(
            ctx, models.Task, r, kind="task", subject=r["hs_task_subject"], body=r["hs_task_body"], done=done
        )

    def _view_note(self, ctx: Ctx, r: dict[str, Any]) -> Activity:
        subject, body = note_parts(r["hs_note_body"])
        return self._view_activity(ctx, models.Note, r, kind="note", subject=subject, body=body, done=True)

    def _view_call(self, ctx: Ctx, r: dict[str, Any]) -> Activity:
        done = r["hs_call_status"] == "COMPLETED"
        return self._view_activity(
            ctx, models.Call, r, kind="call", subject=r["hs_call_title"], body=r["hs_call_body"], done=done
        )

    def _view_meeting(self, ctx: Ctx, r: dict[str, Any]) -> Activity:
        done = r["hs_meeting_outcome"] == "COMPLETED"
        return self._view_activity(
            ctx, models.Meeting, r, kind="meeting", subject=r["hs_meeting_title"], body=r["hs_meeting_body"], done=done
        )

    # Verbs

    def find_contact(self, email: str) -> Plan:
        yield call("search_contacts", filterGroups=[_equal("email", email)], properties=CONTACT_SHOWN)

    def get_contact(self, contact_id: str) -> Plan:
        yield call("get_contact", contactId=contact_id, properties=CONTACT_SHOWN, associations=["companies"])

    def list_contacts(self) -> Plan:
        reply = yield call("list_objects", objectType="contacts", limit=100, properties=CONTACT_SHOWN)
        while "paging" in reply:
            after = reply["paging"]["next"]["after"]
            reply = yield call("list_objects", objectType="contacts", limit=100, properties=CONTACT_SHOWN, after=after)

    def create_contact(self, contact: Contact, company_id: str = "") -> Plan:
        given = contact.model_dump()
        values = {theirs: given[ours] for ours, theirs in CONTACT.items() if given[ours] and ours != "owner"}
        if company_id:
            yield call(
                "create_contact", properties=values, associations=[{"to": {"id": company_id}, "types": [_spec(1)]}]
            )
        else:
            yield call("create_contact", properties=values)

    def update_contact(self, contact_id: str, **changes: Any) -> Plan:
        values = {CONTACT[name]: value for name, value in changes.items() if name in CONTACT}
        if values:
            yield call("update_contact", contactId=contact_id, properties=values)
        if changes.get("company"):
            yield call(
                "create_association", fromObjectType="contacts", fromObjectId=contact_id, toObjectType="companies",
                toObjectId=changes["company"], associations=[_spec(1)],
            )  # fmt: skip

    def delete_contact(self, contact_id: str) -> Plan:
        yield call("archive_contact", contactId=contact_id)

    def find_deal(self, title: str) -> Plan:
        yield call("search_deals", filterGroups=[_equal("dealname", title)], properties=DEAL_SHOWN)

    def set_deal_stage(self, deal_id: str, stage: Stage) -> Plan:
        yield call("update_deal", dealId=deal_id, properties={"dealstage": STAGES[stage]})

    def list_deals(self, owner_id: str = "") -> Plan:
        given: dict[str, Any] = {"filterGroups": [_equal("hubspot_owner_id", owner_id)]} if owner_id else {}
        reply = yield call("search_deals", limit=200, properties=DEAL_SHOWN, **given)
        while "paging" in reply:
            after = reply["paging"]["next"]["after"]
            reply = yield call("search_deals", limit=200, properties=DEAL_SHOWN, after=after, **given)

    def update_deal(self, deal_id: str, **changes: Any) -> Plan:
        yield call("update_deal", dealId=deal_id, properties={DEAL[name]: value for name, value in changes.items()})

    def find_company(self, name: str) -> Plan:
        yield call("search_companies", filterGroups=[_equal("name", name)], properties=COMPANY_SHOWN)

    def list_leads(self) -> Plan:
        """Leads, and the contacts that they are: these have the address, company and country."""
        reply = yield call(
            "list_objects", objectType="leads", limit=100, properties=LEAD_SHOWN, associations=["contacts"]
        )
        while "paging" in reply:
            after = reply["paging"]["next"]["after"]
            reply = yield call("list_objects", objectType="leads", limit=100, properties=LEAD_SHOWN, after=after)
        people = [_equal("lifecyclestage", "lead")]
        yield call("search_contacts", filterGroups=people, properties=CONTACT_SHOWN, limit=200)

    def update_lead(self, lead_id: str, **changes: Any) -> Plan:
        named = {"status": "hs_pipeline_stage", "owner": "hubspot_owner_id"}
        values = {named[name]: STATUSES[value] if name == "status" else value for name, value in changes.items()}
        yield call("update_object", objectType="leads", objectId=lead_id, properties=values)

    def find_person(self, email: str) -> Plan:
        yield call("list_owners", email=email)


def _equal(name: str, value: str) -> dict[str, Any]:
    return {"filters": [{"propertyName": name, "operator": "EQ", "value": value}]}


def _spec(type_id: int) -> dict[str, Any]:
    return {"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": type_id}


provides = {"crm": HubspotCrm()}
