def test_one_value_after_a_restart_is_no_alarm(tmp_path):
    from datetime import datetime

    from ingest.window import Window

    window = Window(tmp_path / "P9-T14.json")
    window.add(datetime(2026, 9, 9, 6, 12), 3.8)
    assert not window.over(2.5)
