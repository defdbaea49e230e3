"""Runs inside an environment that has TRL: the real trainers on our exports, with a tiny random model. Prints what came of it as JSON.

trl_training.py grpo GRPO_JSONL PLANS_JSONL        two steps of GRPO; half of the completions play the reference plan
trl_training.py sft SFT_JSONL TOKENIZER_DIR        a tokenizer is written, examples are loaded, tokenized and trained on
trl_training.py schemas                            what transformers makes of every tool's method, beside the tool's own schema
"""

# pyright: reportMissingImports=false

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ |= {
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "HF_HUB_OFFLINE": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HOME": tempfile.mkdtemp(),
}

import torch
from datasets import Dataset, load_dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer
from trl.chat_template_utils import qwen3_chat_template

from legoenv_mcp.training import sft
from legoenv_mcp.training.trl import environment_factory, make_env_class, verifier_reward

SPECIAL = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
]


def tokenizer() -> PreTrainedTokenizerFast:
    """Bytes as tokens, and the marks of Qwen3's chat template."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    plain = Tokenizer(models.BPE(vocab={c: n for n, c in enumerate(alphabet)}, merges=[]))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    plain.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.add_special_tokens({"additional_special_tokens": SPECIAL[1:3]})
    made.add_tokens(SPECIAL[3:])
    made.chat_template = qwen3_chat_template
    made.padding_side = "left"
    return made


def model(made: PreTrainedTokenizerFast) -> Qwen3ForCausalLM:
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(made), hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1,
        head_dim=16, max_position_embeddings=400_000, pad_token_id=made.pad_token_id, eos_token_id=made.eos_token_id,
    )  # fmt: skip
    return Qwen3ForCausalLM(config)


def grpo(data: str, plans_file: str) -> dict[str, Any]:
    rows = load_dataset("json", data_files=data, split="train")
    plans = {p["environment_id"]: p for p in map(json.loads, Path(plans_file).read_text(encoding="utf-8").splitlines())}
    by_text = {row["prompt"][-1]["content"]: plans[row["environment_id"]] | {"apps": row["apps"]} for row in rows}
    made = tokenizer()
    rewards: list[Any] = []

    def reward(completions: Any, environments: Any, **more: Any) -> list[float | None]:
        found = verifier_reward(completions, environments, **more)
        rewards.append(found)
        return found

    class Scripted(GRPOTrainer):
        """Every second completion plays the reference plan; the others answer at once."""

        def _generate_single_turn(self, prompt_ids: Any, *_: Any, **__: Any) -> Any:
            ids = [self._said(n, text) for n, text in enumerate(made.batch_decode(prompt_ids))]
            return ids, None

        def _said(self, number: int, text: str) -> list[int]:
            plan = next(p for instruction, p in by_text.items() if instruction in text)
            done = text.count("<tool_response>")
            lazy = number % 2 == 1 and done == 0
            if lazy or done == len(plan["calls"]):
                said = plan["answer"] or "Done."
            else:
                step = plan["calls"][done]
                name = f"{step['app']}__{step['tool']}" if len(plan["apps"]) > 1 else step["tool"]
                said = f"<tool_call>\n{json.dumps({'name': name, 'arguments': step['arguments']})}\n</tool_call>"
            return made(said + "<|im_end|>", add_special_tokens=False)["input_ids"]

    with tempfile.TemporaryDirectory() as out:
        args = GRPOConfig(
            output_dir=out, per_device_train_batch_size=2, num_generations=2, max_steps=2, max_completion_length=8000, report_to=[],
            use_cpu=True, bf16=False, logging_steps=1, save_strategy="no", gradient_checkpointing=False, beta=0.0,
        )  # fmt: skip
        trainer = Scripted(
            model(made), args=args, train_dataset=rows, processing_class=made, environment_factory=environment_factory(rows),
            reward_funcs=reward,
        )  # fmt: skip
        trainer.train()
        logged = [entry for entry in trainer.state.log_history if "reward" in entry]
    keys = ("reward", "reward_std", "tools/call_frequency", "tools/failure_frequency", "completions/clipped_ratio")
    return {"rewards": rewards, "logged": [{k: entry.get(k) for k in keys} for entry in logged]}


def train_sft(data: str, folder: str) -> dict[str, Any]:
    made = tokenizer()
    made.save_pretrained(folder)
    rows = load_dataset("json", data_files=data, split="train")
    lines = [json.loads(line) for line in Path(data).read_text(encoding="utf-8").splitlines()]
    tokens = [sft.tokenize(row, made) for row in rows]
    learnt = []
    for found in tokens:
        text = made.decode(
            [i if i != sft.IGNORED else made.convert_tokens_to_ids("<|endoftext|>") for i in found["labels"]]
        )
        learnt.append([part for part in text.split("<|endoftext|>") if part])
    same = [
        [m.get("tool_calls") for m in row["messages"]] == [m.get("tool_calls") for m in line["messages"]]
        for row, line in zip(rows, lines, strict=True)
    ]
    with tempfile.TemporaryDirectory() as out:
        args = SFTConfig(
            output_dir=out, per_device_train_batch_size=1, max_steps=4, max_length=None, learning_rate=1e-2, report_to=[], use_cpu=True,
            bf16=False, logging_steps=1, save_strategy="no", gradient_checkpointing=False, lr_scheduler_type="cosine",
        )  # fmt: skip
        trainer = SFTTrainer(model(made), args=args, train_dataset=Dataset.from_list(tokens), processing_class=made)
        trainer.train()
        losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    counts = [[len(f["labels"]), sum(i != sft.IGNORED for i in f["labels"])] for f in tokens]
    return {"loaded_as_written": same, "learnt": learnt, "counts": counts, "losses": losses}


def schemas() -> dict[str, Any]:
    from legoenv_mcp import registry

    found: dict[str, Any] = {"tools": 0, "wrong": []}
    for slug in registry.slugs():
        try:
            made = make_env_class([slug])
        except ValueError as error:
            found["wrong"].append([slug, str(error)])
            continue
        for tool in made._tools.tools:
            found["tools"] += 1
            try:
                got = get_json_schema(getattr(made(), tool["name"]))["function"]
            except Exception as error:  # noqa: BLE001 - it is what the test is about
                found["wrong"].append([tool["name"], f"{type(error).__name__}: {error}"])
                continue
            renamed = made._names[tool["name"]]
            own = tool["inputSchema"]
            names = [renamed.get(name, name) for name in got["parameters"]["properties"]]
            required = {renamed.get(name, name) for name in got["parameters"].get("required", [])}
            if (
                got["name"] != tool["name"]
                or names != list(own.get("properties", {}))
                or required != set(own.get("required", []))
            ):
                found["wrong"].append([tool["name"], "names or required differ"])
    return found


if __name__ == "__main__":
    kind, *words = sys.argv[1:]
    result = {"grpo": grpo, "sft": train_sft, "schemas": schemas}[kind](*words)
    sys.stdout.write("\n" + json.dumps(result) + "\n")
