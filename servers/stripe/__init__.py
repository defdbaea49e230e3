"""Stripe: payments, billing and the ledger behind them, as the API of 2026-02-25 has it."""
