"""BFCL v4 in its own virtual environment: entries, the eight classes' methods as tools, and the package's own checkers.

BFCL runs calls with `eval`, here and nowhere else. A call is only built of a method's name and JSON values.
"""

# ruff: noqa: PLC0415 - the package's modules are slow to import and have needs of their own: each when it is wanted
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
import types
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wire

os.environ["BFCL_PROJECT_ROOT"] = os.getcwd()  # where the package puts folders when it is imported: a worker's own

MULTI_TURN = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context")
SINGLE = (
    "simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple", "irrelevance",
    "live_simple", "live_multiple", "live_parallel", "live_parallel_multiple", "live_irrelevance", "live_relevance",
)  # fmt: skip
LANGUAGES = {"simple_java": "JAVA", "simple_javascript": "JAVASCRIPT"}
GROUPS = {
    "multi_turn": MULTI_TURN,
    "single_turn": SINGLE,
    "non_live": tuple(c for c in SINGLE if not c.startswith("live_")),
    "live": tuple(c for c in SINGLE if c.startswith("live_")),
}
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
    try:
        return {"version": importlib.metadata.version("bfcl-eval")}
    except importlib.metadata.PackageNotFoundError:
        raise wire.Refused(f"{sys.executable} has no package bfcl-eval") from None


def listing(wanted):
    """The entries of the groups, categories and ids wanted, and how many entries each of their categories has."""
    categories, ids = [], set()
    for word in wanted or ["multi_turn"]:
        if word in GROUPS:
            categories += GROUPS[word]
        elif word in MULTI_TURN + SINGLE:
            categories.append(word)
        else:
            category = max((c for c in MULTI_TURN + SINGLE if word.startswith(c + "_")), key=len, default=None)
            if category is None or word not in _category(category):
                raise wire.Refused(f"no {word!r}: name entries, categories or groups of them ({', '.join(GROUPS)})")
            ids.add((category, word))
    whole = set(categories)
    categories = list(dict.fromkeys([*categories, *(c for c, _ in sorted(ids))]))
    found = [
        _listed(category, entry)
        for category in categories
        for entry in _category(category).values()
        if category in whole or (category, entry["id"]) in ids
    ]
    return {"tasks": found, "sizes": {c: _size(c) for c in MULTI_TURN + SINGLE}}


def _size(category):
    from bfcl_eval.constants.eval_config import PROMPT_PATH, VERSION_PREFIX

    with open(PROMPT_PATH / f"{VERSION_PREFIX}_{category}.json", encoding="utf-8") as file:
        return sum(1 for line in file if line.strip())


def _listed(category, entry):
    return {
        "group": category,
        "key": entry["id"],
        "apps": entry.get("involved_classes", []),
        "instruction": "\n\n".join(m["content"] for turn in entry["question"] for m in turn),
        "hash": _hash(entry),
        "verifier_hash": _hash([entry.get("initial_config"), _answers[category].get(entry["id"])]),
    }


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
        steps = (STEPS_A_TURN + 2) * len(self.entry["question"])
        return {"messages": messages, "tools": self.tools(), "steps": steps}

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
            return {"status": 200, "text": "noted", "over": "answered"}
        made = self._call(tool, arguments)
        return {**made, "over": "step_limit" if len(self.calls[-1]) > STEPS_A_TURN else None}

    def _call(self, tool, arguments):
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

    def _execute(self, calls, twin=""):
        from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import execute_multi_turn_func_call

        return execute_multi_turn_func_call(
            calls,
            self.entry["initial_config"],
            self.entry["involved_classes"],
            self.name + twin,
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
        found = self._grade_turns() if self.multi else self._grade_calls()
        kind, valid = ("turns" if self.multi else "calls"), found["valid"]
        why = " ".join(
            filter(None, (found.get("error_type", ""), str(found.get("error_message") or found.get("error") or "")))
        )
        detail = f"as {self.category} wants them" if valid else why[:2000]
        checked = [{"name": kind, "passed": valid, "detail": detail}]
        return {"passed": valid, "assertions": checked, "diff": self.changes() if self.multi else []}

    def _grade_turns(self):
        from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker

        truth = _answers[self.category][self.task]
        if len(self.calls) != len(truth) or any(len(turn) > STEPS_A_TURN for turn in self.calls):
            why = f"{len(self.calls)} of {len(truth)} turns were reached, with at most {STEPS_A_TURN} steps each"
            return {"valid": False, "error_type": "multi_turn:force_terminated", "error_message": why}
        # As the package's own runner does: its irrelevance checker is imported there, and not called.
        return multi_turn_checker(self.calls, truth, copy.deepcopy(self.entry), self.category, f"{self.name}graded")

    def _grade_calls(self):
        made = self.calls[0][0] if self.calls[0] else []
        if "relevance" in self.category:
            valid = bool(made) != ("irrelevance" in self.category)
            return {"valid": valid, "error_type": "relevance", "error_message": f"{len(made)} calls"}
        sys.modules.setdefault("bfcl_eval.constants.model_config", _table_of_models())
        from bfcl_eval.constants.enums import Language
        from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

        truth = _answers[self.category][self.task]
        functions = copy.deepcopy(_undescribed(self.category)[self.task])
        language = Language[LANGUAGES.get(self.category, "PYTHON")]
        return ast_checker(functions, made, truth, language, self.category, "legoenv")

    def changes(self):
        """What the calls changed in the classes' public attributes, as a state diff."""
        before, after = dict(self._execute([], "fresh")[1]), dict(self._execute([])[1])
        found = []
        for name in self.entry["involved_classes"]:
            was, now = dict(_public(before[name])), dict(_public(after[name]))
            for key in now:
                if was.get(key) != now[key]:
                    columns = {"value": {"before": _short(was.get(key)), "after": _short(now[key])}}
                    found.append({"app": name, "table": key, "change": "update", "key": [key], "columns": columns})
        return found

    def reference(self):
        """The ground truth: turns > steps > calls of [tool, arguments]. Single-turn entries: one step that its checker takes."""
        if "relevance" in self.category:
            return [[]] if "irrelevance" in self.category else [[[[self.tools()[0]["function"]["name"], {}]]]]
        truth = _answers[self.category][self.task]
        if self.multi:
            signatures = self._signatures()
            return [[[_parsed(call, signatures)] for call in turn] for turn in truth]
        known = {f["name"]: f["parameters"] for f in self.functions}
        made = [[n.replace(".", "_"), _first_of(values, known.get(n))] for call in truth for n, values in call.items()]
        if self.category in LANGUAGES:  # whose values are all text, as a program in that language has them
            made = [[n, {k: v if isinstance(v, str) else json.dumps(v) for k, v in a.items()}] for n, a in made]
        return [[made]]

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


def _public(value, above=()) -> Any:
    """A state as JSON. Directories know their parents: what is above is not shown again."""
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if any(value is one for one in above):
        return "..."
    above = (*above, value)
    if isinstance(value, dict):
        return {str(k): _public(v, above) for k, v in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_public(v, above) for v in value]
    if hasattr(value, "__dict__"):
        return {k: _public(v, above) for k, v in vars(value).items() if not k.startswith("_")}
    return str(value)


def _short(value):
    text = json.dumps(value)
    return value if len(text) <= 5000 else f"{text[:5000]} [{len(text) - 5000} more characters]"


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
    given = dict(zip(signatures[name], (ast.literal_eval(a) for a in node.args), strict=False))
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


def opened(session, group, key):
    if key not in _category(group):
        raise wire.Refused(f"{group} has no entry {key!r}")
    _sessions[session] = Session(session, group, key)


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
