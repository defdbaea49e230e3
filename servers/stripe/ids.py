"""Ids with Stripe's prefixes and lengths: the older kinds are 14 characters, the newer 24 of which the first is a shard's digit."""

import base64

from legoenv_mcp.app import UPPER36, Ctx, draw

# kind -> what the id starts with, and how many drawn characters follow.
SHAPES = {
    "cus": ("cus_", 14), "prod": ("prod_", 14), "si": ("si_", 14), "acct": ("acct_", 16), "price": ("price_1", 23), "pm": ("pm_1", 23),
    "pi": ("pi_3", 23), "ch": ("ch_3", 23), "re": ("re_3", 23), "txn": ("txn_3", 23), "du": ("du_1", 23), "po": ("po_1", 23),
    "ba": ("ba_1", 23), "seti": ("seti_1", 23), "setatt": ("setatt_1", 23), "in": ("in_1", 23), "ii": ("ii_1", 23), "il": ("il_1", 23),
    "inpay": ("inpay_1", 23), "sub": ("sub_1", 23), "promo": ("promo_1", 23), "di": ("di_1", 23), "txr": ("txr_1", 23),
    "cn": ("cn_1", 23), "cnli": ("cnli_1", 23), "cbtxn": ("cbtxn_1", 23), "evt": ("evt_1", 23), "cs": ("cs_test_a1", 56),
    "plink": ("plink_1", 23), "li": ("li_1", 23),
}  # fmt: skip


def new(ctx: Ctx, kind: str) -> str:
    """The next id of a kind."""
    prefix, length = SHAPES[kind]
    return ctx.id(prefix, length, kind=kind)


def secret(ctx: Ctx, owner: str) -> str:
    """A client secret for a payment or setup intent."""
    return f"{owner}_secret_{ctx.id('', 25, kind='secret')}"


def code(ctx: Ctx, kind: str, length: int = 8) -> str:
    """A short code in capitals and digits: coupons, promotion codes, invoice prefixes."""
    return ctx.id("", length, UPPER36, kind=kind)


def token(*parts: object) -> str:
    """A URL-safe text that depends on the parts alone, for addresses of hosted pages."""
    return base64.urlsafe_b64encode(draw(*parts, size=33)).decode()
