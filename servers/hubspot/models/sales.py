"""Deals and what is sold, and tickets."""

from typing import ClassVar

from .. import fields as f
from .base import CrmObject


class Deal(CrmObject, table=True):
    """A possible or closed sale. Its stage decides what is closed, won and how probable."""

    type_id: ClassVar[str] = "0-3"
    singular: ClassVar[str] = "deal"
    plural: ClassVar[str] = "deals"
    label: ClassVar[str] = "Deal"
    created: ClassVar[str] = "createdate"
    shown: ClassVar[tuple[str, ...]] = ("dealname", "amount", "dealstage", "pipeline", "closedate")
    searched: ClassVar[tuple[str, ...]] = ("dealname", "pipeline", "dealstage", "description", "dealtype")
    primary: ClassVar[str] = "dealname"
    group: ClassVar[str] = "dealinformation"

    dealname: str | None = f.text("Deal Name", "The name given to the deal.")
    pipeline: str | None = f.choice("Pipeline", (), "The pipeline the deal is in.")
    dealstage: str | None = f.choice("Deal Stage", (), "The stage of the pipeline the deal is in.", kind="radio")
    amount: float | None = f.number("Amount", "What the deal is worth, in its currency.")
    deal_currency_code: str | None = f.choice("Currency", (), "The deal's currency, one of the account's.")
    closedate: str | None = f.datetime("Close Date", "When the deal was closed or is expected to be.")
    dealtype: str | None = f.choice(
        "Deal Type", (("newbusiness", "New Business"), ("existingbusiness", "Existing Business")), kind="radio"
    )
    description: str | None = f.area("Deal Description")
    hs_next_step: str | None = f.text("Next step", "What is to be done next.")
    hs_priority: str | None = f.choice("Priority", "low medium high")
    hs_manual_forecast_category: str | None = f.choice("Forecast category", "OMIT PIPELINE BEST_CASE COMMIT CLOSED")
    closed_lost_reason: str | None = f.area("Closed Lost Reason")
    closed_won_reason: str | None = f.area("Closed Won Reason")
    hubspot_owner_id: str | None = f.owner("Deal owner")
    hs_is_closed: bool | None = f.flag("Is Deal Closed?", fixed=True, calculated=True, derived=True)
    hs_is_closed_won: bool | None = f.flag("Is Closed Won", fixed=True, calculated=True, derived=True)
    hs_is_closed_lost: bool | None = f.flag("Is Closed Lost", fixed=True, calculated=True, derived=True)
    hs_deal_stage_probability: float | None = f.counted(
        "Deal Stage Probability", "How probable the stage makes the deal, 0 to 1."
    )
    hs_projected_amount: float | None = f.counted("Projected amount", "The amount times the probability.")
    num_associated_contacts: float | None = f.counted("Number of Associated Contacts")


class Product(CrmObject, table=True):
    """A good or service the account sells."""

    type_id: ClassVar[str] = "0-7"
    singular: ClassVar[str] = "product"
    plural: ClassVar[str] = "products"
    label: ClassVar[str] = "Product"
    created: ClassVar[str] = "createdate"
    shown: ClassVar[tuple[str, ...]] = ("name", "price", "description")
    searched: ClassVar[tuple[str, ...]] = ("name", "description", "hs_sku", "price")
    required: ClassVar[tuple[str, ...]] = ("name",)
    primary: ClassVar[str] = "name"
    group: ClassVar[str] = "productinformation"

    name: str | None = f.text("Name", "The product's name.")
    description: str | None = f.area("Product description")
    price: float | None = f.number("Unit price", "The price of one unit.")
    hs_sku: str | None = f.text("SKU")
    hs_cost_of_goods_sold: float | None = f.number("Unit cost")
    hs_url: str | None = f.text("URL")
    hs_product_type: str | None = f.choice("Product Type", "inventory non_inventory service")
    hs_recurring_billing_period: str | None = f.text("Term", "How long it recurs, as an ISO 8601 period such as P12M.")
    recurringbillingfrequency: str | None = f.choice(
        "Billing frequency", "weekly monthly quarterly per_six_months annually"
    )
    tax: float | None = f.number("Tax")


class LineItem(CrmObject, table=True):
    """A product sold in a deal or quote."""

    __tablename__ = "line_item"  # pyright: ignore[reportAssignmentType]
    type_id: ClassVar[str] = "0-8"
    singular: ClassVar[str] = "line_item"
    plural: ClassVar[str] = "line_items"
    label: ClassVar[str] = "Line item"
    created: ClassVar[str] = "createdate"
    shown: ClassVar[tuple[str, ...]] = ("name", "price", "quantity", "amount")
    searched: ClassVar[tuple[str, ...]] = ("name", "hs_sku", "description")
    primary: ClassVar[str] = "name"
    group: ClassVar[str] = "lineiteminformation"

    name: str | None = f.text("Name")
    description: str | None = f.area("Description")
    hs_product_id: str | None = f.text("Product ID", "The product it is a sale of.")
    quantity: float | None = f.number("Quantity", "How many units.")
    price: float | None = f.number("Unit price")
    discount: float | None = f.number("Unit discount", "What is taken off a unit's price.")
    hs_discount_percentage: float | None = f.number("Discount percentage")
    hs_sku: str | None = f.text("SKU")
    hs_cost_of_goods_sold: float | None = f.number("Unit cost")
    hs_line_item_currency_code: str | None = f.text("Currency")
    hs_recurring_billing_period: str | None = f.text("Term")
    recurringbillingfrequency: str | None = f.choice(
        "Billing frequency", "weekly monthly quarterly per_six_months annually"
    )
    amount: float | None = f.counted("Net price", "Quantity times unit price, less the discount.")


class Ticket(CrmObject, table=True):
    """A customer's request for help."""

    type_id: ClassVar[str] = "0-5"
    singular: ClassVar[str] = "ticket"
    plural: ClassVar[str] = "tickets"
    label: ClassVar[str] = "Ticket"
    created: ClassVar[str] = "createdate"
    shown: ClassVar[tuple[str, ...]] = (
        "subject", "content", "hs_pipeline", "hs_pipeline_stage", "hs_ticket_category", "hs_ticket_priority",
    )  # fmt: skip
    searched: ClassVar[tuple[str, ...]] = ("subject", "content", "hs_pipeline_stage", "hs_ticket_category")
    required: ClassVar[tuple[str, ...]] = ("hs_pipeline_stage",)
    primary: ClassVar[str] = "subject"
    group: ClassVar[str] = "ticketinformation"

    subject: str | None = f.text("Ticket name", "A short summary of the ticket.")
    content: str | None = f.area("Ticket description", "What the ticket is about.")
    hs_pipeline: str | None = f.choice("Pipeline", (), "The pipeline the ticket is in.")
    hs_pipeline_stage: str | None = f.choice("Ticket status", (), "The stage of the pipeline the ticket is in.")
    hs_ticket_priority: str | None = f.choice("Priority", "LOW MEDIUM HIGH URGENT")
    hs_ticket_category: str | None = f.choices(
        "Category", "PRODUCT_ISSUE BILLING_ISSUE FEATURE_REQUEST GENERAL_INQUIRY"
    )
    source_type: str | None = f.choice("Source", "CHAT EMAIL FORM PHONE")
    hs_resolution: str | None = f.choice("Resolution", "ISSUE_FIXED TRAINING FEATURE_DELIVERED WONT_FIX OTHER")
    hubspot_owner_id: str | None = f.owner("Ticket owner")
    closed_date: str | None = f.datetime("Close date", "When the ticket was closed.", derived=True, fixed=True)
    hs_is_closed: bool | None = f.flag("Is closed", fixed=True, calculated=True, derived=True)
