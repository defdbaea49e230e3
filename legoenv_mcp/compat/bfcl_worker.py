"""BFCL v4 in its own virtual environment: entries, the eight classes' methods as tools, and the package's own checkers.

BFCL runs calls with `eval`, here and nowhere else. A call is only built of a method's name and JSON values.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
import ast
import copy
import functools
import hashlib
import importlib.metadata
import inspect
import json
import keyword
import os
import sys
import tempfile
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wire  # noqa: E402

os.environ.setdefault("BFCL_PROJECT_ROOT", tempfile.mkdtemp(prefix="legoenv-bfcl-"))  # else it writes beside itself

MULTI_TURN = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context")
SINGLE = (
    "simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple", "irrelevance",
    "live_simple", "live_multiple", "live_parallel", "live_parallel_multiple", "live_irrelevance", "live_relevance",
)  # fmt: skip
LANGUAGES = {"simple_java": "JAVA", "simple_javascript": "JAVASCRIPT"}
STEPS_A_TURN = 20
"""More steps with calls in one turn, and BFCL fails the entry."""

_entries = {}
_answers = {}
_sessions = {}


class _AnyModel(dict):
    """BFCL's table of models imports every vendor's SDK. Its AST checker reads one thing of it: that names have `_` for `.`."""

    def __missing__(self, name):
        return types.SimpleNamespace(underscore_to_dot=True)


def _category(category):
    """The category's entries by id, as the package prepares them for its own runs."""
    if category not in _entries:
        from bfcl_eval.utils import load_dataset_entry, load_ground_truth_entry

        if category not in MULTI_TURN + SINGLE:
            raise wire.Refused(f"no category {category!r}; there are {', '.join(MULTI_TURN + SINGLE)}")
        _entries[category] = {entry["id"]: entry for entry in load_dataset_entry(category)}
        known = "relevance" not in category  # those have no answer but "a call" or "no call"
        _answers[category] = {a["id"]: a["ground_truth"] for a in load_ground_truth_entry(category)} if known else {}
    return _entries[category]


@functools.cache
def _undescribed(category):
    """The functions as the checker wants them: without the remarks on languages that models are told, and with their types."""
    from bfcl_eval.utils import load_dataset_entry

    return {e["id"]: e["function"] for e in load_dataset_entry(category, include_language_specific_hint=False)}


def hello():
    return {"version": importlib.metadata.version("bfcl-eval"), "python": sys.version.split()[0]}


def listing(categories):
    found = []
    for category in categories:
        for entry in _category(category).values():
            answer = _answers[category].get(entry["id"])
            found.append(
                {
                    "id": entry["id"],
                    "category": category,
                    "apps": entry.get("involved_classes", []),
                    "instruction": "\n\n".join(m["content"] for turn in entry["question"] for m in turn),
                    "turns": len(entry["question"]),
                    "hash": _hash(entry),
                    "verifier_hash": _hash([entry.get("initial_config"), answer]),
                }
            )
    return found


def _hash(value):
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=16).hexdigest()


class Session:
    """One entry being lived in: its turns, the tools offered so far, and the calls made."""

    def __init__(self, name, category, task):
        self.name, self.category, self.task = name, category, task
        self.entry = copy.deepcopy(_category(category)[task])
        self.multi = category in MULTI_TURN
        self.turn = -1
        self.calls = []  # turns > steps > calls
        self.step = None
        self.functions = self.entry["function"]

    def next_turn(self):
        if self.turn + 1 >= len(self.entry["question"]):
            return None
        self.turn += 1
        self.step = None
        self.calls.append([])
        messages = self.entry["question"][self.turn]
        held = self.entry.get("missed_function", {}).get(str(self.turn))
        if held is not None:
            from bfcl_eval.constants.default_prompts import DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC as MORE

            self.functions.extend(held)
            messages = [{"role": "user", "content": MORE}]
        return {"messages": messages, "tools": self.tools()}

    def tools(self):
        from bfcl_eval.constants.enums import ModelStyle
        from bfcl_eval.constants.type_mappings import GORILLA_TO_OPENAPI
        from bfcl_eval.model_handler.utils import convert_to_tool

        made = convert_to_tool(self.functions, GORILLA_TO_OPENAPI, ModelStyle.OPENAI_COMPLETIONS)
        for tool in made:
            tool["function"].pop("response", None)  # no field of the function-calling format
        return made

    def call(self, tool, arguments, step):
        if step != self.step:
            self.step = step
            self.calls[-1].append([])
        if not self.multi:
            self.calls[-1][-1].append({tool: arguments})
            return {"status": 200, "text": "noted"}
        if tool not in self.methods():
            self.calls[-1][-1].append("undefined_function()")  # fails by name when replayed, as this did
            return {"status": 404, "text": f"Error during execution: name {tool!r} is not defined"}
        names = [f"{k}={v!r}" for k, v in arguments.items() if k.isidentifier() and not keyword.iskeyword(k)]
        if len(names) != len(arguments):
            return {"status": 400, "text": "Error during execution: a parameter's name is not an identifier"}
        written = f"{tool}({','.join(names)})"
        self.calls[-1][-1].append(written)
        text = self._execute([written])[0][0]
        failed = text.startswith("Error during execution") or _says_error(text)
        return {"status": 400 if failed else 200, "text": text}

    def _execute(self, calls):
        from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import execute_multi_turn_func_call

        return execute_multi_turn_func_call(
            calls,
            self.entry["initial_config"],
            self.entry["involved_classes"],
            self.name,
            self.task,
            long_context="long_context" in self.category,
        )

    def methods(self):
        instances = self._execute([])[1].values()
        return {
            name
            for instance in instances
            for name, _ in inspect.getmembers(instance, predicate=inspect.ismethod)
            if not name.startswith("_")
        }

    def grade(self):
        return self._grade_turns() if self.multi else self._grade_calls()

    def _grade_turns(self):
        from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import (
            multi_turn_checker,
            multi_turn_irrelevance_checker,
        )

        truth = _answers[self.category][self.task]
        if len(self.calls) != len(truth) or any(len(turn) > STEPS_A_TURN for turn in self.calls):
            why = f"{len(self.calls)} of {len(truth)} turns, at most {STEPS_A_TURN} steps each"
            return {"valid": False, "error_type": "multi_turn:force_terminated", "message": why}
        found = multi_turn_checker(self.calls, truth, copy.deepcopy(self.entry), self.category, self.name)
        calm = multi_turn_irrelevance_checker(self.calls, truth)
        return {
            "valid": found["valid"],
            "error_type": found.get("error_type", ""),
            "message": str(found.get("error_message", "")),
            "held_back": calm["valid"],
        }

    def _grade_calls(self):
        made = self.calls[0][0] if self.calls[0] else []
        if "relevance" in self.category:
            valid = bool(made) != ("irrelevance" in self.category)
            message = "" if valid else f"{len(made)} calls"
            return {"valid": valid, "error_type": "" if valid else "relevance", "message": message}
        sys.modules.setdefault("bfcl_eval.constants.model_config", _table_of_models())
        from bfcl_eval.constants.enums import Language
        from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

        truth = _answers[self.category][self.task]
        functions = _undescribed(self.category)[self.task]
        language = Language[LANGUAGES.get(self.category, "PYTHON")]
        found = ast_checker(functions, made, truth, language, self.category, "legoenv")
        return {
            "valid": found["valid"],
            "error_type": found.get("error_type", ""),
            "message": str(found.get("error", ""))[:2000] if not found["valid"] else "",
        }

    def reference(self):
        """The ground truth as calls: turns > calls of [tool, arguments]. Single-turn entries: one that its checker takes."""
        if "relevance" in self.category:
            return [[]] if "irrelevance" in self.category else [[[self.tools()[0]["function"]["name"], {}]]]
        truth = _answers[self.category][self.task]
        if self.multi:
            return [[_parsed(call, self._signatures()) for call in turn] for turn in truth]
        known = {f["name"]: f["parameters"] for f in self.functions}
        made = [[n.replace(".", "_"), _first_of(values, known.get(n))] for call in truth for n, values in call.items()]
        if self.category in LANGUAGES:  # whose values are all text, as a program in that language has them
            made = [[n, {k: v if isinstance(v, str) else json.dumps(v) for k, v in a.items()}] for n, a in made]
        return [made]

    def _signatures(self):
        return {
            name: list(inspect.signature(method).parameters)
            for instance in self._execute([])[1].values()
            for name, method in inspect.getmembers(instance, predicate=inspect.ismethod)
        }

    def close(self):
        from bfcl_eval.eval_checker.multi_turn_eval import multi_turn_utils

        for name in [n for n in vars(multi_turn_utils) if n.startswith(self.name)]:
            delattr(multi_turn_utils, name)  # the package keeps every object it made


def _says_error(text):
    try:
        shown = json.loads(text)
    except ValueError:
        return False
    return isinstance(shown, dict) and set(shown) == {"error"}


def _table_of_models():
    module = types.ModuleType("bfcl_eval.constants.model_config")
    module.MODEL_CONFIG_MAPPING = _AnyModel()
    return module


def _parsed(call, signatures):
    """`sort('a.txt')` -> ["sort", {"file_name": "a.txt"}]."""
    node = ast.parse(call, mode="eval").body
    name = node.func.id
    given = dict(zip(signatures[name], (ast.literal_eval(a) for a in node.args)))
    given.update({k.arg: ast.literal_eval(k.value) for k in node.keywords})
    return [name, given]


def _first_of(values, parameters=None):
    """Of each parameter's acceptable values the first; "" among them says that it may be left out."""
    known = (parameters or {}).get("properties") or values
    required = (parameters or {}).get("required", ())
    found = {}
    for name, options in values.items():
        if name not in known or not options or (options[0] == "" and name not in required):
            continue
        said = [o for o in options if o != ""]
        found[name] = _plain(said[0] if said else "")
    return found


def _plain(value):
    if isinstance(value, dict):
        return _first_of(value) if all(isinstance(v, list) for v in value.values()) else value
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value


def opened(session, category, task):
    if task not in _category(category):
        raise wire.Refused(f"{category} has no entry {task!r}")
    _sessions[session] = Session(session, category, task)
    return None


wire.serve(
    {
        "hello": hello,
        "list": listing,
        "open": opened,
        "next_turn": lambda session: _sessions[session].next_turn(),
        "call": lambda session, **asked: _sessions[session].call(**asked),
        "grade": lambda session: _sessions[session].grade(),
        "reference": lambda session: _sessions[session].reference(),
        "close": lambda session: _sessions.pop(session).close(),
    }
)
