"""Routing forms and what was submitted. https://developer.calendly.com/api-docs/calendly-api/routing-forms"""

from typing import Annotated, Any

from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Field

from .. import access, errors, feeds, resources, uris
from ..app import app
from ..booking import check_email
from ..inputs import TRACKING, Tracking, Uri, Uuid
from ..models import RoutingForm, RoutingFormSubmission
from ..paging import MANY, Count, order_by, paged

Json = dict[str, Any]


class FormAnswer(TypedDict):
    """An answer to a form's question."""

    question_uuid: Annotated[str, Field(description="The question's UUID.", max_length=40)]
    answer: Annotated[str, Field(description="The answer.", max_length=10_000)]


@app.get("/routing_forms", tool="list_routing_forms")
def list_routing_forms(
    ctx: Ctx, organization: Uri, sort: str | None = None, count: Count = MANY, page_token: str | None = None
) -> Json:
    """The organization's routing forms with their questions, for administrators.

    organization: The organization's URI.
    sort: created_at:asc or created_at:desc.
    count: How many a page, at most 100.
    page_token: `next_page_token` of the page before.
    """
    found = access.organization(ctx, organization, manage=True)
    order = order_by(sort, ("created_at",), "created_at:asc")
    return paged(ctx, RoutingForm, resources.routing_form, count, page_token, order, organization=found.uuid)


@app.get("/routing_forms/{uuid}", tool="get_routing_form")
def get_routing_form(ctx: Ctx, uuid: Uuid) -> Json:
    """A routing form with its questions, for administrators.

    uuid: The form's UUID or URI.
    """
    if not access.rules_all(ctx):
        raise errors.denied()
    return {"resource": resources.routing_form(uris.row_at(ctx, RoutingForm, uuid))}


@app.get("/routing_form_submissions", tool="list_routing_form_submissions")
def list_routing_form_submissions(
    ctx: Ctx, form: Uri, sort: str | None = None, count: Count = MANY, page_token: str | None = None
) -> Json:
    """What was submitted to a routing form, and where it sent people. For administrators.

    form: The form's URI.
    sort: created_at:asc or created_at:desc.
    count: How many a page, at most 100.
    page_token: `next_page_token` of the page before.
    """
    found = uris.row_of(ctx, RoutingForm, form, "form")
    if not access.rules_all(ctx):
        raise errors.denied()
    order = order_by(sort, ("created_at",), "created_at:asc")
    return paged(ctx, RoutingFormSubmission, resources.submission, count, page_token, order, routing_form=found.uuid)


@app.get("/routing_form_submissions/{uuid}", tool="get_routing_form_submission")
def get_routing_form_submission(ctx: Ctx, uuid: Uuid) -> Json:
    """One submission of a routing form: the answers and the result.

    uuid: The submission's UUID or URI.
    """
    found = uris.row_at(ctx, RoutingFormSubmission, uuid)
    if not access.rules_all(ctx):
        raise errors.denied()
    return {"resource": resources.submission(found)}


@app.post("/routing_forms/{uuid}/submissions", tool="submit_routing_form", status=201, mcp=False)
def submit_routing_form(ctx: Ctx, uuid: str, answers: list[FormAnswer], tracking: Tracking | None = None) -> Json:
    """Fills a published form, as visitors do on its page: calendly.com's, not the API's.

    uuid: The form's UUID.
    answers: An answer to each required question.
    tracking: Where the visitor came from.
    """
    form = ctx.require(RoutingForm, uuid)
    if form.status != "published":
        raise errors.not_found()
    said = {one["question_uuid"]: one["answer"].strip() for one in answers}
    for question in form.questions:
        answer = said.get(question["uuid"], "")
        if question["required"] and not answer:
            raise errors.invalid(("answers", f"must answer: {question['name']}"))
        if answer and question["answer_choices"] and answer not in question["answer_choices"]:
            raise errors.invalid(("answers", "must be one of: " + ", ".join(question["answer_choices"])))
        if answer and question["type"] == "email":
            check_email(answer, "answers")
    chosen = [route["result"] for route in form.routes if said.get(route["question_uuid"]) == route["answer"]]
    now, given = feeds.now(ctx), tracking or {}
    told = [
        {"question_uuid": q["uuid"], "question": q["name"], "answer": said.get(q["uuid"]) or None}
        for q in form.questions
    ]
    row = ctx.db.add(RoutingFormSubmission(
        uuid=ctx.uuid("submission"), routing_form=form.uuid, questions_and_answers=told,
        tracking={name: given.get(name) for name in TRACKING}, result=chosen[0] if chosen else form.fallback, created_at=now,
        updated_at=now,
    ))  # fmt: skip
    shown = resources.submission(row)
    feeds.tell(ctx, "routing_form_submission.created", shown, [])
    return {"resource": shown}
