"""Payments on Stripe: what fills it, what is seen of it, and how each verb is done with its tools."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, payments

from .fills import fill_customer, fill_invoice, fill_payment, fill_price, fill_product, fill_subscription
from .views import view_customer, view_invoice, view_payment, view_price, view_product, view_subscription


class StripePayments(payments.Payments):
    """Fills, views and verbs. What Stripe has no field for is in metadata."""

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        write: dict[type[Entity], Callable[[Ctx, Any], str]] = {
            payments.Customer: fill_customer, payments.Product: fill_product, payments.Price: fill_price,
            payments.Subscription: fill_subscription, payments.Invoice: fill_invoice, payments.Payment: fill_payment,
        }  # fmt: skip
        return write[type(entity)](ctx, entity)

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        views: dict[str, Callable[[Ctx, dict[str, Any]], Entity | None]] = {
            "customer": view_customer, "product": view_product, "price": view_price, "subscription": view_subscription,
            "invoice": view_invoice, "charge": view_payment,
        }  # fmt: skip
        return views[table](ctx, row) if table in views else None

    def find_payer(self, email: str) -> Plan:
        yield call("list_customers", email=email)

    def list_payments(self, customer_id: str) -> Plan:
        yield from _all("list_charges", customer=customer_id)

    def check_payment(self, payment_id: str) -> Plan:
        yield call("retrieve_charge", charge=payment_id)

    def request_payment(self, price_id: str, quantity: int) -> Plan:
        yield call("create_payment_link", price=price_id, quantity=quantity)

    def collect_payment(self, customer_id: str, amount: int, currency: str) -> Plan:
        payer = yield call("retrieve_customer", customer=customer_id)
        method = payer.get("invoice_settings", {}).get("default_payment_method")
        if method is None:
            methods = yield call("list_payment_methods", customer=customer_id)
            method = methods["data"][0]["id"] if methods["data"] else "pm_card_visa"
        yield call(
            "create_payment_intent",
            customer=customer_id,
            amount=amount,
            currency=currency.lower(),
            payment_method=method,
            confirm=True,
        )

    def cancel_payment(self, payment_id: str) -> Plan:
        found = yield call("retrieve_charge", charge=payment_id)
        yield call("cancel_payment_intent", intent=found["payment_intent"])

    def refund_payment(self, payment_id: str, amount: int | None = None) -> Plan:
        yield call("create_refund", charge=payment_id, **({} if amount is None else {"amount": amount}))

    def list_invoices(self, customer_id: str = "", status: str = "") -> Plan:
        yield from _all("list_invoices", **_given(customer=customer_id, status=status))

    def list_payments_between(self, first_day: str, last_day: str) -> Plan:
        begin, end = (int(datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()) for day in (first_day, last_day))
        yield from _all("list_charges", created={"gte": begin, "lt": end + 86_400})

    def list_customers(self) -> Plan:
        yield from _all("list_customers")

    def list_subscriptions(self, customer_id: str = "") -> Plan:
        yield from _all("list_subscriptions", **_given(customer=customer_id))

    def settle_invoice(self, invoice_id: str) -> Plan:
        yield call("pay_invoice", invoice=invoice_id, paid_out_of_band=True)

    def void_invoice(self, invoice_id: str) -> Plan:
        yield call("void_invoice", invoice=invoice_id)


def _given(**arguments: str) -> dict[str, str]:
    return {name: value for name, value in arguments.items() if value}


def _all(tool: str, **arguments: Any) -> Plan:
    """Every page of a list."""
    reply = yield call(tool, limit=100, **arguments)
    while reply["has_more"]:
        reply = yield call(tool, limit=100, starting_after=reply["data"][-1]["id"], **arguments)


provides = {"payments": StripePayments()}
