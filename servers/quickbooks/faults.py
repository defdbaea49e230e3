"""Faults. https://developer.intuit.com/app/developer/qbo/docs/develop/troubleshooting/error-codes"""

from typing import Any

from legoenv_mcp.app import ApiError

INACTIVE = "Something you're trying to use has been made inactive. Check the fields with accounts, customers, items, vendors or employees."
LINKED = "Cannot validate linked transactions"


def fault(
    code: str, message: str, detail: str = "", element: str = "", *, status: int = 400, kind: str = "ValidationFault"
) -> ApiError:
    """A refusal with one of the documented codes."""
    return ApiError(status, message, detail=detail or message, code=code, element=element, kind=kind)


def body(error: ApiError) -> dict[str, Any]:
    """The envelope. The gateway in front of the service spells its own refusals (credentials, company) in lower case."""
    if error.status >= 500 and not error.code:
        error.info |= {"code": "10000", "kind": "SystemFault", "detail": error.message}
    if error.gateway:
        entry = {"message": error.message, "detail": error.detail, "code": error.code, "element": None}
        return {"fault": {"error": [entry], "type": error.kind}, "time": error.time}
    entry = {
        "Message": error.message,
        "Detail": error.detail or error.message,
        "code": error.code or "10000",
        "element": error.element or "",
    }
    shown: dict[str, Any] = {"Fault": {"Error": [entry], "type": error.kind or "ValidationFault"}}
    return {**shown, "time": error.time} if error.time else shown


def not_found() -> ApiError:
    return fault("610", "Object Not Found", f"Object Not Found : {INACTIVE}")


def bad_reference(kind: str, key: str) -> ApiError:
    return fault("2500", "Invalid Reference Id", f"Invalid Reference Id : {kind}s element id {key} not found")


def inactive_reference() -> ApiError:
    return fault("2500", "Invalid Reference Id", f"Invalid Reference Id : {INACTIVE}")


def stale(who: str) -> ApiError:
    detail = (
        f"Stale Object Error : You and {who} were working on this at the same time. "
        f"{who} finished before you did, so your work was not saved."
    )
    return fault("5010", "Stale Object Error", detail)


def missing(name: str) -> ApiError:
    message = "Required param missing, need to supply the required value for the API"
    return fault("2020", message, f"Required parameter {name} is missing in the request", name)


def unsupported_property(name: str) -> ApiError:
    return fault(
        "2010",
        "Request has invalid or unsupported property",
        f"Property Name:{name} specified is unsupported or invalid",
        name,
    )


def business(detail: str, element: str = "") -> ApiError:
    message = "A business validation error has occurred while processing your request"
    return fault("6000", message, f"Business Validation Error: {detail}", element)


def enumeration(value: Any, element: str) -> ApiError:
    return fault("2170", "Invalid Enumeration", f"Invalid Enumeration : {value}", element)


def length(name: str, most: int, given: int) -> ApiError:
    detail = f"String length specified does not match the supported length. Min:0 Max:{most:,} supported. Supplied length:{given:,}"
    return fault("2050", "String length is either shorter or longer than supported by specification", detail, name)


def number(name: str, value: Any) -> ApiError:
    return fault("2090", "Invalid Number", f"Invalid Number : {str(value)[:40]}", name)


def unsupported(operation: str) -> ApiError:
    return fault("500", "Unsupported Operation", f"Operation {operation} is not supported.")


def feature(what: str, element: str = "") -> ApiError:
    return fault("5030", "Feature Not Supported", f"{what} is not supported.", element)


def not_linkable(why: str = INACTIVE) -> ApiError:
    return fault("620", "TxnId Cannot Be Linked", f"TxnID Cannot Be Linked : {LINKED}: {why}", "LinkedTxn")


def duplicate_name(who: str) -> ApiError:
    detail = (
        f"The name supplied already exists. : Another {who} is already using this name. Please use a different name."
    )
    return fault("6240", "Duplicate Name Exists Error", detail)


def duplicate_number(number_: str, kind: str, key: object) -> ApiError:
    detail = (
        "Duplicate Document Number Error : You must specify a different number. This number has already been used. "
        f"DocNumber={number_} is assigned to TxnType={kind} with TxnId={key}"
    )
    return fault("6140", "Duplicate Document Number Error", detail)
