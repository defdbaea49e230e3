"""Running a text of statements on a connection, with transactions as the server has them.

A text of several statements is one implicit transaction unless it begins one itself. A statement that fails in an open
transaction aborts it: nothing but ROLLBACK (or ROLLBACK TO a savepoint) is heard until then.
"""

from typing import Any

from legoenv_mcp.app import Ctx, Reply

from . import (
    altering,
    creating,
    databases,
    dropping,
    explain,
    functions_system,
    indexing,
    models,
    objects,
    rights,
    system_columns,
)
from . import nodes as n
from .errors import SqlError, refusal, unsupported
from .models import Session
from .parser import parse
from .query import plan_query
from .scope import Out, Scope
from .session import BUDGET, Connection
from .transactions import Result, Transactions
from .writing import write

_WRITES = (n.Insert, n.Update, n.Delete)
_FREE = ("COMMIT", "ROLLBACK", "ROLLBACK TO")
_NO_BLOCK = ("VACUUM", "CREATE DATABASE", "DROP DATABASE", "CHECKPOINT")
_READS = (
    "SHOW",
    "EXPLAIN",
    "SET",
    "RESET",
    "SET ROLE",
    "SET TRANSACTION",
    "SET SESSION",
    "SET CONSTRAINTS",
    "DISCARD",
    "LOCK TABLE",
    "CHECKPOINT",
)


_MOST_SHOWN = 100_000_000
"""Characters of a result."""


class Engine(Transactions):
    """One call's use of a connection. `lasting` is the MCP server's, which stays open between calls; others end with the call."""

    def __init__(self, ctx: Ctx, database: str, *, lasting: bool = True, reading: bool = False) -> None:
        if ctx.db.get(models.Database, database) is None:
            raise refusal(SqlError("3D000", f'database "{database}" does not exist'), "")
        self.ctx, self.database, self.lasting = ctx, database, lasting
        self.kept = ctx.db.get(Session, database) if lasting else None
        self.state = Session.of(dict(self.kept.__dict__)) if self.kept is not None else Session(database=database)
        self.env = Connection(ctx, database, self.state, reading=reading)
        self.env.catalog.load_pending() if lasting and self.state.state != "idle" else None
        if self.state.started and self.state.state != "idle":
            self.env.now = ctx.parse_time(self.state.started)
        self.committed = False

    def run(self, sql: str, params: list[str | None] | None = None) -> list[Result]:
        self.env.params, self.env.system = params or [], system_columns.wanted(sql)
        results, failed = list[Result](), None
        try:
            statements = parse(sql)
            for node, text in statements:
                results.append(self._one(node, text, alone=len(statements) == 1))
            if self.state.state == "idle" and not self.env.reading:
                self._commit()
        except SqlError as error:
            failed = error
        except RecursionError:
            failed = SqlError("54001", "stack depth limit exceeded")
        if failed is not None:
            raise Refused(self._fail(failed, sql))
        self._finish()
        return results

    def _one(self, node: Any, text: str, *, alone: bool) -> Result:
        env, state = self.env, self.state
        kind = node.kind if isinstance(node, n.Stmt) else ""
        if state.state == "failed" and kind not in _FREE:
            raise SqlError("25P02", "current transaction is aborted, commands ignored until end of transaction block")
        mark = len(env.catalog.log)
        env.notices = []
        env.volatile = False
        env.after_plan = []
        env.depth = 0
        env.command += 1
        try:
            made = self._statement(node, kind, alone)
        except SqlError:
            env.catalog.cut(mark)
            raise
        made.notices = env.notices
        self._count(text, made)
        return made

    def _statement(self, node: Any, kind: str, alone: bool) -> Result:
        env = self.env
        if isinstance(node, n.Query):
            plan = plan_query(node, Scope(env))
            for run in env.after_plan:
                run()
            rows = plan.run()
            self._weigh(rows)
            return Result("SELECT", plan.columns, rows, len(rows), returns=True)
        if isinstance(node, _WRITES):
            made = write(node, Scope(env))
            for run in env.after_plan:
                run()
            rows = made.run()
            return Result(made.tag, made.columns, rows, made.count, returns=bool(node.returning))
        if kind in _NO_BLOCK and (self.state.state != "idle" or not alone):
            raise SqlError("25001", f"{kind} cannot run inside a transaction block")
        control = getattr(self, f"_{kind.lower().replace(' ', '_')}", None)
        if control is not None:
            return control(node)
        if kind == "unsupported":
            raise unsupported(node.name, node.at)
        if kind not in _READS:
            env.must_write(kind)
        return self._definition(node, kind)

    @staticmethod
    def _weigh(rows: list[Any]) -> None:
        """Many rows may show the same large value: what they are together no client could take."""
        if sum(len(v) for row in rows for v in row if isinstance(v, (str, bytes))) > _MOST_SHOWN:
            raise SqlError("54000", "out of memory", detail="The result is too large.")

    def _definition(self, node: n.Stmt, kind: str) -> Result:
        env = self.env
        if kind in ("CREATE TABLE", "CREATE TABLE AS"):
            command, count = creating.create_table(env, node)
            return Result(command, count=count if command == "SELECT" else None)
        if kind == "CREATE MATERIALIZED VIEW":
            return Result("SELECT", count=objects.create_materialized(env, node))
        simple = {
            "CREATE INDEX": indexing.create_index, "CREATE VIEW": objects.create_view, "CREATE SEQUENCE": objects.create_sequence,
            "CREATE TYPE": objects.create_type,
            "ALTER TYPE": objects.alter_type, "CREATE SCHEMA": objects.create_schema, "CREATE EXTENSION": objects.create_extension,
            "TRUNCATE TABLE": dropping.truncate,
            "REFRESH MATERIALIZED VIEW": objects.refresh, "CREATE ROLE": rights.create_role, "ALTER ROLE": rights.alter_role,
            "GRANT": rights.grant, "REVOKE": rights.grant,
            "GRANT ROLE": rights.grant_role, "REVOKE ROLE": rights.grant_role, "CREATE POLICY": rights.create_policy,
            "ALTER POLICY": rights.alter_policy,
            "DROP POLICY": rights.drop_policy, "COMMENT": rights.comment,
        }  # fmt: skip
        if kind in simple:
            simple[kind](env, node)
        elif kind in ("ALTER TABLE", "ALTER VIEW", "ALTER MATERIALIZED VIEW", "ALTER INDEX") or (
            kind == "ALTER SEQUENCE" and node.actions
        ):
            altering.alter(env, node)
        elif kind == "ALTER SEQUENCE":
            sequence = env.find_sequence(node.name)
            if sequence is None:
                raise SqlError("42P01", f'relation "{".".join(node.name)}" does not exist')
            altering.alter_sequence_options(env, sequence, node.options)
        elif kind.startswith("DROP "):
            (databases if kind == "DROP DATABASE" else dropping).drop(env, node)
        elif kind in ("VACUUM", "ANALYZE", "LOCK TABLE"):
            for name in node.tables or []:
                env.need_relation(name[0] if kind != "LOCK TABLE" else name, None)
            if kind == "LOCK TABLE" and self.state.state == "idle":
                raise SqlError("25P01", "LOCK TABLE can only be used in transaction blocks")
        elif kind == "CREATE DATABASE":
            databases.create(env, node)
        elif kind not in ("CHECKPOINT", "REINDEX", "ALTER DEFAULT PRIVILEGES"):
            raise unsupported(kind, node.at)
        return Result({"GRANT ROLE": "GRANT ROLE", "REVOKE ROLE": "REVOKE ROLE"}.get(kind, kind))

    # Transactions

    # Settings

    def _explain(self, node: n.Stmt) -> Result:
        rows, kind = explain.explain(self.env, node.statement, node.options, self._execute_for_explain)
        return Result("EXPLAIN", [Out("QUERY PLAN", kind)], rows, None, True)

    def _execute_for_explain(self, node: Any) -> Any:
        if isinstance(node, n.Query):
            return plan_query(node, Scope(self.env))
        if isinstance(node, _WRITES):
            return write(node, Scope(self.env))
        raise unsupported("EXPLAIN of this statement", node.at)

    # The end of a call

    def _count(self, text: str, made: Result) -> None:
        """pg_stat_statements, where it is installed."""
        env = self.env
        if env.reading or not self.lasting or env.catalog.first(models.Extension, name="pg_stat_statements") is None:
            return
        functions_system.count_statement(self.ctx, self.database, text, made.count or 0, BUDGET - env.budget)

    def _fail(self, error: SqlError, sql: str) -> Reply:
        """The refusal; what is kept of a failed call: committed parts, the aborted transaction, sequences that moved."""
        self.failed_state()
        refused = refusal(error, sql)
        changed = self.committed or self._finish()
        if not changed:
            raise refused
        if self.committed:
            self._finish()
        return self.ctx.refusal(refused)

    def failed_state(self) -> None:
        if self.state.state == "idle":
            self.env.catalog.cut(0)
        else:
            self.state.state = "failed"

    def _finish(self) -> bool:
        """Keeps what outlasts the call; whether there was anything."""
        if self.env.reading:
            return False
        kept = self._keep_sequences()
        if not self.lasting:
            return kept
        if self.state.state != "idle":
            self.env.catalog.save_pending()
        else:
            self.ctx.db.delete_where(models.Pending, database=self.database)
        data = {k: v for k, v in self.state.__dict__.items() if not k.startswith("_sa")}
        if self.kept is None:
            if data != {k: v for k, v in Session(database=self.database).__dict__.items() if not k.startswith("_sa")}:
                self.ctx.db.add(self.state)
                kept = True
        else:
            moved = {k: v for k, v in data.items() if k != "database" and self.kept.__dict__[k] != v}
            if moved:
                self.ctx.db.update(self.kept, **moved)
                kept = True
        return kept

    def _keep_sequences(self) -> bool:
        kept = False
        for oid, (value, called) in self.env.fulfilled.items():
            row = self.ctx.db.get(models.Sequence, oid)
            if row is not None and (row.last_value, row.called) != (value, called):
                self.ctx.db.update(row, last_value=value, called=called)
                kept = True
        return kept


class Refused(Exception):
    """A refusal that leaves something behind; carries the reply."""

    def __init__(self, reply: Reply) -> None:
        super().__init__("refused")
        self.reply = reply


__all__ = ["Engine", "Refused", "Result"]
