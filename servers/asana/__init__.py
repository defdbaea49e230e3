"""Asana: tasks, projects, sections, stories, custom fields and what people do with them. https://developers.asana.com/reference"""
