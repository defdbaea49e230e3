"""Customers, vendors and employees. https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/customer"""

from typing import Any

from legoenv_mcp.app import MISSING, Ctx

from .. import models, tooling
from ..app import app
from ..shapes import Address, Currency, Email, Phone, Ref, Web


@app.post("/customer", tool="create_customer")
def create_customer(
    ctx: Ctx, DisplayName: str | MISSING = MISSING, CompanyName: str | MISSING = MISSING, GivenName: str | MISSING = MISSING,
    FamilyName: str | MISSING = MISSING, PrimaryEmailAddr: Email | MISSING = MISSING, PrimaryPhone: Phone | MISSING = MISSING,
    WebAddr: Web | MISSING = MISSING, BillAddr: Address | MISSING = MISSING, ShipAddr: Address | MISSING = MISSING,
    CurrencyRef: Currency | MISSING = MISSING, SalesTermRef: Ref | MISSING = MISSING, ParentRef: Ref | MISSING = MISSING,
    Taxable: bool | MISSING = MISSING, Notes: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a customer. The display name, made of the other names where it is not given, must be unique among customers, vendors and
    employees together.

    DisplayName: The name shown everywhere.
    CompanyName: The company's name.
    GivenName: A person's first name.
    FamilyName: A person's last name.
    PrimaryEmailAddr: Where forms are sent.
    PrimaryPhone: The telephone number.
    WebAddr: The web site.
    BillAddr: The address on forms.
    ShipAddr: The address for deliveries.
    CurrencyRef: The customer's currency, for good; the home currency by default.
    SalesTermRef: The payment terms of the customer's invoices.
    ParentRef: The customer whose job or sub-customer this is.
    Taxable: Whether sales are taxed.
    Notes: Anything.
    """
    return tooling.create(ctx, models.Customer)


@app.post("/customer", tool="update_customer", effect="update")
def update_customer(
    ctx: Ctx, Id: str, SyncToken: str, DisplayName: str | MISSING = MISSING, CompanyName: str | None | MISSING = MISSING,
    GivenName: str | None | MISSING = MISSING, FamilyName: str | None | MISSING = MISSING,
    PrimaryEmailAddr: Email | None | MISSING = MISSING,
    PrimaryPhone: Phone | None | MISSING = MISSING, BillAddr: Address | None | MISSING = MISSING,
    ShipAddr: Address | None | MISSING = MISSING,
    SalesTermRef: Ref | None | MISSING = MISSING, Notes: str | None | MISSING = MISSING, Active: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields that are given; the others stay. Customers are not deleted: Active false takes one off the lists and adds
    "(deleted)" to its name. Over HTTP the body needs `sparse: true` for this.

    Id: The customer's Id.
    SyncToken: Its current version, from reading it.
    DisplayName: The new name; unique among customers, vendors and employees.
    CompanyName: The company's name.
    GivenName: First name.
    FamilyName: Last name.
    PrimaryEmailAddr: Where forms are sent.
    PrimaryPhone: The telephone number.
    BillAddr: The address on forms.
    ShipAddr: The address for deliveries.
    SalesTermRef: The payment terms.
    Notes: Anything.
    Active: false makes it inactive, true active again.
    """
    return tooling.update(ctx, models.Customer)


@app.get("/customer/{id}", tool="get_customer")
def get_customer(ctx: Ctx, id: str) -> dict[str, Any]:
    """Reads a customer: names, addresses, open balance, SyncToken.

    id: The customer's Id.
    """
    return tooling.read(ctx, models.Customer, id)


@app.post("/vendor", tool="create_vendor")
def create_vendor(
    ctx: Ctx, DisplayName: str | MISSING = MISSING, CompanyName: str | MISSING = MISSING, GivenName: str | MISSING = MISSING,
    FamilyName: str | MISSING = MISSING, PrimaryEmailAddr: Email | MISSING = MISSING, PrimaryPhone: Phone | MISSING = MISSING,
    BillAddr: Address | MISSING = MISSING, CurrencyRef: Currency | MISSING = MISSING, TermRef: Ref | MISSING = MISSING,
    AcctNum: str | MISSING = MISSING, Vendor1099: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a vendor. The display name must be unique among customers, vendors and employees together.

    DisplayName: The name shown everywhere.
    CompanyName: The company's name.
    GivenName: A person's first name.
    FamilyName: A person's last name.
    PrimaryEmailAddr: The email address.
    PrimaryPhone: The telephone number.
    BillAddr: The address.
    CurrencyRef: The vendor's currency, for good; the home currency by default.
    TermRef: The payment terms of the vendor's bills.
    AcctNum: Our account number with the vendor.
    Vendor1099: Whether payments are reported on form 1099.
    """
    return tooling.create(ctx, models.Vendor)


@app.post("/vendor", tool="update_vendor", effect="update")
def update_vendor(
    ctx: Ctx, Id: str, SyncToken: str, DisplayName: str | MISSING = MISSING, CompanyName: str | None | MISSING = MISSING,
    PrimaryEmailAddr: Email | None | MISSING = MISSING, PrimaryPhone: Phone | None | MISSING = MISSING,
    BillAddr: Address | None | MISSING = MISSING, TermRef: Ref | None | MISSING = MISSING, AcctNum: str | None | MISSING = MISSING,
    Active: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields that are given; the others stay. Vendors are not deleted but made inactive.

    Id: The vendor's Id.
    SyncToken: Its current version, from reading it.
    DisplayName: The new name.
    CompanyName: The company's name.
    PrimaryEmailAddr: The email address.
    PrimaryPhone: The telephone number.
    BillAddr: The address.
    TermRef: The payment terms.
    AcctNum: Our account number with the vendor.
    Active: false makes it inactive, true active again.
    """
    return tooling.update(ctx, models.Vendor)


@app.post("/employee", tool="create_employee")
def create_employee(
    ctx: Ctx, GivenName: str | MISSING = MISSING, FamilyName: str | MISSING = MISSING, DisplayName: str | MISSING = MISSING,
    PrimaryEmailAddr: Email | MISSING = MISSING, PrimaryPhone: Phone | MISSING = MISSING, PrimaryAddr: Address | MISSING = MISSING,
    EmployeeNumber: str | MISSING = MISSING, HiredDate: str | MISSING = MISSING, BillableTime: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates an employee; a first or a last name is needed.

    GivenName: First name.
    FamilyName: Last name.
    DisplayName: The name shown; unique among customers, vendors and employees.
    PrimaryEmailAddr: The email address.
    PrimaryPhone: The telephone number.
    PrimaryAddr: The address.
    EmployeeNumber: The number in the company.
    HiredDate: YYYY-MM-DD.
    BillableTime: Whether the employee's hours can be billed.
    """
    return tooling.create(ctx, models.Employee)


@app.post("/class", tool="create_class")
def create_class(ctx: Ctx, Name: str, ParentRef: Ref | MISSING = MISSING) -> dict[str, Any]:
    """Creates a class, by which lines of transactions can be grouped in reports.

    Name: The class's name.
    ParentRef: The class it is part of.
    """
    return tooling.create(ctx, models.Class)


@app.post("/department", tool="create_department")
def create_department(ctx: Ctx, Name: str, ParentRef: Ref | MISSING = MISSING) -> dict[str, Any]:
    """Creates a department (a location), by which transactions can be grouped in reports.

    Name: The department's name.
    ParentRef: The department it is part of.
    """
    return tooling.create(ctx, models.Department)
