"""Salesforce: the REST API's sObjects, SOQL and SOSL, composite requests, Bulk API 2.0, approvals and reports."""
