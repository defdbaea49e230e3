"""What a campaign says."""

from collections.abc import Mapping
from typing import Any

from legoenv_mcp.app import Ctx

from . import markup
from .errors import invalid_resource
from .models import Campaign, Template
from .paging import links


def shown(ctx: Ctx, row: Campaign) -> dict[str, Any]:
    body: dict[str, Any] = {"plain_text": row.plain_text, "html": row.html}
    if ctx.request.method:
        body["archive_html"] = row.html
    if row.variate_contents:
        body["variate_contents"] = row.variate_contents
    return {**body, "_links": links(ctx, f"/campaigns/{row.id}/content", "Campaigns/Content", ("PUT",))}


def from_template(ctx: Ctx, row: Campaign, template_id: int, values: Mapping[str, str]) -> Campaign:
    template = ctx.db.get(Template, template_id)
    if template is None:
        raise invalid_resource(("template.id", "The template does not exist"))
    if strange := sorted(values.keys() - markup.sections(template.html).keys()):
        raise invalid_resource((f"template.sections.{strange[0][:60]}", "The template has no such section"))
    html = markup.filled(template.html, values)
    settings = {**row.settings, "template_id": template.id}
    return ctx.db.update(row, html=html, plain_text=markup.plain(html), settings=settings)


def put(ctx: Ctx, row: Campaign, sent: Mapping[str, Any]) -> Campaign:
    if row.type == "plaintext" and not sent.get("plain_text"):
        raise invalid_resource(("plain_text", "A plain-text campaign takes plain_text"))
    if "variate_contents" in sent:
        if row.type != "variate":
            raise invalid_resource(("variate_contents", "Only variate campaigns have several contents"))
        made = [
            {"content_label": f"Content {n}", "plain_text": markup.plain(c.get("html", "")), **c}
            for n, c in enumerate(sent["variate_contents"], 1)
        ]
        ctx.db.update(row, variate_contents=made)
    if "template" in sent:
        if "id" not in sent["template"]:
            raise invalid_resource(("template", "Required fields were not provided: id"))
        from_template(ctx, row, sent["template"]["id"], sent["template"].get("sections", {}))
    changes: dict[str, Any] = {}
    if "html" in sent and row.type != "plaintext":
        changes = {"html": sent["html"], "plain_text": markup.plain(sent["html"])}
    if "plain_text" in sent:
        changes["plain_text"] = sent["plain_text"]
    return ctx.db.update(row, **changes)
