"""A connection to one database while a call runs: settings, rights, name lookup, and the bounds of what a statement may cost."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from legoenv_mcp.app import Ctx

from . import datetimes, types, values
from . import nodes as n
from .casts import check_mods
from .catalog import Catalog
from .errors import SqlError
from .functions_text import quote_ident
from .models import Enum, Policy, Relation, Role, Sequence, Session
from .parsing import schema_of
from .values import Setting

DEFAULTS = {
    "search_path": '"$user", public', "timezone": "Etc/UTC", "datestyle": "ISO, MDY", "client_encoding": "UTF8",
    "server_encoding": "UTF8", "server_version": "15.8",
    "server_version_num": "150008", "standard_conforming_strings": "on", "transaction_isolation": "read committed",
    "default_transaction_isolation": "read committed",
    "transaction_read_only": "off", "default_transaction_read_only": "off", "statement_timeout": "0", "lock_timeout": "0",
    "work_mem": "4MB",
    "maintenance_work_mem": "64MB", "shared_buffers": "128MB", "max_connections": "100", "intervalstyle": "postgres",
    "bytea_output": "hex", "application_name": "",
    "lc_collate": "C.UTF-8", "lc_ctype": "C.UTF-8", "extra_float_digits": "1", "row_security": "on", "is_superuser": "on",
    "session_authorization": "postgres",
    "idle_in_transaction_session_timeout": "0", "constraint_exclusion": "partition", "enable_seqscan": "on", "enable_indexscan": "on",
    "enable_hashjoin": "on",
    "effective_cache_size": "4GB", "random_page_cost": "4", "seq_page_cost": "1", "jit": "on", "client_min_messages": "notice",
    "log_statement": "none",
    "autovacuum": "on", "max_worker_processes": "8", "integer_datetimes": "on", "default_tablespace": "", "role": "none",
    "check_function_bodies": "on",
}  # fmt: skip
_FIXED = (
    "server_version",
    "server_version_num",
    "server_encoding",
    "lc_collate",
    "lc_ctype",
    "is_superuser",
    "integer_datetimes",
    "max_connections",
    "shared_buffers",
    "max_worker_processes",
)
BUDGET = 2_500_000
_SUPER = "postgres"


class Connection(Setting):
    """What expressions, plans and statements ask for."""

    def __init__(self, ctx: Ctx, database: str, state: Session, *, reading: bool) -> None:
        super().__init__(ctx.now)
        self.ctx, self.state, self.reading = ctx, state, reading
        self.catalog = Catalog(ctx, database)
        self.enums = self.catalog.enum_labels
        self.relation = self.relation_oid
        self.relation_name = self.shown_relation
        self.params: list[str | None] = []
        self.volatile = False
        self.system = False
        self.command = 0
        self.after_plan: list[Callable[[], Any]] = []
        self.budget = BUDGET
        self.depth = 0
        self.acting = ""
        self.fulfilled: dict[int, tuple[int, bool]] = {}
        self.notices: list[str] = []
        self.scanned = 0
        self.settle()

    # Bounds

    def tick(self, rows: int) -> None:
        self.budget -= rows
        if self.budget < 0:
            raise SqlError("57014", "canceling statement due to statement timeout")

    def enter(self) -> None:
        self.depth += 1
        if self.depth > 40:
            raise SqlError(
                "54001",
                "stack depth limit exceeded",
                hint='Increase the configuration parameter "max_stack_depth" (currently 2048kB), after ensuring the platform\'s stack'
                " depth limit is adequate.",
            )

    def leave(self) -> None:
        self.depth -= 1

    # Settings

    def setting(self, name: str) -> str | None:
        low = name.lower()
        return self.state.settings.get(low, DEFAULTS.get(low))

    def change(self, name: str, value: str | None) -> None:
        low = name.lower()
        if low not in DEFAULTS and "." not in low:
            raise SqlError("42704", f'unrecognized configuration parameter "{name}"')
        if low in _FIXED:
            raise SqlError("55P02", f'parameter "{low}" cannot be changed')
        if low == "timezone" and value is not None:
            try:
                datetimes.zone(value)
            except SqlError:
                raise SqlError("22023", f'invalid value for parameter "TimeZone": "{value}"') from None
        if DEFAULTS.get(low) in ("on", "off") and value is not None:
            if value.lower() not in ("on", "off", "true", "false", "yes", "no", "1", "0"):
                raise SqlError("22023", f'parameter "{low}" requires a Boolean value')
            value = "on" if value.lower() in ("on", "true", "yes", "1") else "off"
        settings = dict(self.state.settings)
        if value is None:
            settings.pop(low, None)
        else:
            settings[low] = value
        self.state.settings = settings
        self.settle()

    def settle(self) -> None:
        self.where = datetimes.zone(self.setting("timezone") or "UTC")

    @property
    def read_only(self) -> bool:
        return (
            self.reading
            or self.state.read_only
            or (self.state.state == "idle" and self.setting("default_transaction_read_only") == "on")
        )

    def must_write(self, what: str) -> None:
        if self.read_only:
            raise SqlError("25006", f"cannot execute {what} in a read-only transaction")

    # Roles

    @property
    def user(self) -> str:
        return self.acting or self.state.settings.get("role", "") or _SUPER

    @contextmanager
    def as_owner(self, owner: str) -> Iterator[None]:
        kept, self.acting = self.acting, owner
        try:
            yield
        finally:
            self.acting = kept

    def role(self, name: str, at: int | None = None) -> Role:
        found = self.catalog.objects(Role).get((name,))
        if found is None:
            raise SqlError("42704", f'role "{name}" does not exist', at)
        return found

    def superuser(self) -> bool:
        found = self.catalog.objects(Role).get((self.user,))
        return found is not None and found.superuser

    def member_roles(self, name: str | None = None) -> set[str]:
        """The roles whose rights a role has, itself and public included."""
        found, rest = {"public"}, [name or self.user]
        while rest:
            one = rest.pop()
            if one not in found:
                found.add(one)
                role = self.catalog.objects(Role).get((one,))
                rest += role.member_of if role else []
        return found

    def owns(self, owner: str) -> bool:
        return self.superuser() or owner in self.member_roles()

    def has_privilege(self, relation: Relation | Sequence, privilege: str, role: str | None = None) -> bool:
        role = role or self.user
        found = self.catalog.objects(Role).get((role,))
        members = self.member_roles(role)
        if (found and found.superuser) or relation.owner in members:
            return True
        granted = {p for r, ps in relation.acl.items() if r in members for p in ps}
        return privilege in granted

    def allowed(self, relation: Relation, privilege: str) -> None:
        if not self.has_privilege(relation, privilege):
            what = {"view": "view", "materialized view": "materialized view"}.get(relation.kind, "table")
            raise SqlError("42501", f"permission denied for {what} {relation.name}")

    def must_own(self, relation: Relation) -> None:
        if not self.owns(relation.owner):
            what = {"view": "view", "materialized view": "materialized view"}.get(relation.kind, "table")
            raise SqlError("42501", f"must be owner of {what} {relation.name}")

    def row_filter(self, relation: Relation, command: str, which: str) -> Callable[[Any], Any] | None:
        """What row-level security lets this role see or write; None where it does not apply."""
        if not relation.row_security or self.superuser():
            return None
        role = self.catalog.objects(Role).get((self.user,))
        if (role and role.bypassrls) or (self.owns(relation.owner) and not relation.force_row_security):
            return None
        from .expressions import Compiler  # noqa: PLC0415
        from .parser import parse_expression  # noqa: PLC0415
        from .rowscope import row_scope  # noqa: PLC0415

        members = self.member_roles()
        tests: dict[bool, list[Callable[[Any], Any]]] = {True: [], False: []}
        for policy in self.catalog.all(Policy, relation=relation.oid):
            if policy.command not in ("all", command) or (policy.roles and not set(policy.roles) & members):
                continue
            text = policy.check or policy.using if which == "check" else policy.using
            if text:
                compiler = Compiler(row_scope(self, relation))
                tests[policy.permissive].append(compiler.boolean(parse_expression(text), "POLICY").fn)
            else:
                tests[policy.permissive].append(lambda _: True)
        permissive, restrictive = tests[True], tests[False]
        return lambda row: any(t(row) is True for t in permissive) and all(t(row) is True for t in restrictive)

    # Names

    def path(self) -> list[str]:
        """The schemas of search_path that exist."""
        parts = [p.strip().strip('"') for p in (self.setting("search_path") or "").split(",")]
        named = [self.user if p == "$user" else p for p in parts if p]
        return [p for p in named if self.catalog.namespace(p) is not None]

    def creation_schema(self, at: int | None = None) -> str:
        path = self.path()
        if not path:
            raise SqlError("3F000", "no schema has been selected to create in", at)
        return path[0]

    def place(self, name: tuple[str, ...], at: int | None = None) -> tuple[str, str]:
        """Schema and name for something new."""
        if len(name) == 1:
            return self.creation_schema(at), name[0]
        if len(name) == 3 and name[0] != self.catalog.database:
            raise SqlError("0A000", f'cross-database references are not implemented: "{".".join(name)}"', at)
        schema = name[-2]
        if schema in ("pg_catalog", "information_schema"):
            raise SqlError(
                "42501",
                f'permission denied to create "{schema}.{name[-1]}"',
                detail="System catalog modifications are currently disallowed.",
            )
        if self.catalog.namespace(schema) is None:
            raise SqlError("3F000", f'schema "{schema}" does not exist', at)
        return schema, name[-1]

    def find_relation(self, name: tuple[str, ...]) -> Relation | None:
        if schema := schema_of(name):
            if len(name) == 3 and name[0] != self.catalog.database:
                raise SqlError("0A000", f'cross-database references are not implemented: "{".".join(name)}"')
            return self.catalog.relation(schema, name[-1])
        return next((r for own in self.path() if (r := self.catalog.relation(own, name[0]))), None)

    def need_relation(self, name: tuple[str, ...], at: int | None) -> Relation:
        found = self.find_relation(name)
        if found is None:
            raise SqlError("42P01", f'relation "{".".join(name)}" does not exist', at)
        return found

    def find_sequence(self, name: tuple[str, ...]) -> Sequence | None:
        schemas = [schema_of(name)] if schema_of(name) else self.path()
        found = self.catalog.objects(Sequence).values()
        return next((s for schema in schemas for s in found if (s.schema_, s.name) == (schema, name[-1])), None)

    def shown_name(self, schema: str, name: str) -> str:
        """A name with its schema where the search path does not find it."""
        return quote_ident(name) if schema in self.path() else f"{quote_ident(schema)}.{quote_ident(name)}"

    def relation_oid(self, text: str) -> int:
        from .parsing import Tokens  # noqa: PLC0415

        name = Tokens(text).qualified()
        relation, sequence = self.find_relation(name), self.find_sequence(name)
        if relation is None and sequence is None:
            raise SqlError("42P01", f'relation "{text}" does not exist')
        return (relation or sequence).oid  # pyright: ignore[reportOptionalMemberAccess]

    def shown_relation(self, oid: int) -> str:
        for cls in (Relation, Sequence):
            found = self.catalog.objects(cls).get((oid,))
            if found is not None:
                return self.shown_name(found.schema_, found.name)
        return str(oid)

    def type_of(self, name: n.TypeName) -> tuple[str, tuple[int, ...]]:
        word = name.name[-1]
        schema = name.name[-2] if len(name.name) > 1 else ""
        kind = ""
        if word in types.OIDS and schema in ("", "pg_catalog") and word not in ("unknown", "record", "void"):
            kind = word
        else:
            for enum in self.catalog.objects(Enum).values():
                if enum.name == word and (enum.schema_ == schema or (not schema and enum.schema_ in self.path())):
                    kind = f"{enum.schema_}.{word}"
        if not kind:
            shown = ".".join(name.name) + ("[]" if name.array else "")
            raise SqlError("42704", f'type "{shown}" does not exist', name.at)
        check_mods(kind, name.mods, name.at)
        mods = name.mods
        if kind == "numeric" and len(mods) == 1:
            mods = (mods[0], 0)
        return ("_" + kind if name.array else kind), mods

    # Sequences: they move at once, whatever becomes of the transaction.

    def moved(self, sequence: Sequence) -> tuple[int, bool]:
        return self.fulfilled.get(sequence.oid, (sequence.last_value, sequence.called))

    def nextval(self, sequence: Sequence) -> int:
        self.must_write("nextval()")
        last, called = self.moved(sequence)
        value = last + sequence.increment if called else last
        if value > sequence.maximum or value < sequence.minimum:
            if not sequence.cycle:
                edge = "maximum" if value > sequence.maximum else "minimum"
                raise SqlError(
                    "2200H",
                    f'nextval: reached {edge} value of sequence "{sequence.name}"'
                    f" ({sequence.maximum if edge == 'maximum' else sequence.minimum})",
                )
            value = sequence.minimum if value > sequence.maximum else sequence.maximum
        self.fulfilled[sequence.oid] = (value, True)
        self.state.sequences = {**self.state.sequences, str(sequence.oid): value, "last": sequence.oid}
        return value

    def setval(self, sequence: Sequence, value: int, called: bool) -> int:
        self.must_write("setval()")
        if not sequence.minimum <= value <= sequence.maximum:
            raise SqlError(
                "22003",
                f'setval: value {value} is out of bounds for sequence "{sequence.name}" ({sequence.minimum}..{sequence.maximum})',
            )
        self.fulfilled[sequence.oid] = (value, called)
        return value

    def text(self, kind: str, value: Any) -> str:
        return "null" if value is None else values.text(kind, value, self)
