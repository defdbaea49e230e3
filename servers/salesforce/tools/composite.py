"""Several requests in one. https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_composite_composite.htm"""

import re
from typing import Any
from urllib.parse import parse_qsl, unquote

from pydantic import BaseModel, Field
from pydantic_core import to_json

from legoenv_mcp.app import ApiError, Ctx, Reply, Request

from .. import errors, records
from ..app import app, base_path

MAX_SUBREQUESTS = 25
MAX_TREE = 200
_REFERENCE = re.compile(r"@\{([A-Za-z0-9_]+)((?:\.[A-Za-z0-9_]+|\[\d+\])*)\}")
_STEP = re.compile(r"\.([A-Za-z0-9_]+)|\[(\d+)\]")
_HALTED = [
    {
        "errorCode": "PROCESSING_HALTED",
        "message": "The transaction was rolled back since another operation in the same transaction failed.",
    }
]
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")


class Subrequest(BaseModel):
    """One request of a composite."""

    method: str = Field(description="GET, POST, PATCH or DELETE.")
    url: str = Field(description="The path with its query, starting with /services/data/v60.0/.")
    referenceId: str = Field(description="A name for its result, for later subrequests.")
    body: dict[str, Any] | None = Field(None, description="What to send, for POST and PATCH.")
    httpHeaders: dict[str, str] | None = Field(None, description="Further headers.")


class BatchRequest(BaseModel):
    """One request of a batch."""

    method: str = Field(description="GET, POST, PATCH or DELETE.")
    url: str = Field(description="The path from the version on, with its query.")
    richInput: dict[str, Any] | None = Field(None, description="What to send, for POST and PATCH.")


class _Unresolved(Exception):
    """A reference to a result that is not there."""


def _resolve(value: Any, results: dict[str, Any]) -> Any:
    """The value with its references to earlier results filled in."""
    if isinstance(value, dict):
        return {k: _resolve(v, results) for k, v in value.items()}
    if isinstance(value, list):
        return [_resolve(v, results) for v in value]
    if not isinstance(value, str):
        return value
    if whole := _REFERENCE.fullmatch(value):
        return _follow(whole, results)
    return _REFERENCE.sub(lambda m: str(_follow(m, results)), value)


def _follow(found: re.Match[str], results: dict[str, Any]) -> Any:
    if found[1] not in results:
        raise _Unresolved(f"Invalid reference specified. No value for {found[1]}{found[2]} found in {found[1]}")
    place = results[found[1]]
    for name, index in _STEP.findall(found[2]):
        key: Any = name or int(index)
        if isinstance(place, dict) and isinstance(key, str):
            place = next((v for k, v in place.items() if k.lower() == key.lower()), None)
        elif isinstance(place, list) and isinstance(key, int) and key < len(place):
            place = place[key]
        else:
            place = None
        if place is None:
            raise _Unresolved(f"Invalid reference specified. No value for {found[1]}{found[2]} found in {found[1]}")
    return place


def send(ctx: Ctx, method: Any, url: Any, body: Any, headers: dict[str, str]) -> Reply:
    """One part of a composite or batch request, as if it had come alone."""
    if method not in _METHODS or not isinstance(url, str):
        raise errors.refusal("INVALID_HTTP_REQUEST", f"Invalid method or url: {method} {url}", listed=False)
    path, _, query = url.partition("?")
    if not path.startswith("/services/data/"):
        path = f"{base_path(ctx).rsplit('/', 1)[0]}/{path.lstrip('/')}"
    path = unquote(path)
    if re.search(r"/composite(/batch|/graph)?/?$|/jobs/", path):
        raise errors.refusal(
            "INVALID_HTTP_REQUEST", f"{path} is not allowed in a composite or batch request", listed=False
        )
    outer = {k: v for k, v in ctx.request.headers.items() if k.startswith("sforce-")}
    request = Request(
        method, path, f"{ctx.request.base}{path}" + (f"?{query}" if query else ""), dict(parse_qsl(query)),
        {**outer, **{k.lower(): v for k, v in headers.items() if isinstance(v, str)}, "content-type": "application/json"}, ctx.request.base,
    )  # fmt: skip
    return ctx.send(request, None if body is None else to_json(body))


def _safe(ctx: Ctx, part: Subrequest, results: dict[str, Any]) -> Reply:
    try:
        url, body = _resolve(part.url, results), _resolve(part.body, results)
        return send(ctx, part.method, url, body, part.httpHeaders or {})
    except _Unresolved as error:
        return Reply(errors.body(errors.refusal("PROCESSING_HALTED", str(error), listed=False)), 400, error=True)
    except ApiError as error:
        return ctx.app.refusal(error)


def _parts(given: list[Subrequest]) -> list[str]:
    """The reference ids, checked."""
    if not 1 <= len(given) <= MAX_SUBREQUESTS:
        raise errors.refusal(
            "LIMIT_EXCEEDED", f"A composite request has from 1 to {MAX_SUBREQUESTS} subrequests", listed=False
        )
    names = [part.referenceId for part in given]
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_]*", name):
            raise errors.refusal(
                "INVALID_REFERENCE_ID",
                f"Provided referenceId ('{name}') must start with a letter or a number",
                listed=False,
            )
    if len(set(names)) != len(names):
        raise errors.refusal("DUPLICATE_REFERENCE_ID", "referenceIds must be unique", listed=False)
    return names


@app.post("/services/data/v{version}/composite", tool="composite_request", effect="update", idempotent=False)
def composite_request(
    ctx: Ctx, compositeRequest: list[Subrequest], allOrNone: bool = False, collateSubrequests: bool = False
) -> Any:
    """Performs up to 25 REST requests in order, where later ones may use earlier results as @{referenceId.field}. Each subrequest has
    method, url (starting with /services/data/v60.0/), referenceId and for writes body. The answer gives each one's body and status.

    compositeRequest: The subrequests.
    allOrNone: Undoes everything if one subrequest fails.
    collateSubrequests: Accepted; subrequests always run in order.
    """
    names, results, answers = _parts(compositeRequest), dict[str, Any](), list[dict[str, Any]]()
    failed, culprit = False, -1
    for name, part in zip(names, compositeRequest, strict=True):
        if failed and allOrNone:
            answers.append({"body": _HALTED, "httpHeaders": {}, "httpStatusCode": 400, "referenceId": name})
            continue
        reply = _safe(ctx, part, results)
        if reply.error:
            failed, culprit = True, len(answers)
        else:
            results[name] = reply.body
        answers.append(
            {
                "body": reply.body,
                "httpHeaders": reply.headers,
                "httpStatusCode": reply.wire_status or reply.status,
                "referenceId": name,
            }
        )
    if not (failed and allOrNone):
        return {"compositeResponse": answers}
    undone = [
        a if i == culprit else {**a, "body": _HALTED, "httpHeaders": {}, "httpStatusCode": 400}
        for i, a in enumerate(answers)
    ]
    # An error reply undoes what the call wrote; HTTP still says 200, as the API does.
    return Reply({"compositeResponse": undone}, 400, error=True, wire_status=200)


@app.post("/services/data/v{version}/composite/batch", tool="composite_batch", effect="update", idempotent=False)
def composite_batch(ctx: Ctx, batchRequests: list[BatchRequest], haltOnError: bool = False) -> dict[str, Any]:
    """Performs up to 25 independent REST requests. Each has method, url (such as v60.0/sobjects/Account) and for writes richInput.

    batchRequests: The requests.
    haltOnError: Stops at the first that fails; what was done before stays done.
    """
    if not 1 <= len(batchRequests) <= MAX_SUBREQUESTS:
        raise errors.refusal("LIMIT_EXCEEDED", f"A batch has from 1 to {MAX_SUBREQUESTS} requests", listed=False)
    results, failed = list[dict[str, Any]](), False
    for part in batchRequests:
        if failed and haltOnError:
            halted = [{"errorCode": "BATCH_PROCESSING_HALTED", "message": "Batch processing halted per request"}]
            results.append({"statusCode": 412, "result": halted})
            continue
        reply = _safe(
            ctx,
            Subrequest(method=part.method, url=part.url, referenceId="part", body=part.richInput, httpHeaders=None),
            {},
        )
        failed = failed or reply.error
        results.append({"statusCode": reply.wire_status or reply.status, "result": reply.body})
    return {"hasErrors": failed, "results": results}


class _TreeError(Exception):
    """A record of a tree that cannot be created."""

    def __init__(self, reference: str, reply: Reply) -> None:
        super().__init__(reference)
        self.reference, self.reply = reference, reply


def _plant(ctx: Ctx, sobject: str, given: Any, parent: dict[str, str], made: list[dict[str, str]]) -> None:
    """Creates a record of a tree and the children below it."""
    attributes = given.get("attributes") if isinstance(given, dict) else None
    reference = attributes.get("referenceId") if isinstance(attributes, dict) else None
    if not isinstance(attributes, dict) or not isinstance(reference, str):
        raise errors.refusal(
            "INVALID_INPUT", "Each record of a tree needs attributes with type and referenceId", listed=False
        )
    if any(m["referenceId"] == reference for m in made):
        message = f"Duplicate ReferenceId provided in the request: {reference}"
        raise _TreeError(reference, ctx.app.refusal(errors.refusal("INVALID_INPUT", message)))
    if len(made) >= MAX_TREE:
        raise errors.refusal("LIMIT_EXCEEDED", f"A tree has at most {MAX_TREE} records", listed=False)
    kind = records.kind_of(str(attributes.get("type") or sobject))
    own = {
        k: v for k, v in given.items() if not (k.lower() in kind.children and isinstance(v, dict) and "records" in v)
    }
    reply = ctx.call("create_record", {"sobject": kind.name, "fields": {**own, **parent}})
    if reply.error:
        raise _TreeError(reference, reply)
    made.append({"referenceId": reference, "id": reply.body["id"]})
    for name, value in given.items():
        link = kind.children.get(name.lower())
        if link is None or name in own:
            continue
        children = value["records"]
        if not isinstance(children, list):
            raise errors.refusal("INVALID_INPUT", f"{name}.records must be a list", listed=False)
        for child in children:
            _plant(ctx, link.child, child, {link.field: reply.body["id"]}, made)


@app.post("/services/data/v{version}/composite/tree/{sobject}", tool="composite_tree", status=201)
def composite_tree(ctx: Ctx, sobject: str, records: list[dict[str, Any]]) -> Any:
    """Creates records with their children in one call, all or none. Each record has attributes with type and referenceId, its fields,
    and children under the relationship's name, e.g. Contacts with a list of records inside.

    sobject: The type of the topmost records.
    records: The records, at most 200 with their children.
    """
    made = list[dict[str, str]]()
    try:
        for given in records:
            _plant(ctx, sobject, given, {}, made)
    except _TreeError as error:
        body = {
            "hasErrors": True,
            "results": [{"referenceId": error.reference, "errors": errors.as_result(error.reply.body)}],
        }
        return Reply(body, 400, error=True)
    return {"hasErrors": False, "results": made}
