"""JQL: its grammar, and its translation to SQL over the issue table."""
