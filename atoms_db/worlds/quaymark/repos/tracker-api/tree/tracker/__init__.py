"""Positions in, arrival times out."""
