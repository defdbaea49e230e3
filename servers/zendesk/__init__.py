"""Zendesk Support, API v2. https://developer.zendesk.com/api-reference/ticketing/introduction/"""
