"""App: an application declared like its API reference: operations, and how the product spells results, errors and refusals."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Literal, TypeVar

from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.errors import ApiError, Problem
from legoenv_mcp.kernel.operations import Effect, Operation
from legoenv_mcp.kernel.routes import Router
from legoenv_mcp.kernel.rows import Row, Shape

F = TypeVar("F", bound=Callable[..., Any])
Around = Callable[[Ctx, Callable[[], Any]], Any]


def _as_is(result: Any) -> Any:
    return result


def _invalid(problems: list[Problem]) -> ApiError:
    return ApiError(400, "; ".join(f"{p.name}: {p.message}" for p in problems))


def _not_found(kind: str, key: Any) -> ApiError:
    return ApiError(404, f"{kind} {key} not found")


def _no_route(method: str, path: str) -> ApiError:
    return ApiError(404, f"No such endpoint: {method} {path}")


def _malformed(reason: str) -> ApiError:
    return ApiError(400, f"The request body cannot be read: {reason}")


def _unauthorized() -> ApiError:
    return ApiError(401, "Authentication required", headers={"WWW-Authenticate": "Bearer"})


def _too_large(limit: int) -> ApiError:
    return ApiError(413, f"The request body is larger than {limit} bytes")


def _too_slow() -> ApiError:
    return ApiError(503, "The request took too long and was cancelled")


class App:
    """An application.

    wrap(result): an operation's result as the success body. envelope(error): an ApiError as the error body; where that is text, it is
    sent as plain text.
    invalid(problems), not_found(kind, key), no_route(method, path), malformed(reason), unauthorized(), too_large(limit), too_slow(): the
    product's own refusals of bad arguments, unknown ids, unknown endpoints, unreadable and oversized bodies, missing credentials, and of
    what it broke off since it would not end.
    around(ctx, call): runs about every operation, for what a product does to all (idempotency keys, field selection); calls
    `call()` for the result.
    unknown: whether the REST face refuses unknown parameters or, as many products do, ignores them. The MCP face always refuses.
    unknown_query: the same for the query string alone (products that check bodies often ignore unknown query parameters).
    mixed: parameters may come in the query string or the body, whatever the method (RPC-style products).
    arrays: how the query string and forms spell lists: "repeat" (a=1&a=2), "bracket" (a[]=1, a[k]=v) or "comma".
    trailing_slash: whether `/things/` is `/things`, as many products have it.
    suffix: what any path may end in and mean the same (".json"). prefix: what it may start with ("/api/v3", "/of/{company}"), one
    or several.
    functions: SQL functions the app's queries use, name -> (number of arguments, function).
    body_key: where the product's JSON requests carry their fields: `{"data": {...}}`. Forms have them as they are.
    unwrap(body): takes the fields out of such a JSON body in the product's own way, and may refuse it.
    xml(body): the fields of an XML body, for operations that take named fields; without it such a body has none.
    media: media types that any success may come in, beside JSON.
    """

    def __init__(
        self, slug: str, base: type[Row], wrap: Callable[[Any], Any] = _as_is, envelope: Callable[[ApiError], Any] | None = None, *,
        invalid: Callable[[list[Problem]], ApiError] = _invalid, not_found: Callable[[str, Any], ApiError] = _not_found,
        no_route: Callable[[str, str], ApiError] = _no_route, malformed: Callable[[str], ApiError] = _malformed,
        unauthorized: Callable[[], ApiError] = _unauthorized, too_large: Callable[[int], ApiError] = _too_large,
        too_slow: Callable[[], ApiError] = _too_slow,
        around: Around | None = None,
        unknown: Literal["refuse", "ignore"] = "refuse", unknown_query: Literal["refuse", "ignore"] | None = None,
        mixed: bool = False, arrays: Literal["repeat", "bracket", "comma"] = "repeat",
        trailing_slash: bool = False, suffix: str = "", prefix: str | tuple[str, ...] = "",
        functions: Mapping[str, tuple[int, Callable[..., Any]]] | None = None,
        body_key: str = "", unwrap: Callable[[Any], dict[str, Any]] | None = None,
        xml: Callable[[str | bytes], dict[str, Any]] | None = None, media: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.slug = slug
        self.base = base
        self.wrap = wrap
        self.envelope = envelope or (lambda error: {"error": error.message})
        self.invalid = invalid
        self.not_found = not_found
        self.no_route = no_route
        self.malformed = malformed
        self.unauthorized = unauthorized
        self.too_large = too_large
        self.too_slow = too_slow
        self.around = around
        self.unknown = unknown
        self.unknown_query = unknown_query or unknown
        self.mixed = mixed
        self.arrays = arrays
        self.trailing_slash = trailing_slash
        self.suffix = suffix
        self.prefix = prefix
        self.functions = dict(functions or {})
        self.body_key = body_key
        self.unwrap = unwrap
        self.xml = xml
        self.media = media
        self.operations: dict[str, Operation] = {}
        self.provides: Mapping[str, Any] = {}
        self.seed: Callable[..., None] | None = None
        self.read_request: Callable[[App, Request, bytes | None], Reply | tuple[Operation, dict[str, Any]]] | None = (
            None
        )

    def operation(
        self, method: str, path: str, *, tool: str, effect: Effect | None = None, title: str = "", status: int = 200, mcp: bool = True,
        also: tuple[str, ...] = (), replaces: bool = False, idempotent: bool | None = None, destructive: bool | None = None,
    ) -> Callable[[F], F]:  # fmt: skip
        """Declares an operation. Its function's signature is the schema, its docstring the description.

        effect: what it does (by default from the method: GET reads, POST creates, PUT and PATCH update, DELETE deletes).
        status: the HTTP status of success. mcp=False keeps it off the MCP face. also: other methods that reach it over
        REST. replaces=True takes the place of the operation with the same tool name; declaring one twice without it is an error.
        """

        def declare(fn: F) -> F:
            if (tool in self.operations) != replaces:
                raise ValueError(f"{self.slug}.{tool}: " + ("nothing to replace" if replaces else "declared twice"))
            self.operations[tool] = Operation(
                fn, method, path, tool, effect=effect, title=title, status=status, mcp=mcp, also=also, idempotent=idempotent,
                destructive=destructive,
            )  # fmt: skip
            self.__dict__.pop("router", None)
            return fn

        return declare

    def get(self, path: str, **options: Any) -> Callable[[F], F]:
        return self.operation("GET", path, **options)

    def post(self, path: str, **options: Any) -> Callable[[F], F]:
        return self.operation("POST", path, **options)

    def put(self, path: str, **options: Any) -> Callable[[F], F]:
        return self.operation("PUT", path, **options)

    def patch(self, path: str, **options: Any) -> Callable[[F], F]:
        return self.operation("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> Callable[[F], F]:
        return self.operation("DELETE", path, **options)

    @cached_property
    def router(self) -> Router:
        """Method and path -> operation, literal segments before parameters."""
        return Router(
            self.operations.values(), trailing_slash=self.trailing_slash, suffix=self.suffix, prefix=self.prefix
        )

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """The app's tables by name."""
        classes: list[type[Row]] = [m.class_ for m in self.base._sa_registry.mappers]  # pyright: ignore[reportAttributeAccessIssue]
        return {shape.table: shape for shape in sorted((c.shape() for c in classes), key=lambda s: s.table)}

    def ddl(self) -> list[str]:
        """The statements that make the app's tables."""
        return [statement for shape in self.shapes.values() for statement in shape.ddl()]

    def output_schema(self, operation: Operation) -> dict[str, Any] | None:
        """The schema of the operation's success body, where its signature states one and no wrapper changes it."""
        return operation.output_schema if self.wrap is _as_is else None

    def refusal(self, error: ApiError) -> Reply:
        """An error as the vendor's reply."""
        body = self.envelope(error)
        kind = "text/plain; charset=utf-8" if isinstance(body, str) else ""
        headers = dict(error.headers)
        return Reply(body, error.status, headers, True, error.wire_status, media_type=kind, shown=error.shown)
