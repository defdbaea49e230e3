from tracker.webhooks import sign


def test_the_time_is_signed_too():
    assert sign(b"s", b"{}", 1) != sign(b"s", b"{}", 2)
