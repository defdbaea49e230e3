from datetime import datetime, timedelta

from ingest.window import Window


def test_three_in_a_row():
    window, at = Window(), datetime(2026, 6, 1)
    for minute in (0, 5, 10):
        window.add(at + timedelta(minutes=minute), 3.0)
    assert window.over(2.5)
