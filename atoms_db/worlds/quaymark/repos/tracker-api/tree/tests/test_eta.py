from datetime import datetime

import pytest
from tracker.eta import arrival

NOON = datetime(2026, 1, 12, 12, 0)


def test_local_time_of_the_destination():
    assert arrival(NOON, 70, 70, "NL", summer=False) == datetime(2026, 1, 12, 14, 0)


def test_a_lane_without_speed_is_refused():
    with pytest.raises(ValueError, match="no speed"):
        arrival(NOON, 70, 0, "NL", summer=False)
