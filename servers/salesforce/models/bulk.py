"""Bulk API 2.0 jobs. https://developer.salesforce.com/docs/atlas.en-us.api_asynch.meta/api_asynch"""

from typing import Any, ClassVar

from legoenv_mcp.app import Field

from .base import Table


class BulkJob(Table, table=True):
    """A job and its data. Jobs are machinery, not business data: what they change is in the records."""

    derived_table: ClassVar[bool] = True

    id: str = Field(primary_key=True)
    kind: str
    operation: str
    object: str
    state: str
    created_by: str
    created: str
    modified: str
    column_delimiter: str = "COMMA"
    line_ending: str = "LF"
    external_id_field: str | None = None
    query: str | None = None
    data: str | None = None
    results: list[dict[str, Any]] = Field(default_factory=list)
    error: str | None = None
    api_version: str = "60.0"
