"""What a newcomer does on the first day works, and warns of nothing."""

import warnings

from tests.package.newcomer import steps


def test_the_twenty_steps_of_a_newcomer(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = steps(tmp_path)
    assert found["first"] == 8
    assert 0.8 < found["score"] <= 1.0
    assert found["queries"] == 6
    assert "p = " in found["verdict"] or "equal values" in found["verdict"]
    assert found["cells"] == 2
    assert found["iterations"] == 6
    assert found["figure"].data
    assert "LinearModel" in found["solr"]
    assert found["same"]
    assert found["rankings"] == 6 * 8
