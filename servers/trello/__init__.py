"""Trello: boards, lists, cards."""
