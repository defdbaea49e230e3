"""Worlds: coherent companies whose people, accounts, invoices, mails and repositories fill every app.

A world is a folder `worlds/<id>/` of an atoms folder:

- `world.toml`: id, version, name, domain, industry, description, currency, time_zone, clock (the frozen now), agent (a
  Person's key: whom the agent acts as), mailboxes (addresses at the domain that are no person's: `["billing", "support"]`).
- One CSV a flat entity, the header its field names, `key` first, tuples joined by `;`, an empty cell the field's default:
  people accounts contacts leads deals activities channels customers products prices subscriptions invoices
  (with invoice_lines) payments repositories releases runs mail_folders.
- `mail/<thread>.md`: front matter (`subject`; for the whole thread, optionally `box` of the messages received and `folders`),
  then messages in time order. A message's key is `<thread>.<id>`. It is in `sent` when the agent wrote it, else `inbox`,
  unless `box` says otherwise; it answers the message before it unless `re` names another (`re: none` for none), and its
  subject is then `Re: ` and the thread's unless `subject` is given. A `--- ` line opens a part: an attachment, or the HTML.

      +++
      subject = "Invoice QM-2026-0117"
      folders = ["customers"]
      +++
      === 1 | 2026-02-26T14:03:00Z | Dana Ruiz <dana@meridian.example> -> maya.chen@quaymark.example; b@x.example | cc: c@x.example
      Hello Maya, ...
      --- attachment: lines.csv | text/csv
      item,amount
      --- html
      <p>Hello Maya, ...</p>
      === 2 | 2026-02-26T15:00:00Z | Maya Chen <maya.chen@quaymark.example> -> dana@meridian.example | flags: starred, important
      ...

  Options of a head: cc, box, folders, re, subject, flags (unread, starred, important).
- `chat/<channel>.md`: blocks `=== <id> | <at> | <person> | thread: <id> | reactions: eyes:tom.reyes; +1:ana.silva | pinned`;
  a message's key is `<channel>.<id>`.
- `repos/<repo>/repo.toml`: `[[labels]]`, `[[milestones]]` and `[[commits]]` (id, author, at, message, paths, optional branch)
  in time order; a path with a leading `-` is deleted. A path's content in a commit is the file `commits/<id>/<path>`, or,
  for the last commit of the default branch that touches it, `tree/<path>`. So `tree/` is the default branch as it is now,
  and only what was written over later, or lives on another branch, is kept under `commits/`. A merged pull request is one
  squashed commit of the default branch whose message ends in `(#15)`; its head branch is gone.
- `repos/<repo>/issues/0012.md`, `repos/<repo>/pulls/0015.md`: front matter (the entity's fields), the body, then a block a
  comment, `=== <person> | <at>`, or a review, `=== <person> | <at> | approved`.
- `files/...`: the shared drive; `files.csv` (path, modified) lists each file, and with a trailing `/` each empty folder.

Instants are `2026-02-26T14:03:00Z`, days `2026-02-26`; only due, close and start dates may lie after the clock.
"""

from legoenv_mcp.worlds.parse import WorldError
from legoenv_mcp.worlds.world import World, WorldInfo, atoms_folders, load, worlds

__all__ = ["World", "WorldError", "WorldInfo", "atoms_folders", "load", "worlds"]
