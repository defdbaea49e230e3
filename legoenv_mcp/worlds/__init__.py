"""Worlds: coherent companies whose people, accounts, invoices, mails and repositories fill every app.

A world is a folder `worlds/<id>/` of an atoms folder:

- `world.toml`: id, version (1), name, domain, industry, description, currency, time_zone, clock (the frozen now), agent
  (a Person's key: whom it acts as), mailboxes (addresses at the domain that are no person's: `["billing", "all"]`).
- One CSV a flat entity, the header its field names, `key` first, tuples joined by `;`, an empty cell the default; any
  file may be missing. At the top: people accounts contacts leads deals activities channels customers products prices
  subscriptions invoices (with invoice_lines) payments repositories releases runs mail_folders.
- `mail/<thread>.md`: front matter (`subject`; for the whole thread, optionally `box` of what was received and
  `folders`), then messages in time order. A message's key is `<thread>.<id>`. It is in `sent` when the agent wrote it,
  else in `inbox`, unless `box` says otherwise. It answers the message before it unless `re` names another (`re: none`:
  none), and its subject is then `Re: ` and the thread's unless `subject` is given. A line that starts with `--- ` opens
  a part: an attachment, or the HTML.

      +++
      subject = "Invoice QM-2026-0117"
      folders = ["Customers"]
      +++
      === 1 | 2026-02-26T14:03:00Z | Dana Ruiz <d@a.example> -> maya.chen@quaymark.example; b@x.example | cc: c@x.org
      Hello Maya, ...
      --- attachment: lines.csv | text/csv
      item,amount
      --- html
      <p>Hello Maya, ...</p>
      === 2 | 2026-02-26T15:00:00Z | Maya Chen <maya.chen@quaymark.example> -> d@a.example | flags: starred, important
      ...

  Options of a head: cc, box, folders, re, subject, flags (unread, starred, important).
- `chat/<channel>.md`: blocks `=== <id> | <at> | <person> | thread: <id> | reactions: eyes:tom.reyes; +1:ana.silva |
  pinned` (on one line); a message's key is `<channel>.<id>`.
- `repos/<repo>/repo.toml`: `[[labels]]`, `[[milestones]]` and `[[commits]]` (id, author, at, message, paths, optionally
  branch) in time order; a path with a leading `-` is deleted. A path's content in a commit is the file
  `commits/<id>/<path>` or, for the last commit of the default branch that touches it, `tree/<path>`. So `tree/` is the
  default branch as it is now, and `commits/` keeps only what was written over later, or lives on another branch. A
  merged pull request is one squashed commit of the default branch, its message ending in `(#15)`; its branch is gone.
- `repos/<repo>/issues/0012.md`, `repos/<repo>/pulls/0015.md`: front matter (the entity's fields), the body, then a
  block a comment, `=== <person> | <at>`, or a review, `=== <person> | <at> | approved`.
- `files/...`: the shared drive; `files.csv` (path, modified) lists each file, and with a trailing `/` an empty folder.

- `calendar/calendars.csv`, `calendar/events.csv`: people are addresses or Person keys. An event's organizer is its
  calendar's owner unless given; attendees `tom.reyes accepted; d@a.example tentative optional`; recurrence lines are
  joined by ` | `: `RRULE:FREQ=WEEKLY;BYDAY=MO | EXDATE;TZID=Europe/London:20260406T093000`. Each calendar holds its own
  copy of a meeting; the copies' keys are `<event>.<calendar>`.
- `helpdesk/requesters.csv`, `queues.csv`, and `tickets/4101.md`: front matter (the ticket's fields), then messages,
  `=== <person or requester> | <at>`, with ` | note` where only the team sees it.
- `projects/projects.csv`, `tasks.csv` (key: the project's code and the number, `OPS-12`), `comments.csv` (of `task`).
- `docs/<key>.md`: a page, front matter (title, author, created, updated) and Markdown. `docs/handbook/leave.md` is a
  child of `docs/handbook.md`.
- `sheets/workbooks.csv`, `sheets/tables.csv`, and a table's rows in `sheets/<workbook>/<name>.csv`; its header:
  `Account,Amount: money,Due: date,Renewed: yes_no,Stage: choice(open/won/lost)`.
- `databases/tables.csv` (a table after those it refers to), and `databases/<database>/<name>.csv`; its header:
  `id: integer key,tenant_id: integer required -> tenants.id,note: text`.
- `accounting/` customers, vendors, items, invoices with invoice_lines, bills with bill_lines (`.csv` each).
- `shop/` products with variants, shoppers, orders with order_lines.
- `marketing/audiences.csv`, `subscribers.csv`, `campaigns/<key>.md` (front matter and the mailing's text).
- `phone/` numbers, texts, calls: one side is a number of ours. `hr/` employments, time_off. `scheduling/`
  meeting_types, bookings.

Instants are `2026-02-26T14:03:00Z`, days `2026-02-26`; only due, close and start dates, days off, calendar events,
bookings and planned mailings may lie after the clock.
"""

from legoenv_mcp.worlds.parse import WorldError
from legoenv_mcp.worlds.world import World, WorldInfo, atoms_folders, fingerprint, load, worlds

__all__ = ["World", "WorldError", "WorldInfo", "atoms_folders", "fingerprint", "load", "worlds"]
