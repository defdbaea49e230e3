"""Bulk jobs: CSV in, records written one by one, CSV out."""

import csv
import io
import re
from typing import Any

from legoenv_mcp.app import Ctx, Reply

from . import errors, records, times
from .models import BulkJob
from .soql.run import Run
from .soql.syntax import Path, Query, Selected, parse

_DELIMITER = {"BACKQUOTE": "`", "CARET": "^", "COMMA": ",", "PIPE": "|", "SEMICOLON": ";", "TAB": "\t"}
_NULL = "#N/A"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000")


def shown(row: BulkJob) -> dict[str, Any]:
    """A job as the API shows it."""
    failed = sum(not r["success"] for r in row.results) if row.kind == "ingest" else 0
    made: dict[str, Any] = {
        "id": row.id, "operation": row.operation, "object": row.object, "createdById": row.created_by, "createdDate": row.created,
        "systemModstamp": row.modified, "state": row.state, "concurrencyMode": "Parallel", "contentType": "CSV",
        "apiVersion": float(row.api_version), "lineEnding": row.line_ending, "columnDelimiter": row.column_delimiter,
    }  # fmt: skip
    if row.kind == "ingest":
        made |= {
            "contentUrl": f"services/data/v{row.api_version}/jobs/ingest/{row.id}/batches", "jobType": "V2Ingest",
            "externalIdFieldName": row.external_id_field,
        }  # fmt: skip
    else:
        made["jobType"] = "V2Query"
    if row.state in ("JobComplete", "Failed"):
        made |= {
            "numberRecordsProcessed": len(row.results),
            "numberRecordsFailed": failed,
            "retries": 0,
            "totalProcessingTime": 0,
        }
        if row.kind == "ingest":
            made |= {"apiActiveProcessingTime": 0, "apexProcessingTime": 0}
    if row.error:
        made["errorMessage"] = row.error
    return made


def _read(row: BulkJob) -> tuple[list[str], list[list[str]]]:
    try:
        lines = [
            line
            for line in csv.reader(io.StringIO(row.data or ""), delimiter=_DELIMITER[row.column_delimiter], strict=True)
            if line
        ]
    except csv.Error as error:
        raise ValueError(f"InvalidBatch : Failed to parse CSV header or rows: {error}") from None
    if not lines:
        raise ValueError("InvalidBatch : Field name not found : the job has no data")
    header = [name.strip().removeprefix("\ufeff") for name in lines[0]]
    for line in lines[1:]:
        if len(line) != len(header):
            raise ValueError(f"InvalidBatch : The row has {len(line)} columns but the header has {len(header)}")
    return header, lines[1:]


def process(ctx: Ctx, row: BulkJob) -> None:
    """Works a job off: each row succeeds or fails by itself; unreadable data fails the job."""
    results, state, error = list[dict[str, Any]](), "JobComplete", None
    try:
        header, lines = _read(row)
        results = [_one(ctx, row, header, line) for line in lines]
    except ValueError as problem:
        state, error = "Failed", str(problem)
    ctx.db.update(row, state=state, results=results, error=error, modified=times.now(ctx))


def _fields(header: list[str], line: list[str]) -> dict[str, Any]:
    """A row's fields: empty cells are left out, #N/A clears, `Account.External_Id__c` names a parent by its external id."""
    found = dict[str, Any]()
    for name, cell in zip(header, line, strict=True):
        if cell == "":
            continue
        value = None if cell == _NULL else cell
        relation, _, key = name.partition(".")
        found[relation] = {key: value} if key else value
    return found


def _one(ctx: Ctx, row: BulkJob, header: list[str], line: list[str]) -> dict[str, Any]:
    fields = _fields(header, line)
    record_id = str(fields.pop(next((k for k in fields if k.lower() == "id"), ""), ""))
    created = False
    if row.operation == "insert":
        reply, created = ctx.call("create_record", {"sobject": row.object, "fields": fields}), True
    elif row.operation == "upsert":
        field = row.external_id_field or "Id"
        value = (
            record_id
            if field.lower() == "id"
            else next((v for k, v in fields.items() if k.lower() == field.lower()), None)
        )
        if field.lower() == "id" and not record_id:
            reply, created = ctx.call("create_record", {"sobject": row.object, "fields": fields}), True
        else:
            given = {"sobject": row.object, "field": field, "value": str(value or ""), "fields": fields}
            reply = ctx.call("upsert_by_external_id", given)
            created = not reply.error and bool(reply.body.get("created"))
    elif row.operation == "update":
        reply = ctx.call("update_record", {"sobject": row.object, "id": record_id, "fields": fields})
    else:
        reply = ctx.call("delete_record", {"sobject": row.object, "id": record_id})
        if row.operation == "hardDelete" and not reply.error:
            kind = records.kind_of(row.object)
            records.purge(ctx, kind, ctx.require(kind.cls, reply.body["id"]))
    return {"success": not reply.error, "id": record_id if reply.error else reply.body["id"], "created": created and not reply.error,
    "error": _error(reply), "cells": dict(zip(header, line, strict=True))}  # fmt: skip


def _error(reply: Reply) -> str:
    if not reply.error:
        return ""
    first = errors.as_result(reply.body)[0]
    return f"{first['statusCode']}:{first['message']}:{' '.join(first['fields'])} --"


def _csv(row: BulkJob, header: list[str], lines: list[list[Any]]) -> str:
    out = io.StringIO()
    ending = "\r\n" if row.line_ending == "CRLF" else "\n"
    writer = csv.writer(out, delimiter=_DELIMITER[row.column_delimiter], quoting=csv.QUOTE_ALL, lineterminator=ending)
    writer.writerows([header, *lines])
    return out.getvalue()


def results_csv(row: BulkJob, which: str) -> str:
    """The rows of a finished job that went one way."""
    if which.lower() == "unprocessedrecords":
        header = list(row.results[0]["cells"]) if row.results else []
        return _csv(row, header, []) if header else ""
    wanted = which == "successfulResults"
    chosen = [r for r in row.results if r["success"] == wanted]
    columns = list(row.results[0]["cells"]) if row.results else []
    extra = ["sf__Id", "sf__Created"] if wanted else ["sf__Id", "sf__Error"]
    lines = [[r["id"], str(r["created"]).lower() if wanted else r["error"], *r["cells"].values()] for r in chosen]
    return _csv(row, [*extra, *columns], lines)


def query(ctx: Ctx, text: str, include_deleted: bool) -> tuple[str, list[dict[str, Any]]]:
    """A bulk query's type and rows, flat."""
    run = Run(ctx, text, include_deleted=include_deleted)
    parsed: Query = parse(text)
    if any(not isinstance(i, Selected) or not isinstance(i.expr, Path) for i in parsed.items) or parsed.group:
        raise errors.refusal(
            "FEATURENOTENABLED",
            "Aggregates, functions and nested queries are not supported in bulk queries",
            listed=False,
        )
    _, found = run.records(parsed)
    kind = run.compiler.kind(parsed.source, parsed.at)
    columns = [i.expr.names for i in parsed.items if isinstance(i, Selected) and isinstance(i.expr, Path)]
    own = (parsed.alias.lower(), kind.name.lower())
    columns = [
        c[1:] if len(c) > 1 and c[0].lower() in own and c[0].lower() not in kind.relations else c for c in columns
    ]
    return kind.name, [{".".join(c): _flat(record, c) for c in columns} for record in found]


def _flat(record: Any, names: tuple[str, ...]) -> Any:
    for name in names:
        if not isinstance(record, dict):
            return None
        record = next((v for k, v in record.items() if k.lower() == name.lower()), None)
    return record


def _cell(value: Any) -> Any:
    """A value in CSV, where moments end in Z."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        return value.replace("+0000", "Z")
    return "" if value is None else value


def query_csv(row: BulkJob, start: int, count: int) -> tuple[str, int]:
    """A page of a query job's rows, and how many they are."""
    chosen = row.results[start : start + count]
    header = list(row.results[0]) if row.results else _selected(row.query or "")
    return _csv(
        row,
        header,
        [[_cell(v) for v in r.values()] for r in chosen],
    ), len(chosen)


def _selected(text: str) -> list[str]:
    parsed: Query = parse(text)
    return [".".join(i.expr.names) for i in parsed.items if isinstance(i, Selected) and isinstance(i.expr, Path)]
