from datetime import time

QUIET = (time(20, 0), time(8, 0))


def may_send(kind, local):
    """Alarms at any time, battery notices only by day where the site is."""
    return kind == "alarm" or not (local.time() >= QUIET[0] or local.time() < QUIET[1])
