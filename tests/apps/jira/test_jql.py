"""Jira: JQL."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from legoenv_mcp.kernel.episode import Episode
from tests.apps.jira.support import call, fresh, http, keys, refused


@pytest.mark.parametrize(
    ("jql", "found"),
    [
        ("project = ops", "1 2 3 4 5 6"),
        ('project = "Operations" AND assignee = currentUser()', "3"),
        ("assignee = 'nina.ray@brightwater.example'", "2"),
        ('assignee in ("Nina Ray", currentUser())', "2 3"),
        ("assignee != currentUser()", "2"),
        ("project = OPS AND assignee is EMPTY", "1 4 5 6"),
        ("assignee in membersOf('jira-administrators')", "3"),
        ("statusCategory = 'In Progress'", "1 5"),
        ("status in (Done, 'In Review')", "4 5"),
        ("resolution = Unresolved AND project = OPS AND status != 'To Do'", "1 5"),
        ("priority >= High", "1 2"),
        ("priority < Medium", "3"),
        ("priority is EMPTY AND project = OPS", "4 6"),
        ("labels = q1 AND labels = legal", "2"),
        ("labels not in (legal)", "4"),
        ("type = Bug || type = Story", "3 4"),
        ("issuetype in subTaskIssueTypes()", "6"),
        ("parent = OPS-1", "2 4"),
        ("key in (OPS-2, ops-3)", "2 3"),
        ("key > OPS-4", "5 6"),
        ("due <= endOfWeek()", "2"),
        ('due >= "2026-03-06" and duedate < 2026-04-01', "5"),
        ("created >= -26d AND project = OPS", "4 5 6"),
        ("resolved >= startOfMonth(-1M)", "4"),
        ("created = '2026-02-03 09:00'", "3"),
        ("text ~ renewals", ""),
        ("text ~ renewing", "2"),
        ("text ~ folder", "2"),
        ("comment ~ '\"shared folder\"'", "2"),
        ("comment ~ '\"folder shared\"'", ""),
        ("summary ~ 'contract -piece'", "2"),
        ("summary ~ 'pri*' AND summary !~ yellow", "3"),
        ("description ~ 'sign OR nothing'", "2"),
        ("NOT (project = OPS AND status != Done) AND project = OPS", "4"),
        ("project = OPS AND (status = Done OR ! type = Task) AND type != Epic", "3 4 6"),
        ("filter = 'Filter for OPS board' AND type = Epic", "1"),
        ("watchers = 0 AND votes < 1 AND type = Bug", "3"),
        ("status WAS 'To Do' AND type = Bug", "3"),
        ("reporter was not currentUser()", "OLD-1"),
    ],
)
def test_jql_finds(episode: Episode, jql: str, found: str) -> None:
    expected = [k if "-" in k else f"OPS-{k}" for k in found.split()]
    assert sorted(keys(episode, jql)) == expected


@pytest.mark.parametrize(
    ("jql", "said"),
    [
        ("", "Unbounded JQL queries are not allowed here. Please add a search restriction to your query."),
        ("ORDER BY key", "Unbounded JQL queries are not allowed here. Please add a search restriction to your query."),
        ("colour = red", "Field 'colour' does not exist or you do not have permission to view it."),
        ("project = NOPE", "The value 'NOPE' does not exist for the field 'project'."),
        ("project = 99999", "A value with ID '99999' does not exist for the field 'project'."),
        ("status = Shipped", "The value 'Shipped' does not exist for the field 'status'."),
        ("assignee = bob", "The value 'bob' does not exist for the field 'assignee'."),
        ("key = OPS-99", "An issue with key 'OPS-99' does not exist for field 'key'."),
        ("project ~ OPS", "The operator '~' is not supported by the 'project' field."),
        ("summary = x", "The operator '=' is not supported by the 'summary' field."),
        ("project in OPS", "Operator 'in' does not support the non-list value 'OPS' for field 'project'."),
        ("project = (OPS, LAB)", "Operator '=' does not support the list value '(OPS, LAB)' for field 'project'."),
        ("assignee = noSuch()", "Unable to find JQL function 'noSuch()'."),
        ("status = currentUser()", "A value provided by the function 'currentUser' is invalid for the field 'status'."),
        ("assignee = currentUser(1)", "Function 'currentUser' expected '0' arguments but received '1'."),
        ("updated > yesterday", "Date value 'yesterday' for field 'updated' is invalid."),
        ("project = OPS AND", "Error in the JQL Query: Expecting a field name at the end of the query."),
        ("project OPS", "Error in the JQL Query: Expecting operator but got 'OPS'. The valid operators are"),
        ("project = OPS status = Done", "Error in the JQL Query: Expecting either 'OR' or 'AND' but got 'status'. (line 1, character 15)"),
        ("(project = OPS", "Error in the JQL Query: Expecting ')' before the end of the query."),
        ("summary ~ 'open", "Error in the JQL Query: The quoted string 'open' has not been completed. (line 1, character 11)"),
        ("limit = 3", "'limit' is a reserved JQL word."),
        ("assignee = a@b.c", "The character '@' is a reserved JQL character."),
        ("status was Done from 'To Do'", "The predicate 'FROM' is not supported with the operator 'was'"),
        ("project = OPS ORDER BY text", "Not able to sort using field 'text'."),
        ("project = OPS ORDER BY colour", "Field 'colour' does not exist or you do not have permission to view it."),
        ("summary ~ '*x'", "The '*' and '?' are not allowed as first character in wildcard query."),
        ("summary ~ '('", "Unable to parse the text '(' for field 'summary'."),
        ("(" * 60 + "key = OPS-1" + ")" * 60, "The JQL query is nested too deeply."),
        (" OR ".join(["key = OPS-1"] * 500), "The JQL query is too complex"),
    ],
)  # fmt: skip
def test_jql_that_means_nothing_is_refused_in_jiras_words(episode: Episode, jql: str, said: str) -> None:
    assert refused(episode, "search", jql=jql).startswith(said) or said in refused(episode, "search", jql=jql)


def test_jql_orders_by_several_fields_with_empty_values_last(episode: Episode) -> None:
    assert keys(episode, "project = OPS ORDER BY priority DESC, key ASC") == [f"OPS-{n}" for n in (4, 6, 2, 1, 5, 3)]
    assert keys(episode, "project = OPS ORDER BY due, key DESC") == [f"OPS-{n}" for n in (2, 5, 6, 4, 3, 1)]


def test_changed_looks_at_the_history(episode: Episode) -> None:
    assert keys(episode, "status CHANGED") == []
    call(episode, "transition_issue", issue_key="OPS-2", transition_id="In Progress")
    assert keys(episode, "status CHANGED FROM 'To Do' TO 'In Progress' BY currentUser() AFTER startOfDay()") == [
        "OPS-2"
    ]
    assert keys(episode, "status CHANGED TO Done") == []
    assert keys(episode, "status WAS 'To Do' AND status = 'In Progress'") == ["OPS-2"]
    assert keys(episode, "status CHANGED DURING ('2026-03-02', now())") == ["OPS-2"]


CLAUSES = st.sampled_from(
    ["status = Done", "assignee is EMPTY", "labels is EMPTY", "priority is not NULL", "text ~ contract", "type != Bug", "status WAS Done",
     "project = OPS", "resolution is not EMPTY", "reporter != currentUser()", "created < -20d", "sprint is EMPTY", "watchers = 0"]
)  # fmt: skip


QUERIES = st.recursive(
    CLAUSES,
    lambda inner: st.one_of(
        inner.map(lambda q: f"NOT ({q})"),
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
    ),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(QUERIES)
def test_a_query_and_its_negation_share_out_all_issues(query: str) -> None:
    episode = fresh()
    yes, no = set(keys(episode, query)), set(keys(episode, f"NOT ({query})"))
    assert not yes & no
    assert yes | no == set(keys(episode, "project is not EMPTY"))


def test_not_turns_operators_round(episode: Episode) -> None:
    """As in Jira: without the value, an issue passes neither a clause nor its negation."""
    for query, opposite in (
        ("assignee = currentUser()", "assignee != currentUser()"),
        ("labels in (q1, LEGAL)", "labels not in (q1, LEGAL)"),
        ("due < 7d", "due >= 7d"),
        ("due is EMPTY", "due is not EMPTY"),
        (
            "due is EMPTY OR priority > Low AND NOT labels = legal",
            "due is not EMPTY AND (priority <= Low OR labels = legal)",
        ),
        ("status WAS Done", "status WAS NOT Done"),
    ):
        assert keys(episode, f"NOT ({query})") == keys(episode, opposite)
        assert keys(episode, f"NOT NOT ({query})") == keys(episode, query)
    call(episode, "transition_issue", issue_key="OPS-2", transition_id="In Progress")
    assert "OPS-2" not in keys(episode, "NOT status CHANGED")


def test_was_knows_when_and_by_whom(episode: Episode) -> None:
    call(episode, "transition_issue", issue_key="OPS-2", transition_id="In Progress")
    assert keys(episode, "status WAS 'To Do' BEFORE startOfDay() AND type != Bug AND project = OPS") == [
        "OPS-6",
        "OPS-2",
    ]
    assert keys(episode, "status WAS 'In Progress' BEFORE startOfDay() AND key = OPS-2") == []
    assert keys(episode, "status WAS IN ('In Progress', Done) AFTER startOfDay() BY currentUser() AND key = OPS-2") == [
        "OPS-2"
    ]
    assert keys(episode, "status WAS 'In Progress' BY 'Nina Ray' AND key = OPS-2") == []
    assert keys(episode, "status WAS 'In Progress' ON now() AND key = OPS-2") == ["OPS-2"]
    assert keys(episode, "status WAS 'To Do' DURING ('2026-02-03', '2026-02-04') AND project = OPS") == [
        "OPS-3",
        "OPS-2",
    ]
    assert "OPS-2" in keys(episode, "status WAS NOT Done AFTER '2026-01-01'")
    call(episode, "assign_issue", issue_key="OPS-2")
    assert keys(episode, "assignee WAS EMPTY AFTER startOfDay() AND key = OPS-2") == ["OPS-2"]


def test_common_words_are_not_searched_for(episode: Episode) -> None:
    assert keys(episode, "summary ~ 'with a contract'") == ["OPS-6", "OPS-2"]
    assert keys(episode, "summary ~ '\"piece contract\"'") == ["OPS-6"]
    assert keys(episode, "summary ~ 'the'") == []
    assert keys(episode, "summary ~ 'contract -the'") == ["OPS-6", "OPS-2"]
    assert keys(episode, "summary ~ 'printer OR the'") == ["OPS-3"]


def test_links_and_parts_can_be_searched_for(episode: Episode) -> None:
    call(episode, "create_issue_link", link_type="Blocks", inward_issue_key="OPS-2", outward_issue_key="OPS-3")
    assert keys(episode, "issueLinkType = blocks") == ["OPS-2"]
    assert keys(episode, "issueLinkType is not EMPTY AND issueLinkType != Relates") == ["OPS-3", "OPS-2"]
    assert keys(episode, "issueLinkType = 'is blocked by'") == ["OPS-3"]
    assert keys(episode, "project = OPS AND issueLinkType is EMPTY AND type = Bug") == []
    assert keys(episode, "attachments is not EMPTY") == []
    assert keys(episode, "labels = LEGAL") == ["OPS-2"]
    first = call(episode, "create_version", project_key="OPS", name="1.0")
    call(episode, "create_version", project_key="OPS", name="2.0")
    call(episode, "update_issue", issue_key="OPS-2", fields={"fixVersions": ["1.0"]})
    assert keys(episode, "fixVersion = earliestUnreleasedVersion(OPS)") == ["OPS-2"]
    call(episode, "update_version", version_id=first["id"], released=True)
    assert keys(episode, "fixVersion = latestReleasedVersion(OPS)") == ["OPS-2"]
    call(episode, "add_worklog", issue_key="OPS-3", time_spent="1h", comment="Bought toner")
    assert keys(episode, "worklogComment ~ toner") == ["OPS-3"]
    assert keys(episode, "issuekey in updatedBy('nina.ray@brightwater.example') AND project = OPS") == ["OPS-2"]
    assert keys(episode, "hierarchyLevel = 1") == ["OPS-1"]


WORDS = """project status labels text summary due created key sprint fixVersion priority assignee comment cf[10016] votes worklogDate parent
    statusCategory resolution filter watcher issueLinkType attachments worklogComment workRatio hierarchyLevel blocks updatedBy("Nina_Ray")
    earliestUnreleasedVersion(OPS) updatedBy(x,-1d)
    = != > <= ~ !~ in not is was changed and or ( ) , ! && || EMPTY null OPS Done q1 High -7d
    OPS-1 1 "x y" 'a' now() startOfDay(-1d) currentUser() membersOf(x) linkedIssues(OPS-1) order by asc desc after from to by during
    "*" "\\"" "~" "(a" -"""


TOKENS = st.sampled_from(WORDS.split())


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TOKENS, max_size=9).map(" ".join))
def test_no_query_is_our_fault(query: str) -> None:
    reply = fresh().call("jira", "search", {"jql": query})
    assert reply.status in (200, 400), (query, reply.body)


def test_a_file_comes_as_a_form_that_says_it_is_no_forgery(episode: Episode) -> None:
    path = "/rest/api/3/issue/OPS-2/attachments"
    assert http(episode, "POST", path, {"file": {"content": "x"}}).status == 403
    assert http(episode, "POST", path, {"file": {"content": "x"}}, **{"x-atlassian-token": "no-check"}).status == 400
    made = call(episode, "add_attachment", issue_key="OPS-2", filename="note.txt", text="Hello")
    assert episode.call("jira", "download_attachment", {"attachment_id": made[0]["id"]}).body == b"Hello"
    assert "base64" in refused(episode, "add_attachment", issue_key="OPS-2", filename="a", content_base64="§")


def test_a_search_is_walked_page_by_page(episode: Episode) -> None:
    first = call(episode, "search", jql="project = OPS ORDER BY key", limit=4)
    assert (len(first["issues"]), first["isLast"], first["total"]) == (4, False, 6)
    second = call(episode, "search", jql="project = OPS ORDER BY key", limit=4, page_token=first["nextPageToken"])
    assert second["isLast"] is True
    assert "nextPageToken" not in second
    assert [i["key"] for i in first["issues"] + second["issues"]] == [f"OPS-{n}" for n in range(1, 7)]
    assert "next page token" in refused(episode, "search", jql="project = OPS", page_token="junk")


def test_the_older_search_counts_and_warns(episode: Episode) -> None:
    body = http(episode, "GET", "/rest/api/2/search?jql=project=OPS&startAt=4&maxResults=10&fields=summary").body
    assert (body["total"], body["startAt"], len(body["issues"])) == (6, 4, 2)
    warned = http(episode, "POST", "/rest/api/2/search", {"jql": "colour = red", "validateQuery": "warn"}).body
    assert warned["warningMessages"] == ["Field 'colour' does not exist or you do not have permission to view it."]
    assert warned["total"] == 0
