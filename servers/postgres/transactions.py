"""Transactions, savepoints and session settings."""

from dataclasses import dataclass, field
from typing import Any

from . import altering, creating, explain, functions_system, models, objects, rights  # noqa: F401 - functions_system registers
from . import nodes as n
from .constraints import check_foreign
from .errors import SqlError
from .models import Constraint, Session
from .scope import Out
from .session import DEFAULTS, Connection


@dataclass(slots=True)
class Result:
    """One statement's outcome: command tag, columns and rows, how many it touched, notices."""

    command: str
    columns: list[Out] = field(default_factory=list[Out])
    rows: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    count: int | None = None
    returns: bool = False
    notices: list[str] = field(default_factory=list[str])

    @property
    def tag(self) -> str:
        if self.count is None:
            return self.command
        return f"{self.command} 0 {self.count}" if self.command == "INSERT" else f"{self.command} {self.count}"


class Transactions:
    """A connection, as far as its transactions and settings go."""

    state: Session
    env: Connection
    committed: bool

    def _begin(self, node: n.Stmt) -> Result:
        state, env = self.state, self.env
        if state.state != "idle":
            env.notices.append("there is already a transaction in progress")
            return Result(node.kind)
        self._commit()
        state.state, state.started = "open", env.now.isoformat()
        state.read_only = node.parts.get("read_only", env.setting("default_transaction_read_only") == "on")
        state.before = dict(state.settings)
        if node.isolation:
            state.settings = {**state.settings, "transaction_isolation": node.isolation}
        state.savepoints, state.deferred = [], []
        return Result(node.kind)

    _start_transaction = _begin

    def _commit(self, node: n.Stmt | None = None) -> Result:
        state, env = self.state, self.env
        if node is not None and state.state == "idle":
            env.notices.append("there is no transaction in progress")
            self._apply()
            return Result("COMMIT")
        if state.state == "failed":
            return self._rollback(n.Stmt("ROLLBACK"))
        for oid in state.deferred:
            fk = env.catalog.objects(Constraint).get((int(oid),))
            if fk is not None:
                try:
                    check_foreign(env, fk, list(env.catalog.rows(env.catalog.by_oid(fk.relation)).values()))
                except SqlError:
                    self._close(restore=True)
                    env.catalog.cut(0)
                    raise
        self._apply()
        if node is not None:
            chain = node.chain
            self._close()
            if chain:
                self._begin(n.Stmt("BEGIN"))
        return Result("COMMIT")

    def _apply(self) -> None:
        if self.env.catalog.apply():
            self.committed = True
        self.env.catalog.forget()

    def _close(self, restore: bool = False) -> None:
        state = self.state
        settings = (
            dict(state.before)
            if restore
            else {k: v for k, v in state.settings.items() if k not in ("transaction_isolation", "_constraints")}
        )
        for name in [k for k in settings if k.startswith("_local ")]:
            old = settings.pop(name)
            key = name.removeprefix("_local ")
            settings[key] = old
            if old == "\0":
                del settings[key]
        state.settings = settings
        state.state, state.started, state.read_only = "idle", "", False
        state.savepoints, state.deferred, state.before = [], [], {}
        self.env.settle()

    def _rollback(self, node: n.Stmt) -> Result:
        state, env = self.state, self.env
        if state.state == "idle":
            env.notices.append("there is no transaction in progress")
        else:
            env.catalog.cut(0)
            self._close(restore=True)
        if node.chain:
            self._begin(n.Stmt("BEGIN"))
        return Result("ROLLBACK")

    def _need_block(self, what: str) -> None:
        if self.state.state == "idle":
            raise SqlError("25P01", f"{what} can only be used in transaction blocks")

    def _savepoint(self, node: n.Stmt) -> Result:
        self._need_block("SAVEPOINT")
        self.env.catalog.settle()
        self.state.savepoints = [
            *self.state.savepoints,
            {"name": node.name, "n": len(self.env.catalog.log), "settings": dict(self.state.settings)},
        ]
        return Result("SAVEPOINT")

    def _found(self, name: str) -> int:
        found = [i for i, s in enumerate(self.state.savepoints) if s["name"] == name]
        if not found:
            raise SqlError("3B001", f'savepoint "{name}" does not exist')
        return found[-1]

    def _release(self, node: n.Stmt) -> Result:
        self._need_block("RELEASE SAVEPOINT")
        self.state.savepoints = self.state.savepoints[: self._found(node.name)]
        return Result("RELEASE")

    def _rollback_to(self, node: n.Stmt) -> Result:
        self._need_block("ROLLBACK TO SAVEPOINT")
        at = self._found(node.name)
        mark = self.state.savepoints[at]
        self.env.catalog.cut(mark["n"])
        self.state.savepoints = self.state.savepoints[: at + 1]
        self.state.settings = dict(mark["settings"])
        self.state.state = "open"
        self.env.settle()
        return Result("ROLLBACK")

    def _set_transaction(self, node: n.Stmt) -> Result:
        if self.state.state == "idle":
            self.env.notices.append("SET TRANSACTION can only be used in transaction blocks")
            return Result("SET")
        if node.read_only is not None:
            if not node.read_only and self.state.read_only and self.env.catalog.log:
                raise SqlError("25001", "transaction read-write mode must be set before any query")
            self.state.read_only = node.read_only
        if node.isolation:
            self.state.settings = {**self.state.settings, "transaction_isolation": node.isolation}
        return Result("SET")

    def _set_session(self, node: n.Stmt) -> Result:
        if node.read_only is not None:
            self.env.change("default_transaction_read_only", "on" if node.read_only else "off")
        return Result("SET")

    def _set_constraints(self, node: n.Stmt) -> Result:
        state, env = self.state, self.env
        state.settings = {**state.settings, "_constraints": "deferred" if node.deferred else "immediate"}
        if not node.deferred:
            for oid in state.deferred:
                fk = env.catalog.objects(Constraint).get((int(oid),))
                if fk is not None:
                    check_foreign(env, fk, list(env.catalog.rows(env.catalog.by_oid(fk.relation)).values()))
            state.deferred = []
        return Result("SET CONSTRAINTS")

    def _set(self, node: n.Stmt) -> Result:
        low = node.name.lower()
        before = self.state.settings.get(low, "\0")
        if low == "transaction_read_only" and self.state.state != "idle":
            self.state.read_only = str(node.value).lower() in ("on", "true", "yes", "1")
            return Result("SET")
        if node.local and self.state.state == "idle":
            self.env.notices.append("SET LOCAL can only be used in transaction blocks")
            return Result("SET")
        self.env.change(node.name, node.value)
        if node.local and f"_local {low}" not in self.state.settings:
            self.state.settings = {**self.state.settings, f"_local {low}": before}
        return Result("SET")

    def _reset(self, node: n.Stmt) -> Result:
        if node.name == "all":
            self.state.settings = {
                k: v for k, v in self.state.settings.items() if k in ("role", "transaction_isolation")
            }
            self.env.settle()
        else:
            self.env.change(node.name, None)
        return Result("RESET")

    def _set_role(self, node: n.Stmt) -> Result:
        settings = dict(self.state.settings)
        settings.pop("role", None)
        if node.name and node.name != "postgres":
            self.env.role(node.name)
            settings["role"] = node.name
        self.state.settings = settings
        return Result("RESET" if node.reset else "SET")

    def _show(self, node: n.Stmt) -> Result:
        low = node.name.lower()
        if low == "all":
            rows = [(k, self.env.setting(k) or "", "") for k in sorted(DEFAULTS)]
            return Result("SHOW", [Out(c, "text") for c in ("name", "setting", "description")], rows, None, True)
        value = functions_system.current_setting(self.env, low)
        label = str({"timezone": "TimeZone", "datestyle": "DateStyle", "intervalstyle": "IntervalStyle"}.get(low, low))
        return Result("SHOW", [Out(label, "text")], [(value,)], None, True)

    def _discard(self, node: n.Stmt) -> Result:
        return Result(f"DISCARD {node.name.upper()}")
