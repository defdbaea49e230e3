"""Applications for job openings. https://documentation.bamboohr.com/reference/applicant-tracking-1"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field

from ..app import app
from ..dates import address, stamp
from ..employees import agent_user
from ..errors import refuse
from ..hiring import JOB_GROUPS, groups_of, lead_of, title_of
from ..models import User
from ..models_more import ApplicantStatus, Application, ApplicationComment, JobOpening
from ..tables import Current

Text = Annotated[str, Field(max_length=1000)]
Long = Annotated[str, Field(min_length=1, max_length=20_000)]
Direction = Literal["ASC", "DESC"]
PAGE = 50

_APPLICATION_GROUPS: dict[str, tuple[str, ...]] = {
    "ALL": ("NEW", "ACTIVE", "INACTIVE", "HIRED"), "ALL_ACTIVE": ("NEW", "ACTIVE"), "NEW": ("NEW",), "ACTIVE": ("ACTIVE",),
    "INACTIVE": ("INACTIVE",), "HIRED": ("HIRED",),
}  # fmt: skip


@app.get("/v1/applicant_tracking/applications", tool="get_applications")
def get_applications(
    ctx: Ctx, page: Annotated[int, Field(ge=1, le=100_000)] = 1, jobId: int | MISSING = MISSING, applicationStatusId: Text = "",
    applicationStatus: Text = "", jobStatusGroups: Text = "", searchString: Text = "",
    sortBy: Literal["first_name", "job_title", "rating", "phone", "status", "last_updated", "created_date"] = "created_date",
    sortOrder: Direction = "DESC", newSince: Text = "",
) -> dict[str, Any]:  # fmt: skip
    """Lists applications, 50 a page.

    page: The page's number, from 1.
    jobId: Only those for this job opening.
    applicationStatusId: Only those with these statuses, by id, separated by commas.
    applicationStatus: Only those in these groups: NEW, ACTIVE, INACTIVE, HIRED, ALL_ACTIVE, ALL.
    jobStatusGroups: Only those for job openings in these groups: Draft, Open, On Hold, Filled, Canceled, DRAFT_AND_OPEN, ALL.
    searchString: Part of a name, an email address or a job title.
    sortBy: What to sort by.
    sortOrder: Up or down.
    newSince: Only those submitted after this UTC time, `YYYY-MM-DD HH:MM:SS`.
    """
    if newSince and not re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", newSince):
        raise refuse(400, "newSince must be a time in the form YYYY-MM-DD HH:MM:SS")
    jobs, statuses = {j.id: j for j in ctx.db.find(JobOpening)}, {s.id: s for s in ctx.db.find(ApplicantStatus)}
    groups, positions = (
        groups_of(applicationStatus, _APPLICATION_GROUPS, "application status"),
        groups_of(jobStatusGroups, JOB_GROUPS, "job status group"),
    )
    ids, words = {i.strip() for i in applicationStatusId.split(",") if i.strip()}, searchString.casefold()
    rows = [
        a for a in ctx.db.find(Application, jobId=jobId if isinstance(jobId, int) else None)
        if (not ids or str(a.statusId) in ids) and (groups is None or statuses[a.statusId].group in groups)
        and (positions is None or jobs[a.jobId].jobStatus in positions)
        and (not newSince or a.appliedDate > newSince.replace(" ", "T") + "+00:00")
        and words in f"{a.firstName} {a.lastName} {a.email or ''} {jobs[a.jobId].postingTitle}".casefold()
    ]  # fmt: skip
    keys = {
        "first_name": lambda a: a.firstName.casefold(), "job_title": lambda a: jobs[a.jobId].postingTitle.casefold(),
        "rating": lambda a: a.rating or 0, "phone": lambda a: a.phoneNumber or "", "status": lambda a: a.statusId,
        "last_updated": lambda a: a.lastUpdated, "created_date": lambda a: a.id,
    }  # fmt: skip
    rows.sort(key=keys[sortBy], reverse=sortOrder == "DESC")
    shown, more = rows[(page - 1) * PAGE : page * PAGE], page * PAGE < len(rows)
    following = f"{address(ctx, 'applicant_tracking/applications')}?page={page + 1}" if more else None
    return {
        "paginationComplete": not more,
        "nextPageUrl": following,
        "applications": [
            {
                "id": a.id,
                "appliedDate": a.appliedDate,
                "status": {"id": a.statusId, "label": statuses[a.statusId].name},
                "rating": a.rating,
                "applicant": {
                    "id": a.applicantId,
                    "firstName": a.firstName,
                    "lastName": a.lastName,
                    "avatar": None,
                    "email": a.email or "",
                    "source": a.source or "",
                },
                "job": {"id": a.jobId, "title": title_of(ctx, jobs[a.jobId].postingTitle)},
            }
            for a in shown
        ],
    }


def _application(ctx: Ctx, key: int) -> Application:
    found = ctx.db.get(Application, key)
    if found is None:
        raise refuse(404, "The application was not found")
    return found


def _user(now: Current, key: int | None) -> dict[str, Any] | None:
    user = now.ctx.db.get(User, key) if key else None
    lead = lead_of(now, now.employee(user.employeeId)) if user else None
    return {"id": key, **{k: v for k, v in lead.items() if k != "employeeId"}} if lead else None


@app.get("/v1/applicant_tracking/applications/{applicationId}", tool="get_application_details")
def get_application_details(ctx: Ctx, applicationId: int) -> dict[str, Any]:
    """Gets an application whole: who applied for what, with the answers and the status.

    applicationId: The application's id.
    """
    a, now = _application(ctx, applicationId), Current(ctx)
    job, state = ctx.require(JobOpening, a.jobId), ctx.require(ApplicantStatus, a.statusId)
    others = [o for o in ctx.db.find(Application, applicantId=a.applicantId) if o.id != a.id]
    place = {"addressLine1": a.address.get("address"), "addressLine2": None, "city": a.address.get("city"), "state": a.address.get("state"),
             "zipcode": a.address.get("zip"), "country": a.address.get("country")}  # fmt: skip
    return {
        "id": a.id,
        "appliedDate": a.appliedDate,
        "status": {
            "id": state.id,
            "label": state.name,
            "dateChanged": a.statusChanged,
            "changedByUser": _user(now, a.statusChangedBy),
        },
        "rating": a.rating,
        "resumeFileId": None,
        "coverLetterFileId": None,
        "attachmentCount": 0,
        "attachments": None,
        "movedTo": None,
        "movedFrom": None,
        "alsoConsideredForCount": len({o.jobId for o in others} - {a.jobId}),
        "duplicateApplicationCount": sum(o.jobId == a.jobId for o in others),
        "referredBy": a.answers.get("referredBy"),
        "desiredSalary": a.answers.get("desiredSalary"),
        "commentCount": ctx.db.count(ApplicationComment, applicationId=a.id, type="comment"),
        "emailCount": 0,
        "eventCount": ctx.db.count(ApplicationComment, applicationId=a.id),
        "questionsAndAnswers": [],
        "applicationReferences": a.answers.get("references"),
        "applicant": {
            "id": a.applicantId,
            "firstName": a.firstName,
            "lastName": a.lastName,
            "email": a.email or "",
            "phoneNumber": a.phoneNumber,
            "avatar": None,
            "source": a.source,
            "twitterUsername": None,
            "address": place,
            "linkedinUrl": a.answers.get("linkedinUrl"),
            "websiteUrl": a.answers.get("websiteUrl"),
            "availableStartDate": a.answers.get("dateAvailable"),
            "education": {
                "level": {"label": a.answers.get("highestEducation")},
                "institution": a.answers.get("collegeName"),
            },
        },
        "job": {
            "id": job.id,
            "title": title_of(ctx, job.postingTitle),
            "hiringLead": lead_of(now, now.employee(job.hiringLead)),
        },
    }


def _note(ctx: Ctx, application: Application, kind: str, text: str) -> ApplicationComment:
    made = ApplicationComment(
        id=ctx.sequence("application_comment", start=81), applicationId=application.id, type=kind, comment=text, userId=agent_user(ctx),
        created=stamp(ctx),
    )  # fmt: skip
    return ctx.db.add(made)


@app.post("/v1/applicant_tracking/applications/{applicationId}/comments", tool="create_application_comment")
def create_application_comment(
    ctx: Ctx, applicationId: int, comment: Long, type: Annotated[str, Field(max_length=40), Body(mcp=False)] = "comment"
) -> dict[str, Any]:
    """Comments on an application.

    applicationId: The application's id.
    comment: The comment.
    type: `comment`.
    """
    if type != "comment":
        raise refuse(400, "The comment type is invalid")
    application = _application(ctx, applicationId)
    made = _note(ctx, application, "comment", comment)
    ctx.db.update(application, lastUpdated=stamp(ctx))
    return {"type": "comment", "id": made.id}


@app.post(
    "/v1/applicant_tracking/applications/{applicationId}/status", tool="update_applicant_status", effect="transition"
)
def update_applicant_status(ctx: Ctx, applicationId: int, status: int) -> dict[str, Any]:
    """Gives an application another status.

    applicationId: The application's id.
    status: The status's id, as get_statuses has them.
    """
    application, wanted = _application(ctx, applicationId), ctx.db.get(ApplicantStatus, status)
    if wanted is None or not wanted.enabled:
        raise refuse(400, "The status is invalid")
    made = _note(ctx, application, "positionApplicantStatus", wanted.name)
    ctx.db.update(
        application,
        statusId=wanted.id,
        statusChanged=stamp(ctx),
        statusChangedBy=agent_user(ctx),
        lastUpdated=stamp(ctx),
    )
    return {"type": "positionApplicantStatus", "id": made.id}
