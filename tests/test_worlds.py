"""Worlds: what is shipped is whole and coherent, and what is broken is refused with its file and line."""

import os
import re
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from legoenv_mcp.capabilities import Entity, calendar, chat, crm, dev_repo, email, file_storage, payments
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.worlds import World, WorldError, atoms_folders, load, worlds

MINIMUM: dict[type[Entity], int] = {
    Person: 64, crm.Company: 44, crm.Contact: 90, crm.Lead: 25, crm.Deal: 56, crm.Activity: 40, chat.Channel: 30,
    chat.Message: 330, email.Message: 310, payments.Customer: 30, payments.Product: 8, payments.Subscription: 26,
    payments.Invoice: 90, payments.Payment: 85, dev_repo.Repository: 5, dev_repo.Issue: 70, dev_repo.PullRequest: 30,
    dev_repo.Release: 5, dev_repo.Run: 15, file_storage.File: 60,
}  # fmt: skip


@pytest.fixture(scope="module")
def world() -> World:
    return load("quaymark")


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A writable copy of the world that hides the shipped one."""
    source = next(info.folder for info in worlds() if info.id == "quaymark")
    folder = tmp_path / "worlds" / "quaymark"
    shutil.copytree(source, folder)
    monkeypatch.setenv("LEGOENV_ATOMS", os.pathsep.join(["", str(tmp_path)]))
    return folder


def test_all_worlds_load_and_name_themselves() -> None:
    assert [info.id for info in worlds()] == ["empty", "quaymark"]
    for info in worlds():
        loaded = load(info.id)
        assert loaded.agent.key == info.agent
        assert loaded.agent.email.endswith(f"@{info.domain}")
        assert loaded.agent.active


def test_a_fresh_account_is_the_agent_alone() -> None:
    empty = load("empty")
    assert [person.key for person in empty.entities(Person)] == ["robin.avery"]
    assert [one.owner for one in empty.entities(calendar.Calendar) if one.primary] == ["robin.avery"]
    assert not any(empty.entities(kind) for kind in MINIMUM if kind not in {Person, calendar.Calendar})


def test_loading_is_fast_and_repeatable(world: World) -> None:
    times: list[float] = []
    for _ in range(3):
        start = time.perf_counter()
        again = load("quaymark")
        times.append(time.perf_counter() - start)
        assert again.hash == world.hash
        assert again.entities(email.Message) == world.entities(email.Message)
    assert min(times) < 0.5


@pytest.mark.parametrize("kind", MINIMUM, ids=lambda kind: f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}")
def test_the_world_is_large_enough(world: World, kind: type[Entity]) -> None:
    assert len(world.entities(kind)) >= MINIMUM[kind]


def test_every_stage_status_and_box_occurs(world: World) -> None:
    assert {deal.stage for deal in world.entities(crm.Deal)} == {
        "prospecting", "qualification", "proposal", "negotiation", "won", "lost"
    }  # fmt: skip
    assert {invoice.status for invoice in world.entities(payments.Invoice)} == {
        "draft", "open", "paid", "void", "uncollectible"
    }  # fmt: skip
    assert {payment.status for payment in world.entities(payments.Payment)} == {"succeeded", "failed", "pending"}
    assert {message.box for message in world.entities(email.Message)} == {
        "inbox", "sent", "archive", "drafts", "trash", "spam"
    }  # fmt: skip
    assert {pull.state for pull in world.entities(dev_repo.PullRequest)} == {"open", "closed", "merged"}


def test_parents_come_before_children(world: World) -> None:
    for kind, parent in ((Person, "manager"), (chat.Message, "thread"), (email.Message, "in_reply_to")):
        seen: set[str] = set()
        for entity in world.entities(kind):
            assert not (key := getattr(entity, parent)) or key in seen, f"{entity.key} before {key}"
            seen.add(entity.key)
    seen = set()
    for folder in world.entities(file_storage.Folder):
        assert "/" not in folder.path or folder.path.rpartition("/")[0] in seen
        seen.add(folder.path)


def test_who_pays_is_a_customer_account(world: World) -> None:
    accounts = {account.key: account for account in world.entities(crm.Company)}
    addresses = {contact.email: contact.company for contact in world.entities(crm.Contact)}
    payers = world.entities(payments.Customer)
    for payer in payers:
        assert accounts[payer.company].kind in {"customer", "former_customer"}
        assert addresses[payer.email] == payer.company
    assert {payer.company for payer in payers} == {
        account.key for account in accounts.values() if account.kind in {"customer", "former_customer"}
    }


def test_won_deals_are_customers_with_a_subscription_and_invoices(world: World) -> None:
    accounts = {account.key: account for account in world.entities(crm.Company)}
    subscribed = {subscription.customer for subscription in world.entities(payments.Subscription)}
    invoiced = {invoice.customer for invoice in world.entities(payments.Invoice)}
    for deal in world.entities(crm.Deal):
        if deal.stage in {"won", "lost"}:
            assert deal.close_date < world.clock
        else:
            assert deal.close_date > world.clock[:10]
        if deal.stage == "won":
            assert accounts[deal.company].kind == "customer"
            assert {f"cus-{deal.company}"} <= subscribed & invoiced


def test_amounts_add_up(world: World) -> None:
    prices = {price.key: price for price in world.entities(payments.Price)}
    received: Counter[str] = Counter()
    for payment in world.entities(payments.Payment):
        assert payment.refunded <= payment.amount
        if payment.status == "succeeded":
            received[payment.invoice] += payment.amount
    payers = {payer.key: payer for payer in world.entities(payments.Customer)}
    for invoice in world.entities(payments.Invoice):
        assert invoice.lines
        assert invoice.currency == payers[invoice.customer].currency
        for line in invoice.lines:
            price = prices[line.price]
            assert (line.amount, invoice.currency) == (line.quantity * price.amount, price.currency)
        assert received[invoice.key] == (invoice.total if invoice.status == "paid" else 0), invoice.key
        assert bool(invoice.paid) == (invoice.status == "paid")


def test_deal_amounts_are_list_prices(world: World) -> None:
    prices = {(price.nickname): price for price in world.entities(payments.Price)}
    for deal in world.entities(crm.Deal):
        total = 0
        for item in deal.description.partition(". Lost: ")[0].split(" + "):
            quantity, nickname = item.split(" x ")
            price = prices[nickname]
            assert price.currency == deal.currency.lower()
            total += int(quantity) * price.amount * (12 if price.interval == "month" else 1)
        assert deal.amount * 100 == total, deal.key


def test_owners_sell_and_authors_are_members(world: World) -> None:
    people = {person.key: person for person in world.entities(Person)}
    for account in world.entities(crm.Company):
        assert people[account.owner].department == "Sales"
    channels = {channel.key: channel for channel in world.entities(chat.Channel)}
    for message in world.entities(chat.Message):
        assert message.author in channels[message.channel].members, message.key


def test_what_texts_mention_exists(world: World) -> None:
    numbers = {invoice.number for invoice in world.entities(payments.Invoice)}
    issues = {(x.repo, x.number) for kind in (dev_repo.Issue, dev_repo.PullRequest) for x in world.entities(kind)}
    texts = [message.body for message in world.entities(email.Message)]
    texts += [message.text for message in world.entities(chat.Message)]
    texts += [file.content for file in world.entities(file_storage.File)]
    text = "\n".join(texts)
    assert set(re.findall(r"QM-\d{4}-\d{4}", text)) <= numbers
    named = re.findall(r"(tracker-api|web-console|rates-etl|infra) (?:issue )?#?(\d+)", text)
    assert len(named) > 20
    assert {(repo, int(number)) for repo, number in named} <= issues


def test_customers_mails_come_from_their_contacts(world: World) -> None:
    domains = {account.domain for account in world.entities(crm.Company)}
    contacts = {contact.email for contact in world.entities(crm.Contact)}
    for message in world.entities(email.Message):
        for address in re.findall(r"[\w.-]+@[\w.-]+", " ".join([message.sender, *message.to, *message.cc])):
            assert address.partition("@")[2] not in domains or address in contacts, (message.key, address)


def test_commits_make_the_tree(world: World) -> None:
    for repository in world.entities(dev_repo.Repository):
        made: dict[str, str | None] = {}
        for commit in world.entities(dev_repo.Commit):
            if commit.repo == repository.key and commit.branch == repository.default_branch:
                made |= {change.path: change.content for change in commit.changes}
        tree = world.info.folder / "repos" / repository.key / "tree"
        files = {path.relative_to(tree).as_posix(): path.read_text() for path in tree.rglob("*") if path.is_file()}
        assert {path: content for path, content in made.items() if content is not None} == files


def test_open_pull_requests_have_a_branch_and_merged_ones_a_commit(world: World) -> None:
    commits = world.entities(dev_repo.Commit)
    branches = {(commit.repo, commit.branch) for commit in commits}
    for pull in world.entities(dev_repo.PullRequest):
        if pull.state == "open":
            assert (pull.repo, pull.head) in branches, pull.key
        if pull.state == "merged":
            merge = [c for c in commits if c.repo == pull.repo and c.message.endswith(f"(#{pull.number})")]
            assert [(c.branch, c.at) for c in merge] == [(pull.base, pull.closed)], pull.key


BROKEN = [
    ("contacts.csv", r",meridian-freight,", ",acme,", 'contacts.csv:2: company: no account "acme"'),
    ("contacts.csv", r"key,first_name", "key,forename", "contacts.csv:1: forename: unknown column"),
    ("deals.csv", r",won,", ",maybe,", "deals.csv:2: stage: "),
    ("invoices.csv", r"2024-11-11", "2024-11-31", "invoices.csv:2: issued: "),
    ("payments.csv", r"2024-12-05T", "2036-12-05T", "payments.csv:2: created: "),
    ("people.csv", r",tobias,", ",hmarsh,", 'people.csv:3: handle: "hmarsh" is taken already'),
    ("people.csv", r"London,GB", "London,GB,extra", "people.csv:2: "),
    ("mail/arden-discount.md", r"teresa.vance@quaymark", "nobody@quaymark", "mail/arden-discount.md:5: to: no person"),
    ("mail/arden-discount.md", r"flags: unread", "flags: undead", 'flags: no such flag "undead"'),
    ("mail/arden-discount.md", r"folders =", "folder =", "mail/arden-discount.md:3: folder: unknown key"),
    ("mail/arden-discount.md", r'"Renewals"', '"Refusals"', 'folders: no folder "Refusals"'),
    ("chat/finance.md", r"\| tom.reyes", "| tom.ryes", 'chat/finance.md:1: author: no person "tom.ryes"'),
    ("chat/finance.md", r"thread: \d+", "thread: 999", 'thread: no chat message "finance.999"'),
    ("repos/infra/repo.toml", r'"oncall.md"', '"nothing.md"', 'paths: no content of "nothing.md"'),
    ("repos/infra/issues/0011.md", r'"security"', '"safety"', 'issues/0011.md:1: labels: no label "safety"'),
    ("files.csv", r"README.txt", "README.md", 'path: no file "README.md"'),
    ("world.toml", r'agent = "maya.chen"', 'agent = "maya"', 'agent: no person "maya"'),
]


@pytest.mark.parametrize(("file", "old", "new", "says"), BROKEN, ids=[f"{row[0]}-{row[2][:12]}" for row in BROKEN])
def test_errors_name_file_and_line(copy: Path, file: str, old: str, new: str, says: str) -> None:
    path = copy / file
    text, count = re.subn(old, new, path.read_text(), count=1)
    assert count == 1
    path.write_text(text)
    with pytest.raises(WorldError) as caught:
        load("quaymark")
    assert says in str(caught.value)
    assert re.match(r"[^:]+:\d+: ", str(caught.value))


def test_a_file_of_no_kind_is_refused(copy: Path) -> None:
    (copy / "notes.txt").write_text("hello")
    with pytest.raises(WorldError, match=r"notes\.txt:1: "):
        load("quaymark")


def test_any_byte_changes_the_hash(copy: Path, world: World) -> None:
    assert load("quaymark").hash == world.hash
    (copy / "files" / "README.txt").write_text("Changed.\n")
    assert load("quaymark").hash != world.hash


def test_a_world_that_is_not_there() -> None:
    with pytest.raises(LookupError, match="empty, quaymark"):
        load("nowhere")
    assert atoms_folders()
