"""The model under test: any OpenAI-compatible endpoint, asked one chat completion at a time."""

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import openai
from openai import AsyncOpenAI

from legoenv_mcp.evaluate.config import Config, Way
from legoenv_mcp.evaluate.rollout import Usage

GARBLED = 2
"""How often an answer that is no chat completion is asked for again."""

_FULL = re.compile(
    r"context_length_exceeded|context (length|size|window)|maximum (context|input|prompt)|(prompt|input|request)[^.]{0,40} too (long|large)"
    r"|too many (input )?tokens|exceeds? the (maximum|available|limit)[^.]{0,40}(token|context|length)|reduce the length",
    re.IGNORECASE,
)
_LONE = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


class EndpointFault(RuntimeError):
    """The endpoint failed, and went on failing: the rollout is invalid."""


class EndpointRefused(EndpointFault):
    """It will fail for every rollout: the key, the model's name, the account. One line for the user."""


class ContextFull(RuntimeError):
    """The conversation is longer than the model takes."""


class BadRequest(EndpointFault):
    """The endpoint does not take this request."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One assistant message as it came, what it cost, and how it was got."""

    message: dict[str, Any]
    usage: Usage = field(default_factory=Usage)
    finish: str = ""
    retries: int = 0


class Model(Protocol):
    """What plays an environment: asked with the whole conversation, answers its next assistant message."""

    async def ask(self, messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> Answer:
        """`options`: `tools` or `response_format`, as in a chat completion. Raises EndpointFault, ContextFull."""
        ...


class Endpoint:
    """An OpenAI-compatible endpoint. The openai client does the retries: 408, 409, 429, 5xx, time-outs and lost connections, with
    exponential waits and `Retry-After` as far as two minutes."""

    def __init__(self, config: Config, way: Way, key: str) -> None:
        self._place = way.base_url or "the endpoint"
        self._client = AsyncOpenAI(
            base_url=way.base_url or None, api_key=key or "none", timeout=way.timeout, max_retries=way.retries
        )
        fields = {
            "model": config.model, "temperature": config.temperature, "max_tokens": config.max_tokens,
            "reasoning_effort": config.reasoning_effort,
        }  # fmt: skip
        set_ = {name: value for name, value in fields.items() if value is not None}
        self._fields: dict[str, Any] = {**set_, **config.extra_body}

    async def ask(self, messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> Answer:
        """One chat completion. EndpointFault, EndpointRefused, BadRequest or ContextFull, each one line."""
        retries = 0
        for left in range(GARBLED, -1, -1):
            raw = await self._sent({"messages": list(messages), **self._fields, **options})
            retries += raw.retries_taken
            try:
                return _answer(_data(raw.http_response.text), retries)
            except (ValueError, KeyError, TypeError) as error:
                if not left:
                    said = raw.http_response.text[:200]
                    raise EndpointFault(
                        f"{self._place} answered what is no chat completion ({error}): {said}"
                    ) from None
                retries += 1
        raise AssertionError("unreachable")

    async def _sent(self, request: dict[str, Any]) -> Any:
        try:
            # All of it as extra_body, which is sent as it is: the client takes 12 ms to walk a hundred tools for keys to rename.
            return await self._client.chat.completions.with_raw_response.create(
                model=request["model"], messages=[], extra_body=request
            )
        except openai.APIStatusError as error:
            text = f"{self._place} answered {error.status_code}: {_brief(error)}"
            if error.status_code != 429 and _FULL.search(f"{error.code or ''} {error.message}"):
                raise ContextFull(text) from None
            if isinstance(error, (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError)):
                raise EndpointRefused(text) from None
            if error.code == "insufficient_quota":
                raise EndpointRefused(text) from None
            raise (BadRequest if error.status_code in (400, 413, 422) else EndpointFault)(text) from None
        except openai.APITimeoutError:
            raise EndpointFault(f"{self._place} did not answer in time") from None
        except (openai.OpenAIError, OSError) as error:
            cause = error.__cause__ or error
            raise EndpointFault(
                f"{self._place} cannot be reached: {type(cause).__name__} {_brief(cause)}".strip()
            ) from None

    async def close(self) -> None:
        await self._client.close()


def _brief(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]


def _data(text: str) -> Any:
    data = json.loads(text)
    return _whole_characters(data) if _LONE.search(text) else data


def _whole_characters(value: Any) -> Any:
    """Halves of surrogate pairs, which broken detokenisation leaves, cannot be written as UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_whole_characters(v) for v in value]
    return {k: _whole_characters(v) for k, v in value.items()} if isinstance(value, dict) else value


def _answer(data: Any, retries: int) -> Answer:
    choice = data["choices"][0]
    if not isinstance(choice["message"], dict):
        raise TypeError("the message is no object")
    used: dict[str, Any] = data.get("usage") or {}
    details: dict[str, Any] = used.get("completion_tokens_details") or {}
    usage = Usage(
        input_tokens=int(used.get("prompt_tokens") or 0),
        output_tokens=int(used.get("completion_tokens") or 0),
        reasoning_tokens=int(details.get("reasoning_tokens") or 0),
    )
    return Answer(choice["message"], usage, str(choice.get("finish_reason") or ""), retries)


def now() -> float:
    """Seconds, for how long things took."""
    return time.perf_counter()
