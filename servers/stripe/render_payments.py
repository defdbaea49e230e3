"""Customers, payments and the ledger as Stripe's objects. https://docs.stripe.com/api"""

from legoenv_mcp.app import Ctx

from .ids import token
from .models import (
    Account,
    BalanceTransaction,
    Charge,
    Customer,
    CustomerBalanceTransaction,
    Dispute,
    Event,
    Invoice,
    PaymentIntent,
    PaymentMethod,
    Payout,
    Refund,
    SetupIntent,
    Subscription,
)
from .resources import Object, deleted, renders, show

API_VERSION = "2026-02-25.clover"

EVIDENCE = (
    "access_activity_log", "billing_address", "cancellation_policy", "cancellation_policy_disclosure", "cancellation_rebuttal",
    "customer_communication", "customer_email_address", "customer_name", "customer_purchase_ip", "customer_signature",
    "duplicate_charge_documentation", "duplicate_charge_explanation", "duplicate_charge_id", "product_description", "receipt",
    "refund_policy", "refund_policy_disclosure", "refund_refusal_explanation", "service_date", "service_documentation",
    "shipping_address", "shipping_carrier", "shipping_date", "shipping_documentation", "shipping_tracking_number",
    "uncategorized_file", "uncategorized_text",
)  # fmt: skip


def account_id(ctx: Ctx) -> str:
    account = ctx.db.first(Account)
    return account.id if account else "acct_"


@renders(Account)
def account(ctx: Ctx, row: Account) -> Object:
    return {
        "id": row.id, "object": "account", "business_profile": {"name": row.name, "support_email": row.email, "url": None},
        "business_type": "company", "charges_enabled": True, "country": row.country, "created": row.created,
        "default_currency": row.default_currency, "details_submitted": True, "email": row.email, "payouts_enabled": True,
        "settings": {
            "dashboard": {"display_name": row.name, "timezone": "Etc/UTC"},
            "payouts": {"schedule": {"delay_days": 2, "interval": "manual"}},
        },
        "type": "standard",
    }  # fmt: skip


@renders(Customer)
def customer(ctx: Ctx, row: Customer) -> Object:
    if row.deleted:
        return deleted("customer", row.id)
    late = ctx.db.count(Subscription, customer=row.id, status__in=["past_due", "unpaid"]) or ctx.db.count(
        Invoice, customer=row.id, status="open", due_date__lt=int(ctx.now.timestamp())
    )
    return {
        "id": row.id, "object": "customer", "address": row.address, "balance": row.balance, "created": row.created,
        "currency": row.currency, "default_source": None, "delinquent": late > 0, "description": row.description,
        "discount": None, "email": row.email, "invoice_prefix": row.invoice_prefix,
        "invoice_settings": {
            "custom_fields": None, "default_payment_method": row.default_payment_method, "footer": row.footer,
            "rendering_options": None,
        },
        "livemode": False, "metadata": row.metadata_, "name": row.name, "next_invoice_sequence": row.next_invoice_sequence,
        "phone": row.phone, "preferred_locales": row.preferred_locales, "shipping": row.shipping, "tax_exempt": row.tax_exempt,
        "test_clock": None,
    }  # fmt: skip


@renders(CustomerBalanceTransaction)
def customer_balance_transaction(ctx: Ctx, row: CustomerBalanceTransaction) -> Object:
    return {
        "id": row.id, "object": "customer_balance_transaction", "amount": row.amount, "checkout_session": None, "created": row.created,
        "credit_note": row.credit_note, "currency": row.currency, "customer": row.customer, "description": row.description,
        "ending_balance": row.ending_balance, "invoice": row.invoice, "livemode": False, "metadata": row.metadata_, "type": row.type,
    }  # fmt: skip


@renders(PaymentMethod)
def payment_method(ctx: Ctx, row: PaymentMethod) -> Object:
    shown: Object = {
        "id": row.id, "object": "payment_method", "allow_redisplay": row.allow_redisplay, "billing_details": row.billing_details,
        "created": row.created, "customer": row.customer, "livemode": False, "metadata": row.metadata_, "type": row.type,
    }  # fmt: skip
    if row.card is not None:
        card = row.card
        checks = {
            "address_line1_check": None,
            "address_postal_code_check": None,
            "cvc_check": "pass" if row.customer else "unchecked",
        }
        shown["card"] = {
            **card, "checks": checks, "display_brand": card["brand"], "generated_from": None,
            "networks": {"available": [card["brand"]], "preferred": None}, "three_d_secure_usage": {"supported": True}, "wallet": None,
        }  # fmt: skip
    if row.us_bank_account is not None:
        shown["us_bank_account"] = row.us_bank_account
    return shown


@renders(PaymentIntent)
def payment_intent(ctx: Ctx, row: PaymentIntent) -> Object:
    return {
        "id": row.id, "object": "payment_intent", "amount": row.amount, "amount_capturable": row.amount_capturable,
        "amount_details": {"tip": {}}, "amount_received": row.amount_received, "application": None, "application_fee_amount": None,
        "automatic_payment_methods": row.automatic_payment_methods, "canceled_at": row.canceled_at,
        "cancellation_reason": row.cancellation_reason, "capture_method": row.capture_method, "client_secret": row.client_secret,
        "confirmation_method": row.confirmation_method, "created": row.created, "currency": row.currency, "customer": row.customer,
        "description": row.description, "last_payment_error": row.last_payment_error, "latest_charge": row.latest_charge,
        "livemode": False, "metadata": row.metadata_, "next_action": row.next_action, "on_behalf_of": None,
        "payment_method": row.payment_method, "payment_method_configuration_details": None,
        "payment_method_options": {
            "card": {"installments": None, "mandate_options": None, "network": None, "request_three_d_secure": "automatic"}
        },
        "payment_method_types": row.payment_method_types, "processing": None, "receipt_email": row.receipt_email, "review": None,
        "setup_future_usage": row.setup_future_usage, "shipping": row.shipping, "source": None,
        "statement_descriptor": row.statement_descriptor, "statement_descriptor_suffix": row.statement_descriptor_suffix,
        "status": row.status, "transfer_data": None, "transfer_group": row.transfer_group,
    }  # fmt: skip


@renders(Charge)
def charge(ctx: Ctx, row: Charge) -> Object:
    receipt = f"https://pay.stripe.com/receipts/payment/{token('receipt', row.id)}" if row.paid else None
    return {
        "id": row.id, "object": "charge", "amount": row.amount, "amount_captured": row.amount_captured,
        "amount_refunded": row.amount_refunded, "application": None, "application_fee": None, "application_fee_amount": None,
        "balance_transaction": row.balance_transaction, "billing_details": row.billing_details,
        "calculated_statement_descriptor": row.statement_descriptor or "Stripe", "captured": row.captured, "created": row.created,
        "currency": row.currency, "customer": row.customer, "description": row.description, "disputed": row.disputed,
        "failure_balance_transaction": None, "failure_code": row.failure_code, "failure_message": row.failure_message,
        "fraud_details": row.fraud_details, "livemode": False, "metadata": row.metadata_, "on_behalf_of": None,
        "outcome": row.outcome, "paid": row.paid, "payment_intent": row.payment_intent, "payment_method": row.payment_method,
        "payment_method_details": row.payment_method_details, "receipt_email": row.receipt_email, "receipt_number": None,
        "receipt_url": receipt, "refunded": row.refunded, "review": None, "shipping": row.shipping, "source": None,
        "source_transfer": None, "statement_descriptor": row.statement_descriptor,
        "statement_descriptor_suffix": row.statement_descriptor_suffix, "status": row.status, "transfer_data": None,
        "transfer_group": row.transfer_group,
    }  # fmt: skip


@renders(Refund)
def refund(ctx: Ctx, row: Refund) -> Object:
    card = {"reference_status": "pending", "reference_type": "acquirer_reference_number", "type": "refund"}
    return {
        "id": row.id, "object": "refund", "amount": row.amount, "balance_transaction": row.balance_transaction, "charge": row.charge,
        "created": row.created, "currency": row.currency, "destination_details": {"card": card, "type": "card"},
        "metadata": row.metadata_, "payment_intent": row.payment_intent, "reason": row.reason, "receipt_number": None,
        "source_transfer_reversal": None, "status": row.status, "transfer_reversal": None,
    }  # fmt: skip


@renders(Dispute)
def dispute(ctx: Ctx, row: Dispute) -> Object:
    paid_by = ctx.db.get(Charge, row.charge)
    brand = ((paid_by and paid_by.payment_method_details) or {}).get("card", {}).get("brand", "visa")
    movements = ctx.db.find(BalanceTransaction, source=row.id, order="created")
    now = int(ctx.now.timestamp())
    return {
        "id": row.id, "object": "dispute", "amount": row.amount, "balance_transactions": [show(ctx, m) for m in movements],
        "charge": row.charge, "created": row.created, "currency": row.currency, "enhanced_eligibility_types": [],
        "evidence": {**dict.fromkeys(EVIDENCE), **row.evidence, "enhanced_evidence": {}},
        "evidence_details": {
            "due_by": row.due_by, "enhanced_eligibility": {}, "has_evidence": bool(row.evidence), "past_due": now > row.due_by,
            "submission_count": row.submission_count,
        },
        "is_charge_refundable": row.is_charge_refundable, "livemode": False, "metadata": row.metadata_,
        "payment_intent": row.payment_intent,
        "payment_method_details": {
            "card": {"brand": brand, "case_type": row.case_type, "network_reason_code": row.network_reason_code}, "type": "card",
        },
        "reason": row.reason, "status": row.status,
    }  # fmt: skip


@renders(BalanceTransaction)
def balance_transaction(ctx: Ctx, row: BalanceTransaction) -> Object:
    words = "Dispute fee" if row.type == "adjustment" else "Stripe processing fees"
    fees = [
        {"amount": row.fee, "application": None, "currency": row.currency, "description": words, "type": "stripe_fee"}
    ]
    return {
        "id": row.id, "object": "balance_transaction", "amount": row.amount, "available_on": row.available_on,
        "balance_type": "payments", "created": row.created, "currency": row.currency, "description": row.description,
        "exchange_rate": None, "fee": row.fee, "fee_details": fees if row.fee else [], "net": row.net,
        "reporting_category": row.reporting_category, "source": row.source,
        "status": "available" if row.available_on <= int(ctx.now.timestamp()) else "pending", "type": row.type,
    }  # fmt: skip


@renders(Payout)
def payout(ctx: Ctx, row: Payout) -> Object:
    return {
        "id": row.id, "object": "payout", "amount": row.amount, "application_fee": None, "application_fee_amount": None,
        "arrival_date": row.arrival_date, "automatic": False, "balance_transaction": row.balance_transaction, "created": row.created,
        "currency": row.currency, "description": row.description, "destination": row.destination,
        "failure_balance_transaction": row.failure_balance_transaction, "failure_code": None, "failure_message": None,
        "livemode": False, "metadata": row.metadata_, "method": row.method, "original_payout": None,
        "reconciliation_status": "not_applicable", "reversed_by": None, "source_type": "card",
        "statement_descriptor": row.statement_descriptor, "status": row.status, "trace_id": None, "type": "bank_account",
    }  # fmt: skip


@renders(SetupIntent)
def setup_intent(ctx: Ctx, row: SetupIntent) -> Object:
    return {
        "id": row.id, "object": "setup_intent", "application": None, "automatic_payment_methods": row.automatic_payment_methods,
        "cancellation_reason": row.cancellation_reason, "client_secret": row.client_secret, "created": row.created,
        "customer": row.customer, "description": row.description, "flow_directions": None, "last_setup_error": row.last_setup_error,
        "latest_attempt": row.latest_attempt, "livemode": False, "mandate": None, "metadata": row.metadata_,
        "next_action": row.next_action, "on_behalf_of": None, "payment_method": row.payment_method,
        "payment_method_configuration_details": None,
        "payment_method_options": {"card": {"mandate_options": None, "network": None, "request_three_d_secure": "automatic"}},
        "payment_method_types": row.payment_method_types, "single_use_mandate": None, "status": row.status, "usage": row.usage,
    }  # fmt: skip


@renders(Event)
def event(ctx: Ctx, row: Event) -> Object:
    data: Object = {"object": row.data}
    if row.previous_attributes is not None:
        data["previous_attributes"] = row.previous_attributes
    return {
        "id": row.id, "object": "event", "api_version": API_VERSION, "created": row.created, "data": data, "livemode": False,
        "pending_webhooks": 0, "request": {"id": row.request, "idempotency_key": row.idempotency_key}, "type": row.type,
    }  # fmt: skip
