"""A fresh company: its chart of accounts, items, terms, payment methods, tax codes, currencies, preferences."""

from datetime import timedelta
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from . import models as m
from .books import system
from .records import create
from .resources import CURRENCIES
from .store import insert

PER_DOLLAR = {
    "USD": 1.0, "EUR": 0.86, "GBP": 0.75, "CAD": 1.38, "AUD": 1.51, "CHF": 0.8, "JPY": 155.0, "SEK": 9.3, "NOK": 10.1, "DKK": 6.42,
    "PLN": 3.64,
    "SGD": 1.29, "INR": 89.5, "NZD": 1.74, "MXN": 18.1,
}  # fmt: skip
COUNTRIES = {"USD": "US", "GBP": "GB", "EUR": "IE", "CAD": "CA", "AUD": "AU"}
CHART = (
    ("Checking", "Bank", "Checking"), ("Savings", "Bank", "Savings"), ("Company Card", "Credit Card", "CreditCard"),
    ("Prepaid Expenses", "Other Current Asset", "PrepaidExpenses"), ("Furniture and Equipment", "Fixed Asset", "FurnitureAndFixtures"),
    ("Loan Payable", "Other Current Liability", "LoanPayable"), ("Notes Payable", "Long Term Liability", "NotesPayable"),
    ("Services", "Income", "ServiceFeeIncome"), ("Sales of Product Income", "Income", "SalesOfProductIncome"),
    ("Billable Expense Income", "Income", "ServiceFeeIncome"), ("Interest Earned", "Other Income", "InterestEarned"),
    ("Advertising", "Expense", "AdvertisingPromotional"), ("Bank Charges", "Expense", "BankCharges"), ("Insurance", "Expense", "Insurance"),
    ("Legal & Professional Fees", "Expense", "LegalProfessionalFees"), ("Meals and Entertainment", "Expense", "EntertainmentMeals"),
    ("Office Expenses", "Expense", "OfficeGeneralAdministrativeExpenses"), ("Rent", "Expense", "RentOrLeaseOfBuildings"),
    ("Travel", "Expense", "Travel"), ("Utilities", "Expense", "Utilities"), ("Payroll Expenses", "Expense", "PayrollExpenses"),
    ("Bad Debts", "Expense", "BadDebts"), ("Depreciation", "Other Expense", "Depreciation"),
)  # fmt: skip
TERMS = (("Due on receipt", 0), ("Net 10", 10), ("Net 15", 15), ("Net 30", 30), ("Net 60", 60))
METHODS = (
    ("Cash", False),
    ("Check", False),
    ("Bank Transfer", False),
    ("Visa", True),
    ("MasterCard", True),
    ("American Express", True),
)
START = 250_000


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    """What the company has before anything is booked."""
    home = organisation.currency if organisation.currency in PER_DOLLAR else "USD"
    _preferences(ctx, home)
    insert(
        ctx, m.CompanyInfo, CompanyName=organisation.name, LegalName=organisation.name, Email=f"accounts@{organisation.domain}",
        WebAddr=f"https://www.{organisation.domain}", CompanyStartDate="2018-01-01", FiscalYearStartMonth="January",
        Country=COUNTRIES.get(home, "US"),
        more={"SupportedLanguages": "en", "NameValue": [{"Name": "OfferingSku", "Value": "QuickBooks Online Plus"}]},
    )  # fmt: skip
    for code, worth in PER_DOLLAR.items():
        if code != home:
            insert(ctx, m.CompanyCurrency, Code=code, Name=CURRENCIES[code])
            rate = round(PER_DOLLAR[home] / worth, 6)
            insert(
                ctx, m.ExchangeRate, SourceCurrencyCode=code, TargetCurrencyCode=home, Rate=rate, AsOfDate="2018-01-01"
            )
    for name, kind, subtype in CHART:
        insert(ctx, m.Account, Name=name, AccountType=kind, AccountSubType=subtype, CurrencyRef=home)
    for role in (
        "receivable",
        "payable",
        "undeposited",
        "inventory",
        "opening",
        "retained",
        "discounts",
        "tax",
        "cogs",
        "exchange",
    ):
        system(ctx, role)
    income = str(account(ctx, "Services").Id)
    for name in ("Services", "Hours"):
        insert(ctx, m.Item, Name=name, Type="Service", IncomeAccountRef=income)
    for name, days in TERMS:
        insert(ctx, m.Term, Name=name, DueDays=days)
    for name, card in METHODS:
        insert(ctx, m.PaymentMethod, Name=name, Type="CREDIT_CARD" if card else "NON_CREDIT_CARD")
    _taxes(ctx)
    _opening(ctx)


def account(ctx: Ctx, name: str) -> m.Account:
    """The account of this name."""
    found = ctx.db.first(m.Account, Name=name)
    assert found is not None, name
    return found


def _taxes(ctx: Ctx) -> None:
    agency = insert(ctx, m.TaxAgency, DisplayName="California Department of Tax and Fee Administration")
    rates = [
        insert(ctx, m.TaxRate, Name=name, Description=name, RateValue=value, AgencyRef=str(agency.Id))
        for name, value in (("California", 7.25), ("Los Angeles County", 2.25))
    ]
    for code, name, about, group, kinds in (
        ("TAX", "TAX", "TAX", False, ()), ("NON", "NON", "NON", False, ()), ("2", "California", "California", True, rates[:1]),
        ("3", "LA County", "California and Los Angeles County", True, rates),
    ):  # fmt: skip
        state: dict[str, Any] = {
            "Code": code,
            "Name": name,
            "Description": about,
            "TaxGroup": group,
            "Taxable": code != "NON",
        }
        insert(ctx, m.TaxCode, **state, rates=[str(rate.Id) for rate in kinds])


def _opening(ctx: Ctx) -> None:
    """The money that the company began with."""
    sides = (("Debit", "Checking"), ("Credit", "Opening Balance Equity"))
    made = [
        {"Amount": START, "DetailType": "JournalEntryLineDetail", "Description": "Opening balance",
         "JournalEntryLineDetail": {"PostingType": side, "AccountRef": {"value": str(account(ctx, name).Id)}}}
        for side, name in sides
    ]  # fmt: skip
    day = (ctx.now - timedelta(days=3 * 365)).date().replace(month=1, day=1).isoformat()
    create(ctx, m.JournalEntry, {"TxnDate": day, "Line": made, "PrivateNote": "Opening balance"})


def _preferences(ctx: Ctx, home: str) -> None:
    insert(
        ctx, m.Preferences,
        AccountingInfoPrefs={"FirstMonthOfFiscalYear": "January", "UseAccountNumbers": False, "TaxYearMonth": "January",
                             "ClassTrackingPerTxn": False, "ClassTrackingPerTxnLine": True, "TrackDepartments": True,
                             "DepartmentTerminology": "Location", "CustomerTerminology": "Customers"},
        ProductAndServicesPrefs={"ForSales": True, "ForPurchase": True, "QuantityWithPriceAndRate": True, "QuantityOnHand": True},
        SalesFormsPrefs={"CustomTxnNumbers": False, "AllowDeposit": False, "AllowDiscount": True, "AllowEstimates": True,
        "AllowShipping": False,
                         "AllowServiceDate": True, "AutoApplyCredit": False, "AutoApplyPayments": False, "ETransactionAttachPDF": True,
                         "DefaultCustomerMessage": "Thank you for your business.", "EmailCopyToCompany": False},
        EmailMessagesPrefs={"InvoiceMessage": {"Subject": "Invoice", "Message": "Your invoice is attached."}},
        VendorAndPurchasesPrefs={"TrackingByCustomer": True, "BillableExpenseTracking": True},
        TimeTrackingPrefs={"UseServices": True, "BillCustomers": True, "ShowBillRateToAll": False, "WorkWeekStartDate": "Monday"},
        TaxPrefs={"UsingSalesTax": True, "TaxGroupCodeRef": {"value": "2"}},
        CurrencyPrefs={"MultiCurrencyEnabled": True, "HomeCurrency": {"value": home}},
        ReportPrefs={"ReportBasis": "Accrual", "CalcAgingReportFromTxnDate": False},
        OtherPrefs={"NameValue": [{"Name": "SalesFormsPrefs.DefaultItem", "Value": "1"}]},
    )  # fmt: skip
