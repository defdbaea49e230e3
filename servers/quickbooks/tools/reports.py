"""Reports. https://developer.intuit.com/app/developer/qbo/docs/api/accounting/report-entities/profitandloss"""

from typing import Any, Literal

from legoenv_mcp.app import Ctx

from ..app import app
from ..reports.aging import aging
from ..reports.ledger import general_ledger
from ..reports.statements import balance_sheet, profit_and_loss, trial_balance

Method = Literal["Accrual", "Cash"]
By = Literal["Total", "Days", "Week", "Month", "Quarter", "Year"]


@app.get("/reports/ProfitAndLoss", tool="get_profit_and_loss")
def get_profit_and_loss(
    ctx: Ctx, start_date: str | None = None, end_date: str | None = None, date_macro: str | None = None,
    accounting_method: Method | None = None, summarize_column_by: By | None = None, customer: str | None = None, vendor: str | None = None,
    class_: str | None = None, department: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The profit and loss report: income, cost of goods sold, expenses, net income, in home currency.

    start_date: First day, YYYY-MM-DD.
    end_date: Last day, YYYY-MM-DD.
    date_macro: Instead of days: This Fiscal Year-to-date (default), Last Month, This Fiscal Quarter, Last Fiscal Year, all ...
    accounting_method: Accrual counts invoices and bills when they are dated, Cash when they are paid.
    summarize_column_by: A column for each of these.
    customer: Only these customers: Ids, separated by commas.
    vendor: Only these vendors: Ids.
    class_: Only these classes: Ids.
    department: Only these departments: Ids.
    """
    return profit_and_loss(
        ctx, start_date, end_date, date_macro, accounting_method, summarize_column_by, customer=customer, vendor=vendor, class_=class_,
        department=department,
    )  # fmt: skip


@app.get("/reports/BalanceSheet", tool="get_balance_sheet")
def get_balance_sheet(
    ctx: Ctx, start_date: str | None = None, end_date: str | None = None, date_macro: str | None = None,
    accounting_method: Method | None = None, summarize_column_by: By | None = None, class_: str | None = None,
    department: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The balance sheet at the end of the period: assets, liabilities, equity, in home currency.

    start_date: First day, YYYY-MM-DD; matters for several columns only.
    end_date: The day of the balances, YYYY-MM-DD.
    date_macro: Instead of days, e.g. This Fiscal Year-to-date (default), Last Fiscal Year.
    accounting_method: Accrual or Cash.
    summarize_column_by: A column for each of these.
    class_: Only these classes: Ids, separated by commas.
    department: Only these departments: Ids.
    """
    return balance_sheet(
        ctx,
        start_date,
        end_date,
        date_macro,
        accounting_method,
        summarize_column_by,
        class_=class_,
        department=department,
    )


@app.get("/reports/TrialBalance", tool="get_trial_balance")
def get_trial_balance(
    ctx: Ctx,
    start_date: str | None = None,
    end_date: str | None = None,
    date_macro: str | None = None,
    accounting_method: Method | None = None,
) -> dict[str, Any]:
    """The trial balance: every account's debit or credit balance.

    start_date: First day, YYYY-MM-DD.
    end_date: The day of the balances, YYYY-MM-DD.
    date_macro: Instead of days, e.g. This Fiscal Year-to-date (default).
    accounting_method: Accrual or Cash.
    """
    return trial_balance(ctx, start_date, end_date, date_macro, accounting_method)


@app.get("/reports/GeneralLedger", tool="get_general_ledger")
def get_general_ledger(
    ctx: Ctx, start_date: str | None = None, end_date: str | None = None, date_macro: str | None = None, account: str | None = None,
    columns: str | None = None, accounting_method: Method | None = None, customer: str | None = None, vendor: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The general ledger: every account's entries with running balances. Name accounts or a short period: it is long.

    start_date: First day, YYYY-MM-DD.
    end_date: Last day, YYYY-MM-DD.
    date_macro: Instead of days, e.g. This Month-to-date, This Fiscal Year-to-date (default over HTTP; tools default to this month).
    account: Only these accounts: Ids, separated by commas.
    columns: Which columns: tx_date, txn_type, doc_num, name, memo, split_acc, subt_nat_amount, rbal_nat_amount, debt_amt, credit_amt ...
    accounting_method: Accrual or Cash.
    customer: Only entries of these customers: Ids.
    vendor: Only entries of these vendors: Ids.
    """
    if not ctx.request.method and not (start_date or end_date or date_macro):
        date_macro = "This Month-to-date"
    return general_ledger(
        ctx,
        start_date,
        end_date,
        date_macro,
        accounting_method,
        columns,
        account=account,
        customer=customer,
        vendor=vendor,
    )


@app.get("/reports/AgedReceivables", tool="get_aged_receivables")
def get_aged_receivables(
    ctx: Ctx, report_date: str | None = None, date_macro: str | None = None, customer: str | None = None,
    aging_method: Literal["Report_Date", "Current"] | None = None, aging_period: int | None = None, num_periods: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """What each customer owes, by how long it is overdue, in home currency.

    report_date: As of which day, YYYY-MM-DD; today by default.
    date_macro: Instead of a day, e.g. Today, Last Month.
    customer: Only these customers: Ids, separated by commas.
    aging_method: Whether ages count to the report's day or to today.
    aging_period: Days in a column; 30 by default.
    num_periods: How many columns of overdue amounts; 4 by default.
    """
    return aging(ctx, "AgedReceivables", report_date, date_macro, customer, aging_method, aging_period, num_periods)


@app.get("/reports/AgedPayables", tool="get_aged_payables")
def get_aged_payables(
    ctx: Ctx, report_date: str | None = None, date_macro: str | None = None, vendor: str | None = None,
    aging_method: Literal["Report_Date", "Current"] | None = None, aging_period: int | None = None, num_periods: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """What each vendor is owed, by how long it is overdue, in home currency.

    report_date: As of which day, YYYY-MM-DD; today by default.
    date_macro: Instead of a day, e.g. Today, Last Month.
    vendor: Only these vendors: Ids, separated by commas.
    aging_method: Whether ages count to the report's day or to today.
    aging_period: Days in a column; 30 by default.
    num_periods: How many columns of overdue amounts; 4 by default.
    """
    return aging(ctx, "AgedPayables", report_date, date_macro, vendor, aging_method, aging_period, num_periods)
