"""What a call changes in a base, told to the webhooks that watch for it. https://airtable.com/developers/web/api/model/webhooks-payload"""

from datetime import UTC, datetime
from typing import Any

from .grid import Grid
from .models import Column, Payload, Record, Table, User, View, Webhook
from .people import me, shown_level
from .showing import hook_json
from .values import iso

Json = dict[str, Any]


class Log:
    """The changes of one call. Nothing is gathered where no webhook watches the base."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.hooks = grid.ctx.db.find(Webhook, base_id=grid.base.id)
        self._created = dict[str, Record]()
        self._changed = dict[str, tuple[Record, Json]]()
        self._destroyed = dict[str, str]()
        self._tables = list[Table]()
        self._renamed = list[tuple[Table, Json]]()
        self._fields = list[Column]()
        self._redefined = list[tuple[Column, Json]]()
        self._any = False

    def created(self, record: Record) -> None:
        self._any = True
        self._created[record.id] = record

    def changed(self, record: Record, before: Json) -> None:
        """A record with cells unlike those before."""
        self._any = True
        if record.id not in self._created:
            self._changed.setdefault(record.id, (record, before))

    def destroyed(self, record: Record) -> None:
        self._any = True
        self._changed.pop(record.id, None)
        if self._created.pop(record.id, None) is None:
            self._destroyed[record.id] = record.table_id

    def table_created(self, table: Table) -> None:
        self._any = True
        self._tables.append(table)

    def table_changed(self, table: Table, before: Json) -> None:
        self._any = True
        self._renamed.append((table, before))

    def field_created(self, column: Column) -> None:
        self._any = True
        self._fields.append(column)

    def field_changed(self, column: Column, before: Json) -> None:
        self._any = True
        self._redefined.append((column, before))

    def tell(self) -> None:
        """Ends the call: numbers the transaction and writes each webhook its payload."""
        ctx, base = self.grid.ctx, self.grid.base
        if not self._any:
            return
        ctx.db.update(base, transactions=base.transactions + 1)
        self.grid.forget(schema=True)
        for hook in self.hooks:
            if not live(hook, ctx.now):
                continue
            told = self._told(hook.specification["options"])
            if told:
                ctx.db.add(Payload(webhook_id=hook.id, number=hook.cursor, body={**self._head(), **told}))
                ctx.db.update(hook, cursor=hook.cursor + 1)

    def _head(self) -> Json:
        ctx = self.grid.ctx
        user = ctx.db.get(User, me(ctx))
        who = {"id": user.id, "email": user.email, "name": user.name} if user else {"id": me(ctx)}
        user_json = {**who, "permissionLevel": shown_level(ctx, self.grid.base)}
        return {
            "timestamp": iso(ctx.now), "baseTransactionNumber": self.grid.base.transactions, "payloadFormat": "v0",
            "actionMetadata": {"source": "publicApi", "sourceMetadata": {"user": user_json}},
        }  # fmt: skip

    def _told(self, options: Json) -> Json:
        filters, includes = options["filters"], options.get("includes") or {}
        if filters.get("fromSources") and "publicApi" not in filters["fromSources"]:
            return {}
        kinds, changes = filters["dataTypes"], filters.get("changeTypes") or ("add", "remove", "update")
        scope = self._scope(filters.get("recordChangeScope"))
        tables = dict[str, Json]()

        def at(table: str, part: str) -> Json:
            return tables.setdefault(table, {}).setdefault(part, {})

        if "tableData" in kinds:
            self._tell_records(at, tables, filters, includes, changes, scope)
        if "tableFields" in kinds and "add" in changes:
            for c in self._fields:
                if self._inside(scope, c.table_id):
                    at(c.table_id, "createdFieldsById")[c.id] = {"name": c.name, "type": c.type}
        if "tableFields" in kinds and "update" in changes:
            watched = filters.get("watchSchemasOfFieldIds")
            for c, before in self._redefined:
                if self._inside(scope, c.table_id) and (not watched or c.id in watched):
                    told: Json = {"current": {"name": c.name, "type": c.type}}
                    if includes.get("includePreviousFieldDefinitions"):
                        told["previous"] = before
                    at(c.table_id, "changedFieldsById")[c.id] = told
        made: Json = {}
        if "tableMetadata" in kinds:
            for t, before in self._renamed if "update" in changes else ():
                if self._inside(scope, t.id):
                    current = {"name": t.name, "description": t.description}
                    at(t.id, "changedMetadata").update({"current": current, "previous": before})
            for t in self._tables if "add" in changes and scope is None else ():
                fields = {c.id: {"name": c.name, "type": c.type} for c in self.grid.columns(t).values()}
                about = {
                    "metadata": {"name": t.name, "description": t.description},
                    "fieldsById": fields,
                    "recordsById": {},
                }
                made.setdefault("createdTablesById", {})[t.id] = about
        return {**({"changedTablesById": tables} if tables else {}), **made}

    def _scope(self, key: str | None) -> str | None:
        """The table that a record scope, a table's or a view's id, confines a webhook to."""
        if key is None or key in self.grid.tables:
            return key
        view = self.grid.ctx.db.get(View, key)
        return view.table_id if view else key

    @staticmethod
    def _inside(scope: str | None, table: str) -> bool:
        return scope is None or scope == table

    def _tell_records(
        self, at: Any, tables: dict[str, Json], filters: Json, includes: Json, changes: Any, scope: str | None
    ) -> None:
        watched = filters.get("watchDataInFieldIds")
        for record in self._created.values() if "add" in changes else ():
            if self._inside(scope, record.table_id):
                cells = self._cells(record.table_id, record.cells)
                at(record.table_id, "createdRecordsById")[record.id] = {
                    "createdTime": record.created_time, "cellValuesByFieldId": cells,
                }  # fmt: skip
        for record, before in self._changed.values() if "update" in changes else ():
            fields = [k for k in {**before, **record.cells} if before.get(k) != record.cells.get(k)]
            fields = [k for k in fields if not watched or k in watched]
            if not fields or not self._inside(scope, record.table_id):
                continue
            told: Json = {"current": {"cellValuesByFieldId": self._cells(record.table_id, record.cells, fields)}}
            if includes.get("includePreviousCellValues"):
                told["previous"] = {"cellValuesByFieldId": self._cells(record.table_id, before, fields)}
            asked = includes.get("includeCellValuesInFieldIds")
            if asked:
                others = [
                    k for k in self.grid.columns(record.table_id) if (asked == "all" or k in asked) and k not in fields
                ]
                told["unchanged"] = {"cellValuesByFieldId": self._cells(record.table_id, record.cells, others)}
            at(record.table_id, "changedRecordsById")[record.id] = told
        for key, table in self._destroyed.items() if "remove" in changes else ():
            if self._inside(scope, table):
                tables.setdefault(table, {}).setdefault("destroyedRecordIds", []).append(key)

    def _cells(self, table: str, cells: Json, fields: list[str] | None = None) -> Json:
        columns = self.grid.columns(table)
        chosen = [k for k in columns if k in cells] if fields is None else [k for k in fields if k in columns]
        return {k: hook_json(self.grid, columns[k], cells.get(k)) for k in chosen}


def live(hook: Webhook, now: datetime) -> bool:
    """Whether a webhook still watches: seven days from its making or its last refresh."""
    return datetime.fromisoformat(hook.expiration_time).astimezone(UTC) > now
