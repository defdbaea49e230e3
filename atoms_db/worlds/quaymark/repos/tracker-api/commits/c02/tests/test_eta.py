from datetime import datetime

from tracker.eta import arrival


def test_local_time_of_the_destination():
    assert arrival(datetime(2026, 1, 12, 12, 0), 70, 70, "NL", summer=False) == datetime(2026, 1, 12, 14, 0)
