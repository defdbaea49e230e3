"""Job openings and applications. https://documentation.bamboohr.com/reference/applicant-tracking-1"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field

from ..app import app
from ..dates import day, stamp
from ..employees import status
from ..errors import refuse
from ..hiring import JOB_GROUPS, STATUSES, groups_of, lead_of, option_of, title_of
from ..models import Employee, ListOption
from ..models_more import ApplicantStatus, Application, JobOpening
from ..tables import Current
from ..values import add_option

Text = Annotated[str, Field(max_length=1000)]
Long = Annotated[str, Field(min_length=1, max_length=20_000)]
Hidden = Annotated[Any, Body(mcp=False)]
_LEVELS = (
    "Entry-level",
    "Mid-level",
    "Experienced",
    "Manager/Supervisor",
    "Senior Manager/Supervisor",
    "Executive",
    "Senior Executive",
)
Direction = Literal["ASC", "DESC"]


@app.get("/v1/applicant_tracking/jobs", tool="get_job_summaries")
def get_job_summaries(
    ctx: Ctx, statusGroups: Text = "", status_ids: Text = "", sortBy: Literal["count", "title", "lead", "created", "status"] = "created",
    sortOrder: Direction = "DESC",
) -> Any:  # fmt: skip
    """Lists the job openings with their hiring leads and how many have applied.

    statusGroups: Only these, separated by commas: Draft, Open, On Hold, Filled, Canceled, DRAFT_AND_OPEN, ALL.
    status_ids: Only these statuses, by id, separated by commas.
    sortBy: What to sort by.
    sortOrder: Up or down.
    """
    wanted, ids = (
        groups_of(statusGroups, JOB_GROUPS, "status group"),
        {i.strip() for i in status_ids.split(",") if i.strip()},
    )
    now, groups = Current(ctx), {s.id: s.group for s in ctx.db.find(ApplicantStatus)}
    found = list[tuple[Any, dict[str, Any]]]()
    for job in ctx.db.find(JobOpening):
        number = STATUSES.index(job.jobStatus) + 1
        if (wanted is not None and job.jobStatus not in wanted) or (ids and str(number) not in ids):
            continue
        applied = [groups[a.statusId] for a in ctx.db.find(Application, jobId=job.id)]
        lead = now.employee(job.hiringLead)
        key = {
            "count": len(applied), "title": job.postingTitle.casefold(), "lead": lead.lastName.casefold() if lead else "",
            "created": job.id, "status": number,
        }[sortBy]  # fmt: skip
        location = ctx.db.get(ListOption, job.jobLocation) if job.jobLocation else None
        found.append(
            (
                key,
                {
                    "id": job.id,
                    "title": title_of(ctx, job.postingTitle),
                    "postedDate": job.postedDate,
                    "location": {"id": location.id, "label": location.name, "address": None} if location else None,
                    "department": option_of(ctx, 4, job.department),
                    "status": {"id": number, "label": job.jobStatus},
                    "hiringLead": lead_of(now, lead),
                    "newApplicantsCount": applied.count("NEW"),
                    "activeApplicantsCount": applied.count("NEW") + applied.count("ACTIVE"),
                    "totalApplicantsCount": len(applied),
                    "postingUrl": None,
                },
            )
        )
    return [body for _, body in sorted(found, key=lambda pair: pair[0], reverse=sortOrder == "DESC")]


@app.post("/v1/applicant_tracking/job_opening", tool="create_job_opening")
def create_job_opening(
    ctx: Ctx,
    postingTitle: Annotated[str, Field(min_length=1, max_length=255)],
    jobStatus: Literal["Draft", "Open", "On Hold", "Filled", "Canceled"],
    hiringLead: int,
    employmentType: Annotated[str, Field(min_length=1, max_length=100)],
    jobDescription: Long,
    department: Text | MISSING = MISSING,
    minimumExperience: Text | MISSING = MISSING,
    compensation: Text | MISSING = MISSING,
    jobLocation: int | MISSING = MISSING,
    internalJobCode: Text | MISSING = MISSING,
    applicationQuestionResume: Hidden = MISSING,
    applicationQuestionAddress: Hidden = MISSING,
    applicationQuestionLinkedinUrl: Hidden = MISSING,
    applicationQuestionDateAvailable: Hidden = MISSING,
    applicationQuestionDesiredSalary: Hidden = MISSING,
    applicationQuestionCoverLetter: Hidden = MISSING,
    applicationQuestionReferredBy: Hidden = MISSING,
    applicationQuestionWebsiteUrl: Hidden = MISSING,
    applicationQuestionHighestEducation: Hidden = MISSING,
    applicationQuestionCollege: Hidden = MISSING,
    applicationQuestionReferences: Hidden = MISSING,
) -> dict[str, Any]:
    """Makes a job opening. Answers its id.

    postingTitle: The job's title.
    jobStatus: Where it stands.
    hiringLead: The id of the employee who leads the hiring, as get_hiring_leads has them.
    employmentType: `Full-Time`, `Part-Time`, `Contractor` and so on.
    jobDescription: What the job is.
    department: The department.
    minimumExperience: `Entry-level`, `Mid-level`, `Experienced`, `Manager/Supervisor`, `Senior Manager/Supervisor`, `Executive` or `Senior
      Executive`.
    compensation: What it pays.
    jobLocation: The location's id, as get_company_locations has them; leave it out for a remote job.
    internalJobCode: The company's own code.
    applicationQuestionResume: Whether applicants are asked for it: `true`, `false` or `Required`.
    applicationQuestionAddress: The same.
    applicationQuestionLinkedinUrl: The same.
    applicationQuestionDateAvailable: The same.
    applicationQuestionDesiredSalary: The same.
    applicationQuestionCoverLetter: The same.
    applicationQuestionReferredBy: The same.
    applicationQuestionWebsiteUrl: The same.
    applicationQuestionHighestEducation: The same.
    applicationQuestionCollege: The same.
    applicationQuestionReferences: The same.
    """
    lead = ctx.db.get(Employee, hiringLead)
    if lead is None or status(Current(ctx), lead) != "Active":
        raise refuse(422, "hiringLead is not an employee who can lead a hiring")
    if isinstance(minimumExperience, str) and minimumExperience.rstrip("'") not in _LEVELS:
        raise refuse(422, f"minimumExperience must be one of: {', '.join(_LEVELS)}")
    if isinstance(jobLocation, int):
        location = ctx.db.get(ListOption, jobLocation)
        if location is None or location.fieldId != 18:
            raise refuse(422, "jobLocation is not a location")
    sent = ctx.sent()
    questions = {
        k.removeprefix("applicationQuestion"): str(v).lower()
        for k, v in sent.items()
        if k.startswith("applicationQuestion")
    }
    if bad := next((k for k, v in questions.items() if v not in ("true", "false", "required")), None):
        raise refuse(422, f"applicationQuestion{bad} must be true, false or Required")
    own = {k: v for k, v in sent.items() if not k.startswith("applicationQuestion")}
    if isinstance(department, str) and department.strip():
        known = next(
            (o.name for o in ctx.db.find(ListOption, fieldId=4) if o.name.lower() == department.strip().lower()), None
        )
        own["department"] = known or add_option(ctx, 4, department.strip()).name
    made = ctx.db.add(
        JobOpening(id=ctx.sequence("job_opening", start=21), questions=questions, postedDate=stamp(ctx), **own)
    )
    return {"result": "success", "jobOpeningId": str(made.id)}


_ASKED = {
    "Resume": "resume", "LinkedinUrl": "linkedinUrl", "DateAvailable": "dateAvailable", "DesiredSalary": "desiredSalary",
    "CoverLetter": "coverLetter", "ReferredBy": "referredBy", "WebsiteUrl": "websiteUrl", "HighestEducation": "highestEducation",
    "College": "collegeName", "References": "references", "Address": "address",
}  # fmt: skip
_ADDRESS = ("address", "city", "state", "zip", "country")


@app.post("/v1/applicant_tracking/application", tool="create_candidate")
def create_candidate(
    ctx: Ctx, firstName: Annotated[str, Field(min_length=1, max_length=100)], lastName: Annotated[str, Field(min_length=1, max_length=100)],
    jobId: int, email: Text | MISSING = MISSING, phoneNumber: Text | MISSING = MISSING, source: Text | MISSING = MISSING,
    address: Text | MISSING = MISSING, city: Text | MISSING = MISSING, state: Text | MISSING = MISSING, zip: Text | MISSING = MISSING,
    country: Text | MISSING = MISSING, linkedinUrl: Text | MISSING = MISSING, dateAvailable: Text | MISSING = MISSING,
    desiredSalary: Text | MISSING = MISSING, referredBy: Text | MISSING = MISSING, websiteUrl: Text | MISSING = MISSING,
    highestEducation: Text | MISSING = MISSING, collegeName: Text | MISSING = MISSING, references: Text | MISSING = MISSING,
    resume: Hidden = MISSING, coverLetter: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Enters a candidate's application for a job opening. Answers the candidate's id.

    firstName: The candidate's first name.
    lastName: The candidate's last name.
    jobId: The job opening's id.
    email: Email address.
    phoneNumber: Phone number.
    source: Where the application came from.
    address: Street address.
    city: City.
    state: State or province.
    zip: Postal code.
    country: Country.
    linkedinUrl: LinkedIn profile.
    dateAvailable: When the candidate could start, YYYY-MM-DD.
    desiredSalary: What the candidate would like to earn.
    referredBy: Who referred the candidate.
    websiteUrl: Website or portfolio.
    highestEducation: Highest education.
    collegeName: College.
    references: References.
    resume: A resume, of a multipart form.
    coverLetter: A cover letter, of a multipart form.
    """
    job = ctx.db.get(JobOpening, jobId)
    if job is None or job.jobStatus in ("Filled", "Canceled"):
        raise refuse(422, "jobId is not a job opening that takes applications")
    sent = {k: v for k, v in ctx.sent().items() if k not in ("resume", "coverLetter")}
    given = {*sent, *(k for k, v in (("resume", resume), ("coverLetter", coverLetter)) if v is not MISSING)}
    for question, how in job.questions.items():
        if how == "required" and _ASKED.get(question, question) not in given:
            raise refuse(422, f"{_ASKED.get(question, question)} is required by the job opening")
    _check(sent)
    at, new = stamp(ctx), ctx.db.first(ApplicantStatus, code="NEW")
    assert new is not None
    mail = str(sent.get("email", "")).lower()
    before = next((a for a in ctx.db.find(Application) if mail and (a.email or "").lower() == mail), None)
    answers = {k: str(v) for k, v in sent.items() if k in _ASKED.values() and k != "address"}
    own: dict[str, Any] = {k: sent.get(k) for k in ("firstName", "lastName", "email", "phoneNumber", "source")}
    made = ctx.db.add(
        Application(
            id=ctx.sequence("application", start=51), applicantId=before.applicantId if before else ctx.sequence("applicant", start=31),
            jobId=job.id, statusId=new.id, statusChanged=at, answers=answers, address={k: str(sent[k]) for k in _ADDRESS if k in sent},
            appliedDate=at, lastUpdated=at, **own,
        )
    )  # fmt: skip
    return {"result": "success", "candidateId": made.id}


def _check(sent: dict[str, Any]) -> None:
    if "email" in sent and not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", sent["email"]):
        raise refuse(422, "email must be a valid email address")
    if "dateAvailable" in sent and day(sent["dateAvailable"]) is None:
        raise refuse(422, "dateAvailable must be a date in YYYY-MM-DD format")
    if "linkedinUrl" in sent and not re.match(r"https?://([\w-]+\.)*linkedin\.com/", sent["linkedinUrl"]):
        raise refuse(422, "linkedinUrl must be a LinkedIn profile")
    if "websiteUrl" in sent and not re.match(r"https?://\S+$", sent["websiteUrl"]):
        raise refuse(422, "websiteUrl must be a valid URL")


@app.get("/v1/applicant_tracking/statuses", tool="get_statuses")
def get_statuses(ctx: Ctx) -> Any:
    """Lists the statuses that applications can have."""
    return [
        {"id": str(s.id), "code": s.code, "name": s.name, "translatedName": s.name, "description": None, "enabled": s.enabled,
         "manageable": s.manageable}
        for s in ctx.db.find(ApplicantStatus)
    ]  # fmt: skip


@app.get("/v1/applicant_tracking/locations", tool="get_company_locations")
def get_company_locations(ctx: Ctx) -> Any:
    """Lists the locations that job openings can have."""
    return [
        {"id": o.id, "name": o.name, "description": "", "city": o.name, "state": None, "country": None, "zipcode": "", "addressLine1": "",
         "addressLine2": "", "phone": ""}
        for o in ctx.db.find(ListOption, fieldId=18, archived=False)
    ]  # fmt: skip


@app.get("/v1/applicant_tracking/hiring_leads", tool="get_hiring_leads", mcp=False)
def get_hiring_leads(ctx: Ctx) -> Any:
    """Lists the employees who can lead a hiring: every active one."""
    now = Current(ctx)
    return [
        {"employeeId": e.id, "preferredFullName": f"{e.preferredName or e.firstName} {e.lastName}"}
        for e in ctx.db.find(Employee)
        if status(now, e) == "Active"
    ]
