"""Notion: pages made of blocks, databases of typed properties, comments, search by title."""
