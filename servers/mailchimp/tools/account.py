"""The API root (the account itself) and ping. https://mailchimp.com/developer/marketing/api/"""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import resources
from ..app import app
from ..inputs import Exclude, Fields
from ..models import Audience, Member
from ..paging import links


@app.get("/", tool="get_account_info")
def get_account_info(ctx: Ctx, fields: Fields = None, exclude_fields: Exclude = None) -> dict[str, Any]:
    """Shows the account: its name, owner, contact address, plan, time zone, and how many subscribers it has in all audiences."""
    row = resources.account(ctx)
    return {
        "account_id": row.account_id, "login_id": row.login_id, "account_name": row.account_name, "email": row.email,
        "first_name": row.first_name, "last_name": row.last_name, "username": row.username, "avatar_url": "", "role": "owner",
        "member_since": row.member_since, "pricing_plan_type": "monthly", "first_payment": row.member_since,
        "account_timezone": row.account_timezone, "account_industry": row.account_industry, "contact": row.contact,
        "pro_enabled": False, "last_login": row.member_since,
        "total_subscribers": sum(ctx.db.count(Member, list_id=a.id, status="subscribed") for a in ctx.db.find(Audience)),
        "industry_stats": {"open_rate": 0.2199, "bounce_rate": 0.0063, "click_rate": 0.0227},
        "_links": links(ctx, "/", "Root", (), ()),
    }  # fmt: skip


@app.get("/ping", tool="ping", mcp=False)
def ping(ctx: Ctx) -> dict[str, str]:
    """Tells whether the API works."""
    return {"health_status": "Everything's Chimpy!"}
