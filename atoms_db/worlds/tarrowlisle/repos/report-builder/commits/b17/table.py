def pages(rows, per_page):
    """The rows of each page, with the head of the table on every one."""
    head, rest = rows[0], rows[1:]
    return [[head, *rest[at : at + per_page]] for at in range(0, len(rest), per_page)]
