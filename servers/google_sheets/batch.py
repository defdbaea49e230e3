"""spreadsheets.batchUpdate: a list of requests, all of them or none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from legoenv_mcp.app import ApiError

from .app import read_as, refuse
from .book import Book
from .models import Json
from .schemas import Part

P = TypeVar("P", bound=Part)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of request: its body, and what it does and answers."""

    model: type[Part]
    run: Callable[[Book, Any], Json]


KINDS = dict[str, Kind]()
REFUSED = frozenset({
    "addBanding", "addChart", "addCommentReply", "addConditionalFormatRule", "addDataSource", "addDimensionGroup",
    "addFilterView", "addSlicer", "addTable", "autoFill", "cancelDataSourceRefresh", "createDeveloperMetadata", "deleteBanding",
    "deleteComment", "deleteCommentReply", "deleteConditionalFormatRule", "deleteDataSource", "deleteDeveloperMetadata",
    "deleteDimensionGroup", "deleteEmbeddedObject", "deleteFilterView", "deleteTable", "duplicateFilterView", "insertComment",
    "pasteData", "randomizeRange", "refreshDataSource", "textToColumns", "updateBanding", "updateChartSpec", "updateCommentPost",
    "updateConditionalFormatRule", "updateDataSource", "updateDeveloperMetadata", "updateDimensionGroup",
    "updateEmbeddedObjectBorder", "updateEmbeddedObjectPosition", "updateFilterView", "updateSlicerSpec", "updateTable",
})  # fmt: skip
"""Requests that the product knows and this server does not perform."""


def request(
    name: str, model: type[P]
) -> Callable[[Callable[[Book, P], Json | None]], Callable[[Book, P], Json | None]]:
    def declare(run: Callable[[Book, P], Json | None]) -> Callable[[Book, P], Json | None]:
        KINDS[name] = Kind(model, lambda book, said: run(book, said) or {})
        return run

    return declare


def perform(book: Book, requests: Sequence[Any]) -> list[Json]:
    """The replies. The first request that is wrong refuses all."""
    if not requests:
        raise refuse("Must specify at least one request.")
    read = [_read(at, said) for at, said in enumerate(requests)]
    replies = list[Json]()
    for at, (name, body) in enumerate(read):
        try:
            replies.append(KINDS[name].run(book, body))
        except ApiError as error:
            if error.status == 400 and not error.message.startswith("Invalid requests["):
                raise refuse(f"Invalid requests[{at}].{name}: {error.message}") from None
            raise
    book.touch()
    return replies


def run(book: Book, name: str, **body: Any) -> Json:
    """One request, for a tool that is one."""
    said = {n: v for n, v in body.items() if v is not None}
    return perform(book, [{name: said}])[0].get(name, {})


def _read(at: int, said: Any) -> tuple[str, Part]:
    if not isinstance(said, dict):
        raise refuse(f"Invalid value at 'requests[{at}]' (type.googleapis.com/google.apps.sheets.v4.Request)")
    given = [name for name, body in said.items() if body is not None]
    for name in given:
        if name not in KINDS and name not in REFUSED:
            text = f"Invalid JSON payload received. Unknown name \"{name}\" at 'requests[{at}]': Cannot find field."
            raise refuse(text, violations=[(f"requests[{at}]", text)])
    if not given:
        raise refuse(f"Invalid requests[{at}]: No request set.")
    if len(given) > 1:
        text = f"Invalid value at 'requests[{at}]' (oneof), oneof field 'kind' is already set. Cannot set '{given[1]}'"
        raise refuse(text, violations=[(f"requests[{at}]", text)])
    name = given[0]
    if name in REFUSED:
        raise refuse(f"Invalid requests[{at}].{name}: This request is not supported.")
    return name, read_as(KINDS[name].model, said[name], ("requests", at, name))
