"""Jira Cloud: projects, issues and their workflow, JQL, boards and sprints."""
