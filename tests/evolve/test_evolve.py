"""Evolution as a user sees it: the atom at fault is repaired in its file, the changelog says why, and the way back is open."""

import json
import re

from tests.evolve.conftest import Corner, without
from tests.support.model_server import model_server

TAGGING = "tickets_tag_company"


def test_an_intent_is_repaired_in_its_file_and_the_repair_is_undone(corner: Corner) -> None:
    name = corner.environment(TAGGING, ["zendesk"])
    path = corner.atom(f"intents/{TAGGING}.toml")
    whole = path.read_text(encoding="utf-8")
    damaged = whole.replace('by = ["name"]', 'by = ["kind"]', 1)
    assert damaged != whole
    path.write_text(damaged, encoding="utf-8")

    shown = corner.evolve("--dry-run")
    assert (shown["solvable_before"], shown["solvable_after"]) == (0.0, [1.0])
    assert path.read_text(encoding="utf-8") == damaged

    done = corner.evolve()
    assert done["causes"]["selector"] == 1
    assert [a["environments"] for a in done["accepted"]] == [[name]]
    assert "+by = " in done["accepted"][0]["diff"]
    repaired = path.read_text(encoding="utf-8")
    assert 'by = ["kind"]' not in repaired
    assert "version = 2" in repaired
    kept = json.loads((corner.home / "cache" / "proofs" / f"{name}.json").read_text(encoding="utf-8"))
    assert kept["proven"]
    log = json.loads(corner.run("--log", "--json").stdout)
    assert [(e["cause"], e["environments"], e["reproved"]) for e in log] == [("selector", [name], 1)]

    assert corner.run("--undo").returncode == 0
    assert path.read_text(encoding="utf-8") == damaged
    again = corner.run("--undo")
    assert (again.returncode, again.stderr) == (1, "legoenv: there is no repair to undo\n")


def test_a_goal_that_refuses_a_right_end_brings_the_run_that_it_refused(corner: Corner) -> None:
    name = corner.environment(TAGGING, ["zendesk"])
    path = corner.atom(f"intents/{TAGGING}.toml")
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace("to = { tags = ", 'to = { subject = "any", tags = ', 1), encoding="utf-8")
    done = corner.evolve()
    assert done["solvable_after"] == [1.0], done["rejected"]
    repair = next(a for a in done["accepted"] if a["atom"] == f"verifier {TAGGING}")
    assert "subject" not in path.read_text(encoding="utf-8")
    assert repair["exhibit"]["environment"] == name
    assert repair["exhibit"]["check"] == "V9: the reference plan passes"
    assert {c["app"] for c in repair["exhibit"]["calls"]} == {"zendesk"}
    assert [e["exhibit"] for e in json.loads(corner.run("--log", "--json").stdout)] == [repair["exhibit"]]


def test_faults_that_lie_in_each_others_way_are_repaired_in_one_round(corner: Corner) -> None:
    corner.environment(TAGGING, ["zendesk"])
    path = corner.atom(f"intents/{TAGGING}.toml")
    whole = path.read_text(encoding="utf-8")
    one = whole.replace('by = ["name"]', 'by = ["kind"]', 1)
    path.write_text(one.replace("to = { tags = ", 'to = { subject = "any", tags = ', 1), encoding="utf-8")
    done = corner.evolve()
    assert done["solvable_after"] == [1.0], done["rejected"]
    assert {a["atom"] for a in done["accepted"]} == {f"intent {TAGGING}", f"verifier {TAGGING}"}


def test_an_operation_is_put_together_from_what_it_left_behind(corner: Corner) -> None:
    name = corner.environment("jira_fix_version", ["jira", "discord"])
    without(corner.app("jira") / "tools" / "issues.py", "update_issue")
    done = corner.evolve()
    assert done["solvable_after"] == [1.0], done["rejected"]
    assert [(a["tool"], a["environments"]) for a in done["accepted"]] == [("update_issue", [name])]
    made = next((corner.home / "servers" / "jira" / "evolved").glob("e001_*.py")).read_text(encoding="utf-8")
    assert "from ..editing import edit" in made, "nothing comes to it any more, and it does what was asked for"
    assert "field_values(ctx, fields)" in made, "as other operations read what agents write"


def test_an_operation_gives_all_its_arguments_to_one_function_as_others_give_them(corner: Corner) -> None:
    name = corner.environment("fs_find_mentions", ["filesystem"])
    without(corner.app("filesystem") / "tools" / "writing.py", "write_file")
    done = corner.evolve()
    assert done["solvable_after"] == [1.0], done["rejected"]
    assert [(a["tool"], a["environments"]) for a in done["accepted"]] == [("write_file", [name])]
    made = next((corner.home / "servers" / "filesystem" / "evolved").glob("e001_*.py")).read_text(encoding="utf-8")
    assert "write(ctx, path=validate(ctx, path), data=content.encode())" in made


def test_a_list_is_read_by_the_function_that_others_read_with(corner: Corner) -> None:
    name = corner.environment("crm_same_person_twice", ["hubspot", "discord"])
    without(corner.app("hubspot") / "tools" / "objects.py", "list_objects")
    done = corner.evolve()
    assert done["solvable_after"] == [1.0], done["rejected"]
    assert [(a["tool"], a["environments"]) for a in done["accepted"]] == [("list_objects", [name])]
    made = next((corner.home / "servers" / "hubspot" / "evolved").glob("e001_*.py")).read_text(encoding="utf-8")
    assert "kind=resolve(ctx, objectType)" in made
    assert "archived: bool = False" in made, "other reads have it, and no known caller gives it"
    assert " = 10," in made, "a page's size, which other reads do without"
    assert '"/crm/v3/objects/{objectType}"' in made


def test_an_operation_heeds_its_arguments_and_does_for_every_task(corner: Corner) -> None:
    """One task looks at nothing that it answers; one does, and always asks for the same type."""
    names = [corner.environment("contact_change_by_mail", ["gmail", "salesforce", "trello"])]
    names.append(corner.environment("twilio_opt_out_customer", ["salesforce", "twilio"]))
    without(corner.app("salesforce") / "tools" / "records.py", "get_record")
    done = corner.evolve()
    assert done["solvable_after"] == [1.0], done["rejected"]
    assert [(a["tool"], sorted(a["environments"])) for a in done["accepted"]] == [("get_record", sorted(names))]
    made = next((corner.home / "servers" / "salesforce" / "evolved").glob("e001_*.py")).read_text(encoding="utf-8")
    assert "find(ctx, kind=kind_of(sobject), record_id=id)" in made
    reasons = {r["reason"] for r in done["rejected"]}
    assert "sobject makes no difference" in reasons, reasons


def test_an_intent_reads_again_and_no_phrasing_gives_its_answer_away(corner: Corner) -> None:
    corner.environment("bills_due_answer", ["quickbooks"])
    path = corner.atom("intents/bills_due_answer.toml")
    whole = path.read_text(encoding="utf-8")
    assert whole.count("[[step]]") == 1
    without_steps = whole.replace('[[step]]\ndo = "books.list_bills"\n', "").replace(
        "version = 1\n", "version = 1\nstep = []\n"
    )
    path.write_text(without_steps, encoding="utf-8")
    done = corner.evolve()
    assert done["solvable_after"] == [1.0], done["rejected"]
    assert [a["cause"] for a in done["accepted"]] == ["unread"]
    repaired = path.read_text(encoding="utf-8")
    assert 'do = "books.list_bills"' in repaired
    assert repaired.count("[[phrasing]]") == whole.count("[[phrasing]]")
    assert "bill.number" not in repaired


def test_what_is_said_of_each_of_several_is_said_again(corner: Corner) -> None:
    corner.environment("trello_checklist_from_list", ["trello"])
    path = corner.atom("intents/trello_checklist_from_list.toml")
    whole = path.read_text(encoding="utf-8")
    lists = re.findall(r"\{% for i in items %\}.*?\{\{ i \}\}", whole)
    assert len(lists) == 2, "two phrasings that list the items"
    path.write_text(whole.replace(lists[0], lists[0].replace("{{ i }}", "it")), encoding="utf-8")
    done = corner.evolve()
    assert done["solvable_after"] == [1.0], done["rejected"]
    assert [a["cause"] for a in done["accepted"]] == ["wording"]
    assert "({% for i in items %}{{ i }}" in path.read_text(encoding="utf-8")


def test_two_that_are_called_the_same_are_told_apart_by_one_repair(corner: Corner) -> None:
    """A condition fails by it, too; and what the repair of one task has put right for the other is not repaired again."""
    for deal in ("kemptway-2026", "haverfield-watch"):
        corner.environment("hubspot_champion_on_deal", ["hubspot", "quickbooks"], deal=deal)
    path = corner.world("tarrowlisle") / "deals.csv"
    whole = path.read_text(encoding="utf-8")
    same = "Kemptway University - Reviews 2026/27"
    assert f"kemptway-2026,{same}," in whole
    path.write_text(re.sub(r"(?m)^haverfield-watch,[^,]*,", f"haverfield-watch,{same},", whole), encoding="utf-8")
    done = corner.evolve()
    assert (done["solvable_before"], done["solvable_after"]) == (0.0, [1.0]), done["rejected"]
    assert [a["cause"] for a in done["accepted"]] == ["ambiguous"]
    assert path.read_text(encoding="utf-8").count(f",{same},") == 1


def test_a_goal_that_no_longer_looks_into_a_list_does_again(corner: Corner) -> None:
    corner.environment("airtable_urgent_tickets", ["airtable", "zendesk"])
    path = corner.atom("intents/airtable_urgent_tickets.toml")
    whole = path.read_text(encoding="utf-8")
    demanded = ', rows = { holds = ["= it.subject", "= it.status", false] }'
    assert demanded in whole
    path.write_text(whole.replace(demanded, ""), encoding="utf-8")
    done = corner.evolve()
    assert done["solvable_after"] == [1.0], done["rejected"]
    repair = next(a for a in done["accepted"] if a["atom"] == "verifier airtable_urgent_tickets")
    assert repair["exhibit"]["calls"], "the end that was wrongly accepted"
    assert "= it.subject" in path.read_text(encoding="utf-8").partition('name = "record"')[2]


def test_a_repair_that_was_changed_since_is_not_undone(corner: Corner) -> None:
    path = corner.atom(f"intents/{TAGGING}.toml")
    log = corner.home / "atoms_db" / "evolution" / "log.jsonl"
    log.parent.mkdir()
    file = {"path": f"atoms_db/intents/{TAGGING}.toml", "before": "00", "after": "11", "was": "id = 1"}
    log.write_text(json.dumps({"atom": "intent x", "title": "t", "files": [file]}) + "\n", encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    refused = corner.run("--undo")
    assert refused.returncode == 1
    assert "has been changed since" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert path.read_text(encoding="utf-8") == before


ESCAPES = {
    "reads a file": "    open('/etc/passwd').read()\n",
    "opens a socket": "    import socket\n    socket.create_connection(('127.0.0.1', 9))\n",
    "forks": "    import os\n    os.fork()\n",
    "reaches through attributes": "    ().__class__.__base__.__subclasses__()\n",
}


def test_a_models_repair_is_taken_where_it_stands_and_the_rest_refused_with_the_reason(corner: Corner) -> None:
    corner.environment(TAGGING, ["zendesk"])
    gone = without(corner.app("zendesk") / "tools" / "tags.py", "add_tags")
    head = (
        "from typing import Any\n\nfrom legoenv_mcp.app import Ctx\n\nfrom .. import ticketing\nfrom ..app import app\n"
        "from ..tools.tags import TagList, TicketId, _tag\n\n\n"
    )  # fmt: skip
    signature, _, _ = gone.partition("    return _tag")
    useless = head + signature + '    return {"tags": tags}\n'
    looping = head + signature + "    while True:\n        pass\n"
    answers = ["This is no JSON.", json.dumps({"title": "no code"})]
    answers += [
        json.dumps({"title": how, "code": head + signature + body + "    return {}\n"}) for how, body in ESCAPES.items()
    ]
    answers += [json.dumps({"title": how, "code": code}) for how, code in (("useless", useless), ("good", head + gone))]
    with model_server(answers) as server:
        words = (
            "--backend",
            "openai",
            "--model",
            "scripted",
            "--base-url",
            server.url,
            "--candidates",
            str(len(answers)),
        )
        done = corner.evolve(*words)
        told = [r["messages"][-1]["content"] for r in server.requests]
    reasons = {r["title"]: r["reason"] for r in done["rejected"] if r["cause"] == "missing_operation"}
    assert done["solvable_after"] == [1.0], done["unsolved"]
    assert [a["title"] for a in done["accepted"]] == ["good"]
    assert "malformed" in reasons["an answer"]
    assert all("inspection" in reasons[how] for how in ESCAPES)
    assert "useless" in reasons
    assert any("inspection" in message for message in told)
    assert (corner.home / "servers" / "zendesk" / "evolved" / "e001_add_tags.py").is_file()
    assert looping  # tried where nothing inspects it: test_nursery.py


def test_bad_input_is_one_line(corner: Corner) -> None:
    for words, status in ((("--backend", "openai"), 2), (("--envs", "nowhere.txt"), 2), (("--rounds", "0"), 2)):
        done = corner.run(*words)
        assert done.returncode == status
        assert done.stderr.startswith("legoenv: ")
        assert done.stderr.count("\n") == 1
