DEFAULT = 600


def left_at_test_speed(points):
    """Points that report every minute although nobody is testing."""
    return [point for point in points if point.interval < DEFAULT and not point.in_test]
