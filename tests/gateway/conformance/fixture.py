"""The server that the public MCP conformance suite expects: its `test_*` tools, prompts and resources on the low-level Server."""

import asyncio
import json
import re
import warnings
from typing import Any

import mcp.types as t
from mcp import MCPDeprecationWarning, MCPError
from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ToolsListChanged

warnings.simplefilter("ignore", MCPDeprecationWarning)
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="


def text(s, **kw):
    return t.CallToolResult(content=[t.TextContent(text=s)], **kw)


def obj(required=(), **props):
    return {"type": "object", "properties": props, "required": list(required)}


def ask(message, key, kind="string"):
    return t.ElicitRequest(
        params=t.ElicitRequestFormParams(message=message, requested_schema=obj([key], **{key: {"type": kind}}))
    )


def sample(prompt):
    return t.CreateMessageRequest(
        params=t.CreateMessageRequestParams(
            messages=[t.SamplingMessage(role="user", content=t.TextContent(text=prompt))], max_tokens=50
        )
    )


def embedded(uri, mime, body):
    return t.EmbeddedResource(resource=t.TextResourceContents(uri=uri, mime_type=mime, text=body))


TITLED = [
    {"const": "value1", "title": "First"},
    {"const": "value2", "title": "Second"},
    {"const": "value3", "title": "Third"},
]
ENUMS = obj(
    untitledSingle={"type": "string", "enum": ["option1", "option2", "option3"]},
    titledSingle={"type": "string", "oneOf": TITLED},
    untitledMulti={"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    titledMulti={"type": "array", "items": {"anyOf": TITLED}},
    legacyEnum={
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
)
DEFAULTS = obj(
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)
DIALECT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def build(name: str = "conformance-fixture") -> Server:
    bus = InMemorySubscriptionBus()
    tools: dict[str, tuple[t.Tool, Any]] = {}

    def tool(description, schema=None, name=None):
        def add(fn):
            n = name or fn.__name__
            tools[n] = (t.Tool(name=n, description=description, input_schema=schema or obj()), fn)
            return fn

        return add

    # -- plain results
    @tool("Returns a text.")
    async def test_simple_text(ctx, p, a):
        return text("This is a simple text response for testing.")

    @tool("Returns an image.")
    async def test_image_content(ctx, p, a):
        return t.CallToolResult(content=[t.ImageContent(data=PNG, mime_type="image/png")])

    @tool("Returns a sound.")
    async def test_audio_content(ctx, p, a):
        return t.CallToolResult(content=[t.AudioContent(data=WAV, mime_type="audio/wav")])

    @tool("Returns an embedded resource.")
    async def test_embedded_resource(ctx, p, a):
        return t.CallToolResult(
            content=[embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
        )

    @tool("Returns a text, an image and a resource.")
    async def test_multiple_content_types(ctx, p, a):
        return t.CallToolResult(
            content=[
                t.TextContent(text="Multiple content types test:"),
                t.ImageContent(data=PNG, mime_type="image/png"),
                embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
            ]
        )

    @tool("Always fails.")
    async def test_error_handling(ctx, p, a):
        return text("This tool intentionally returns an error for testing", is_error=True)

    @tool("Has the whole 2020-12 vocabulary in its schema.", DIALECT)
    async def json_schema_2020_12_tool(ctx, p, a):
        return text("ok")

    @tool("Mirrors `region` into a header.", obj(region={"type": "string", "x-mcp-header": "Region"}))
    async def test_x_mcp_header(ctx, p, a):
        return text(f"region={a.get('region')}")

    # -- notifications on the request's own stream (need SSE responses)
    @tool("Sends three log messages.")
    async def test_tool_with_logging(ctx, p, a):
        for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.session.send_log_message("info", line, related_request_id=ctx.request_id)
            await asyncio.sleep(0.05)
        return text("done")

    tools["test_logging_tool"] = (
        t.Tool(name="test_logging_tool", description="Logs.", input_schema=obj()),
        test_tool_with_logging,
    )

    @tool("Reports progress 0, 50, 100.")
    async def test_tool_with_progress(ctx, p, a):
        for n in (0, 50, 100):
            await ctx.session.report_progress(n, 100, f"Completed step {n} of 100")
            await asyncio.sleep(0.05)
        return text("done")

    @tool("Closes its response stream half-way.")
    async def test_reconnection(ctx, p, a):
        if ctx.close_sse_stream:
            await ctx.close_sse_stream()
        await asyncio.sleep(0.2)
        return text("Reconnection test completed")

    # -- requests to the client: 2025 sessions only
    @tool("Asks the client's model.", obj(["prompt"], prompt={"type": "string"}))
    async def test_sampling(ctx, p, a):
        msg = t.SamplingMessage(role="user", content=t.TextContent(text=a["prompt"]))
        r = await ctx.session.create_message([msg], max_tokens=100, related_request_id=ctx.request_id)
        return text(f"LLM response: {r.content.text}")

    def elicits(n, description, schema, takes_message=False):
        @tool(description, obj(["message"], message={"type": "string"}) if takes_message else None, name=n)
        async def elicit(ctx, p, a):
            r = await ctx.session.elicit_form(
                a.get("message", "Please fill this in"), schema, related_request_id=ctx.request_id
            )
            return text(f"Elicitation completed: action={r.action}, content={json.dumps(r.content or {})}")

    elicits(
        "test_elicitation",
        "Asks the user.",
        obj(["username", "email"], username={"type": "string"}, email={"type": "string"}),
        True,
    )
    elicits("test_elicitation_sep1034_defaults", "Asks with defaults.", DEFAULTS)
    elicits("test_elicitation_sep1330_enums", "Asks with enums.", ENUMS)

    # -- 2026-07-28: the server returns its questions (multi-round-trip)
    @tool("Needs the client's sampling capability.")
    async def test_missing_capability(ctx, p, a):
        caps = ctx.session.client_capabilities
        if caps is None or caps.sampling is None:
            raise MCPError(
                t.MISSING_REQUIRED_CLIENT_CAPABILITY, "Needs sampling", {"requiredCapabilities": {"sampling": {}}}
            )
        return text("ok")

    def needs(n, description, requests, state, done):
        """A tool that returns `requests` until every key is answered."""

        @tool(description, name=n)
        async def call(ctx, p, a):
            answers = p.input_responses or {}
            if set(requests) <= set(answers) and (state is None or p.request_state == state):
                return text(done(answers))
            return t.InputRequiredResult(input_requests=requests, request_state=state)

    def said(answer, key):
        return answer.content.get(key) if isinstance(answer, t.ElicitResult) and answer.content else None

    needs(
        "test_input_required_result_elicitation",
        "Asks a name.",
        {"user_name": ask("What is your name?", "name")},
        None,
        lambda a: f"Hello, {said(a['user_name'], 'name')}!",
    )
    needs(
        "test_streaming_elicitation",
        "Asks a name.",
        {"user_name": ask("What is your name?", "name")},
        None,
        lambda a: "ok",
    )
    needs(
        "test_input_required_result_sampling",
        "Asks a model.",
        {"capital_question": sample("What is the capital of France?")},
        None,
        lambda a: "Model answered",
    )
    needs(
        "test_input_required_result_list_roots",
        "Asks the roots.",
        {"client_roots": t.ListRootsRequest()},
        None,
        lambda a: f"{len(a['client_roots'].roots)} roots",
    )
    needs(
        "test_input_required_result_request_state",
        "Asks to confirm.",
        {"confirm": ask("Sure?", "ok", "boolean")},
        "state-1",
        lambda a: "state-ok",
    )
    needs(
        "test_input_required_result_tampered_state",
        "Asks to confirm.",
        {"confirm": ask("Sure?", "ok", "boolean")},
        "state-1",
        lambda a: "state-ok",
    )
    needs(
        "test_input_required_result_multiple_inputs",
        "Asks three things.",
        {"user_name": ask("Name?", "name"), "greeting": sample("Greet"), "client_roots": t.ListRootsRequest()},
        "state-1",
        lambda a: "All inputs received",
    )

    @tool("Asks twice.")
    async def test_input_required_result_multi_round(ctx, p, a):
        answers, state = p.input_responses or {}, json.loads(p.request_state or "{}")
        if state.get("round") == 2 and "step2" in answers:
            return text(f"{state['name']} likes {said(answers['step2'], 'color')}")
        if state.get("round") == 1 and "step1" in answers:
            new = json.dumps({"round": 2, "name": said(answers["step1"], "name")})
            return t.InputRequiredResult(
                input_requests={"step2": ask("Step 2: your favorite color?", "color")}, request_state=new
            )
        return t.InputRequiredResult(
            input_requests={"step1": ask("Step 1: your name?", "name")}, request_state='{"round": 1}'
        )

    @tool("Asks only what the client can answer.")
    async def test_input_required_result_capabilities(ctx, p, a):
        caps, asks = ctx.session.client_capabilities, {}
        if caps and caps.sampling is not None:
            asks["sample"] = sample("Hello")
        if caps and caps.elicitation is not None:
            asks["ask"] = ask("Name?", "name")
        return t.InputRequiredResult(input_requests=asks, request_state="state-1")

    # -- change notifications (subscriptions/listen)
    @tool("Says that the tools changed.")
    async def test_trigger_tool_change(ctx, p, a):
        await bus.publish(ToolsListChanged())
        return text("ok")

    @tool("Says that the prompts changed.")
    async def test_trigger_prompt_change(ctx, p, a):
        await bus.publish(PromptsListChanged())
        return text("ok")

    # -- handlers
    async def list_tools(ctx, p):
        return t.ListToolsResult(tools=[tool for tool, _ in tools.values()])

    async def call_tool(ctx, p):
        if p.name not in tools:
            raise MCPError(t.INVALID_PARAMS, f"Unknown tool: {p.name}")
        return await tools[p.name][1](ctx, p, p.arguments or {})

    resources = {
        "test://static-text": t.TextResourceContents(
            uri="test://static-text", mime_type="text/plain", text="This is the content of the static text resource."
        ),
        "test://static-binary": t.BlobResourceContents(uri="test://static-binary", mime_type="image/png", blob=PNG),
        "test://watched-resource": t.TextResourceContents(
            uri="test://watched-resource", mime_type="text/plain", text="Watched."
        ),
    }

    async def list_resources(ctx, p):
        return t.ListResourcesResult(
            resources=[
                t.Resource(uri=u, name=u.split("//")[1], description="For tests.", mime_type=c.mime_type)
                for u, c in resources.items()
            ]
        )

    async def list_templates(ctx, p):
        template = t.ResourceTemplate(
            uri_template="test://template/{id}/data",
            name="template",
            description="For tests.",
            mime_type="application/json",
        )
        return t.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(ctx, p):
        uri = str(p.uri)
        if m := re.fullmatch(r"test://template/([^/]+)/data", uri):
            body = json.dumps({"id": m[1], "templateTest": True, "data": f"Data for ID: {m[1]}"})
            return t.ReadResourceResult(
                contents=[t.TextResourceContents(uri=uri, mime_type="application/json", text=body)]
            )
        if uri not in resources:
            raise MCPError(t.INVALID_PARAMS, "Resource not found", {"uri": uri})
        return t.ReadResourceResult(contents=[resources[uri]])

    args = {"test_prompt_with_arguments": ["arg1", "arg2"], "test_prompt_with_embedded_resource": ["resourceUri"]}
    prompts = ["test_simple_prompt", *args, "test_prompt_with_image", "test_input_required_result_prompt"]

    async def list_prompts(ctx, p):
        return t.ListPromptsResult(
            prompts=[
                t.Prompt(
                    name=n,
                    description="For tests.",
                    arguments=[t.PromptArgument(name=x, required=True) for x in args.get(n, [])],
                )
                for n in prompts
            ]
        )

    async def get_prompt(ctx, p):
        a = p.arguments or {}
        say = lambda s: t.TextContent(text=s)  # noqa: E731
        if p.name == "test_simple_prompt":
            parts = [say("This is a simple prompt for testing.")]
        elif p.name == "test_prompt_with_arguments":
            parts = [say(f"Prompt with arguments: arg1='{a['arg1']}', arg2='{a['arg2']}'")]
        elif p.name == "test_prompt_with_embedded_resource":
            parts = [
                embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing."),
                say("Please process the embedded resource above."),
            ]
        elif p.name == "test_prompt_with_image":
            parts = [t.ImageContent(data=PNG, mime_type="image/png"), say("Please analyze the image above.")]
        elif p.name == "test_input_required_result_prompt":
            if "user_context" not in (p.input_responses or {}):
                return t.InputRequiredResult(input_requests={"user_context": ask("What context?", "context")})
            parts = [say(f"Use this context: {said(p.input_responses['user_context'], 'context')}")]
        else:
            raise MCPError(t.INVALID_PARAMS, f"Unknown prompt: {p.name}")
        return t.GetPromptResult(messages=[t.PromptMessage(role="user", content=c) for c in parts])

    async def complete(ctx, p):
        return t.CompleteResult(
            completion=t.Completion(values=[v for v in ("paris", "park", "party") if v.startswith(p.argument.value)])
        )

    async def nothing(ctx, p):
        return t.EmptyResult()

    hint = CacheHint(ttl_ms=60_000, scope="public")
    server = Server(
        name,
        version="1.0.0",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_subscribe_resource=nothing,
        on_unsubscribe_resource=nothing,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_set_logging_level=nothing,
        on_subscriptions_listen=ListenHandler(bus),
        get_tool_input_schema=lambda n: tools[n][0].input_schema if n in tools else None,
        cache_hints=dict.fromkeys(
            ("tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"), hint
        ),
    )
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=name))
    return server
