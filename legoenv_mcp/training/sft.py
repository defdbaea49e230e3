"""Supervised fine-tuning data: rollouts as chat examples, with a mask that says which assistant turns to learn from.

An example is one JSON object:

    messages      system, user, assistant (content, reasoning_content?, tool_calls?) and tool (tool_call_id, name, content);
                  a call's arguments are an object, or the text itself where the model sent none
    tools         the tools as they were offered, function-calling format, as JSON text
    loss_turns    one bool for each assistant message, in order: False where any of its calls was answered by a 4xx
    environment_id, environment_hash, verifier_hash, model, attempt, reward

The turns that are left out stay in the context: the model sees the mistake and its answer, and learns what came after.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from legoenv_mcp.evaluate.modes import text_of
from legoenv_mcp.evaluate.rollout import Call, Rollout, finished

IGNORED = -100
"""The label of a token that is not learnt from."""

Example = dict[str, Any]


@dataclass(slots=True)
class Excluded:
    """Environments that training data must not have: by hash, or by id."""

    names: frozenset[str] = frozenset()

    def has(self, rollout: Rollout) -> bool:
        return rollout.environment_hash in self.names or rollout.environment in self.names


@dataclass(slots=True)
class Selection:
    """Picks the rollouts worth training on and counts why others were left out.

    failing: also rollouts that did not pass. Whatever the choice, a rollout that is invalid or met a 5xx is dropped (what the model
    saw was our fault), and so are excluded environments, repeated trajectories, and those without a turn to learn from.
    """

    failing: bool = False
    excluded: Excluded = field(default_factory=Excluded)
    dropped: Counter[str] = field(default_factory=Counter[str])
    _seen: set[str] = field(default_factory=set[str])

    def examples(self, rollouts: Iterable[Rollout]) -> Iterator[Example]:
        for rollout in rollouts:
            why, made = self._judge(rollout)
            if made is None:
                self.dropped[why] += 1
            else:
                yield made

    def _judge(self, rollout: Rollout) -> tuple[str, Example | None]:
        if self.excluded.has(rollout):
            return "excluded environment", None
        if rollout.verdict == "invalid" or any(call.status >= 500 for call in rollout.calls):
            return "invalid", None
        if rollout.verdict != "passed" and not self.failing:
            return "not passed", None
        made = example(rollout)
        if not any(made["loss_turns"]):
            return "no turn to learn from", None
        if (digest := _digest(made)) in self._seen:
            return "repeated", None
        self._seen.add(digest)
        return "", made


def example(rollout: Rollout) -> Example:
    """A rollout as one example."""
    by_id = {call.id: call for call in rollout.calls}
    return {
        "messages": [_message(m, by_id) for m in rollout.messages],
        # In schema mode the system prompt already says what tools there are.
        "tools": json.dumps(rollout.tools if rollout.tool_mode == "native" else [], ensure_ascii=False),
        "environment_id": rollout.environment,
        "environment_hash": rollout.environment_hash,
        "verifier_hash": rollout.verifier_hash,
        "model": rollout.model,
        "attempt": rollout.attempt,
        "reward": rollout.reward,
        "loss_turns": loss_turns(rollout.messages, rollout.calls),
    }


def loss_turns(messages: Sequence[Mapping[str, Any]], calls: Iterable[Call]) -> list[bool]:
    """For each assistant message whether to learn from it: not if any call of it was answered by a 4xx."""
    refused = {call.turn for call in calls if 400 <= call.status < 500}
    turns = sum(m.get("role") == "assistant" for m in messages)
    return [turn not in refused for turn in range(turns)]


def _message(message: Mapping[str, Any], calls: Mapping[str, Call]) -> dict[str, Any]:
    role = message["role"]
    shown: dict[str, Any] = {"role": role, "content": text_of(message.get("content"))}
    if role == "tool":
        given = str(message.get("tool_call_id", ""))
        name = message.get("name") or (calls[given].tool if given in calls else "")
        return {"role": role, "tool_call_id": given, "name": name, "content": shown["content"]}
    if role != "assistant":
        return shown
    if thought := message.get("reasoning_content") or message.get("reasoning"):
        shown["reasoning_content"] = thought
    if made := message.get("tool_calls"):
        shown["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["function"]["name"], "arguments": _arguments(call["function"]["arguments"])},
            }
            for call in made
        ]
    return shown


def _arguments(text: Any) -> Any:
    """Chat templates write an object as JSON themselves, and text as it is: a malformed call stays as the model sent it."""
    if not isinstance(text, str):
        return text
    try:
        read = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text
    return read if isinstance(read, dict) else text


def _digest(made: Example) -> str:
    """What makes an example: two with the same one teach the same. Ids of calls are the endpoint's, and say nothing."""
    numbers = dict[str, int]()

    def number(name: str) -> int:
        return numbers.setdefault(name, len(numbers))

    messages = list[dict[str, Any]]()
    for message in made["messages"]:
        plain = dict(message)
        if "tool_calls" in plain:
            plain["tool_calls"] = [{**call, "id": number(call["id"])} for call in plain["tool_calls"]]
        if "tool_call_id" in plain:
            plain["tool_call_id"] = number(plain["tool_call_id"])
        messages.append(plain)
    text = json.dumps([made["environment_hash"], made["tools"], messages], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def read_excluded(paths: Iterable[Path]) -> Excluded:
    """The environments that files or run folders speak of.

    A file has one hash or id a line, or JSON Lines with `environment_hash` or `environment_id` (what `legoenv export` writes); of a
    run folder every environment that was run counts. ValueError, in one line, where one cannot be read.
    """
    names = set[str]()
    for path in paths:
        if path.is_dir():
            found = {n for r in finished(path) for n in (r.environment_hash, r.environment)}
            if not found:
                raise ValueError(f"{path} holds no finished rollout")
            names |= found
        else:
            names |= _names_in(path)
    return Excluded(frozenset(names))


def _names_in(path: Path) -> set[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    names = set[str]()
    for number, line in enumerate(lines, 1):
        line = line.partition("#")[0].strip() if not line.lstrip().startswith("{") else line.strip()
        if not line.startswith("{"):
            names |= {line} - {""}
            continue
        try:
            read = json.loads(line)
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from None
        found = {
            read[k]
            for k in ("environment_hash", "environment_id", "environment", "hash", "id")
            if isinstance(read.get(k), str)
        }
        if not found:
            raise ValueError(f"{path}:{number} names no environment: give environment_hash or environment_id")
        names |= found
    return names


# Tokens


def labels(input_ids: Sequence[int], assistant_mask: Sequence[int], turns: Collection[bool]) -> list[int]:
    """The labels of an example's tokens: the token itself where it is learnt from, -100 elsewhere.

    assistant_mask: 1 where a token is the assistant's own. Its k-th run of ones is the k-th assistant turn. ValueError where it has
    another number of runs than there are turns, or another length than the tokens.
    """
    if len(assistant_mask) != len(input_ids):
        raise ValueError(f"the mask has {len(assistant_mask)} entries for {len(input_ids)} tokens")
    wanted, found, turn, inside = list(turns), list[int](), -1, False
    for token, mine in zip(input_ids, assistant_mask, strict=True):
        if mine and not inside:
            turn += 1
        inside = bool(mine)
        found.append(token if inside and turn < len(wanted) and wanted[turn] else IGNORED)
    if turn + 1 != len(wanted):
        raise ValueError(f"the chat template marks {turn + 1} assistant turns where the example has {len(wanted)}")
    return found


def tokenize(made: Mapping[str, Any], tokenizer: Any) -> dict[str, list[int]]:
    """An example as `input_ids` and `labels`, which SFTTrainer uses as they are.

    tokenizer: a transformers tokenizer with a chat template. Where the template does not mark what the assistant generates
    (`{% generation %}`), TRL's training template for that family is used (the `trl` extra), which also keeps the reasoning of every
    turn. ValueError where there is none, or where the template and the example do not agree on the number of turns.
    """
    template = training_template(tokenizer)
    tools = made.get("tools") or "[]"
    encoded = tokenizer.apply_chat_template(
        list(made["messages"]),
        tools=(json.loads(tools) if isinstance(tools, str) else tools) or None,
        chat_template=template,
        tokenize=True,
        return_dict=True,
        return_assistant_tokens_mask=True,
    )
    ids = [int(i) for i in encoded["input_ids"]]
    return {"input_ids": ids, "labels": labels(ids, encoded["assistant_masks"], made["loss_turns"])}


def training_template(tokenizer: Any) -> str:
    """The chat template that marks the assistant's tokens: the tokenizer's own, or TRL's for its family. ValueError where there is
    none."""
    own = getattr(tokenizer, "chat_template", None)
    if not own:
        raise ValueError("the tokenizer has no chat template: examples cannot be written as text")
    if isinstance(own, str) and "{% generation" in own.replace("{%-", "{%"):
        return own
    try:
        from trl.chat_template_utils import get_training_chat_template  # noqa: PLC0415 # pyright: ignore[reportMissingImports] - an extra
    except ImportError:
        raise ValueError(
            "the tokenizer's chat template does not mark the assistant's turns; TRL has templates that do: pip install 'legoenv[trl]'"
        ) from None
    try:
        return get_training_chat_template(tokenizer) or own
    except ValueError as error:
        raise ValueError(f"no training template for this tokenizer: {str(error).splitlines()[0]}") from None
