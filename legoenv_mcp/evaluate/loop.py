"""The agent loop: ask the model, make the calls it wants, tell it the results, until it answers or a limit is reached."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from legoenv_mcp.evaluate.config import Config
from legoenv_mcp.evaluate.endpoint import Answer, BadRequest, ContextFull, Model, now
from legoenv_mcp.evaluate.modes import Mode, Native, Schema, Wanted
from legoenv_mcp.evaluate.rollout import Call, Usage
from legoenv_mcp.evaluate.tools import Tools

Ended = Literal["answered", "step_limit", "context_limit", "time_limit", "malformed", "fault"]
UNREADABLE = 3
"""How many turns in a row that cannot be read end a rollout."""
SHORT = 200
"""Characters that are left of a tool result that had to be shortened."""


@dataclass(slots=True)
class Course:
    """How a rollout goes, while it goes: whole at every moment, so that a time limit loses nothing."""

    tools: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    messages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    calls: list[Call] = field(default_factory=list[Call])
    answer: str | None = None
    ended: Ended = "fault"
    notes: list[str] = field(default_factory=list[str])
    usage: Usage = field(default_factory=Usage)
    steps: int = 0
    asked: float | None = None
    """When the request that is under way was sent."""
    model_seconds: float = 0.0


async def live(model: Model, tools: Tools, instruction: str, config: Config, course: Course) -> None:
    """Runs the loop on `course`. Raises EndpointFault and ToolServerFault; everything else ends the course."""
    await _Loop(model, tools, config, course).run(instruction)


class _Loop:
    def __init__(self, model: Model, tools: Tools, config: Config, course: Course) -> None:
        self.model, self.tools, self.config, self.course = model, tools, config, course
        self.mode: Mode = Schema() if config.tool_mode == "schema" else Native()
        self.options = self.mode.options(tools.listed)
        self.results: list[int] = []
        """Where in the messages the results of calls are."""
        self.short: dict[int, str] = {}
        """What is sent in place of a message's whole text."""
        self.mended = False

    async def run(self, instruction: str) -> None:
        course = self.course
        course.tools, course.notes = self.tools.listed, [*course.notes, *self.tools.notes]
        course.messages += self.tools.opening(
            self.mode.system(self.tools.listed), instruction, needed=self.config.tool_mode == "schema"
        )
        unreadable = 0
        for number in range(self.tools.steps or self.config.max_steps):
            try:
                answer = await self._asked()
            except ContextFull as error:
                course.ended = "context_limit"
                course.notes.append(f"turn {number + 1}: nothing was left to shorten: {error}")
                return
            turn = self.mode.read(answer.message, number)
            course.steps += 1
            course.messages.append(turn.message)
            if answer.finish == "length":
                course.notes.append(f"turn {number + 1}: the model's answer was cut off at its length limit")
            if turn.answer is not None:
                course.answer, unreadable = turn.answer, 0
                more = await self.tools.more()
                if more is None:
                    course.ended = "answered"
                    return
                course.messages += more
                course.tools, self.options = self.tools.listed, self.mode.options(self.tools.listed)
                continue
            if turn.problem:
                unreadable += 1
                course.calls.append(_unread(turn.message, turn.problem, number))
                course.notes.append(f"turn {number + 1}: could not be read as a turn; the model was told so")
                if unreadable == UNREADABLE:
                    course.ended = "malformed"
                    return
                course.messages.append({"role": "user", "content": turn.problem})
                continue
            unreadable, self.tools.turn = 0, number
            made = [await self._made(wanted, number) for wanted in turn.calls]
            replies = self.mode.replies(made)
            self.results += range(len(course.messages), len(course.messages) + len(replies))
            course.messages += replies
            if self.tools.over:
                course.ended = self.tools.over
                return
        course.ended = "step_limit"

    # Asking

    async def _asked(self) -> Answer:
        """The model's next message; where the conversation is too long, its oldest results are shortened first."""
        course = self.course
        while True:
            course.asked = now()
            try:
                answer = await self.model.ask(self._sent(), self.options)
            except ContextFull:
                if not self._shorten():
                    raise
                continue
            except BadRequest:
                if self.mended or not any(isinstance(c.arguments, str) for c in course.calls):
                    raise
                self.mended = True
                course.notes.append(
                    "the endpoint does not take back the model's malformed arguments: sent {} in their place"
                )
                continue
            finally:
                course.model_seconds += now() - course.asked
            course.asked = None  # not where the rollout's time ran out in between: that tells whose time it was
            if answer.retries:
                course.notes.append(f"turn {course.steps + 1}: the endpoint was asked {answer.retries + 1} times")
            self._count(answer.usage)
            return answer

    def _sent(self) -> Sequence[dict[str, Any]]:
        messages = self.course.messages
        if self.short:
            messages = [{**m, "content": self.short[n]} if n in self.short else m for n, m in enumerate(messages)]
        return [_mended(m) for m in messages] if self.mended else messages

    def _shorten(self) -> bool:
        """Takes about half of what the results still hold, the oldest first, the last turn's only when nothing else is left."""
        texts = self.course.messages
        held = {n: len(self.short.get(n) or str(texts[n]["content"])) for n in self.results}
        long = [n for n in self.results if held[n] > 2 * SHORT]
        if not long:
            return False
        last = max((n for n, m in enumerate(texts) if m["role"] == "assistant"), default=0)
        older = [n for n in long if n < last] or long
        goal, taken, done = sum(held[n] for n in long) / 2, 0, list[int]()
        for n in older:
            text = str(texts[n]["content"])
            self.short[n] = f"{text[:SHORT]}\n[shortened to fit: {len(text) - SHORT} more characters were here]"
            taken += held[n] - len(self.short[n])
            done.append(n)
            if taken >= goal:
                break
        self.course.notes.append(
            f"turn {self.course.steps + 1}: the conversation was too long for the model: {len(done)} tool results shortened "
            f"(messages {', '.join(map(str, done))}; {taken} characters)"
        )
        return True

    def _count(self, usage: Usage) -> None:
        total = self.course.usage
        total.input_tokens += usage.input_tokens
        total.output_tokens += usage.output_tokens
        total.reasoning_tokens += usage.reasoning_tokens
        total.cost = self.config.cost(total.input_tokens, total.output_tokens)

    # Calling

    async def _made(self, wanted: Wanted, turn: int) -> Call:
        """One call, made and recorded, in the order in which the model wants them: the same order gives the same end."""
        arguments = arguments_of(wanted.arguments)
        start = now()
        if isinstance(arguments, str):
            status, text = 400, _error(400, f"the arguments are no JSON object: {arguments}")
        elif wanted.tool not in self.tools:
            status, text = 404, _error(404, f"there is no tool {wanted.tool!r}")
        else:
            status, text = await self.tools.call(wanted.tool, arguments)
        given = wanted.arguments if isinstance(arguments, str) else arguments
        call = Call(
            id=wanted.id, tool=wanted.tool, arguments=given, status=status, result=text, seconds=round(now() - start, 6), turn=turn
        )  # fmt: skip
        self.course.calls.append(call)
        return call


def _unread(message: dict[str, Any], problem: str, turn: int) -> Call:
    """A turn that is none, as the malformed call that it is."""
    return Call(
        id=f"unread_{turn}", tool="", arguments=str(message.get("content") or ""), status=400, result=problem, turn=turn
    )


def _error(status: int, message: str) -> str:
    return json.dumps({"status": status, "error": message}, ensure_ascii=False)


def arguments_of(text: str) -> dict[str, Any] | str:
    """A call's arguments; where they are no JSON object that can be sent on, what is wrong with them."""
    try:
        found = json.loads(text or "{}", parse_constant=_no_number)
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        return str(error) or type(error).__name__
    return found if isinstance(found, dict) else f"a {type(found).__name__} was given"


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _mended(message: dict[str, Any]) -> dict[str, Any]:
    if not message.get("tool_calls"):
        return message
    calls = [
        {**c, "function": {**c["function"], "arguments": "{}"}}
        if isinstance(arguments_of(c["function"]["arguments"]), str)
        else c
        for c in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}
