def may_send(kind, local):
    return True
