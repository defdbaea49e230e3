from etl.carbon import grams


def test_road():
    assert grams("road", 2, 100) == 18400
