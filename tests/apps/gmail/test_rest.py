"""Gmail: REST; MIME; the MCP face."""

import base64
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import templates
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.gmail.support import DANA, FOLDERS, MAIL, call, http, mime, raw, ref, shared, view


def test_googles_common_parameters(episode: Episode) -> None:
    path = "/gmail/v1/users/me/labels/INBOX"
    assert http(episode, "GET", f"{path}?alt=json&prettyPrint=false&key=k&quotaUser=q&fields=id").body == {
        "id": "INBOX"
    }
    assert http(episode, "GET", f"{path}?fields=*").body["messagesTotal"] == 2
    wrong = http(episode, "GET", f"{path}?colour=red")
    assert wrong.status == 400
    assert "colour" in wrong.body["error"]["message"]
    assert "errors" not in http(episode, "GET", f"{path[:-5]}NOPE?$.xgafv=2").body["error"]
    assert (
        http(episode, "GET", "/gmail/v1/users/other@x.example/labels").body["error"]["message"]
        == "Delegation denied for alex.doyle@brightwater.example"
    )
    assert http(episode, "GET", "/gmail/v1/users/me/nothing").status == 404


def test_bad_bodies_are_told_in_googles_words(episode: Episode) -> None:
    send = "/gmail/v1/users/me/messages/send"
    unknown = http(episode, "POST", send, {"raw": raw(To="a@b.example"), "colour": 1}).body["error"]
    assert unknown["message"] == 'Invalid JSON payload received. Unknown name "colour": Cannot find field.'
    assert unknown["details"][0]["@type"] == "type.googleapis.com/google.rpc.BadRequest"
    nested = http(episode, "POST", "/gmail/v1/users/me/drafts", {"message": {"colour": 1}}).body["error"]
    assert (
        nested["message"] == "Invalid JSON payload received. Unknown name \"colour\" at 'message': Cannot find field."
    )
    assert http(episode, "GET", "/gmail/v1/users/me/messages?maxResults=many").status == 400
    assert (
        "'format'"
        in http(episode, "GET", f"/gmail/v1/users/me/messages/{ref(episode, 'inv.1')}?format=x").body["error"][
            "message"
        ]
    )
    assert http(episode, "POST", send, b"{", "application/json").status == 400
    assert (
        http(episode, "POST", send, {"to": "a@b.example", "subject": "x"}).status == 400
    )  # fields are for agents alone
    assert episode.changes() == []


@pytest.mark.parametrize("fields", ["nope", "messages(id", "messages/payload/nope", "id,", "messages(id,nope)", ""])
def test_bad_field_selections(episode: Episode, fields: str) -> None:
    reply = http(episode, "GET", f"/gmail/v1/users/me/messages?fields={fields}")
    assert reply.status == (400 if fields else 200)


def test_field_selections(episode: Episode) -> None:
    base = f"/gmail/v1/users/me/threads/{call(episode, 'get_message', id=ref(episode, 'inv.1'))['threadId']}"
    assert set(
        http(episode, "GET", f"{base}?fields=messages(id,payload/headers(name)),historyId").body["messages"][0]
    ) == {"id", "payload"}
    assert http(episode, "GET", f"{base}?fields=messages/id,messages/snippet").body["messages"][0].keys() == {
        "id",
        "snippet",
    }
    assert http(episode, "GET", f"{base}?fields=messages,messages/id").body["messages"][0].keys() > {"id", "snippet"}
    assert http(episode, "GET", f"{base}?fields=*/id").body == {
        "messages": [{"id": ref(episode, k)} for k in ("inv.1", "inv.2")]
    }


def test_a_batch_of_bad_parts(episode: Episode) -> None:
    assert http(episode, "POST", "/batch/gmail/v1", b"x", "text/plain").status == 400
    part = "--b\r\nContent-Type: application/http\r\nContent-ID: <x + {n}>\r\n\r\n{line}\r\n\r\n"
    lines = [
        "GET /base/gmail/v1/users/me/labels?fields=labels/id",
        "nonsense",
        "POST /batch/gmail/v1",
        "DELETE /gmail/v1/users/me/labels/INBOX",
        "GET /nowhere",
    ]
    body = "".join(part.format(n=n, line=line) for n, line in enumerate(lines)) + "--b--\r\n"
    reply = http(episode, "POST", "/batch/gmail/v1", body.encode(), "multipart/mixed; boundary=b")
    assert reply.status == 200
    text = str(reply.body)
    assert [line.split()[1] for line in text.splitlines() if line.startswith("HTTP/1.1")] == [
        "200",
        "400",
        "400",
        "400",
        "404",
    ]
    assert "<response-x + 0>" in text
    assert episode.changes() == []


@pytest.mark.parametrize(
    ("kind", "query", "body"),
    [
        ("message/rfc822", "", b""),
        ("multipart/related; boundary=z", "?uploadType=multipart", b"nothing"),
        ("multipart/related; boundary=z", "?uploadType=multipart", b"--z\r\n\r\n[]\r\n--z\r\n\r\nx\r\n--z--"),
        ("message/rfc822", "?uploadType=strange", b"To: a@b.example\r\n\r\nx"),
        ("message/rfc822", "?upload_id=none", b"x"),
        ("message/rfc822", "", b"\xff\xfe\x00garbage"),
    ],
)
def test_bad_uploads(episode: Episode, kind: str, query: str, body: bytes) -> None:
    for place in ("messages/send", "drafts/send"):
        reply = http(episode, "POST", f"/upload/gmail/v1/users/me/{place}{query}", body, kind)
        assert 400 <= reply.status < 500, reply.body
    assert episode.changes() == []


def test_a_resumable_upload_in_pieces(episode: Episode) -> None:
    start = http(episode, "POST", "/upload/gmail/v1/users/me/messages?uploadType=resumable", {"labelIds": ["INBOX"]})
    path = start.headers["Location"].removeprefix("https://host/base")
    data = b"From: a@b.example\r\nSubject: Pieces\r\n\r\n" + b"x" * 100
    half = http(episode, "PUT", path, data[:60], "message/rfc822", **{"content-range": f"bytes 0-59/{len(data)}"})
    assert (half.status, half.headers) == (308, {"Range": "bytes=0-59"})
    asked = http(episode, "PUT", path, b"", "", **{"content-range": f"bytes */{len(data)}"})
    assert asked.headers == {"Range": "bytes=0-59"}
    assert (
        http(episode, "PUT", path, data[90:], "", **{"content-range": f"bytes 90-{len(data) - 1}/{len(data)}"}).status
        == 400
    )
    done = http(
        episode, "PUT", path, data[60:], "message/rfc822", **{"content-range": f"bytes 60-{len(data) - 1}/{len(data)}"}
    )
    assert done.body["labelIds"] == ["INBOX"]
    assert view(episode, done.body["id"]).subject == "Pieces"


STARTS = [
    b"",
    b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n",
    b"Content-Type: text/plain; charset=x\r\nContent-Transfer-Encoding: base64\r\n\r\n",
]


@settings(max_examples=120, deadline=None, database=None)
@given(
    st.binary(max_size=300),
    st.sampled_from(
        [
            b"",
            b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n",
            b"Content-Type: text/plain; charset=x\r\nContent-Transfer-Encoding: base64\r\n\r\n",
        ]
    ),
)
def test_any_bytes_are_a_message(data: bytes, start: bytes) -> None:
    episode = shared()
    given = base64.urlsafe_b64encode(start + data).decode()
    reply = episode.call("gmail", "insert_message", {"raw": given})
    assert reply.status in (200, 400), reply.body
    if reply.status == 200:
        for form in ("full", "raw", "metadata", "minimal"):
            for decode in (True, False):
                assert (
                    episode.call(
                        "gmail", "get_message", {"id": reply.body["id"], "format": form, "decode": decode}
                    ).status
                    == 200
                )
        view(episode, reply.body["id"])
        assert episode.call("gmail", "delete_message", {"id": reply.body["id"]}).status == 204


LINE = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), max_size=120)


@settings(max_examples=60, deadline=None, database=None)
@given(subject=LINE, body=st.lists(LINE, max_size=6).map("\n".join), name=st.text("ab ,.'\"\\<;:@(é漢", max_size=20))
def test_what_is_written_is_read_again(subject: str, body: str, name: str) -> None:
    title = " ".join(name.replace("<", "").split())
    letter = mime.Letter(
        "a@b.example", [f"{title} <c@d.example>" if title else "c@d.example"], subject=subject, body=body
    )
    parsed = mime.parse(mime.write(letter, "mark"))
    assert " ".join(parsed.header("Subject").split()) == " ".join(subject.split())
    assert parsed.inline("plain") == body.rstrip("\n")
    assert [mime.bare(a) for a in mime.addresses(parsed.all("To"))] == ["c@d.example"]


def test_the_same_calls_give_the_same_bytes() -> None:
    def play() -> tuple[Any, ...]:
        episode = episode_of("gmail", [*FOLDERS, *MAIL])
        sent = call(episode, "send_message", to=DANA, body="x", attachments=[{"filename": "a", "content": "b"}])
        whole = call(episode, "get_message", id=sent["id"], format="raw")
        return whole, call(episode, "create_draft", to=DANA, body="y"), [c.as_json() for c in episode.changes()]

    assert play() == play()


async def test_over_mcp(episode: Episode) -> None:
    async with Client(serve(episode, ["gmail"])) as client:
        listed = await client.list_tools()
        assert 40 <= len(listed.tools) <= 60
        found = await client.call_tool("list_messages", {"q": "is:unread"})
        assert found.structured_content
        assert found.structured_content["messages"][0]["from"] == DANA
        wrong = await client.call_tool("delete_label", {"id": "INBOX"})
        assert wrong.is_error
        assert "Invalid delete request" in wrong.content[0].text  # pyright: ignore[reportAttributeAccessIssue]
        unknown = await client.call_tool("send_message", {"to": "a@b.example", "colour": "red"})
        assert unknown.is_error
        sent = await client.call_tool(
            "send_message", {"to": '["a@b.example", "c@d.example"]', "subject": "s", "body": "b"}
        )
        assert not sent.is_error


def test_world_answers_are_short_enough_for_agents() -> None:
    episode = templates.episode(["gmail"])
    for tool in ("list_messages", "list_threads", "list_drafts", "list_labels"):
        assert len(episode.call("gmail", tool, {}).text()) < 25_000, tool
