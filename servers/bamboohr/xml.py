"""XML, which is BambooHR's language unless JSON is asked for: documents made from what JSON would show, and request bodies read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from .errors import refuse

MEDIA = "text/xml; charset=UTF-8"
_HEAD = '<?xml version="1.0"?>\n'
_ILLEGAL = {code: None for code in range(32) if code not in (9, 10, 13)} | {0xFFFE: None, 0xFFFF: None}


def text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).translate(_ILLEGAL)


def tag(name: str, content: Any = None, /, **attributes: Any) -> str:
    """An element around text, or around elements in a list."""
    named = "".join(f" {k}={quoteattr(text(v))}" for k, v in attributes.items() if v is not None)
    inside = "".join(content) if isinstance(content, list) else escape(text(content))
    return f"<{name}{named}>{inside}</{name}>" if inside else f"<{name}{named}/>"


def field(name: str, value: Any) -> str:
    """A field of an employee or a row; an amount carries its currency as an attribute."""
    if isinstance(value, Mapping):
        return tag("field", value.get("value"), id=name, currency=value.get("currency"))
    return tag("field", value, id=name)


def _each(values: Mapping[str, Any], *names: str) -> list[str]:
    return [tag(name, values.get(name)) for name in names]


def _employee(body: Mapping[str, Any]) -> str:
    return tag("employee", [field(k, v) for k, v in body.items() if k != "id"], id=body["id"])


def _directory(body: Mapping[str, Any]) -> str:
    fieldset = [tag("field", f["name"], id=f["id"], type=f["type"]) for f in body["fields"]]
    return tag("directory", [tag("fieldset", fieldset), tag("employees", list(map(_employee, body["employees"])))])


def _row(row: Mapping[str, Any]) -> str:
    fields = [field(k, v) for k, v in row.items() if k not in ("id", "employeeId")]
    return tag("row", fields, id=row.get("id"), employeeId=row.get("employeeId"))


def _table(body: Sequence[Mapping[str, Any]]) -> str:
    return tag("table", list(map(_row, body)))


def _changed(body: Mapping[str, Any]) -> str:
    return tag("employees", [tag("employee", **e) for e in body["employees"].values()], latest=body["latest"])


def _changed_table(body: Mapping[str, Any]) -> str:
    groups = [
        tag("employee", [tag("row", [field(k, v) for k, v in row.items()]) for row in e["rows"]], id=key, lastChanged=e["lastChanged"])
        for key, e in body["employees"].items()
    ]  # fmt: skip
    return tag("table", groups, id=body["table"])


def _fields(body: Sequence[Mapping[str, Any]]) -> str:
    return tag("fields", [_described(f) for f in body])


def _described(f: Mapping[str, Any]) -> str:
    return tag("field", f["name"], id=f["id"], type=f["type"], alias=f.get("alias"))


def _tables(body: Sequence[Mapping[str, Any]]) -> str:
    return tag("tables", [tag("table", [_described(f) for f in t["fields"]], alias=t["alias"]) for t in body])


def one_list(one: Mapping[str, Any]) -> str:
    options = [
        tag(
            "option",
            o["name"],
            id=o["id"],
            archived=o["archived"],
            createdDate=text(o["createdDate"]),
            archivedDate=text(o["archivedDate"]),
        )
        for o in one["options"]
    ]
    named = {k: one[k] for k in ("fieldId", "alias", "manageable", "multiple")}
    return tag("list", [tag("name", one["name"]), tag("options", options)], **named)


def _lists(body: Sequence[Mapping[str, Any]]) -> str:
    return tag("lists", list(map(one_list, body)))


def _users(body: Mapping[str, Any]) -> str:
    names = ("firstName", "lastName", "email", "status", "lastLogin")
    return tag(
        "users",
        [tag("user", _each(u, *(n for n in names if n in u)), id=u["id"], employeeId=u["employeeId"]) for u in body.values()],
    )  # fmt: skip


def _request(one: Mapping[str, Any]) -> str:
    status, kind, amount = one["status"], one["type"], one["amount"]
    parts = [
        tag("employee", one["name"], id=one["employeeId"]),
        tag("status", status["status"], lastChanged=status["lastChanged"], lastChangedByUserId=status["lastChangedByUserId"]),
        *_each(one, "start", "end", "created"), tag("type", kind["name"], id=kind["id"], icon=kind["icon"]),
        tag("amount", amount["amount"], unit=amount["unit"]), tag("actions", **one["actions"]),
        tag("dates", [tag("date", ymd=day, amount=n) for day, n in one["dates"].items()]),
    ]  # fmt: skip
    if "notes" in one:
        parts.append(tag("notes", [tag("note", said, **{"from": who}) for who, said in one["notes"].items()]))
    return tag("request", parts, id=one["id"])


def _requests(body: Sequence[Mapping[str, Any]]) -> str:
    return tag("requests", list(map(_request, body)))


def _out(body: Sequence[Mapping[str, Any]]) -> str:
    items = [
        tag("item", [
            *([tag("request", id=i["id"]), tag("employee", i["name"], id=i["employeeId"])] if i["type"] == "timeOff"
              else [tag("holiday", i["name"], id=i["id"])]),
            *_each(i, "start", "end"),
        ], type=i["type"])
        for i in body
    ]  # fmt: skip
    return tag("calendar", items)


def _estimates(body: Sequence[Mapping[str, Any]]) -> str:
    names = ("name", "units", "balance", "end", "policyType", "usedYearToDate")
    return tag("estimates", [tag("estimate", _each(e, *names), timeOffType=e["timeOffType"]) for e in body])


def _types(body: Mapping[str, Any]) -> str:
    kinds = [tag("type", _each(t, "name", "units", "color", "icon"), id=t["id"]) for t in body["timeOffTypes"]]
    return tag("types", [*kinds, tag("defaultHours", [tag("day", **d) for d in body["defaultHours"]])])


def _policies(body: Sequence[Mapping[str, Any]]) -> str:
    return tag(
        "policies",
        [tag("policy", _each(p, "timeOffTypeId", "name", "effectiveDate", "type"), id=p["id"]) for p in body],
    )


def _categories(body: Mapping[str, Any]) -> list[str]:
    return [
        tag("category", [
            *(tag(k, v) for k, v in c.items() if k not in ("id", "files")),
            *(tag("file", [tag(k, v) for k, v in f.items() if k != "id"], id=f["id"]) for f in c["files"]),
        ], id=c["id"])
        for c in body["categories"]
    ]  # fmt: skip


DOCUMENTS: dict[str, Callable[[Any], str]] = {
    "get_employee": _employee, "get_employees_directory": _directory, "get_employee_table_data": _table,
    "get_changed_employee_ids": _changed, "get_changed_employee_table_data": _changed_table, "list_fields": _fields,
    "list_tabular_fields": _tables, "list_list_fields": _lists, "list_users": _users, "list_time_off_requests": _requests,
    "list_whos_out": _out, "get_time_off_balance": _estimates, "list_time_off_types": _types,
    "list_time_off_policies": _policies, "list_company_files": lambda body: tag("files", _categories(body)),
    "list_employee_files": lambda body: tag("employee", _categories(body), id=body["employee"]["id"]),
}  # fmt: skip
"""The operations that answer XML unless JSON is accepted."""


def document(tool: str, body: Any) -> str:
    return _HEAD + DOCUMENTS[tool](body)


def whole(content: str) -> str:
    return _HEAD + content


def parsed(body: str | bytes, root: str = "") -> ElementTree.Element:
    """A request's document, of the kind that is wanted. Those that define entities, which could grow without end, count as malformed."""
    content = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    if "<!" in content.replace("<![CDATA[", "").replace("<!--", ""):
        raise refuse(400, "Malformed XML")
    try:
        found = ElementTree.fromstring(content.strip())
    except (ElementTree.ParseError, ValueError, RecursionError):
        raise refuse(400, "Malformed XML") from None
    if root and found.tag != root:
        raise refuse(400, f"Malformed XML: the document must be a <{root}>")
    return found


def values(body: str | bytes, root: str) -> dict[str, Any]:
    """The fields of `<employee>` and `<row>` documents; a currency attribute makes an amount of the value."""
    found = dict[str, Any]()
    for element in parsed(body, root).iter("field"):
        name, said = element.get("id"), (element.text or "").strip()
        if not name:
            raise refuse(400, "Malformed XML: a <field> has no id")
        currency = element.get("currency")
        found[name] = {"value": said, "currency": currency} if currency and said else said
    return found


_TEXTS = {"note": "note", "option": "value"}


def arguments(body: str | bytes) -> dict[str, Any]:
    """The fields of documents such as `<request>`: elements with text are values; those with attributes, entries of a list."""
    root = parsed(body)
    if root.tag == "options":
        return {"options": _entries(root)}
    found = dict[str, Any]()
    for element in root:
        if len(element):
            found[element.tag] = _entries(element)
        elif said := (element.text or "").strip():
            found[element.tag] = said
    return found


def _entries(parent: ElementTree.Element) -> list[dict[str, str]]:
    """`<note from="employee">Dentist</note>` as `{"from": "employee", "note": "Dentist"}`, and the like."""
    return [
        {**one.attrib, **({_TEXTS[one.tag]: said} if one.tag in _TEXTS and (said := (one.text or "").strip()) else {})}
        for one in parent
    ]
