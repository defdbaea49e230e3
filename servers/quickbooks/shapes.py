"""Shapes that tools take. The service's rules, which hold for every face, are not here but where objects are saved."""

from typing import Any, Literal

from pydantic import BaseModel, Field


class Ref(BaseModel):
    """Which object is meant."""

    value: str = Field(description="Its Id.")
    name: str | None = Field(None, description="Its name; ignored.")


class Currency(BaseModel):
    value: str = Field(description="ISO 4217 code.")


class Payee(BaseModel):
    value: str = Field(description="Its Id.")
    type: Literal["Vendor", "Customer", "Employee"] = Field("Vendor", description="What it is.")


class Email(BaseModel):
    Address: str = Field(description="The email address.")


class Phone(BaseModel):
    FreeFormNumber: str = Field(description="The number.")


class Web(BaseModel):
    URI: str = Field(description="The address of the site.")


class Memo(BaseModel):
    value: str = Field(description="The text.")


class Address(BaseModel):
    Line1: str | None = Field(None, description="First line.")
    Line2: str | None = Field(None, description="Second line.")
    City: str | None = Field(None, description="City.")
    CountrySubDivisionCode: str | None = Field(None, description="State or region.")
    PostalCode: str | None = Field(None, description="Postal code.")
    Country: str | None = Field(None, description="Country.")


class Linked(BaseModel):
    TxnId: str = Field(description="The transaction's Id.")
    TxnType: str = Field(description="Its type, e.g. Invoice, CreditMemo, Bill, VendorCredit, Estimate, PurchaseOrder.")
    TxnLineId: str | None = Field(None, description="Its line; seldom needed.")


class SalesItem(BaseModel):
    ItemRef: Ref | None = Field(None, description="What is sold.")
    Qty: float | None = Field(None, description="How many.")
    UnitPrice: float | None = Field(None, description="The price of one. Amount must be Qty * UnitPrice.")
    TaxCodeRef: Ref | None = Field(None, description="TAX or NON.")
    ClassRef: Ref | None = Field(None, description="The class.")
    ServiceDate: str | None = Field(None, description="YYYY-MM-DD.")


class Discount(BaseModel):
    PercentBased: bool = Field(False, description="Whether DiscountPercent counts, not Amount.")
    DiscountPercent: float | None = Field(None, description="Percent off, e.g. 10.")
    DiscountAccountRef: Ref | None = Field(None, description="The account; Discounts given by default.")


class SalesLine(BaseModel):
    Id: str | None = Field(None, description="The line's Id, to keep it in an update.")
    DetailType: Literal["SalesItemLineDetail", "DescriptionOnly", "DiscountLineDetail", "SubTotalLineDetail"] = Field(
        description="What the line is."
    )
    Amount: float | None = Field(None, description="The line's amount.")
    Description: str | None = Field(None, description="Text on the form.")
    SalesItemLineDetail: SalesItem | None = Field(None, description="For an item.")
    DiscountLineDetail: Discount | None = Field(None, description="For the form's one discount.")


class AccountExpense(BaseModel):
    AccountRef: Ref = Field(description="The expense account.")
    CustomerRef: Ref | None = Field(None, description="For whom it was spent.")
    ClassRef: Ref | None = Field(None, description="The class.")
    BillableStatus: Literal["Billable", "NotBillable", "HasBeenBilled"] | None = Field(
        None, description="Whether it can be billed on."
    )


class ItemExpense(BaseModel):
    ItemRef: Ref = Field(description="What was bought.")
    Qty: float | None = Field(None, description="How many.")
    UnitPrice: float | None = Field(None, description="The price of one.")
    CustomerRef: Ref | None = Field(None, description="For whom it was bought.")
    ClassRef: Ref | None = Field(None, description="The class.")


class ExpenseLine(BaseModel):
    Id: str | None = Field(None, description="The line's Id, to keep it in an update.")
    DetailType: Literal["AccountBasedExpenseLineDetail", "ItemBasedExpenseLineDetail", "DescriptionOnly"] = Field(
        description="What the line is."
    )
    Amount: float | None = Field(None, description="The line's amount.")
    Description: str | None = Field(None, description="Text on the form.")
    AccountBasedExpenseLineDetail: AccountExpense | None = Field(None, description="For an account.")
    ItemBasedExpenseLineDetail: ItemExpense | None = Field(None, description="For an item.")


class PaymentLine(BaseModel):
    Amount: float = Field(description="How much of the payment goes to the transaction.")
    LinkedTxn: list[Linked] = Field(description="The one transaction.")


class JournalDetail(BaseModel):
    PostingType: Literal["Debit", "Credit"] = Field(description="The side.")
    AccountRef: Ref = Field(description="The account.")
    Entity: Payee | None = Field(None, description="Whom it is about; receivables need a customer, payables a vendor.")
    ClassRef: Ref | None = Field(None, description="The class.")
    DepartmentRef: Ref | None = Field(None, description="The location.")


class JournalLine(BaseModel):
    Id: str | None = Field(None, description="The line's Id, to keep it in an update.")
    DetailType: Literal["JournalEntryLineDetail", "DescriptionOnly"] = Field(description="What the line is.")
    Amount: float | None = Field(None, description="The amount, 0 or more.")
    Description: str | None = Field(None, description="Text.")
    JournalEntryLineDetail: JournalDetail | None = Field(None, description="Account and side.")


class DepositDetail(BaseModel):
    AccountRef: Ref = Field(description="Where the money comes from, e.g. an income account.")
    Entity: Payee | None = Field(None, description="From whom.")
    PaymentMethodRef: Ref | None = Field(None, description="How it was paid.")
    CheckNum: str | None = Field(None, description="The cheque's number.")


class DepositLine(BaseModel):
    Amount: float = Field(description="The amount.")
    DetailType: Literal["DepositLineDetail"] = Field("DepositLineDetail", description="What the line is.")
    Description: str | None = Field(None, description="Text.")
    DepositLineDetail: DepositDetail | None = Field(None, description="For money that no other transaction received.")
    LinkedTxn: list[Linked] | None = Field(None, description="A Payment or SalesReceipt in Undeposited Funds.")


class TaxDetail(BaseModel):
    TxnTaxCodeRef: Ref | None = Field(None, description="The tax code by which tax is worked out.")
    TotalTax: float | None = Field(None, description="The tax, where no code is named.")


class BankAccount(BaseModel):
    BankAccountRef: Ref = Field(description="The bank account that is paid from.")


class CardAccount(BaseModel):
    CCAccountRef: Ref = Field(description="The credit card account that is paid from.")


class AttachedTo(BaseModel):
    EntityRef: "AttachedEntity" = Field(description="The object.")
    IncludeOnSend: bool = Field(False, description="Whether it goes along when a form is emailed.")


class AttachedEntity(BaseModel):
    value: str = Field(description="The object's Id.")
    type: str = Field(description="The object's type, e.g. Invoice.")


AttachedTo.model_rebuild()


def plain(value: Any) -> Any:
    """Arguments as the JSON body that they stand for: what was not given is not there."""
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_unset=True)
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value
