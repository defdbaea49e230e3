"""What the tests of QuickBooks Online share."""

import json
from typing import Any
from urllib.parse import urlencode

from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import Episode

SLUG, BASE = "quickbooks", "/v3/company/9341453172468000"


class Books:
    """An episode's company, over both faces."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.live = episode.app(SLUG)

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        reply = self.live.call(tool, arguments)
        assert not reply.error, reply.body
        return next((v for k, v in reply.body.items() if k != "time"), {})

    def refused(self, tool: str, code: str, **arguments: Any) -> dict[str, Any]:
        """A refused call: its code, and that it changed nothing."""
        before = self.live.store.connection.serialize()
        reply = self.live.call(tool, arguments)
        assert reply.error, reply.body
        error = reply.body["Fault"]["Error"][0]
        assert (reply.status, error["code"]) == (400, code), error
        assert self.live.store.connection.serialize() == before
        return error

    def http(self, method: str, path: str, body: Any = None, kind: str = "application/json", **query: Any) -> Any:
        target = BASE + path
        url = f"http://x{target}" + (f"?{urlencode(query)}" if query else "")
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        request = Request(
            method, target, url, {k: str(v) for k, v in query.items()}, {"content-type": kind}, "http://x"
        )
        return rest.handle(self.live, request, content)

    def find(self, entity: str, where: str = "") -> list[dict[str, Any]]:
        text = f"SELECT * FROM {entity}{f' WHERE {where}' if where else ''} MAXRESULTS 1000"
        return self("query", query=text).get(entity, [])

    def account(self, name: str) -> dict[str, Any]:
        return self.find("Account", f"FullyQualifiedName = '{name}'")[0]

    def balance(self, name: str) -> float:
        return self.account(name)["CurrentBalance"]

    def again(self, entity: str, row: dict[str, Any]) -> dict[str, Any]:
        return self("get_record", entity=entity, id=row["Id"])

    def sums(self) -> int:
        return self.live.store.query("SELECT coalesce(sum(amount), 0) AS n FROM posting")[0]["n"]


def ref(row: dict[str, Any]) -> dict[str, str]:
    return {"value": row["Id"]}


def sold(amount: float, item: str = "1", **detail: Any) -> dict[str, Any]:
    return {
        "DetailType": "SalesItemLineDetail",
        "Amount": amount,
        "SalesItemLineDetail": {"ItemRef": {"value": item}, **detail},
    }


def spent(amount: float, account: dict[str, Any]) -> dict[str, Any]:
    detail = {"AccountRef": ref(account)}
    return {"DetailType": "AccountBasedExpenseLineDetail", "Amount": amount, "AccountBasedExpenseLineDetail": detail}


def entry(side: str, account: dict[str, Any], amount: float, **detail: Any) -> dict[str, Any]:
    inner = {"PostingType": side, "AccountRef": ref(account), **detail}
    return {"DetailType": "JournalEntryLineDetail", "Amount": amount, "JournalEntryLineDetail": inner}


def pays(row: dict[str, Any], amount: float, kind: str = "Invoice") -> dict[str, Any]:
    return {"Amount": amount, "LinkedTxn": [{"TxnId": row["Id"], "TxnType": kind}]}


def version(row: dict[str, Any]) -> dict[str, str]:
    return {"Id": row["Id"], "SyncToken": row["SyncToken"]}


def a_customer(books: Books, name: str = "Sorrel & Sons", **more: Any) -> dict[str, Any]:
    return books("create_customer", DisplayName=name, **more)


def totals(report: dict[str, Any]) -> dict[str, float]:
    return {
        row.get("group", ""): float(row["Summary"]["ColData"][-1]["value"])
        for row in report["Rows"]["Row"]
        if "Summary" in row
    }


def report(books: Books, tool: str, **arguments: Any) -> dict[str, Any]:
    reply = books.live.call(tool, arguments)
    assert not reply.error, reply.body
    return reply.body
