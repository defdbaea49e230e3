"""Small packages with the modules that the workers use of AutomationBench and BFCL: the wire is the subject, not what is on it."""

AUTOMATIONBENCH = {
    "automationbench/__init__.py": '__version__ = "0.0.test"',
    "automationbench/domains.py": '''
        import json

        TASKS = {
            "sales": [
                {
                    "prompt": [
                        {"role": "system", "content": "Work.", "name": None},
                        {"role": "user", "content": "Tell Ada that the deal is won."},
                    ],
                    "info": json.dumps({
                        "task_name": "sales.tell",
                        "initial_state": {"mail": {"sent": [], "drafts": None}},
                        "assertions": [
                            {"type": "mail_sent", "to": "ada"},
                            {"type": "mail_not_sent", "to": "eve"},
                            {"type": "chat_posted", "scored": False},
                        ],
                        "zapier_tools": ["crm_update_deal"],
                    }),
                },
            ],
        }
        TASKS["sales"].append({**TASKS["sales"][0], "info": TASKS["sales"][0]["info"].replace("sales.tell", "sales.broken")})


        def get_domain_dataset(domain):
            return TASKS.get(domain, [])
    ''',
    "automationbench/schema/__init__.py": "",
    "automationbench/schema/world.py": '''
        from types import SimpleNamespace


        class WorldState:
            model_fields = {"mail": None, "chat": None, "crm": None, "meta": None}

            def __init__(self, mail=None):
                self.mail, self.meta = mail or {}, SimpleNamespace(allowed_services=[])

            def model_dump(self, mode):
                import copy
                return copy.deepcopy({"mail": self.mail, "meta": {}})
    ''',
    "automationbench/tools/__init__.py": "",
    "automationbench/tools/api/__init__.py": '''
        import base64, json, os


        def api_search(query, top_k=5):
            """Finds
            endpoints."""
            return json.dumps([{"url": "https://mail/send", "method": "POST"}][:top_k])


        def api_fetch(world, method, url, params=None, body=None):
            """Calls one."""
            service = url.removeprefix("https://").partition("/")[0]
            if service not in world.meta.allowed_services:
                return json.dumps({"error": {"code": 401, "message": "not connected"}})
            if "die" in url:
                os._exit(3)
            world.mail["sent"].append({"id": len(world.mail["sent"]), "to": json.loads(body)["to"]})
            return json.dumps({"ok": True})


        def base64_encode(text):
            """Encodes."""
            return base64.urlsafe_b64encode(text.encode()).decode()
    ''',
    "automationbench/rubric/__init__.py": '''
        from .registry import AssertionRegistry


        def partial_credit(state):
            print("what a package prints is not an answer")
            counted = [a for a in state["info"]["assertions"] if a.get("scored") is not False]
            held = {a["type"]: AssertionRegistry.check(state["world"], a) for a in counted}
            if held["mail_not_sent"]:
                del held["mail_not_sent"]
            state["score"] = sum(held.values()) / len(held)
            return state["score"]


        def task_completed_correctly(state):
            if state["info"]["task_name"] == "sales.broken":
                raise RuntimeError("an assertion cannot be judged")
            return float(state["score"] == 1.0)
    ''',
    "automationbench/rubric/registry.py": '''
        class AssertionRegistry:
            @staticmethod
            def check(world, assertion):
                sent = any(m["to"] == assertion.get("to") for m in world.mail["sent"])
                return sent == (assertion["type"] == "mail_sent")
    ''',
}  # fmt: skip

BFCL = {
    "bfcl_eval-0.0.test.dist-info/METADATA": "Metadata-Version: 2.1\nName: bfcl-eval\nVersion: 0.0.test\n",
    "bfcl_eval/__init__.py": "",
    "bfcl_eval/constants/__init__.py": "",
    "bfcl_eval/constants/enums.py": '''
        from enum import Enum

        ModelStyle = Enum("ModelStyle", "OPENAI_COMPLETIONS")
        Language = Enum("Language", "PYTHON JAVA JAVASCRIPT")
    ''',
    "bfcl_eval/constants/type_mappings.py": "GORILLA_TO_OPENAPI = {}",
    "bfcl_eval/constants/default_prompts.py": 'DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC = "There is more now."',
    "bfcl_eval/constants/eval_config.py": '''
        from pathlib import Path

        PROMPT_PATH, VERSION_PREFIX = Path(__file__).parents[1] / "data", "BFCL_v4"
    ''',
    "bfcl_eval/model_handler/__init__.py": "",
    "bfcl_eval/model_handler/utils.py": '''
        import copy


        def convert_to_tool(functions, mapping, style):
            made = copy.deepcopy(functions)
            for function in made:
                function["name"] = function["name"].replace(".", "_")
                function["parameters"]["type"] = "object"
            return [{"type": "function", "function": f} for f in made]
    ''',
    "bfcl_eval/utils.py": '''
        import json
        from .constants.eval_config import PROMPT_PATH, VERSION_PREFIX


        def _lines(path):
            return [json.loads(line) for line in path.read_text().splitlines()]


        def load_dataset_entry(category, include_language_specific_hint=True):
            return _lines(PROMPT_PATH / f"{VERSION_PREFIX}_{category}.json")


        def load_ground_truth_entry(category):
            return _lines(PROMPT_PATH / f"answers_{category}.json")
    ''',
    "bfcl_eval/eval_checker/__init__.py": "",
    "bfcl_eval/eval_checker/multi_turn_eval/__init__.py": "",
    "bfcl_eval/eval_checker/multi_turn_eval/multi_turn_utils.py": '''
        class Counter:
            def __init__(self, start):
                self.count, self._secret, self.me = start, object(), self

            def add(self, by):
                self.count += by
                return {"count": self.count}

            def halve(self):
                if self.count % 2:
                    return {"error": "odd"}
                self.count //= 2
                return {"count": self.count}


        def execute_multi_turn_func_call(calls, config, classes, model, entry, long_context=False, is_evaL_run=False):
            import json
            name = f"{model}_{entry}"
            counter = globals().setdefault(name, Counter(config["Counter"]["start"]))
            said = []
            for call in calls:
                try:
                    said.append(json.dumps(eval(f"counter.{call}")))
                except Exception as error:
                    said.append(f"Error during execution: {error}")
            return said, {"Counter": counter}
    ''',
    "bfcl_eval/eval_checker/multi_turn_eval/multi_turn_checker.py": '''
        from .multi_turn_utils import execute_multi_turn_func_call as run


        def multi_turn_checker(made, truth, entry, category, model):
            for turn, (steps, right) in enumerate(zip(made, truth, strict=True)):
                one = run([c for s in steps for c in s], entry["initial_config"], [], model, entry["id"])[1]["Counter"]
                two = run(right, entry["initial_config"], [], model + "_truth", entry["id"])[1]["Counter"]
                if one.count != two.count:
                    return {"valid": False, "error_type": "state", "error_message": f"turn {turn}: {one.count}, not {two.count}"}
            return {"valid": True}
    ''',
    "bfcl_eval/eval_checker/ast_eval/__init__.py": "",
    "bfcl_eval/eval_checker/ast_eval/ast_checker.py": '''
        from bfcl_eval.constants.model_config import MODEL_CONFIG_MAPPING


        def ast_checker(functions, made, truth, language, category, model):
            assert MODEL_CONFIG_MAPPING[model].underscore_to_dot
            right = [{n.replace(".", "_"): {k: v[0] for k, v in a.items()} for n, a in one.items()} for one in truth]
            return {"valid": made == right, "error": [f"{made} is not {right}"], "error_type": "calls"}
    ''',
}  # fmt: skip
CATEGORIES = (
    "multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context", "simple_python", "simple_java",
    "simple_javascript", "multiple", "parallel", "parallel_multiple", "irrelevance", "live_simple", "live_multiple", "live_parallel",
    "live_parallel_multiple", "live_irrelevance", "live_relevance",
)  # fmt: skip
